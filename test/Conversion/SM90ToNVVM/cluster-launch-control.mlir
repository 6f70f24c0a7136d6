// RUN: tc-opt %s -convert-sm90-to-nvvm -split-input-file | FileCheck %s
// RUN: %if ptxas %{ tc-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(convert-sm90-to-nvvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},reconcile-unrealized-casts,sm90-verify-lowered),tc-serialize-gpu-modules)' \
// RUN:   | FileCheck %s --check-prefix=PTX %}
// RUN: %if ptxas %{ tc-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(convert-sm90-to-nvvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},reconcile-unrealized-casts,sm90-verify-lowered),tc-serialize-gpu-modules{format=cubin})' \
// RUN:   | FileCheck %s --check-prefix=CUBIN %}
// CUBIN: gpu.binary @kernels {{.*}} bin = "\7FELF

!smem = memref<32xi8, #gpu.address_space<workgroup>>
!response = memref<2xi64, #gpu.address_space<workgroup>>

// PTX: clusterlaunchcontrol.try_cancel.async{{.*}}mbarrier::complete_tx::bytes.multicast::cluster::all.b128
// PTX-SAME: clusterlaunchcontrol.query_cancel.is_canceled.pred.b128
// PTX-SAME: clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128
gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  // CHECK-LABEL: gpu.func @steal
  gpu.func @steal(%out: memref<4xi32, 1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %smem = sm90.dynamic_smem align 16 : !smem
    %response = sm90.smem_view %smem[0] : !smem to !response
    %bars = sm90.mbarrier.view %smem[16] : !smem to !sm90.mbarrier_array<1>
    %full = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<1>
    // CHECK: nvvm.clusterlaunchcontrol.try.cancel %[[R:.*]], %{{.*}}{{$}}
    sm90.clusterlaunchcontrol.try_cancel %response, %full : !response, !sm90.mbarrier
    // CHECK: nvvm.clusterlaunchcontrol.try.cancel multicast, %{{.*}}, %{{.*}}
    sm90.clusterlaunchcontrol.try_cancel %response, %full multicast : !response, !sm90.mbarrier
    // CHECK: %[[V:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<2xi64>
    // The number of a CTA is asked for only where one was cancelled.
    // CHECK: llvm.inline_asm
    // CHECK-SAME: query_cancel.is_canceled.pred.b128 %clc_canceled
    // CHECK-SAME: @%clc_canceled clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128
    %canceled, %x, %y, %z = sm90.clusterlaunchcontrol.query %response : !response
    %flag = arith.extui %canceled : i1 to i32
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %i3 = arith.constant 3 : index
    memref.store %flag, %out[%i0] : memref<4xi32, 1>
    memref.store %x, %out[%i1] : memref<4xi32, 1>
    memref.store %y, %out[%i2] : memref<4xi32, 1>
    memref.store %z, %out[%i3] : memref<4xi32, 1>
    gpu.return
  }
}
