// RUN: tc-opt --convert-linalg-to-tmm=f32=refuse --split-input-file --verify-diagnostics %s

func.func @unsigned_integers(%a: memref<8x16xi4>, %b: memref<16x24xi4>, %d: memref<8x24xi32>) {
  // expected-error @below {{'linalg.matmul' op cannot become tmm.matmul: as tmm.matmul, operand A: expected}}
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : memref<8x16xi4>, memref<16x24xi4>) outs(%d : memref<8x24xi32>)
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

func.func @broadcast(%a: memref<16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{cannot become tmm.matmul: input 0: expected a matrix, got a vector, scalar or broadcast operand (indexing map (d0, d1, d2) -> (d2))}}
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

// No dimension of the output is one of each input: P is in none.
func.func @broadcast(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24x4xf32>) {
  // expected-error @below {{'linalg.generic' op cannot become tmm.matmul: expected the last two dimensions of the output to be one of each input, M and N, got (d0, d1, d2, d3) -> (d0, d1, d2)}}
  linalg.generic {indexing_maps = [affine_map<(m, n, p, k) -> (m, k)>, affine_map<(m, n, p, k) -> (k, n)>, affine_map<(m, n, p, k) -> (m, n, p)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24x4xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %0 = arith.extf %x : bf16 to f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  }
  return
}
