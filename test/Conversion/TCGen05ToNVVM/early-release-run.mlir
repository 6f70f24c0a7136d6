// A commit with reads_of_a lets A be overwritten while the instructions still run: D is
// the product of what was there before. It says nothing of B.
// RUN: sed s/OVERWRITTEN/0/ %s > %t.a.mlir
// RUN: tc-compile %t.a.mlir -o %t.a.ptx
// RUN: tc-run %t.a.ptx --schedule=all --seeds=20 --races=strict --out=arg0=%t.bin | FileCheck %s --check-prefix=OK
// RUN: %python -c "import array; a = array.array('f', open(r'%t.bin', 'rb').read()); assert set(a) == {64.0}, list(a[:8])"
// OK: ok
// RUN: sed s/OVERWRITTEN/4096/ %s > %t.b.mlir
// RUN: tc-compile %t.b.mlir -o %t.b.ptx
// RUN: not tc-run %t.b.ptx --schedule=all --races=strict 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: race under eager: {{.*}} (warp 0 lane 0 of CTA (0,0,0)) writes {{.*}} reads: no wait, before {{.*}}, for the mbarrier that the tcgen05.commit after
// RUN: sed '/commit %done/d' %t.b.mlir > %t.c.mlir
// RUN: tc-compile %t.c.mlir -o %t.c.ptx
// RUN: not tc-run %t.c.ptx --schedule=eager --races=strict 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: race under eager: {{.*}} (warp 0 lane 0 of CTA (0,0,0)) writes {{.*}} reads: no tcgen05.commit after the tcgen05.mma.cta_group::1.kind::f16.collector::a::discard at line {{[0-9]+}}, but one with .sync_restrict, which covers the reads of A alone, whose mbarrier is waited for before
!out = memref<128x64xf32>
!smem = memref<24592xi8, #gpu.address_space<workgroup>>
!words = memref<6144xi32, #gpu.address_space<workgroup>>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!d = !tcgen05.tmem<128x64xf32, D>
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_107f", features = "+ptx94">] {
    gpu.func @k(%out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %c128 = arith.constant 128 : index
      %c6144 = arith.constant 6144 : index
      %first = arith.constant 0 : i32
      %false = arith.constant false
      %true = arith.constant true
      %ones = arith.constant 0x3f803f80 : i32
      %other = arith.constant OVERWRITTEN : index
      %tid = gpu.thread_id x
      %acc = tcgen05.reserve : !d
      %smem = sm90.dynamic_smem align 1024 : !smem
      %words = sm90.smem_view %smem[0] : !smem to !words
      %a = sm90.smem_view %smem[0] : !smem to !a
      %b = sm90.smem_view %smem[16384] : !smem to !b
      %bars = sm90.mbarrier.view %smem[24576] : !smem to !sm90.mbarrier_array<2>
      %early = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<2>
      %done = sm90.mbarrier.get %bars[1] : !sm90.mbarrier_array<2>
      scf.for %i = %tid to %c6144 step %c128 {
        memref.store %ones, %words[%i] : !words
      }
      %isFirst = arith.cmpi eq, %tid, %c0 : index
      scf.if %isFirst {
        sm90.mbarrier.init %early, 1 : !sm90.mbarrier
        sm90.mbarrier.init %done, 1 : !sm90.mbarrier
        sm90.fence_mbarrier_init
      }
      sm90.fence_proxy_async shared_cta
      tcgen05.fence before
      gpu.barrier
      tcgen05.fence after
      scf.if %isFirst {
        tcgen05.mma f16 %acc, %a, %b accumulate(%false) {a_k = 0 : i64, b_k = 0 : i64} : !d, !a, !b
        tcgen05.mma f16 %acc, %a, %b accumulate(%true) {a_k = 16 : i64, b_k = 16 : i64} : !d, !a, !b
        tcgen05.mma f16 %acc, %a, %b accumulate(%true) {a_k = 32 : i64, b_k = 32 : i64} : !d, !a, !b
        tcgen05.mma f16 %acc, %a, %b accumulate(%true) {a_k = 48 : i64, b_k = 48 : i64} : !d, !a, !b
        tcgen05.commit %early {reads_of_a} : !sm90.mbarrier
        tcgen05.commit %done : !sm90.mbarrier
        sm90.mbarrier.wait_parity %early, %first : !sm90.mbarrier
        memref.store %first, %words[%other] : !words
      }
      gpu.barrier
      sm90.mbarrier.wait_parity %done, %first : !sm90.mbarrier
      tcgen05.fence after
      %mine = tcgen05.warp_window %acc : !d
      %read = tcgen05.ld %mine : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>
      %sums = tcgen05.wait ld(%read : vector<64xf32>)
      vector.store %sums, %out[%tid, %c0] : !out, vector<64xf32>
      gpu.return
    }
  }
  func.func @host(%d: !out) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 25600 : i32
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) dynamic_shared_memory_size %bytes args(%d : !out)
    return
  }
}
