// RUN: tc-opt --split-input-file --verify-diagnostics %s

func.func @tmm_matmul_c1_rank(%a: memref<2x8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{'tmm.matmul' op operand A: expected a matrix of rank 2, got rank 3}}
  tmm.matmul ins(%a, %b : memref<2x8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c1_unranked(%a: memref<8x16xbf16>, %b: memref<*xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand B: expected a matrix of rank 2, got an unranked memref}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<*xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c2_workgroup(%a: memref<8x16xbf16, #gpu.address_space<workgroup>>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand A: expected global memory (no memory space, 0, 1 or #gpu.address_space<global>), got #gpu.address_space<workgroup>}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16, #gpu.address_space<workgroup>>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c2_number(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32, 3>) {
  // expected-error @below {{operand D: expected global memory (no memory space, 0, 1 or #gpu.address_space<global>), got 3 : i64}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32, 3>)
  return
}

// -----

func.func @tmm_matmul_c3_layout(%a: memref<8x16xbf16, affine_map<(i, j) -> (i floordiv 2, j mod 2)>>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand A: expected a strided layout, got affine_map}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16, affine_map<(i, j) -> (i floordiv 2, j mod 2)>>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c3_dynamic_stride(%a: memref<8x16xbf16, strided<[?, ?]>>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand A: expected innermost stride 1, got a dynamic one; cast to a layout with innermost stride 1}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16, strided<[?, ?]>>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c3_column_major(%a: memref<8x16xbf16>, %b: memref<16x24xbf16, strided<[1, 16]>>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand B: expected innermost stride 1, got 16; transpose the memref and change transpose_b}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16, strided<[1, 16]>>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c3_one_element(%a: memref<8x16xbf16, strided<[0, 0]>>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand A: expected innermost stride 1, got 0, as the elements of a row are copied from next to each other; of rows that are equal, nearest a row stride of 0}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16, strided<[0, 0]>>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c3_stride(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32, strided<[48, 2]>>) {
  // expected-error @below {{operand D: expected innermost stride 1, got 2}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32, strided<[48, 2]>>)
  return
}

// -----

func.func @tmm_matmul_c4_negative_stride(%a: memref<8x16xbf16, strided<[-16, 1], offset: 112>>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand A: expected a row stride of at least 0, got -16}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16, strided<[-16, 1], offset: 112>>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c5_overlapping_rows(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32, strided<[20, 1]>>) {
  // expected-error @below {{operand D: expected rows that do not overlap, a row stride of at least 24, got 20}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32, strided<[20, 1]>>)
  return
}

// -----

func.func @tmm_matmul_c20_f32(%a: memref<8x16xf32>, %b: memref<16x24xf32>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand A: f32 is multiplied as tf32, without the low 13 bits: expected allow_tf32, got none}}
  tmm.matmul ins(%a, %b : memref<8x16xf32>, memref<16x24xf32>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c7_mixed_inputs(%a: memref<8x16xbf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand B: expected the element type of A, bf16, got f16}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c8_output_type(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf64>) {
  // expected-error @below {{operand D: expected element type f32, bf16, f16, f8E4M3FN or f8E5M2, got f64}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf64>)
  return
}

// -----

func.func @tmm_matmul_c9_mixed(%a: memref<8x16xbf16>, %b: tensor<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{'tmm.matmul' op expected operands that are all memrefs or all tensors, got memref<8x16xbf16>, tensor<16x24xbf16> and memref<8x24xf32>}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, tensor<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c10_k(%a: memref<8x16xbf16>, %b: memref<24x16xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand B: expected K = 16 as in A in dimension 0, got 24}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<24x16xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c10_m(%a: memref<16x8xbf16>, %b: memref<16x24xbf16>, %d: memref<16x24xf32>) {
  // expected-error @below {{operand D: expected M = 8 as in A in dimension 0, got 16}}
  tmm.matmul transpose_a ins(%a, %b : memref<16x8xbf16>, memref<16x24xbf16>) outs(%d : memref<16x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c10_n(%a: memref<8x16xbf16>, %b: memref<24x16xbf16>, %d: memref<8x32xf32>) {
  // expected-error @below {{operand D: expected N = 24 as in B in dimension 1, got 32}}
  tmm.matmul transpose_b ins(%a, %b : memref<8x16xbf16>, memref<24x16xbf16>) outs(%d : memref<8x32xf32>)
  return
}

// -----

func.func @no_result(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>) {
  // expected-error @below {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  tmm.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>)
  return
}

// -----

func.func @result_with_memrefs(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %0 = tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>) -> tensor<8x24xf32>
  return
}

// -----

func.func @result_type(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>) {
  // expected-error @below {{expected type of operand #2 ('tensor<8x24xf32>') to match type of corresponding result ('tensor<8x?xf32>')}}
  %0 = tmm.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x?xf32>
  return
}

// -----

func.func @not_a_matrix(%a: vector<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand #0 must be matrix: a memref or a ranked tensor, but got 'vector<8x16xbf16>'}}
  tmm.matmul ins(%a, %b : vector<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c1_batch(%a: memref<2x3x8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<3x8x24xf32>) {
  // expected-error @below {{operand A: expected a matrix of rank 2 to 3, the rank of D, got rank 4}}
  tmm.matmul ins(%a, %b : memref<2x3x8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<3x8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c5_batch(%a: memref<3x8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<3x8x24xf32, strided<[16, 48, 1]>>) {
  // expected-error @below {{operand D: expected rows that do not overlap, a stride of dimension 0 of at least 24, got 16}}
  tmm.matmul ins(%a, %b : memref<3x8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<3x8x24xf32, strided<[16, 48, 1]>>)
  return
}

// -----

func.func @tmm_matmul_c11(%a: memref<3x8x16xbf16>, %b: memref<2x16x24xbf16>, %d: memref<3x8x24xf32>) {
  // expected-error @below {{operand B: expected batch dimension 0 of size 3 as in dimension 0 of D, or 1, got 2}}
  tmm.matmul ins(%a, %b : memref<3x8x16xbf16>, memref<2x16x24xbf16>) outs(%d : memref<3x8x24xf32>)
  return
}

// -----

// Of D no element has two values.
func.func @tmm_matmul_c5_zero(%a: memref<?x64xbf16>, %b: memref<64x?xbf16>, %d: memref<?x?xf32, strided<[0, 1]>>) {
  // expected-error @below {{operand D: expected rows that do not overlap, a row stride of at least 1, got 0}}
  tmm.matmul ins(%a, %b : memref<?x64xbf16>, memref<64x?xbf16>) outs(%d : memref<?x?xf32, strided<[0, 1]>>)
  return
}

// -----

func.func @tmm_matmul_c12(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>) {
  // expected-error @below {{operand D: expected memory of its own, got that of operand A: tiles of D would overwrite it while it is read}}
  tmm.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%a : memref<64x64xbf16>)
  return
}

// -----

func.func @tmm_matmul_c13_types(%a: memref<200x160xbf16>, %b: memref<136x160xf8E5M2>, %sa: memref<2x2x32x4x4xf8E8M0FNU>, %sb: memref<2x2x32x4x4xf8E8M0FNU>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand A: expected element type f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN or f4E2M1FN with scale factors of f8E8M0FNU, got bf16}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xbf16>, memref<136x160xf8E5M2>) scales(%sa, %sb : memref<2x2x32x4x4xf8E8M0FNU>, memref<2x2x32x4x4xf8E8M0FNU>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c14_tensor(%a: memref<200x160xf8E4M3FN>, %b: memref<136x160xf8E5M2>, %sa: tensor<2x2x32x4x4xf8E8M0FNU>, %sb: memref<2x2x32x4x4xf8E8M0FNU>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand SFA: expected a memref like D, got tensor<2x2x32x4x4xf8E8M0FNU>}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xf8E4M3FN>, memref<136x160xf8E5M2>) scales(%sa, %sb : tensor<2x2x32x4x4xf8E8M0FNU>, memref<2x2x32x4x4xf8E8M0FNU>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c14_element(%a: memref<200x160xf8E4M3FN>, %b: memref<136x160xf8E5M2>, %sa: memref<2x2x32x4x4xf8E8M0FNU>, %sb: memref<2x2x32x4x4xf8E4M3FN>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand SFB: expected the element type of SFA, f8E8M0FNU, got f8E4M3FN}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xf8E4M3FN>, memref<136x160xf8E5M2>) scales(%sa, %sb : memref<2x2x32x4x4xf8E8M0FNU>, memref<2x2x32x4x4xf8E4M3FN>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c15_rank(%a: memref<200x160xf8E4M3FN>, %b: memref<136x160xf8E5M2>, %sa: memref<200x5xf8E8M0FNU>, %sb: memref<2x2x32x4x4xf8E8M0FNU>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand SFA: expected blocks along M and K of 32x4x4 factors, rank 5, got rank 2}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xf8E4M3FN>, memref<136x160xf8E5M2>) scales(%sa, %sb : memref<200x5xf8E8M0FNU>, memref<2x2x32x4x4xf8E8M0FNU>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c15_blocks(%a: memref<200x160xf8E4M3FN>, %b: memref<136x160xf8E5M2>, %sa: memref<2x2x32x4x4xf8E8M0FNU>, %sb: memref<2x2x32x16x1xf8E8M0FNU>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand SFB: expected blocks of 32x4x4 factors, got 32x16x1}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xf8E4M3FN>, memref<136x160xf8E5M2>) scales(%sa, %sb : memref<2x2x32x4x4xf8E8M0FNU>, memref<2x2x32x16x1xf8E8M0FNU>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c16_rows(%a: memref<200x160xf8E4M3FN>, %b: memref<136x160xf8E5M2>, %sa: memref<1x2x32x4x4xf8E8M0FNU>, %sb: memref<2x2x32x4x4xf8E8M0FNU>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand SFA: expected 2 blocks of 128 along M = 200 in dimension 0, got 1}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xf8E4M3FN>, memref<136x160xf8E5M2>) scales(%sa, %sb : memref<1x2x32x4x4xf8E8M0FNU>, memref<2x2x32x4x4xf8E8M0FNU>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c16_k(%a: memref<200x160xf8E4M3FN>, %b: memref<136x160xf8E5M2>, %sa: memref<2x2x32x4x4xf8E8M0FNU>, %sb: memref<2x5x32x4x4xf8E8M0FNU>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand SFB: expected 2 blocks of 128 along K = 160 in dimension 1, got 5}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xf8E4M3FN>, memref<136x160xf8E5M2>) scales(%sa, %sb : memref<2x2x32x4x4xf8E8M0FNU>, memref<2x5x32x4x4xf8E8M0FNU>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c17_strides(%a: memref<200x160xf8E4M3FN>, %b: memref<136x160xf8E5M2>, %sa: memref<2x2x32x4x4xf8E8M0FNU, strided<[2048, 1024, 16, 4, 1]>>, %sb: memref<2x2x32x4x4xf8E8M0FNU>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand SFA: expected the blocks of one row of them to be adjacent, strides of 512, 16, 4 and 1, got memref<2x2x32x4x4xf8E8M0FNU, strided<[2048, 1024, 16, 4, 1]>>}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xf8E4M3FN>, memref<136x160xf8E5M2>) scales(%sa, %sb : memref<2x2x32x4x4xf8E8M0FNU, strided<[2048, 1024, 16, 4, 1]>>, memref<2x2x32x4x4xf8E8M0FNU>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c2_scales(%a: memref<200x160xf8E4M3FN>, %b: memref<136x160xf8E5M2>, %sa: memref<2x2x32x4x4xf8E8M0FNU>, %sb: memref<2x2x32x4x4xf8E8M0FNU, 3>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand SFB: expected global memory (no memory space, 0, 1 or #gpu.address_space<global>), got 3 : i64}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xf8E4M3FN>, memref<136x160xf8E5M2>) scales(%sa, %sb : memref<2x2x32x4x4xf8E8M0FNU>, memref<2x2x32x4x4xf8E8M0FNU, 3>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c18(%a: memref<200x160xf8E4M3FN>, %b: memref<136x160xf8E4M3FN>, %s: memref<2x2x32x4x4xf8E8M0FNU>, %d: memref<200x136xf32>) {
  // expected-error @below {{expected scale factors of A and of B, or none, got those of A}}
  "tmm.matmul"(%a, %b, %d, %s) <{transpose_b, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0>}> : (memref<200x160xf8E4M3FN>, memref<136x160xf8E4M3FN>, memref<200x136xf32>, memref<2x2x32x4x4xf8E8M0FNU>) -> ()
  return
}

// -----

func.func @tmm_matmul_c19(%a: memref<3x8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<3x8x24xf32, strided<[32, 32, 1]>>) {
  // expected-error @below {{operand D: expected matrices that do not overlap, a stride of dimension 0 of at least 248, got 32}}
  tmm.matmul ins(%a, %b : memref<3x8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<3x8x24xf32, strided<[32, 32, 1]>>)
  return
}

// -----

// The rows of the matrices in turns.
func.func @tmm_matmul_c19_legal(%a: memref<3x8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<3x8x24xf32, strided<[24, 72, 1]>>) {
  tmm.matmul ins(%a, %b : memref<3x8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<3x8x24xf32, strided<[24, 72, 1]>>)
  return
}

// -----

func.func @tmm_matmul_c6_f64(%a: memref<16x16xf64>, %b: memref<16x16xf64>, %d: memref<16x16xf32>) {
  // expected-error @below {{operand A: expected element type f16, bf16, f32, f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN, f4E2M1FN, i8 or ui8, got f64}}
  tmm.matmul ins(%a, %b : memref<16x16xf64>, memref<16x16xf64>) outs(%d : memref<16x16xf32>)
  return
}

// -----

func.func @tmm_matmul_c7_mix(%a: memref<16x16xf8E5M2>, %b: memref<16x16xbf16>, %d: memref<16x16xf32>) {
  // expected-error @below {{operand B: expected element type f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN or f4E2M1FN, of the kind of A, got bf16}}
  tmm.matmul ins(%a, %b : memref<16x16xf8E5M2>, memref<16x16xbf16>) outs(%d : memref<16x16xf32>)
  return
}

// -----

func.func @tmm_matmul_c20_halves(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %d: memref<16x16xf32>) {
  // expected-error @below {{allow_tf32: expected element type f32 of A and B, got f16}}
  tmm.matmul allow_tf32 ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) outs(%d : memref<16x16xf32>)
  return
}

// -----

func.func @tmm_matmul_c8_i8(%a: memref<16x16xi8>, %b: memref<16x16xui8>, %d: memref<16x16xi8>) {
  // expected-error @below {{operand D: expected element type i32, f32, bf16, f16, f8E4M3FN or f8E5M2, got i8}}
  tmm.matmul ins(%a, %b : memref<16x16xi8>, memref<16x16xui8>) outs(%d : memref<16x16xi8>)
  return
}

// -----

func.func @tmm_matmul_c21_f32(%a: memref<16x16xi8>, %b: memref<16x16xi8>, %d: memref<16x16xf32>) {
  // expected-error @below {{operand D: expected element type i32 of a sum of integers without an epilogue, got 'f32'}}
  tmm.matmul ins(%a, %b : memref<16x16xi8>, memref<16x16xi8>) outs(%d : memref<16x16xf32>)
  return
}

// -----

func.func @tmm_epilogue_c9_integers(%a: memref<16x16xi8>, %b: memref<16x16xi8>, %d: memref<16x16xf32>) {
  // expected-error @below {{expected epilogue arguments ('i32')}}
  tmm.matmul ins(%a, %b : memref<16x16xi8>, memref<16x16xi8>) outs(%d : memref<16x16xf32>)
    epilogue(%acc) {
      tmm.yield %acc : f32
    }
  return
}

// -----

func.func @tmm_matmul_c13_nvfp4(%a: memref<128x128xf8E4M3FN>, %b: memref<128x128xf8E4M3FN>, %sa: memref<1x1x32x4x4xf8E4M3FN>, %sb: memref<1x1x32x4x4xf8E4M3FN>, %d: memref<128x128xf32>) {
  // expected-error @below {{operand A: expected element type f4E2M1FN with scale factors of f8E4M3FN, got f8E4M3FN}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x128xf8E4M3FN>, memref<128x128xf8E4M3FN>) scales(%sa, %sb : memref<1x1x32x4x4xf8E4M3FN>, memref<1x1x32x4x4xf8E4M3FN>) outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c13_block(%a: memref<128x128xf8E5M2>, %b: memref<128x128xf8E4M3FN>, %sa: memref<1x1x32x4x4xf8E8M0FNU>, %sb: memref<1x1x32x4x4xf8E8M0FNU>, %d: memref<128x128xf32>) {
  // expected-error @below {{operand A: expected element type f4E2M1FN with scale factors of f8E8M0FNU for 16 elements, got f8E5M2}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x128xf8E5M2>, memref<128x128xf8E4M3FN>) scales(%sa, %sb : memref<1x1x32x4x4xf8E8M0FNU>, memref<1x1x32x4x4xf8E8M0FNU>) scale_block = 16 outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c14_unknown(%a: memref<128x128xf4E2M1FN>, %b: memref<128x128xf4E2M1FN>, %sa: memref<1x1x32x4x4xf8E5M2>, %sb: memref<1x1x32x4x4xf8E5M2>, %d: memref<128x128xf32>) {
  // expected-error @below {{operand SFA: expected element type f8E8M0FNU, f8E4M3FN or f32, got f8E5M2}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x128xf4E2M1FN>, memref<128x128xf4E2M1FN>) scales(%sa, %sb : memref<1x1x32x4x4xf8E5M2>, memref<1x1x32x4x4xf8E5M2>) outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c16_nvfp4(%a: memref<128x128xf4E2M1FN>, %b: memref<128x128xf4E2M1FN>, %sa: memref<1x1x32x4x4xf8E4M3FN>, %sb: memref<1x1x32x4x4xf8E4M3FN>, %d: memref<128x128xf32>) {
  // expected-error @below {{operand SFA: expected 2 blocks of 64 along K = 128 in dimension 1, got 1}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x128xf4E2M1FN>, memref<128x128xf4E2M1FN>) scales(%sa, %sb : memref<1x1x32x4x4xf8E4M3FN>, memref<1x1x32x4x4xf8E4M3FN>) outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c22(%a: memref<128x128xf4E2M1FN>, %b: memref<128x128xf4E2M1FN>, %sa: memref<1x1x32x4x4xf8E4M3FN>, %sb: memref<1x1x32x4x4xf8E4M3FN>, %d: memref<128x128xf32>) {
  // expected-error @below {{scale_block: expected 16 elements for each factor of f8E4M3FN, got 32}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x128xf4E2M1FN>, memref<128x128xf4E2M1FN>) scales(%sa, %sb : memref<1x1x32x4x4xf8E4M3FN>, memref<1x1x32x4x4xf8E4M3FN>) scale_block = 32 outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c22_none(%a: memref<128x128xf4E2M1FN>, %b: memref<128x128xf4E2M1FN>, %sa: memref<1x1x32x4x4xf8E8M0FNU>, %sb: memref<1x1x32x4x4xf8E8M0FNU>, %d: memref<128x128xf32>) {
  // expected-error @below {{scale_block: expected 32 or 16 elements for each factor of f8E8M0FNU, got 64}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x128xf4E2M1FN>, memref<128x128xf4E2M1FN>) scales(%sa, %sb : memref<1x1x32x4x4xf8E8M0FNU>, memref<1x1x32x4x4xf8E8M0FNU>) scale_block = 64 outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c23_a(%a: memref<128x128xf4E2M1FN>, %b: memref<128x128xf4E2M1FN>, %sa: memref<1x1x32x4x4xf8E8M0FNU>, %sb: memref<1x1x32x4x4xf8E8M0FNU>, %d: memref<128x128xf32>) {
  // expected-error @below {{operand A: expected no transpose_a: elements of f4E2M1FN are adjacent along K}}
  tmm.matmul transpose_a transpose_b ins(%a, %b : memref<128x128xf4E2M1FN>, memref<128x128xf4E2M1FN>) scales(%sa, %sb : memref<1x1x32x4x4xf8E8M0FNU>, memref<1x1x32x4x4xf8E8M0FNU>) outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c23_b(%a: memref<128x128xf4E2M1FN>, %b: memref<128x128xf4E2M1FN>, %sa: memref<1x1x32x4x4xf8E8M0FNU>, %sb: memref<1x1x32x4x4xf8E8M0FNU>, %d: memref<128x128xf32>) {
  // expected-error @below {{operand B: expected transpose_b: elements of f4E2M1FN are adjacent along K}}
  tmm.matmul ins(%a, %b : memref<128x128xf4E2M1FN>, memref<128x128xf4E2M1FN>) scales(%sa, %sb : memref<1x1x32x4x4xf8E8M0FNU>, memref<1x1x32x4x4xf8E8M0FNU>) outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c24(%a: memref<128x95xf4E2M1FN>, %b: memref<128x95xf4E2M1FN>, %sa: memref<1x1x32x4x4xf8E8M0FNU>, %sb: memref<1x1x32x4x4xf8E8M0FNU>, %d: memref<128x128xf32>) {
  // expected-error @below {{expected K of a multiple of 2, the elements that share a byte, got 95, the nearest is 96}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x95xf4E2M1FN>, memref<128x95xf4E2M1FN>) scales(%sa, %sb : memref<1x1x32x4x4xf8E8M0FNU>, memref<1x1x32x4x4xf8E8M0FNU>) outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c25(%a: memref<128x128xf8E4M3FN>, %b: memref<128x128xf8E4M3FN>, %sa: memref<1x1x32x4x4xf8E8M0FNU>, %sb: memref<1x1x32x4x4xf8E8M0FNU>, %d: memref<128x128xf32>) {
  // expected-error @below {{scale_block: expected operands with scale factors, got none}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x128xf8E4M3FN>, memref<128x128xf8E4M3FN>) scale_block = 32 outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c26(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  // expected-error @below {{f16_sum: expected operands of f16, or of floats of 8 bits or fewer without scale factors, got 'bf16' and 'bf16'}}
  tmm.matmul f16_sum ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}

// -----

func.func @tmm_matmul_c26_scaled(%a: memref<128x128xf8E4M3FN>, %b: memref<128x128xf8E4M3FN>, %sa: memref<1x1x32x4x4xf8E8M0FNU>, %sb: memref<1x1x32x4x4xf8E8M0FNU>, %d: memref<128x128xf32>) {
  // expected-error @below {{f16_sum: expected operands of f16, or of floats of 8 bits or fewer without scale factors, got 'f8E4M3FN' and 'f8E4M3FN' with them}}
  tmm.matmul transpose_b f16_sum ins(%a, %b : memref<128x128xf8E4M3FN>, memref<128x128xf8E4M3FN>) scales(%sa, %sb : memref<1x1x32x4x4xf8E8M0FNU>, memref<1x1x32x4x4xf8E8M0FNU>) outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c21_accumulate(%a: memref<8x16xi8>, %b: memref<16x24xi8>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand D: expected element type i32 of a sum of integers with accumulate, got 'f32'}}
  tmm.matmul accumulate ins(%a, %b : memref<8x16xi8>, memref<16x24xi8>) outs(%d : memref<8x24xf32>)
    epilogue(%acc : i32) {
      %f = arith.sitofp %acc : i32 to f32
      tmm.yield %f : f32
    }
  return
}

// -----

func.func @tmm_matmul_c10_sparse(%a: memref<200x80xbf16>, %b: memref<136x80xbf16>, %e: memref<2x2x128x4xi32>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand B: expected K = 160, twice as many as in A in dimension 1, got 80}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x80xbf16>, memref<136x80xbf16>) metadata(%e : memref<2x2x128x4xi32>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c32(%a: memref<128x128xf8E4M3FN>, %s: memref<1x1x32x4x4xf8E8M0FNU>, %e: memref<1x2x128x4xi32>, %d: memref<128x128xf32>) {
  // expected-error @below {{metadata: expected a sparse A without scale factors, got SFA}}
  tmm.matmul transpose_b ins(%a, %a : memref<128x128xf8E4M3FN>, memref<128x128xf8E4M3FN>) scales(%s, %s : memref<1x1x32x4x4xf8E8M0FNU>, memref<1x1x32x4x4xf8E8M0FNU>)
    metadata(%e : memref<1x2x128x4xi32>) outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c33_type(%a: memref<200x80xbf16>, %b: memref<136x160xbf16>, %e: memref<2x2x128x4xi16>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand metadata: expected element type i32, got i16}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x80xbf16>, memref<136x160xbf16>) metadata(%e : memref<2x2x128x4xi16>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c33_tensor(%a: memref<200x80xbf16>, %b: memref<136x160xbf16>, %e: tensor<2x2x128x4xi32>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand metadata: expected a memref like D, got tensor<2x2x128x4xi32>}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x80xbf16>, memref<136x160xbf16>) metadata(%e : tensor<2x2x128x4xi32>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c34(%a: memref<200x79xbf16>, %b: memref<136x158xbf16>, %e: memref<2x2x128x4xi32>, %d: memref<200x136xf32>) {
  // expected-error @below {{expected K of a multiple of 4, the elements that share a code of metadata, got 158, the nearest is 160}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x79xbf16>, memref<136x158xbf16>) metadata(%e : memref<2x2x128x4xi32>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c34_large(%a: memref<128x4611686018427387904xbf16>, %b: memref<128x?xbf16>, %e: memref<1x?x128x4xi32>, %d: memref<128x128xf32>) {
  // expected-error @below {{operand A: expected at most 4611686018427387903 elements along K, half of them, in dimension 1, got 4611686018427387904}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x4611686018427387904xbf16>, memref<128x?xbf16>) metadata(%e : memref<1x?x128x4xi32>) outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c15_metadata_dynamic(%a: memref<128x64xbf16>, %b: memref<128x128xbf16>, %e: memref<1x1x?x4xi32>, %d: memref<128x128xf32>) {
  // expected-error @below {{operand metadata: expected blocks of 128x4 words, got ?x4}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x64xbf16>, memref<128x128xbf16>) metadata(%e : memref<1x1x?x4xi32>) outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c15_metadata_rank(%a: memref<200x80xbf16>, %b: memref<136x160xbf16>, %e: memref<2x2x512xi32>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand metadata: expected blocks along M and K of 128x4 words, rank 4, got rank 3}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x80xbf16>, memref<136x160xbf16>) metadata(%e : memref<2x2x512xi32>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c15_metadata_blocks(%a: memref<200x80xbf16>, %b: memref<136x160xbf16>, %e: memref<2x2x64x8xi32>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand metadata: expected blocks of 128x4 words, got 64x8}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x80xbf16>, memref<136x160xbf16>) metadata(%e : memref<2x2x64x8xi32>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c16_metadata_rows(%a: memref<200x80xbf16>, %b: memref<136x160xbf16>, %e: memref<1x2x128x4xi32>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand metadata: expected 2 blocks of 128 along M = 200 in dimension 0, got 1}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x80xbf16>, memref<136x160xbf16>) metadata(%e : memref<1x2x128x4xi32>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c16_metadata_tf32(%a: memref<200x80xf32>, %b: memref<136x160xf32>, %e: memref<2x2x128x4xi32>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand metadata: expected 3 blocks of 64 along K = 160 in dimension 1, got 2}}
  tmm.matmul transpose_b allow_tf32 ins(%a, %b : memref<200x80xf32>, memref<136x160xf32>) metadata(%e : memref<2x2x128x4xi32>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c17_metadata(%a: memref<200x80xbf16>, %b: memref<136x160xbf16>, %e: memref<2x2x128x4xi32, strided<[2048, 1024, 4, 1]>>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand metadata: expected the blocks of one row of them to be adjacent, strides of 512, 4 and 1, got}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x80xbf16>, memref<136x160xbf16>) metadata(%e : memref<2x2x128x4xi32, strided<[2048, 1024, 4, 1]>>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c11_metadata(%a: memref<3x200x80xbf16>, %b: memref<136x160xbf16>, %e: memref<2x2x2x128x4xi32>, %d: memref<3x200x136xf32>) {
  // expected-error @below {{operand metadata: expected batch dimension 0 of size 3 as in dimension 0 of D, or 1, got 2}}
  tmm.matmul transpose_b ins(%a, %b : memref<3x200x80xbf16>, memref<136x160xbf16>) metadata(%e : memref<2x2x2x128x4xi32>) outs(%d : memref<3x200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c1_batch_rank(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<1x1x1x1x8x24xf32>) {
  // expected-error @below {{operand D: expected a matrix of rank 2, or a batch of them of rank 3 to 5 (a tensor map has 5 dimensions), got rank 6; collapse batch dimensions}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<1x1x1x1x8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c17_negative(%a: memref<200x160xf8E4M3FN>, %b: memref<144x160xf8E4M3FN>, %sa: memref<2x2x32x4x4xf8E8M0FNU, strided<[-1024, 512, 16, 4, 1], offset: 1024>>, %sb: memref<2x2x32x4x4xf8E8M0FNU>, %d: memref<200x144xf32>) {
  // expected-error @below {{operand SFA: expected a stride of dimension 0 of at least 0, got -1024}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xf8E4M3FN>, memref<144x160xf8E4M3FN>) scales(%sa, %sb : memref<2x2x32x4x4xf8E8M0FNU, strided<[-1024, 512, 16, 4, 1], offset: 1024>>, memref<2x2x32x4x4xf8E8M0FNU>) outs(%d : memref<200x144xf32>)
  return
}

// -----

func.func @tmm_matmul_c33_memory(%a: memref<200x80xbf16>, %b: memref<144x160xbf16>, %e: memref<2x2x128x4xi32, 3>, %d: memref<200x144xf32>) {
  // expected-error @below {{operand metadata: expected global memory (no memory space, 0, 1 or #gpu.address_space<global>), got 3}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x80xbf16>, memref<144x160xbf16>) metadata(%e : memref<2x2x128x4xi32, 3>) outs(%d : memref<200x144xf32>)
  return
}
