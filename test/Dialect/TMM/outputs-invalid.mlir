// RUN: tc-opt --split-input-file --verify-diagnostics %s

func.func @tmm_outputs_c1(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf8E4M3FN>) {
  // expected-error @below {{accumulate: expected D of f32, bf16 or f16, got 'f8E4M3FN'; read the old values as an operand of the epilogue}}
  tmm.matmul accumulate ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf8E4M3FN>)
  return
}

// -----

func.func @tmm_outputs_c2(%a: memref<8x16xbf16>, %b: memref<16x32xbf16>, %d: memref<8x32xf8E4M3FN>, %s: memref<1x1x32x4x4xf8E4M3FN>) {
  // expected-error @below {{operand SFD: expected element type f8E8M0FNU for D of f8E4M3FN, got f8E4M3FN}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x32xbf16>) outs(%d : memref<8x32xf8E4M3FN>) scale_d(%s : memref<1x1x32x4x4xf8E4M3FN>)
  return
}

// -----

func.func @tmm_matmul_c8_scales(%a: memref<8x16xbf16>, %b: memref<16x32xbf16>, %d: memref<8x32xbf16>, %s: memref<1x1x32x4x4xf8E4M3FN>) {
  // expected-error @below {{operand D: expected element type f8E4M3FN, f8E5M2 or f4E2M1FN with scale factors, got bf16}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x32xbf16>) outs(%d : memref<8x32xbf16>) scale_d(%s : memref<1x1x32x4x4xf8E4M3FN>)
  return
}

// -----

func.func @tmm_matmul_c8_no_scales(%a: memref<8x16xbf16>, %b: memref<16x32xbf16>, %d: memref<8x32xf4E2M1FN>) {
  // expected-error @below {{operand D: expected element type f32, bf16, f16, f8E4M3FN or f8E5M2, got f4E2M1FN without scale_d}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x32xbf16>) outs(%d : memref<8x32xf4E2M1FN>)
  return
}

// -----

func.func @tmm_outputs_c3_tensor(%a: memref<8x16xbf16>, %b: memref<16x32xbf16>, %d: memref<8x32xf8E4M3FN>, %s: tensor<1x1x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{operand SFD: expected a memref like D, got tensor<1x1x32x4x4xf8E8M0FNU>}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x32xbf16>) outs(%d : memref<8x32xf8E4M3FN>) scale_d(%s : tensor<1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_outputs_c3_space(%a: memref<8x16xbf16>, %b: memref<16x32xbf16>, %d: memref<8x32xbf16>, %amax: memref<f32, 1>) {
  // expected-error @below {{operand amax: expected the memory space of D, got memref<f32, 1>}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x32xbf16>) outs(%d : memref<8x32xbf16>) amax(%amax : memref<f32, 1>)
  return
}

// -----

func.func @tmm_outputs_c3_layout(%a: memref<8x16xbf16>, %b: memref<16x32xbf16>, %d: memref<8x32xf8E4M3FN>,
                                 %s: memref<1x1x32x4x4xf8E8M0FNU, strided<[1024, 512, 16, 4, 1]>>) {
  // expected-error @below {{operand SFD: expected no layout, all elements next to each other, got}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x32xbf16>) outs(%d : memref<8x32xf8E4M3FN>)
    scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU, strided<[1024, 512, 16, 4, 1]>>)
  return
}

// -----

