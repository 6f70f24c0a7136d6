// RUN: tc-opt --convert-linalg-to-tmm --split-input-file --verify-diagnostics %s

func.func @unsigned_integers(%a: memref<8x16xi8>, %b: memref<16x24xi8>, %d: memref<8x24xi32>) {
  // expected-error @below {{'linalg.matmul' op cannot become tmm.matmul: expected signed casts, got cast_unsigned}}
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : memref<8x16xi8>, memref<16x24xi8>) outs(%d : memref<8x24xi32>)
  return
}

// -----

func.func @full_precision(%a: memref<8x16xf32>, %b: memref<16x24xf32>, %d: memref<8x24xf32>) {
  // expected-error @below {{cannot become tmm.matmul: input 0: expected elements of 16 or 8 bits, or leave to multiply f32 as tf32, without the low 13 bits (allow-tf32), got f32}}
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x24xf32>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @f64(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf64>) {
  // expected-error @below {{cannot become tmm.matmul: as tmm.matmul, operand D: expected element type f32, bf16 or f16, got f64}}
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

func.func @vector(%a: memref<8x16xbf16>, %x: memref<16xbf16>, %d: memref<8xf32>) {
  // expected-error @below {{'linalg.matvec' op cannot become tmm.matmul: input 1: expected a matrix, got a vector, scalar or broadcast operand (indexing map (d0, d1) -> (d1))}}
  linalg.matvec ins(%a, %x : memref<8x16xbf16>, memref<16xbf16>) outs(%d : memref<8xf32>)
  return
}

// -----

// A batch dimension between those of the matrix, and one after them.

func.func @batch_inside(%a: memref<8x2x16xbf16>, %b: memref<2x16x24xbf16>, %d: memref<2x8x24xf32>) {
  // expected-error @below {{'linalg.contract' op cannot become tmm.matmul: input 0: expected the batch dimensions first, in the order of the output, got indexing map (d0, d1, d2, d3) -> (d1, d0, d3)}}
  linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : memref<8x2x16xbf16>, memref<2x16x24xbf16>) outs(%d : memref<2x8x24xf32>)
  return
}

// -----

func.func @batch_last(%a: memref<2x8x16xbf16>, %b: memref<2x16x24xbf16>, %d: memref<8x24x2xf32>) {
  // expected-error @below {{expected the last two dimensions of the output to be one of each input, M and N, got (d0, d1, d2, d3) -> (d1, d2, d0)}}
  linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (m, n, b)>]
    ins(%a, %b : memref<2x8x16xbf16>, memref<2x16x24xbf16>) outs(%d : memref<8x24x2xf32>)
  return
}

// -----

func.func @four_batch_dimensions(%a: memref<2x3x2x2x8x16xbf16>, %b: memref<2x3x2x2x16x24xbf16>, %d: memref<2x3x2x2x8x24xf32>) {
  // expected-error @below {{as tmm.matmul, operand D: expected a matrix of rank 2, or a batch of them of rank 3 to 5 (a tensor map has 5 dimensions), got rank 6; collapse batch dimensions}}
  linalg.contract indexing_maps = [affine_map<(a, b, c, d, m, n, k) -> (a, b, c, d, m, k)>, affine_map<(a, b, c, d, m, n, k) -> (a, b, c, d, k, n)>, affine_map<(a, b, c, d, m, n, k) -> (a, b, c, d, m, n)>]
    ins(%a, %b : memref<2x3x2x2x8x16xbf16>, memref<2x3x2x2x16x24xbf16>) outs(%d : memref<2x3x2x2x8x24xf32>)
  return
}

// -----

func.func @two_reductions(%a: memref<8x4x16xbf16>, %b: memref<4x16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{'linalg.contract' op cannot become tmm.matmul: expected one reduction dimension, K, got 2; collapse those that are adjacent}}
  linalg.contract indexing_maps = [affine_map<(m, n, j, k) -> (m, j, k)>, affine_map<(m, n, j, k) -> (j, k, n)>, affine_map<(m, n, j, k) -> (m, n)>]
    ins(%a, %b : memref<8x4x16xbf16>, memref<4x16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @column_major(%a: memref<8x16xbf16, strided<[1, 8]>>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{cannot become tmm.matmul: as tmm.matmul, operand A: expected innermost stride 1, got 8; transpose the memref and change transpose_a}}
  linalg.matmul ins(%a, %b : memref<8x16xbf16, strided<[1, 8]>>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}
