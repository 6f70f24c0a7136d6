// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @tmm_matmul_c27(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<128x2xf32>, %sb: memref<2x2xf32>, %d: memref<128x256xf32>) {
  // expected-error @below {{scale_columns: expected 1 or 128 columns of B for each factor, got 64}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<128x2xf32>, memref<2x2xf32>) scale_columns = 64 outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c28(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<1x2x32x4x4xf8E8M0FNU>, %sb: memref<2x2x32x4x4xf8E8M0FNU>, %d: memref<128x256xf32>) {
  // expected-error @below {{scale_columns: expected scale factors of f32, got 'f8E8M0FNU'}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<1x2x32x4x4xf8E8M0FNU>, memref<2x2x32x4x4xf8E8M0FNU>) scale_columns = 128 outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c28_none(%a: memref<128x256xbf16>, %d: memref<128x128xf32>) {
  // expected-error @below {{scale_columns: expected scale factors of f32, got none}}
  tmm.matmul transpose_b ins(%a, %a : memref<128x256xbf16>, memref<128x256xbf16>) scale_columns = 1 outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @tmm_matmul_c29(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<128xf32>, %sb: memref<2x2xf32>, %d: memref<128x256xf32>) {
  // expected-error @below {{operand SFA: expected a factor for each row along M and each 128 elements of K, a matrix of rank 2, got rank 1}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<128xf32>, memref<2x2xf32>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c29_b(%a: memref<4x128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<128x2xf32>, %sb: memref<4x4x2x2xf32>, %d: memref<4x128x256xf32>) {
  // expected-error @below {{operand SFB: expected a factor for 128 rows along N and each 128 elements of K, a matrix of rank 2 to 3, the rank of D, got rank 4}}
  tmm.matmul transpose_b ins(%a, %b : memref<4x128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<128x2xf32>, memref<4x4x2x2xf32>) outs(%d : memref<4x128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c30(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<127x2xf32>, %sb: memref<2x2xf32>, %d: memref<128x256xf32>) {
  // expected-error @below {{operand SFA: expected 128 factors, one for 1 along M = 128, in dimension 0, got 127}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<127x2xf32>, memref<2x2xf32>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c30_k(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<128x8xf32>, %sb: memref<2x2xf32>, %d: memref<128x256xf32>) {
  // expected-error @below {{operand SFA: expected 2 factors, one for 128 along K = 256, in dimension 1, got 8}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<128x8xf32>, memref<2x2xf32>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c30_n(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<128x2xf32>, %sb: memref<256x2xf32>, %d: memref<128x256xf32>) {
  // expected-error @below {{operand SFB: expected 2 factors, one for 128 along N = 256, in dimension 0, got 256}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<128x2xf32>, memref<256x2xf32>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c30_columns(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<128x2xf32>, %sb: memref<2x2xf32>, %d: memref<128x256xf32>) {
  // expected-error @below {{operand SFB: expected 256 factors, one for 1 along N = 256, in dimension 0, got 2}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<128x2xf32>, memref<2x2xf32>) scale_columns = 1 outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c31(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<128x2xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>, %sb: memref<2x2xf32>, %d: memref<128x256xf32>) {
  // expected-error @below {{operand SFA: expected a strided layout, got memref<128x2xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<128x2xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>, memref<2x2xf32>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c31_columns(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<128x2xf32>, %sb: memref<256x2xf32>, %d: memref<128x256xf32>) {
  // expected-error @below {{operand SFB: expected factors of neighbouring columns of B next to each other, stride 1 in dimension 0 with scale_columns = 1, got memref<256x2xf32>}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<128x2xf32>, memref<256x2xf32>) scale_columns = 1 outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c14_space(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<128x2xf32, 3>, %sb: memref<2x2xf32>, %d: memref<128x256xf32>) {
  // expected-error @below {{operand SFA: expected global memory (no memory space, 0, 1 or #gpu.address_space<global>), got 3 : i64}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<128x2xf32, 3>, memref<2x2xf32>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c14_mix(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<128x2xf32>, %sb: memref<2x2xf8E8M0FNU>, %d: memref<128x256xf32>) {
  // expected-error @below {{operand SFB: expected the element type of SFA, f32, got f8E8M0FNU}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<128x2xf32>, memref<2x2xf8E8M0FNU>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c22_f32(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<128x2xf32>, %sb: memref<2x2xf32>, %d: memref<128x256xf32>) {
  // expected-error @below {{scale_block: expected 128 elements for each factor of f32, got 64}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<128x2xf32>, memref<2x2xf32>) scale_block = 64 outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c13_bf16(%a: memref<128x256xbf16>, %b: memref<256x256xbf16>, %sa: memref<128x2xf32>, %sb: memref<2x2xf32>, %d: memref<128x256xf32>) {
  // expected-error @below {{operand A: expected element type f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN or f4E2M1FN with scale factors of f32, got bf16}}
  tmm.matmul transpose_b ins(%a, %b : memref<128x256xbf16>, memref<256x256xbf16>) scales(%sa, %sb : memref<128x2xf32>, memref<2x2xf32>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c26_f32(%a: memref<128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<128x2xf32>, %sb: memref<2x2xf32>, %d: memref<128x256xf32>) {
  // expected-error @below {{f16_sum: expected operands of f16, or of floats of 8 bits or fewer without scale factors, got 'f8E4M3FN' and 'f8E4M3FN' with them}}
  tmm.matmul transpose_b f16_sum ins(%a, %b : memref<128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<128x2xf32>, memref<2x2xf32>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c11_scales(%a: memref<4x128x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %sa: memref<3x128x2xf32>, %sb: memref<2x2xf32>, %d: memref<4x128x256xf32>) {
  // expected-error @below {{operand SFA: expected batch dimension 0 of size 4 as in dimension 0 of D, or 1, got 3}}
  tmm.matmul transpose_b ins(%a, %b : memref<4x128x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<3x128x2xf32>, memref<2x2xf32>) outs(%d : memref<4x128x256xf32>)
  return
}

// -----

func.func @tmm_matmul_c31_negative(%a: memref<200x160xf8E4M3FN>, %b: memref<136x160xf8E4M3FN>, %sa: memref<200x2xf32, strided<[-2, 1], offset: 398>>, %sb: memref<2x2xf32>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand SFA: expected a stride of dimension 0 of at least 0, got -2}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xf8E4M3FN>, memref<136x160xf8E4M3FN>) scales(%sa, %sb : memref<200x2xf32, strided<[-2, 1], offset: 398>>, memref<2x2xf32>) outs(%d : memref<200x136xf32>)
  return
}
