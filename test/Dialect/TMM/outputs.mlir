// RUN: tc-opt --split-input-file %s | tc-opt --split-input-file | FileCheck %s

// CHECK-LABEL: @fp8_amax
// CHECK: tmm.matmul ins(%{{.*}}) outs(%{{.*}} : memref<8x24xf8E5M2>) amax(%{{.*}} : memref<f32>) epilogue(%[[ACC:.*]], %[[S:.*]] = %{{.*}} : f32) {
// CHECK: tmm.yield %{{.*}}, %[[ACC]] : f32, f32
func.func @fp8_amax(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf8E5M2>, %amax: memref<f32>, %scale: f32) {
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf8E5M2>) amax(%amax : memref<f32>)
      epilogue(%acc, %s = %scale : f32) {
    %0 = arith.mulf %acc, %s : f32
    tmm.yield %0, %acc : f32, f32
  }
  return
}

// -----

// CHECK-LABEL: @tensors
// CHECK: %[[R:.*]]:3 = tmm.matmul
// CHECK-SAME: scale_d(%{{.*}} : tensor<?x?x32x4x4xf8E4M3FN>) amax(%{{.*}} : tensor<f32>) -> tensor<?x?xf4E2M1FN>, tensor<?x?x32x4x4xf8E4M3FN>, tensor<f32>
func.func @tensors(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %d: tensor<?x?xf4E2M1FN>, %s: tensor<?x?x32x4x4xf8E4M3FN>,
                   %amax: tensor<f32>) -> (tensor<?x?xf4E2M1FN>, tensor<?x?x32x4x4xf8E4M3FN>, tensor<f32>) {
  %0:3 = tmm.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%d : tensor<?x?xf4E2M1FN>)
    scale_d(%s : tensor<?x?x32x4x4xf8E4M3FN>) amax(%amax : tensor<f32>)
    -> tensor<?x?xf4E2M1FN>, tensor<?x?x32x4x4xf8E4M3FN>, tensor<f32>
  return %0#0, %0#1, %0#2 : tensor<?x?xf4E2M1FN>, tensor<?x?x32x4x4xf8E4M3FN>, tensor<f32>
}