func.func @tmm_outputs_c4_rank(%a: memref<8x16xbf16>, %b: memref<16x32xbf16>, %d: memref<8x32xf8E4M3FN>, %s: memref<8x1xf8E8M0FNU>) {
  // expected-error @below {{operand SFD: expected rank 5, blocks along M and N of 32x4x4 factors, got memref<8x1xf8E8M0FNU>}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x32xbf16>) outs(%d : memref<8x32xf8E4M3FN>) scale_d(%s : memref<8x1xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_outputs_c4_batch(%a: memref<3x8x16xbf16>, %b: memref<16x32xbf16>, %d: memref<3x8x32xf8E4M3FN>, %s: memref<1x1x1x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{operand SFD: expected 3 in dimension 0 for dimension 0 of D, got 1}}
  tmm.matmul ins(%a, %b : memref<3x8x16xbf16>, memref<16x32xbf16>) outs(%d : memref<3x8x32xf8E4M3FN>) scale_d(%s : memref<1x1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_outputs_c4_rows(%a: memref<136x16xbf16>, %b: memref<16x32xbf16>, %d: memref<136x32xf8E4M3FN>, %s: memref<1x1x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{operand SFD: expected 2 in dimension 0 for M = 136, got 1}}
  tmm.matmul ins(%a, %b : memref<136x16xbf16>, memref<16x32xbf16>) outs(%d : memref<136x32xf8E4M3FN>) scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_outputs_c4_columns(%a: memref<8x16xbf16>, %b: memref<16x128xbf16>, %d: memref<8x128xf4E2M1FN>, %s: memref<1x1x32x4x4xf8E4M3FN>) {
  // expected-error @below {{operand SFD: expected 2 in dimension 1 for N = 128, got 1}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x128xbf16>) outs(%d : memref<8x128xf4E2M1FN>) scale_d(%s : memref<1x1x32x4x4xf8E4M3FN>)
  return
}

// -----

func.func @tmm_outputs_c5_block(%a: memref<8x16xbf16>, %b: memref<16x40xbf16>, %d: memref<8x40xf8E4M3FN>, %s: memref<1x1x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{expected N of a multiple of 32 for D of f8E4M3FN with scale factors, the K of the next matmul, got 40, the nearest is 64}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x40xbf16>) outs(%d : memref<8x40xf8E4M3FN>) scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_outputs_c5_instruction(%a: memref<8x16xbf16>, %b: memref<16x96xbf16>, %d: memref<8x96xf4E2M1FN>, %s: memref<1x?x32x4x4xf8E4M3FN>) {
  // expected-error @below {{expected N of a multiple of 64 for D of f4E2M1FN with scale factors, the K of the next matmul, got 96, the nearest is 128}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x96xbf16>) outs(%d : memref<8x96xf4E2M1FN>) scale_d(%s : memref<1x?x32x4x4xf8E4M3FN>)
  return
}

// -----

func.func @tmm_outputs_c6(%a: memref<8x16xbf16>, %b: memref<16x64xbf16>, %d: memref<8x64xf4E2M1FN, strided<[65, 1]>>, %s: memref<1x1x32x4x4xf8E4M3FN>) {
  // expected-error @below {{operand D: expected rows that start at whole bytes, even strides and offset that are known, got}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x64xbf16>) outs(%d : memref<8x64xf4E2M1FN, strided<[65, 1]>>) scale_d(%s : memref<1x1x32x4x4xf8E4M3FN>)
  return
}

// -----

func.func @tmm_outputs_c7(%a: memref<8x16xbf16>, %b: memref<16x64xbf16>, %d: memref<8x64xbf16>, %amax: memref<1xf32>) {
  // expected-error @below {{operand amax: expected an f32 of rank 0, got memref<1xf32>}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x64xbf16>) outs(%d : memref<8x64xbf16>) amax(%amax : memref<1xf32>)
  return
}

// -----

func.func @tmm_outputs_c8(%a: memref<8x32xi8>, %b: memref<64x32xi8>, %d: memref<8x64xi32>, %amax: memref<f32>) {
  // expected-error @below {{operand amax: expected an epilogue that yields the f32 that it is of, as sums are i32}}
  tmm.matmul transpose_b ins(%a, %b : memref<8x32xi8>, memref<64x32xi8>) outs(%d : memref<8x64xi32>) amax(%amax : memref<f32>)
  return
}

// -----

func.func @tmm_outputs_c9(%a: memref<8x32xf8E4M3FN>, %b: memref<64x32xf8E4M3FN>, %s: memref<1x1x32x4x4xf8E8M0FNU>, %d: memref<8x64xf8E4M3FN>) {
  // expected-error @below {{operand SFD: expected memory of its own, got that of operand SFA}}
  tmm.matmul transpose_b ins(%a, %b : memref<8x32xf8E4M3FN>, memref<64x32xf8E4M3FN>)
    scales(%s, %s : memref<1x1x32x4x4xf8E8M0FNU>, memref<1x1x32x4x4xf8E8M0FNU>) outs(%d : memref<8x64xf8E4M3FN>)
    scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_epilogue_c11_quantized(%a: memref<8x16xbf16>, %b: memref<16x64xbf16>, %d: memref<8x64xf8E5M2>) {
  // expected-error @below {{expected the epilogue to end in tmm.yield of f32, which becomes an element of D, 'f8E5M2'}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x64xbf16>) outs(%d : memref<8x64xf8E5M2>) epilogue(%acc) {
    %0 = arith.truncf %acc : f32 to bf16
    tmm.yield %0 : bf16
  }
  return
}

// -----

func.func @tmm_epilogue_c11_amax(%a: memref<8x16xbf16>, %b: memref<16x64xbf16>, %d: memref<8x64xbf16>, %amax: memref<f32>) {
  // expected-error @below {{expected the epilogue to end in tmm.yield of the element type of D, 'bf16', and of the f32 that amax is taken of}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x64xbf16>) outs(%d : memref<8x64xbf16>) amax(%amax : memref<f32>) epilogue(%acc) {
    %0 = arith.truncf %acc : f32 to bf16
    tmm.yield %0 : bf16
  }
  return
}

// -----

func.func @tmm_quantize_c1(%t: vector<128x32xf32>) {
  // expected-error @below {{expected a result of 128x32 elements and a factor for 32 of a row, got}}
  %q, %s = tmm.quantize %t : vector<128x32xf32> -> vector<128x32xf8E4M3FN>, vector<128x2xf8E8M0FNU>
  return
}

// -----

func.func @tmm_quantize_c2(%t: vector<128x32xf32>) {
  // expected-error @below {{expected f8E4M3FN or f8E5M2 with factors of f8E8M0FNU, or f4E2M1FN with f8E8M0FNU or f8E4M3FN, got}}
  %q, %s = tmm.quantize %t : vector<128x32xf32> -> vector<128x32xbf16>, vector<128x1xf8E8M0FNU>
  return
}

// -----

func.func @tmm_store_c1(%t: vector<128x2xf8E8M0FNU>, %d: memref<?x?xf8E8M0FNU>, %at: i32) {
  // expected-error @below {{expected blocks of scale factors of type 'f8E8M0FNU' and rank 5, got 'memref<?x?xf8E8M0FNU>'}}
  tmm.store %t, %d[%at, %at] blocked : vector<128x2xf8E8M0FNU>, memref<?x?xf8E8M0FNU>
  return
}

// -----

func.func @tmm_store_c2_blocked(%t: vector<128x2xf8E8M0FNU>, %d: memref<?x?x32x4x4xf8E8M0FNU>, %at: i32) {
  // expected-error @below {{expected no `until` with `blocked`, got both: blocks are stored whole}}
  tmm.store %t, %d[%at, %at] until %at blocked : vector<128x2xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU>
  return
}

// -----

func.func @tmm_store_c2_promise(%t: vector<128x32xf32>, %d: memref<?x?xf32>, %at: i32) {
  // expected-error @below {{expected in_bounds of false for rows with `until`, got true}}
  tmm.store %t, %d[%at, %at] until %at in_bounds [true, false] : vector<128x32xf32>, memref<?x?xf32>
  return
}
