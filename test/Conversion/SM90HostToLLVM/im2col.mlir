// An im2col map has corners, channels and pixels in place of a box.
// RUN: tc-opt %s -convert-sm90-host-to-llvm | FileCheck %s

// CHECK-DAG: llvm.func @tcTensorMapEncodeIm2col(!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr, i32, i32, i32)
// CHECK-DAG: llvm.func @tcTensorMapEncode(
// CHECK-LABEL: func.func @host
// CHECK-DAG: %[[CHANNELS:.*]] = llvm.mlir.constant(64 : i32)
// CHECK-DAG: %[[PIXELS:.*]] = llvm.mlir.constant(128 : i32)
// From the fastest dimension.
// CHECK: %[[LOW1:.*]] = llvm.mlir.constant(-2 : i32)
// CHECK: %[[LOW0:.*]] = llvm.mlir.constant(-1 : i32)
// CHECK: %[[LOWER:.*]] = llvm.alloca
// CHECK: %[[HIGH1:.*]] = llvm.mlir.constant(-4 : i32)
// CHECK: %[[HIGH0:.*]] = llvm.mlir.constant(-3 : i32)
// CHECK: %[[UPPER:.*]] = llvm.alloca
// CHECK: llvm.call @tcTensorMapEncodeIm2col(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[LOWER]], %[[UPPER]], %[[CHANNELS]], %[[PIXELS]],
// CHECK: llvm.call @tcTensorMapEncode(
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_100a">, "">]
  func.func @host(%a: memref<2x10x11x64xbf16>) {
    %c1 = arith.constant 1 : index
    %map = sm90.tensor_map.encode %a[0] dims [2, 10, 11, 64] strides [14080, 1408, 128] im2col lower [-1, -2] upper [-3, -4]
      : memref<2x10x11x64xbf16> to !sm90.tensor_map<128x64xbf16, b128, im2col = 4>
    %boxes = sm90.tensor_map.encode %a[0] dims [2, 10, 11, 64] strides [14080, 1408, 128]
      : memref<2x10x11x64xbf16> to !sm90.tensor_map<1x1x8x64xbf16, b128>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%map : !sm90.tensor_map<128x64xbf16, b128, im2col = 4>, %boxes : !sm90.tensor_map<1x1x8x64xbf16, b128>)
    return
  }
}
