// RUN: tc-compile %s --emit=tiles | FileCheck %s

// What amax is of is carried through the columns, which the kernel writes once; D
// and its factors are stored column by column.
// CHECK-LABEL: gpu.func @quantized_matmul
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<128x32xf32>
// CHECK: %[[ALL:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %[[ZERO]]) -> (vector<128x32xf32>)
// CHECK: %[[Y:.*]] = tmm.read
// CHECK: %[[ABS:.*]] = math.absf %[[Y]]
// CHECK: %[[IN:.*]] = tmm.crop %[[ABS]][%{{.*}}, %{{.*}}] to[%c200_i32, %c192_i32] : vector<128x32xf32>
// CHECK: %[[NEW:.*]] = arith.maximumf %[[OLD]], %[[IN]]
// CHECK: %[[Q:.*]], %[[S:.*]] = tmm.quantize %[[Y]] : vector<128x32xf32> -> vector<128x32xf4E2M1FN>, vector<128x2xf8E4M3FN>
// CHECK: tmm.store %[[Q]], %d[%{{.*}}, %[[COL:.*]]] in_bounds [false, true]
// CHECK: %[[BLOCK:.*]] = arith.divui %[[COL]], %c16_i32
// CHECK: tmm.store %[[S]], %{{.*}}[%{{.*}}, %[[BLOCK]]] blocked in_bounds [false, true]
// CHECK: scf.yield %[[NEW]]
// CHECK: tmm.atomic_max %[[ALL]], %{{.*}} : vector<128x32xf32>, memref<f32>
func.func @quantized(%a: memref<200x64xbf16>, %b: memref<64x192xbf16>, %d: memref<200x192xf4E2M1FN>,
                     %s: memref<2x3x32x4x4xf8E4M3FN>, %amax: memref<f32>) {
  tmm.matmul config <tile = <shape = 128x64x64>> ins(%a, %b : memref<200x64xbf16>, memref<64x192xbf16>)
    outs(%d : memref<200x192xf4E2M1FN>) scale_d(%s : memref<2x3x32x4x4xf8E4M3FN>) amax(%amax : memref<f32>)
  return
}

// The conversion is the last step, and amax of what the epilogue says.
// CHECK-LABEL: gpu.func @fp8_matmul
// CHECK: %[[Y:.*]] = tmm.read
// CHECK: %[[SCALED:.*]] = arith.mulf %[[Y]]
// CHECK: math.absf %[[Y]]
// CHECK: %[[Q:.*]] = arith.truncf %[[SCALED]] : vector<128x32xf32> to vector<128x32xf8E5M2>
// CHECK: tmm.stage %[[Q]]
func.func @fp8(%a: memref<256x64xbf16>, %b: memref<64x192xbf16>, %d: memref<256x192xf8E5M2>, %amax: memref<f32>, %scale: f32) {
  tmm.matmul config <tile = <shape = 128x64x64>, epilogue = <kind = tma_store>> ins(%a, %b : memref<256x64xbf16>, memref<64x192xbf16>)
    outs(%d : memref<256x192xf8E5M2>) amax(%amax : memref<f32>) epilogue(%acc, %x = %scale : f32) {
    %0 = arith.mulf %acc, %x : f32
    tmm.yield %0, %acc : f32, f32
  }
  return
}
