// RUN: tc-opt --convert-linalg-to-tmm --split-input-file --verify-diagnostics %s

func.func @unsigned_integers(%a: memref<8x16xi8>, %b: memref<16x24xi8>, %d: memref<8x24xi32>) {
  // expected-error @below {{'linalg.matmul' op cannot become tmm.matmul: expected signed casts, got cast_unsigned}}
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : memref<8x16xi8>, memref<16x24xi8>) outs(%d : memref<8x24xi32>)
  return
}

// -----

func.func @full_precision(%a: memref<8x16xf32>, %b: memref<16x24xf32>, %d: memref<8x24xf32>) {
  // expected-error @below {{cannot become tmm.matmul: input 0: expected elements of 16 or 8 bits, or leave to multiply f32 as tf32, without the low 13 bits (allow-tf32), or as sums of products of parts (f32=bf16x3), got f32}}
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x24xf32>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @f64(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf64>) {
  // expected-error @below {{cannot become tmm.matmul: as tmm.matmul, operand D: expected element type f32, bf16, f16, f8E4M3FN or f8E5M2, got f64}}
  linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf64>)
  return
}

// -----

func.func @mixed_inputs(%a: memref<8x16xbf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{cannot become tmm.matmul: as tmm.matmul, operand B: expected the element type of A, bf16, got f16}}
  linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @unsigned_cast(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{cannot become tmm.matmul: expected signed casts, got cast_unsigned}}
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @broadcast(%a: memref<16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{cannot become tmm.matmul: input 0: expected a matrix, got a vector, scalar or broadcast operand (indexing map (d0, d1, d2) -> (d2))}}
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @zero_point(%a: tensor<8x32xi8>, %b: tensor<32x24xi8>, %d: tensor<8x24xi32>) -> tensor<8x24xi32> {
  %zero = arith.constant 0 : i32
  // expected-note @below {{got this one}}
  %three = arith.constant 3 : i32
  // expected-error @below {{cannot become tmm.matmul: expected zero points that are the constant 0, which the matrix unit does not subtract}}
  %0 = linalg.quantized_matmul ins(%a, %b, %zero, %three : tensor<8x32xi8>, tensor<32x24xi8>, i32, i32)
    outs(%d : tensor<8x24xi32>) -> tensor<8x24xi32>
  return %0 : tensor<8x24xi32>
}
