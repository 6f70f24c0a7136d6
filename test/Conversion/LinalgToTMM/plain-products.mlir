// Products that no matrix unit has stay for plain kernels, and a remark says why.
// RUN: tc-opt %s -convert-linalg-to-tmm -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @i32(
// CHECK:         linalg.matmul
func.func @i32(%a: tensor<8x16xi32>, %b: tensor<16x24xi32>, %d: tensor<8x24xi32>) -> tensor<8x24xi32> {
  // expected-remark @below {{stays outside the matrix units, none of which multiplies 'i32': a plain kernel, a thread for each element of the output, which is slow}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xi32>, tensor<16x24xi32>) outs(%d : tensor<8x24xi32>) -> tensor<8x24xi32>
  return %0 : tensor<8x24xi32>
}

// -----

// CHECK-LABEL: func.func @f64(
// CHECK:         linalg.matmul
func.func @f64(%a: memref<8x16xf64>, %b: memref<16x24xf64>, %d: memref<8x24xf64>) {
  // expected-remark @below {{none of which multiplies 'f64'}}
  linalg.matmul ins(%a, %b : memref<8x16xf64>, memref<16x24xf64>) outs(%d : memref<8x24xf64>)
  return
}

// -----

// CHECK-LABEL: func.func @diagonal(
// CHECK:         linalg.generic
func.func @diagonal(%a: memref<8x64x8xbf16>, %b: memref<64x32xbf16>, %d: memref<8x32xbf16>) {
  // expected-remark @below {{is no product of a matrix unit, but a plain kernel: expected operands that are indexed by different dimensions each, got (d0, d1, d2) -> (d0, d2, d0)}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x64x8xbf16>, memref<64x32xbf16>) outs(%d : memref<8x32xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %s: bf16):
    %0 = arith.mulf %x, %y : bf16
    %1 = arith.addf %s, %0 : bf16
    linalg.yield %1 : bf16
  }
  return
}

// -----

// CHECK-LABEL: func.func @scaled_sums(
// CHECK:         linalg.generic
func.func @scaled_sums(%a: tensor<8x64xf32>, %s: tensor<f32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @below {{is no product of a matrix unit, but a plain kernel: an input is the same for all that is summed}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> ()>, affine_map<(m, k) -> (m)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a, %s : tensor<8x64xf32>, tensor<f32>) outs(%d : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @from_nothing(
// CHECK:         tmm.matmul accumulate
func.func @from_nothing(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>) -> tensor<8x24xf32> {
  %e = tensor.empty() : tensor<8x24xf32>
  // expected-remark @below {{the sums start from tensor.empty, whatever is there: did you mean linalg.fill with zero?}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %0 : tensor<8x24xf32>
}
