// RUN: tc-opt --convert-linalg-to-tmm %s | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func @widened_inputs
func.func @widened_inputs(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // CHECK: tmm.matmul accumulate ins(
  linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %0 = arith.extf %x : bf16 to f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// The operands of the product and of the sum may come in any order.
// CHECK-LABEL: func @commuted
//  CHECK-SAME: %[[A:.*]]: memref<8x16xf16>, %[[B:.*]]: memref<16x24xf16>, %[[D:.*]]: memref<8x24xf16>
func.func @commuted(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf16>) {
  // CHECK: tmm.matmul accumulate ins(%[[A]], %[[B]] :
  linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf16>) {
  ^bb0(%x: f16, %y: f16, %z: f16):
    %0 = arith.mulf %y, %x : f16
    %1 = arith.addf %0, %z : f16
    linalg.yield %1 : f16
  }
  return
}

// The sum is formed in f32 and rounded: any mixture of 16-bit types.
// CHECK-LABEL: func @rounded_sum
func.func @rounded_sum(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %d: tensor<8x24xbf16>) -> tensor<8x24xbf16> {
  // CHECK: tmm.matmul accumulate ins(%{{.*}}, %{{.*}} : tensor<8x16xf16>, tensor<16x24xf16>) outs(%{{.*}} : tensor<8x24xbf16>) -> tensor<8x24xbf16>
  %r = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%d : tensor<8x24xbf16>) {
  ^bb0(%x: f16, %y: f16, %z: bf16):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.extf %z : bf16 to f32
    %4 = arith.addf %3, %2 : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<8x24xbf16>
  return %r : tensor<8x24xbf16>
}

// Loops in another order, transposed inputs and a transposed output:
// D[j, i] = sum over r of X[r, i] * Y[j, r], so the second input is the left matrix.
// CHECK-LABEL: func @permuted_loops
//  CHECK-SAME: %[[X:.*]]: memref<16x8xbf16>, %[[Y:.*]]: memref<24x16xbf16>, %[[D:.*]]: memref<24x8xf32>
func.func @permuted_loops(%x: memref<16x8xbf16>, %y: memref<24x16xbf16>, %d: memref<24x8xf32>) {
  // CHECK: tmm.matmul accumulate ins(%[[Y]], %[[X]] : memref<24x16xbf16>, memref<16x8xbf16>) outs(%[[D]] :
  linalg.generic {indexing_maps = [affine_map<(r, i, j) -> (r, i)>, affine_map<(r, i, j) -> (j, r)>, affine_map<(r, i, j) -> (j, i)>],
                  iterator_types = ["reduction", "parallel", "parallel"]}
    ins(%x, %y : memref<16x8xbf16>, memref<24x16xbf16>) outs(%d : memref<24x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %z: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// A sum over rows and a maximum of sums are no contractions: they stay.
// CHECK-LABEL: func @others
func.func @others(%a: memref<8x16xf32>, %s: memref<8xf32>, %x: memref<8x16xf16>, %y: memref<16x24xf16>, %d: memref<8x24xf16>) {
  // CHECK-NOT: tmm.matmul
  // CHECK-COUNT-2: linalg.generic
  linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%a : memref<8x16xf32>) outs(%s : memref<8xf32>) {
  ^bb0(%p: f32, %z: f32):
    %0 = arith.addf %p, %z : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %y : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf16>) {
  ^bb0(%p: f16, %q: f16, %z: f16):
    %0 = arith.addf %p, %q : f16
    %1 = arith.maximumf %0, %z : f16
    linalg.yield %1 : f16
  }
  return
}
