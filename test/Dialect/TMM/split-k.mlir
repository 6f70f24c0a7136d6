// RUN: tc-opt %s --mlir-print-local-scope --tmm-split-k | FileCheck %s
// RUN: tc-opt %s --tmm-split-k="chip=sm_90a" | FileCheck %s --check-prefix=CHIP

// Views of A and B, a buffer for two sums, and what adds them; --check knows the whole product.
// CHECK-LABEL: func @parts
// CHECK-SAME: %[[A:.*]]: memref<128x512xbf16>, %[[B:.*]]: memref<512x256xbf16>, %[[D:.*]]: memref<128x256xbf16>
// CHECK: %[[CUT:.*]] = memref.expand_shape %[[A]] {{\[\[}}0], [1, 2]] output_shape [128, 2, 256]
// CHECK: %[[PARTS_A:.*]] = memref.transpose %[[CUT]] (d0, d1, d2) -> (d1, d0, d2)
// CHECK-SAME: to memref<2x128x256xbf16, strided<[256, 512, 1]>>
// CHECK: %[[PARTS_B:.*]] = memref.expand_shape %[[B]] {{\[\[}}0, 1], [2]] output_shape [2, 256, 256]
// CHECK: %[[SUMS:.*]] = memref.alloc() : memref<2x128x256xf32>
// CHECK: tmm.matmul config <scheduler = <split_k = 1>> ins(%[[PARTS_A]], %[[PARTS_B]] :
// CHECK-SAME: outs(%[[SUMS]] : memref<2x128x256xf32>)
// CHECK: %[[FIRST:.*]] = memref.subview %[[SUMS]][0, 0, 0] [1, 128, 256] [1, 1, 1] : memref<2x128x256xf32> to memref<128x256xf32, strided<[256, 1]>>
// CHECK: %[[SECOND:.*]] = memref.subview %[[SUMS]][1, 0, 0] [1, 128, 256] [1, 1, 1] : memref<2x128x256xf32> to memref<128x256xf32, strided<[256, 1], offset: 32768>>
// CHECK: tmm.problem ins(%[[A]], %[[B]] : memref<128x512xbf16>, memref<512x256xbf16>) outs(%[[D]] : memref<128x256xbf16>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[FIRST]], %[[SECOND]] :
// CHECK-SAME: outs(%[[D]] : memref<128x256xbf16>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: bf16):
// CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : f32 to bf16
// CHECK: linalg.yield %[[ROUNDED]]
func.func @parts(%a: memref<128x512xbf16>, %b: memref<512x256xbf16>, %d: memref<128x256xbf16>) {
  tmm.matmul config <scheduler = <split_k = 2>> ins(%a, %b : memref<128x512xbf16>, memref<512x256xbf16>) outs(%d : memref<128x256xbf16>)
  return
}

// A is stored K x M, B N x K; M is dynamic: the host compares sizes.
// CHIP-LABEL: func @orders
// CHECK-LABEL: func @orders
// CHECK: cf.assert {{.*}}"operand A: dimension 1 must have as many elements as dimension 0 of operand D"
// CHECK: memref.expand_shape %arg0 {{\[\[}}0, 1], [2]] output_shape [4, 64, %{{.*}}] : memref<256x?xf16> into memref<4x64x?xf16>
// CHECK: memref.expand_shape %arg1 {{\[\[}}0], [1, 2]] output_shape [72, 4, 64] : memref<72x256xf16> into memref<72x4x64xf16>
// CHECK: memref.alloc(%{{.*}}) : memref<4x?x72xf32>
// CHECK: tmm.matmul transpose_a transpose_b f16_sum
// CHECK: linalg.generic
func.func @orders(%a: memref<256x?xf16>, %b: memref<72x256xf16>, %d: memref<?x72xf16>) {
  tmm.matmul transpose_a transpose_b f16_sum config <scheduler = <split_k = 4>> ins(%a, %b : memref<256x?xf16>, memref<72x256xf16>) outs(%d : memref<?x72xf16>)
  return
}

// Weights of rank 2 serve every matrix of the batch: the parts come before a batch dimension of size 1.
// CHECK-LABEL: func @batch
// CHECK: memref.expand_shape %arg0 {{\[\[}}0], [1], [2, 3]] output_shape [3, 40, 2, 128]
// CHECK: memref.transpose %{{.*}} (d0, d1, d2, d3) -> (d2, d0, d1, d3)
// CHECK: memref.expand_shape %arg1 {{\[\[}}0, 1, 2], [3]] output_shape [1, 2, 128, 48]
// CHECK: memref.transpose %{{.*}} (d0, d1, d2, d3) -> (d1, d0, d2, d3)
// CHECK: memref.alloc() : memref<2x3x40x48xi32>
// CHECK: arith.addi
// CHECK: linalg.yield
func.func @batch(%a: memref<3x40x256xi8>, %b: memref<256x48xi8>, %d: memref<3x40x48xi32>) {
  tmm.matmul config <scheduler = <split_k = 2>> ins(%a, %b : memref<3x40x256xi8>, memref<256x48xi8>) outs(%d : memref<3x40x48xi32>)
  return
}

// What is accumulated comes after the parts, then the epilogue with its operands: a vector, a scalar, D itself.
// CHECK-LABEL: func @epilogue
// CHECK: tmm.problem accumulate
// CHECK: epilogue(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[BIAS:.*]]: f32, %[[SCALE:.*]]: f32, %[[SAME:.*]]: bf16, %[[OLD:.*]]: bf16):
// CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[OLD]]
// CHECK: %[[ALL:.*]] = arith.addf %[[SUM]], %[[WIDE]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[ALL]], %[[SCALE]]
// CHECK: arith.addf %[[SCALED]], %[[BIAS]]
func.func @epilogue(%a: memref<128x512xbf16>, %b: memref<512x256xbf16>, %d: memref<128x256xbf16>, %bias: memref<256xf32>, %scale: f32) {
  tmm.matmul accumulate config <scheduler = <pdl = on, split_k = 2>> ins(%a, %b : memref<128x512xbf16>, memref<512x256xbf16>) outs(%d : memref<128x256xbf16>)
      epilogue(%acc, %x = %bias along n : memref<256xf32>, %s = %scale : f32, %same = %d : memref<128x256xbf16>) {
    %0 = arith.mulf %acc, %s : f32
    %1 = arith.addf %0, %x : f32
    %2 = arith.extf %same : bf16 to f32
    %3 = arith.addf %1, %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    tmm.yield %4 : bf16
  }
  return
}

// One part is the product itself.
// CHECK-LABEL: func @one
// CHECK-NEXT: tmm.matmul
// CHECK-NEXT: return
func.func @one(%a: memref<128x512xbf16>, %b: memref<512x256xbf16>, %d: memref<128x256xbf16>) {
  tmm.matmul config <scheduler = <split_k = 1>> ins(%a, %b : memref<128x512xbf16>, memref<512x256xbf16>) outs(%d : memref<128x256xbf16>)
  return
}

// Nothing is computed: there are no parts.
// CHECK-LABEL: func @empty
// CHECK-NEXT: tmm.matmul config <scheduler = <split_k = 1>> ins(%arg0, %arg1 : memref<2x0x128xbf16>, memref<2x128x64xbf16>)
// CHECK-NEXT: return
func.func @empty(%a: memref<2x0x128xbf16>, %b: memref<2x128x64xbf16>, %d: memref<2x0x64xbf16>) {
  tmm.matmul config <scheduler = <split_k = 2>> ins(%a, %b : memref<2x0x128xbf16>, memref<2x128x64xbf16>) outs(%d : memref<2x0x64xbf16>)
  return
}
