// RUN: tc-opt %s -convert-sm90-to-nvvm -split-input-file | FileCheck %s
// RUN: %if ptxas %{ tc-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(convert-sm90-to-nvvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},reconcile-unrealized-casts,sm90-verify-lowered),tc-serialize-gpu-modules)' \
// RUN:   | FileCheck %s --check-prefix=PTX %}
// RUN: %if ptxas %{ tc-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(convert-sm90-to-nvvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},reconcile-unrealized-casts,sm90-verify-lowered),tc-serialize-gpu-modules{format=cubin})' \
// RUN:   | FileCheck %s --check-prefix=CUBIN %}
// CUBIN: gpu.binary @kernels {{.*}} bin = "\7FELF

!smem = memref<32xi8, #gpu.address_space<workgroup>>
!word = memref<1xi32, #gpu.address_space<workgroup>>
!counter = memref<i32, #gpu.address_space<global>>

// PTX: atom.global.inc.u32
// PTX-SAME: st.shared.b32
// PTX-SAME: mbarrier.complete_tx.relaxed.cta.shared.b64
// PTX-SAME: mapa.shared::cluster
// PTX-SAME: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {
  // CHECK-LABEL: gpu.func @count
  gpu.func @count(%counter: !counter, %last: i32, %rank: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %smem = sm90.dynamic_smem align 16 : !smem
    %word = sm90.smem_view %smem[0] : !smem to !word
    %bars = sm90.mbarrier.view %smem[16] : !smem to !sm90.mbarrier_array<1>
    %full = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<1>
    // CHECK: %[[OLD:.*]] = llvm.atomicrmw uinc_wrap %{{.*}}, %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, i32
    %old = sm90.atom_inc %counter, %last : !counter
    // CHECK: llvm.store %[[OLD]], %{{.*}} : i32, !llvm.ptr<3>
    // CHECK: nvvm.mbarrier.complete_tx %[[BAR:.*]], %{{.*}} : !llvm.ptr<3>, i32
    sm90.st_async %old, %word, %full : !word, !sm90.mbarrier
    // CHECK: %[[W:.*]] = nvvm.mapa %{{.*}}, %[[RANK:.*]] : !llvm.ptr<3> -> !llvm.ptr<7>
    // CHECK: %[[B:.*]] = nvvm.mapa %{{.*}}, %[[RANK]] : !llvm.ptr<3> -> !llvm.ptr<7>
    // CHECK: llvm.inline_asm has_side_effects "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $1, [$2];", "l,r,l,~{memory}" %[[W]], %[[OLD]], %[[B]] : (!llvm.ptr<7>, i32, !llvm.ptr<7>) -> ()
    sm90.st_async %old, %word, %full of %rank : !word, !sm90.mbarrier
    gpu.return
  }
}
