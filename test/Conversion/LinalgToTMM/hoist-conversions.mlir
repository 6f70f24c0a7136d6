// Integers that the body of a contraction makes floats of become floats before.
// RUN: tc-opt %s -convert-linalg-to-tmm | FileCheck %s

// CHECK-LABEL: func.func @named
// CHECK: %[[W:.*]] = linalg.generic
// CHECK-SAME: ins(%{{.*}} : tensor<64x72xi8>) outs(%{{.*}} : tensor<64x72xbf16>)
// CHECK: arith.sitofp %{{.*}} : i8 to bf16
// CHECK: tmm.matmul accumulate ins(%{{.*}}, %[[W]] : tensor<40x64xbf16>, tensor<64x72xbf16>)
func.func @named(%a: tensor<40x64xbf16>, %b: tensor<64x72xi8>, %d: tensor<40x72xbf16>) -> tensor<40x72xbf16> {
  %r = linalg.matmul ins(%a, %b : tensor<40x64xbf16>, tensor<64x72xi8>) outs(%d : tensor<40x72xbf16>) -> tensor<40x72xbf16>
  return %r : tensor<40x72xbf16>
}

// In f32 the integers, without a sign too, are those of the other operand's type.
// CHECK-LABEL: func.func @wide
// CHECK: memref.alloc() : memref<64x72xf16>
// CHECK: arith.uitofp %{{.*}} : i8 to f16
// CHECK: tmm.matmul accumulate ins(%{{.*}}, %{{.*}} : memref<40x64xf16>, memref<64x72xf16>)
func.func @wide(%a: memref<40x64xf16>, %b: memref<64x72xi8>, %d: memref<40x72xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<40x64xf16>, memref<64x72xi8>) outs(%d : memref<40x72xf32>) {
    ^bb0(%x: f16, %y: i8, %o: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.uitofp %y : i8 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %o, %2 : f32
      linalg.yield %3 : f32
  }
  return
}
