// RUN: tc-opt %s --mlir-print-local-scope -convert-sm90-to-nvvm -allow-unregistered-dialect | FileCheck %s

!smem = memref<4096xi8, #gpu.address_space<workgroup>>

// One external array of the module, without extent; its base is aligned at run
// time by adding (-address) mod align.
// CHECK-LABEL: gpu.module @dynamic
gpu.module @dynamic {
  // CHECK-COUNT-1: llvm.mlir.global external @tc_dynamic_smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  // CHECK: gpu.func @aligned
  gpu.func @aligned(%n: index) kernel {
    // CHECK: %[[BASE:.*]] = llvm.mlir.addressof @tc_dynamic_smem : !llvm.ptr<3>
    // CHECK: %[[ADDR:.*]] = llvm.ptrtoint %[[BASE]] : !llvm.ptr<3> to i32
    // CHECK: %[[NEG:.*]] = llvm.sub %{{.*}}, %[[ADDR]] : i32
    // CHECK: %[[MASK:.*]] = llvm.mlir.constant(1023 : i32) : i32
    // CHECK: %[[PAD:.*]] = llvm.and %[[NEG]], %[[MASK]] : i32
    // CHECK: %[[ALIGNED:.*]] = llvm.getelementptr %[[BASE]][%[[PAD]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %s = sm90.dynamic_smem align 1024 : !smem
    // CHECK: %[[SRC:.*]] = llvm.extractvalue %{{.*}}[1]
    // CHECK: %[[ROWS:.*]] = llvm.getelementptr %[[SRC]][512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    // CHECK: %[[DESC:.*]] = llvm.insertvalue %[[ROWS]], %{{.*}}[1] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
    %rows = sm90.smem_view %s[512] : !smem to memref<8x8xf32, #gpu.address_space<workgroup>>
    // CHECK: %[[SRC1:.*]] = llvm.extractvalue %{{.*}}[1]
    // CHECK: %[[N:.*]] = llvm.trunc %{{.*}} : i64 to i32
    // CHECK: %[[TILE:.*]] = llvm.getelementptr %[[SRC1]][%[[N]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    // CHECK: builtin.unrealized_conversion_cast %[[TILE]] : !llvm.ptr<3> to memref<8x64xbf16, #sm90.smem_layout
    %tile = sm90.smem_view %s[%n] : !smem
        to memref<8x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 512>, #gpu.address_space<workgroup>>
    "test.use"(%rows, %tile) : (memref<8x8xf32, #gpu.address_space<workgroup>>, memref<8x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 512>, #gpu.address_space<workgroup>>) -> ()
    gpu.return
  }
  // What LLVM and the driver promise anyway needs no code.
  // CHECK: gpu.func @unaligned
  gpu.func @unaligned() kernel {
    // CHECK: llvm.mlir.addressof @tc_dynamic_smem
    // CHECK-NOT: llvm.ptrtoint
    // CHECK: gpu.return
    %s = sm90.dynamic_smem align 16 : !smem
    "test.use"(%s) : (!smem) -> ()
    gpu.return
  }
}
