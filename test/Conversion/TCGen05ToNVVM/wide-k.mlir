// Instructions that read 64 bytes of a row (sm_107). The instruction descriptors are those
// of PTX ISA 9.4's tables by hand, for M = 128 and N = 256:
//   f8f6f4: D f32 (1 at 4), N (32 at 17), M (8 at 24), K = 64 (1 at 29)
//   mxf8f6f4: N (32 at 17), ue8m0 (1 at 23), M (1 at 27), K = 64 (1 at 31), and with the
//     factors from byte 2 on 2 at 4 and 2 at 29
//   mxf4nvf4: K = 128 (1 at 3), e2m1 (1 at 7 and 10), N (32 at 17), M (1 at 27)
//   mxf4: the same and ue8m0 (1 at 23)
// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: %python %S/Inputs/assemble.py %t.ptx sm_107f

!A = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!B = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
!A4 = memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!B4 = memref<256x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 65536>, #gpu.address_space<workgroup>>
!d = !tcgen05.tmem<128x256xf32, D>
!sf = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
!sf4 = !tcgen05.tmem<128x32xf8E4M3FN, scales, packed>
!sb4 = !tcgen05.tmem<128x64xf8E4M3FN, scales, packed>
!smem = memref<131072xi8, #gpu.address_space<workgroup>>
gpu.module @kernels [#nvvm.target<chip = "sm_107f", features = "+ptx94">] {
  // CHECK: .version 9.4
  // CHECK: .target sm_107f
  // CHECK-LABEL: .entry f8(
  // CHECK: mov.b32 {{ *}}[[I:%r[0-9]+]], 675282960;
  // CHECK: tcgen05.mma.cta_group::1.kind::f8f6f4.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[I]], %p{{[0-9]+}};
  gpu.func @f8(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %a = sm90.smem_view %smem[0] : !smem to !A
    %b = sm90.smem_view %smem[16384] : !smem to !B
    tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) {wide_k, a_k = 64 : i64, b_k = 64 : i64} : !d, !A, !B
    gpu.return
  }
  // CHECK-LABEL: .entry mxf8(
  // CHECK: mov.b32 {{ *}}[[FIRST:%r[0-9]+]], -2000683008;
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[FIRST]], [%r{{[0-9]+}}], [%r{{[0-9]+}}], %p{{[0-9]+}};
  // CHECK: mov.b32 {{ *}}[[SECOND:%r[0-9]+]], -926941152;
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[SECOND]], [%r{{[0-9]+}}], [%r{{[0-9]+}}], %p{{[0-9]+}};
  gpu.func @mxf8(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %sa = tcgen05.reserve : !sf
    %sb = tcgen05.reserve : !sb
    %a = sm90.smem_view %smem[0] : !smem to !A
    %b = sm90.smem_view %smem[16384] : !smem to !B
    tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) {wide_k} : !d, !A, !B, !sf, !sb
    tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p)
        {wide_k, a_k = 64 : i64, b_k = 64 : i64, a_block = 2 : i64, b_block = 2 : i64} : !d, !A, !B, !sf, !sb
    gpu.return
  }
  // The factors of blocks of 16 are in two cells of each lane.
  // CHECK-LABEL: .entry fp4(
  // CHECK: mov.b32 {{ *}}[[NV:%r[0-9]+]], 138413192;
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[NV]],
  // CHECK: mov.b32 {{ *}}[[MX:%r[0-9]+]], 146801800;
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf4.block_scale.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[MX]],
  gpu.func @fp4(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %sa = tcgen05.reserve : !sf
    %sb = tcgen05.reserve : !sb
    %ta = tcgen05.reserve : !sf4
    %tb = tcgen05.reserve : !sb4
    %a = sm90.smem_view %smem[0] : !smem to !A4
    %b = sm90.smem_view %smem[32768] : !smem to !B4
    tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %ta, %tb accumulate(%p) {wide_k, scale_block = 16 : i64} : !d, !A4, !B4, !sf4, !sb4
    tcgen05.mma_block_scale mxf4 %d, %a, %b scales %sa, %sb accumulate(%p) {wide_k, a_k = 128 : i64, b_k = 128 : i64} : !d, !A4, !B4, !sf, !sb
    gpu.return
  }
}
