// B as indices into a table, elements of 4 and 6 bits without gaps, and factors of A in 128
// lanes (sm_107). The descriptors by hand from PTX ISA 9.4's tables, for M = 128 and N = 256:
//   f8f6f4: D f32 (1 at 4), N (32 at 17), M (8 at 24), K = 64 (1 at 29)
//   mxf8f6f4: N (32 at 17), ue8m0 (1 at 23), M (1 at 27), K = 64 (1 at 31); e2m3 is 3 at 7 of A,
//     e2m1 5 at 10 of B, factors of A in 128 lanes 1 at 26
//   B in shared memory, swizzled by 64 bytes: offsets of 16 and 512 bytes (1 at 16, 32 at 32), 1 at
//     46, 4 at 61, and for the second 24 bytes of a row of indices 1 at 53
// RUN: tc-opt %s | tc-opt | FileCheck %s --check-prefix=OPS
// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: %python %S/Inputs/assemble.py %t.ptx sm_107f

!A = memref<128x256xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!B = memref<256x256xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!A6 = memref<128x128xf6E2M3FN, #sm90.smem_layout<k_major, b128, bits = 6, slab = 16384>, #gpu.address_space<workgroup>>
!B4 = memref<256x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!d = !tcgen05.tmem<128x256xf32, D>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
!w = !tcgen05.tmem<32x8xf8E4M3FN, D, packed>
!a6 = !tcgen05.tmem<128x128xf6E2M3FN, D, packed>
!sa = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
!sl = !tcgen05.tmem<128x4xf8E8M0FNU, D, packed>
!smem = memref<131072xi8, #gpu.address_space<workgroup>>
gpu.module @kernels [#nvvm.target<chip = "sm_107f", features = "+ptx94">] {
  // OPS-LABEL: gpu.func @plain
  // OPS: tcgen05.mma f8f6f4 %{{.*}}, %{{.*}}, %{{.*}} lookup(%{{.*}} : !{{.*}}) accumulate(%{{[^ ]*}}) {wide_k}
  // OPS: lookup(%{{.*}} : !{{.*}}) accumulate(%{{[^ ]*}}) disable(%{{.*}}) collector fill collector_b fill {
  // CHECK-LABEL: .entry plain(
  // 4 << 61 | 1 << 46 | 32 << 32 | 1 << 16, and with 1 << 53.
  // CHECK: or.b64 {{ *}}[[B:%rd[0-9]+]], %rd{{[0-9]+}}, -9223301530671579136;
  // CHECK: mov.b32 {{ *}}[[I:%r[0-9]+]], 675282960;
  // CHECK: tcgen05.mma.cta_group::1.kind::f8f6f4.decompress::lut::b.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, [[B]], [%r{{[0-9]+}}], [[I]], %p{{[0-9]+}};
  // CHECK: or.b64 {{ *}}[[SECOND:%rd[0-9]+]], %rd{{[0-9]+}}, -9214294331416838144;
  // CHECK: tcgen05.mma.cta_group::1.kind::f8f6f4.decompress::lut::b.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, [[SECOND]], [%r{{[0-9]+}}], [[I]], %p{{[0-9]+}};
  // CHECK: tcgen05.mma.cta_group::1.kind::f8f6f4.decompress::lut::b.collector::a::fill.collector::b::fill [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [%r{{[0-9]+}}], [[I]], {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %p{{[0-9]+}};
  gpu.func @plain(%n: i32, %lanes: vector<4xi32>) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %t = tcgen05.reserve : !t
    %a = sm90.smem_view %smem[0] : !smem to !A
    %b = sm90.smem_view %smem[65536] : !smem to !B
    %w = tcgen05.warp_window %t : !t
    tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !t) accumulate(%p) {wide_k} : !d, !A, !B
    tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !t) accumulate(%p) {wide_k, a_k = 64 : i64, b_k = 64 : i64} : !d, !A, !B
    tcgen05.mma f8f6f4 %d, %a, %b lookup(%w : !w) accumulate(%p) disable(%lanes : vector<4xi32>) collector fill collector_b fill {wide_k, a_k = 128 : i64, b_k = 128 : i64} : !d, !A, !B
    gpu.return
  }
  // OPS-LABEL: gpu.func @scaled
  // OPS: tcgen05.mma_block_scale mxf8f6f4 %{{.*}}, %{{.*}}, %{{.*}} lookup(%{{.*}}) scales
  // CHECK-LABEL: .entry scaled(
  // 1 << 31 | 1 << 27 | 1 << 23 | 32 << 17, less 1 << 32.
  // CHECK: mov.b32 {{ *}}[[I:%r[0-9]+]], -2000683008;
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.decompress::lut::b.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [%r{{[0-9]+}}], [[I]], [%r{{[0-9]+}}], [%r{{[0-9]+}}], %p{{[0-9]+}};
  // The same, 3 << 7 and 5 << 10, then 1 << 26, too; A in Tensor Memory.
  // CHECK: mov.b32 {{ *}}[[P:%r[0-9]+]], -2000677504;
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[P]],
  // CHECK: mov.b32 {{ *}}[[L:%r[0-9]+]], -1933568640;
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.collector::a::discard [%r{{[0-9]+}}], [%r{{[0-9]+}}], %rd{{[0-9]+}}, [[L]],
  gpu.func @scaled(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %t = tcgen05.reserve : !t
    %sa = tcgen05.reserve : !sa
    %sb = tcgen05.reserve : !sb
    %sl = tcgen05.reserve : !sl
    %ta = tcgen05.reserve : !a6
    %a = sm90.smem_view %smem[0] : !smem to !A
    %b = sm90.smem_view %smem[65536] : !smem to !B
    %a6 = sm90.smem_view %smem[0] : !smem to !A6
    %b4 = sm90.smem_view %smem[65536] : !smem to !B4
    tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b lookup(%t : !t) scales %sa, %sb accumulate(%p) {wide_k} : !d, !A, !B, !sa, !sb
    tcgen05.mma_block_scale mxf8f6f4 %d, %a6, %b4 scales %sa, %sb accumulate(%p) {wide_k} : !d, !A6, !B4, !sa, !sb
    tcgen05.mma_block_scale mxf8f6f4 %d, %ta, %b4 scales %sl, %sb accumulate(%p) {wide_k, a_k = 64 : i64, b_k = 64 : i64} : !d, !a6, !B4, !sl, !sb
    gpu.return
  }
}
