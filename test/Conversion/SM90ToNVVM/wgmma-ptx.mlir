// wgmma down to PTX for sm_90a: a loop over K-blocks whose accumulator stays in
// the same registers, without a copy; ptxas takes it without a remark that it
// serialises the instructions.
// RUN: tc-opt %s -pass-pipeline='builtin.module(gpu.module(convert-sm90-to-nvvm,convert-scf-to-cf,convert-vector-to-llvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},reconcile-unrealized-casts,canonicalize,cse,sm90-verify-lowered),tc-serialize-gpu-modules)' \
// RUN:   | FileCheck %s
// RUN: %if ptxas %{ tc-opt %s -pass-pipeline='builtin.module(gpu.module(convert-sm90-to-nvvm,convert-scf-to-cf,convert-vector-to-llvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},reconcile-unrealized-casts,canonicalize,cse,sm90-verify-lowered),tc-serialize-gpu-modules{format=cubin})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CUBIN %}
// CUBIN-NOT: serialized
// CUBIN: gpu.binary @kernels {{.*}} bin = "\7FELF

// CHECK: gpu.binary @kernels
// CHECK-SAME: .target sm_90a
// CHECK-SAME: wgmma.fence.sync.aligned;
// CHECK-SAME: $L__BB0_1:
// CHECK-NOT: mov.b32
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16
// CHECK-SAME: wgmma.commit_group.sync.aligned;
// CHECK-SAME: wgmma.wait_group.sync.aligned \091;
// CHECK-SAME: bra
// CHECK-SAME: wgmma.wait_group.sync.aligned 0;

!smem = memref<12288xi8, #gpu.address_space<workgroup>>
!A = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!B = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {
  gpu.func @k(%d: memref<16x128xf32, 1>, %n: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %zero = arith.constant dense<0.0> : vector<16xf32>
    %smem = sm90.dynamic_smem align 1024 : !smem
    %a = sm90.smem_view %smem[0] : !smem to !A
    %b = sm90.smem_view %smem[8192] : !smem to !B
    %start = sm90.wgmma.fence(%zero : vector<16xf32>)
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> vector<16xf32> : i32 {
      %0 = sm90.wgmma.mma_async %acc, %a, %b accumulate(%true) : vector<16xf32>, !A, !B
      %1 = sm90.wgmma.mma_async %0, %a, %b accumulate(%true) {a_k = 16 : i64, b_k = 16 : i64} : vector<16xf32>, !A, !B
      sm90.wgmma.commit_group
      sm90.wgmma.wait_group 1
      scf.yield %1 : vector<16xf32>
    }
    %sum = sm90.wgmma.wait_group 0 (%last : vector<16xf32>)
    %tid = gpu.thread_id x
    %zeroIndex = arith.constant 0 : index
    vector.store %sum, %d[%zeroIndex, %tid] : memref<16x128xf32, 1>, vector<16xf32>
    gpu.return
  }
}
