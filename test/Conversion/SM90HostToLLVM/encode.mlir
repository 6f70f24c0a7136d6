// RUN: tc-opt %s -convert-sm90-host-to-llvm | FileCheck %s

// Dims, strides and boxes from the fastest dimension; an empty dimension is
// encoded as one element. The driver's types: 9 is bf16; swizzle 3 is 128 bytes.
// CHECK: llvm.func @tcTensorMapEncode(!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32)
// CHECK-LABEL: func.func @host
// CHECK: %[[M:.*]] = arith.index_castui %arg3 : index to i64
// CHECK: %[[DIM:.*]] = arith.maxui %[[M]], %{{.*}} : i64
// CHECK: %[[PITCH:.*]] = llvm.mlir.constant(144 : i64)
// CHECK: %[[MAP:.*]] = llvm.alloca %{{.*}} x !llvm.array<16 x i64> {alignment = 64 : i64}
// CHECK: %[[TYPE:.*]] = llvm.mlir.constant(9 : i32)
// CHECK: %[[RANK:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[AT:.*]] = memref.extract_aligned_pointer_as_index %arg0
// CHECK: %[[BASE:.*]] = arith.index_castui %[[AT]] : index to i64
// CHECK: llvm.mlir.constant(8 : i64)
// CHECK: llvm.mlir.constant(16 : i64)
// CHECK: %[[BITS:.*]] = arith.muli
// CHECK: %[[BYTES:.*]] = arith.shrui %[[BITS]]
// CHECK: %[[FIRST:.*]] = arith.addi %[[BASE]], %[[BYTES]]
// CHECK: %[[OWN:.*]] = llvm.mlir.constant(32 : i64)
// CHECK: %[[START:.*]] = arith.addi %[[FIRST]], %[[OWN]]
// CHECK: %[[ADDRESS:.*]] = llvm.inttoptr %[[START]]
// CHECK: llvm.store %{{.*}}, %{{.*}} : i64, !llvm.ptr
// CHECK: %[[SWIZZLE:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: llvm.call @tcTensorMapEncode(%[[MAP]], %[[TYPE]], %[[RANK]], %[[ADDRESS]],
// CHECK: %[[VALUE:.*]] = llvm.load %[[MAP]] {alignment = 64 : i64} : !llvm.ptr -> !llvm.array<16 x i64>
// CHECK: %[[D:.*]] = memref.extract_aligned_pointer_as_index %arg1
// CHECK: %[[DI:.*]] = arith.index_castui %[[D]]
// CHECK: %[[DP:.*]] = llvm.inttoptr %[[DI]]
// CHECK-NOT: memory_space_cast
// CHECK: gpu.launch_func @kernels::@k
// CHECK-SAME: args(%[[VALUE]] : !llvm.array<16 x i64>, %[[DP]] : !llvm.ptr, %arg2 : i32)
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_100a">, "">]
  func.func @host(%a: memref<?x64xbf16, strided<[72, 1], offset: 8>>, %d: memref<f32>, %n: i32, %m: index) {
    %c1 = arith.constant 1 : index
    %map = sm90.tensor_map.encode %a[32] dims [%m, 64] strides [144] : memref<?x64xbf16, strided<[72, 1], offset: 8>> to !sm90.tensor_map<128x64xbf16, b128>
    %p = memref.memory_space_cast %d : memref<f32> to memref<f32, #gpu.address_space<global>>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%map : !sm90.tensor_map<128x64xbf16, b128>, %p : memref<f32, #gpu.address_space<global>>, %n : i32)
    return
  }
}
