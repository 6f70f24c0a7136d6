// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @tmm_epilogue_c1_no_region(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: memref<8x24xf32>) {
  // expected-error @below {{'tmm.matmul' op expected one epilogue that takes the 1 extra operands, each with its entry in `along`}}
  "tmm.matmul"(%a, %b, %d, %x) <{along = array<i32: -1>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0>}> : (memref<8x16xf16>, memref<16x24xf16>, memref<8x24xf32>, memref<8x24xf32>) -> ()
  return
}

// -----

func.func @tmm_epilogue_c2_element_type(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: memref<8x24xf64>) {
  // expected-error @below {{operand X0: expected element type f32, f16 or bf16, got 'f64'}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
      epilogue(%acc, %e = %x : memref<8x24xf64>) { tmm.yield %acc : f32 }
  return
}

// -----

func.func @tmm_epilogue_c3_scalar_along(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: f32) {
  // expected-error @below {{operand X0: expected a vector along n, got 'f32'}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
      epilogue(%acc, %e = %x along n : f32) { tmm.yield %acc : f32 }
  return
}

// -----

func.func @tmm_epilogue_c4_tensor(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: tensor<8x24xf32>) {
  // expected-error @below {{operand X0: expected a memref like D, got 'tensor<8x24xf32>'}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
      epilogue(%acc, %e = %x : tensor<8x24xf32>) { tmm.yield %acc : f32 }
  return
}

// -----

func.func @tmm_epilogue_c5_vector_without_dimension(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: memref<24xf32>) {
  // expected-error @below {{operand X0: expected a matrix of rank 2, got rank 1; a vector is `along m` or `along n`}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
      epilogue(%acc, %e = %x : memref<24xf32>) { tmm.yield %acc : f32 }
  return
}

// -----

func.func @tmm_epilogue_c5_matrix_along(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: memref<8x24xf32>) {
  // expected-error @below {{operand X0: expected a vector of rank 1, got rank 2}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
      epilogue(%acc, %e = %x along m : memref<8x24xf32>) { tmm.yield %acc : f32 }
  return
}

// -----

func.func @tmm_epilogue_c6_size(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: memref<8xf32>) {
  // expected-error @below {{operand X0: expected N = 24 in dimension 0, got 8}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
      epilogue(%acc, %e = %x along n : memref<8xf32>) { tmm.yield %acc : f32 }
  return
}

// -----

func.func @tmm_epilogue_c6_matrix(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: memref<9x24xf32>) {
  // expected-error @below {{operand X0: expected M = 8 in dimension 0, got 9}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
      epilogue(%acc, %e = %x : memref<9x24xf32>) { tmm.yield %acc : f32 }
  return
}

// -----

func.func @tmm_epilogue_c7_stride(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: memref<24xf32, strided<[2]>>) {
  // expected-error @below {{operand X0: expected a strided layout with innermost stride 1}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
      epilogue(%acc, %e = %x along n : memref<24xf32, strided<[2]>>) { tmm.yield %acc : f32 }
  return
}

// -----

func.func @tmm_epilogue_c8_space(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: memref<8x24xf32, 3>) {
  // expected-error @below {{operand X0: expected the memory space of D}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
      epilogue(%acc, %e = %x : memref<8x24xf32, 3>) { tmm.yield %acc : f32 }
  return
}

// -----

func.func @tmm_epilogue_c9_arguments(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{expected epilogue arguments ('f32'), the accumulator and an element of each extra operand, got ('f16')}}
  "tmm.matmul"(%a, %b, %d) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}> ({
  ^bb0(%acc: f16):
    %0 = arith.extf %acc : f16 to f32
    tmm.yield %0 : f32
  }) : (memref<8x16xf16>, memref<16x24xf16>, memref<8x24xf32>) -> ()
  return
}

// -----

func.func @tmm_epilogue_c10_operation(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>) {
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>) epilogue(%acc) {
    // expected-error @below {{'math.sin' op cannot be computed in an epilogue: expected an elementwise operation of arith or math}}
    %0 = math.sin %acc : f32
    tmm.yield %0 : f32
  }
  return
}

// -----

func.func @tmm_epilogue_c11_yield(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{expected the epilogue to end in tmm.yield of the element type of D, 'f32'}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>) epilogue(%acc) {
    %0 = arith.truncf %acc : f32 to f16
    tmm.yield %0 : f16
  }
  return
}

// -----

func.func @tmm_epilogue_syntax(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: memref<24xf32>) {
  // expected-error @below {{expected 'm' or 'n', got 'k'}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>) epilogue(%acc, %e = %x along k : memref<24xf32>) { tmm.yield %acc : f32 }
  return
}

// -----

func.func @tmm_epilogue_c5_batch(%a: memref<3x8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<3x8x24xf32>, %x: memref<2x3x24xf32>) {
  // expected-error @below {{operand X0: expected a vector of rank 1 to 2, got rank 3}}
  tmm.matmul ins(%a, %b : memref<3x8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<3x8x24xf32>)
      epilogue(%acc, %y = %x along n : memref<2x3x24xf32>) {
    tmm.yield %acc : f32
  }
  return
}

// -----

func.func @tmm_matmul_c11_extra(%a: memref<3x8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<3x8x24xf32>, %x: memref<2x24xf32>) {
  // expected-error @below {{operand X0: expected batch dimension 0 of size 3 as in dimension 0 of D, or 1, got 2}}
  tmm.matmul ins(%a, %b : memref<3x8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<3x8x24xf32>)
      epilogue(%acc, %y = %x along n : memref<2x24xf32>) {
    tmm.yield %acc : f32
  }
  return
}

// -----

func.func @unsigned_integers(%a: memref<64x64xi8>, %b: memref<16x64xui8>, %d: memref<64x16xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<64x64xi8>, memref<16x64xui8>) outs(%d : memref<64x16xf32>)
    epilogue(%acc : i32) {
      // expected-error @below {{cannot be computed in an epilogue: expected an elementwise operation of arith or math on f32, f16, bf16 or i1, or a conversion, comparison, choice, maximum or minimum of signed i32, that a kernel computes without a library}}
      %r = arith.uitofp %acc : i32 to f32
      tmm.yield %r : f32
    }
  return
}

// -----

func.func @tmm_epilogue_c7_stride(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: memref<8x24xf32, strided<[48, 2]>>) {
  // expected-error @below {{operand X0: expected a strided layout with innermost stride 1, got 'memref<8x24xf32, strided<[48, 2]>>'}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
      epilogue(%acc, %e = %x : memref<8x24xf32, strided<[48, 2]>>) { tmm.yield %acc : f32 }
  return
}

// -----

func.func @tmm_epilogue_c8_space(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>, %x: memref<8x24xf32, 1>) {
  // expected-error @below {{operand X0: expected the memory space of D, got 'memref<8x24xf32, 1>'}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
      epilogue(%acc, %e = %x : memref<8x24xf32, 1>) { tmm.yield %acc : f32 }
  return
}

// -----

func.func @tmm_epilogue_c7_negative(%a: memref<200x160xbf16>, %b: memref<136x160xbf16>, %x: memref<200x136xf32, strided<[-136, 1], offset: 27064>>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand X0: expected a stride of dimension 0 of at least 0, got -136}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xbf16>, memref<136x160xbf16>) outs(%d : memref<200x136xf32>) epilogue(%acc, %r = %x : memref<200x136xf32, strided<[-136, 1], offset: 27064>>) {
    %0 = arith.addf %acc, %r : f32
    tmm.yield %0 : f32
  }
  return
}
