// Every form of tcgen05.mma as PTX, of which ptxas, where it is there, takes every line.
// RUN: tc-opt %s | tc-opt -o /dev/null
// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: %python %S/Inputs/assemble.py %t.ptx sm_100a

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!ta = !tcgen05.tmem<128x32xbf16, D, packed>
!e16 = !tcgen05.tmem<128x2xi32, metadata16>
!e8 = !tcgen05.tmem<128x2xi32, metadata8>
!e4 = !tcgen05.tmem<128x2xi32, metadata4>
!f8 = memref<128x64xf8E4M3FN, #sm90.smem_layout<k_major, b64, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!bf8 = memref<64x64xf8E4M3FN, #sm90.smem_layout<k_major, b64, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>
!tf4 = !tcgen05.tmem<128x64xf4E2M1FN, D, packed>
!tb4 = !tcgen05.tmem<128x32xf6E2M3FN, D, bytes>
!n64 = memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>
!sf = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sf16 = !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>
!split = !tcgen05.tmem<128x16xf8E8M0FNU, scales_split, packed>
!dB = !tcgen05.tmem<128x32xf32, B>
!dC = !tcgen05.tmem<64x64xf32, C>
!dG = !tcgen05.tmem<128x16xf32, G>
!dE = !tcgen05.tmem<128x32xf32, E>
!a64 = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!a32 = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
!b32 = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
!b72 = memref<72x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4608>, #gpu.address_space<workgroup>>
!a64f8 = memref<64x32xf8E4M3FN, #sm90.smem_layout<k_major, b32, bits = 8, slab = 2048>, #gpu.address_space<workgroup>>
!b32f8 = memref<32x32xf8E4M3FN, #sm90.smem_layout<k_major, b32, bits = 8, slab = 1024>, #gpu.address_space<workgroup>>
!tG = !tcgen05.tmem<128x16xbf16, G, packed>
!i8a = memref<128x64xi8, #sm90.smem_layout<k_major, b64, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!i8b = memref<64x64xi8, #sm90.smem_layout<k_major, b64, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>
!di = !tcgen05.tmem<128x64xi32, D>
!smem = memref<131072xi8, #gpu.address_space<workgroup>>
gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx88">] {
  // CHECK-LABEL: .entry tmem_a(
  // CHECK: add.s32 {{ *}}[[A:%r[0-9]+]], %r{{[0-9]+}}, 72;
  // CHECK: mov.b32 {{ *}}[[I:%r[0-9]+]], 135267472;
  // CHECK: tcgen05.mma.cta_group::1.kind::f16.collector::a::discard [%r{{[0-9]+}}], [[[A]]], %rd{{[0-9]+}}, [[I]], %p{{[0-9]+}};
  gpu.func @tmem_a(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %a = tcgen05.reserve : !ta
    %b = sm90.smem_view %smem[0] : !smem to !b
    tcgen05.mma f16 %d, %a, %b accumulate(%p) {a_k = 16 : i64, b_k = 16 : i64} : !d, !ta, !b
    gpu.return
  }
  // CHECK-LABEL: .entry ashift(
  // CHECK: mov.b32 {{ *}}[[I:%r[0-9]+]], 135267472;
  // CHECK: tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::lastuse [%r{{[0-9]+}}], [%r{{[0-9]+}}], %rd{{[0-9]+}}, [[I]], {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %p{{[0-9]+}}, 3;
  gpu.func @ashift(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %a = tcgen05.reserve : !ta
    %b = sm90.smem_view %smem[0] : !smem to !b
    %l = vector.broadcast %n : i32 to vector<4xi32>
    tcgen05.mma f16 %d, %a, %b accumulate(%p) disable(%l : vector<4xi32>) collector fill {scale_d = 3 : i32} : !d, !ta, !b
    tcgen05.mma f16 %d, %a, %b accumulate(%p) disable(%l : vector<4xi32>) collector lastuse {ashift, scale_d = 3 : i32} : !d, !ta, !b
    gpu.return
  }
  // CHECK-LABEL: .entry narrow_tmem_a(
  // CHECK: tcgen05.mma.cta_group::1.kind::f8f6f4.collector::a::fill [%r{{[0-9]+}}], [%r{{[0-9]+}}]
  gpu.func @narrow_tmem_a(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %a = tcgen05.reserve : !tb4
    %b = sm90.smem_view %smem[0] : !smem to !bf8
    tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) collector fill : !d, !tb4, !bf8
    gpu.return
  }
  // CHECK-LABEL: .entry disable(
  // CHECK: mov.b32 {{ *}}[[I:%r[0-9]+]], 135267472;
  // CHECK: tcgen05.mma.cta_group::1.kind::f16.collector::a::use [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[I]], {%r
  gpu.func @disable(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %a = sm90.smem_view %smem[0] : !smem to !a
    %b = sm90.smem_view %smem[32768] : !smem to !b
    %l = vector.broadcast %n : i32 to vector<4xi32>
    tcgen05.mma f16 %d, %a, %b accumulate(%p) disable(%l : vector<4xi32>) collector fill : !d, !a, !b
    tcgen05.mma f16 %d, %a, %b accumulate(%p) disable(%l : vector<4xi32>) collector use : !d, !a, !b
    gpu.return
  }
  // CHECK-LABEL: .entry sparse(
  // CHECK: mov.b32 {{ *}}[[I:%r[0-9]+]], 135267477;
  // CHECK: tcgen05.mma.sp.cta_group::1.kind::f16.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [%r{{[0-9]+}}], [[I]], %p
  gpu.func @sparse(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %a = sm90.smem_view %smem[0] : !smem to !a
    %b = sm90.smem_view %smem[32768] : !smem to !b
    %e = tcgen05.reserve : !e16
    tcgen05.mma f16 %d, %a, %b sparse(%e : !e16) accumulate(%p) {selector = 1 : i32, a_k = 16 : i64, b_k = 32 : i64} : !d, !a, !b
    gpu.return
  }
  // CHECK-LABEL: .entry sparse_tmem_a(
  // CHECK: mov.b32 {{ *}}[[I:%r[0-9]+]], 135267476;
  // CHECK: tcgen05.mma.sp.cta_group::1.kind::f16.collector::a::discard [%r{{[0-9]+}}], [%r{{[0-9]+}}], %rd{{[0-9]+}}, [%r{{[0-9]+}}], [[I]], %p
  gpu.func @sparse_tmem_a(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %a = tcgen05.reserve : !ta
    %b = sm90.smem_view %smem[0] : !smem to !b
    %e = tcgen05.reserve : !e16
    tcgen05.mma f16 %d, %a, %b sparse(%e : !e16) accumulate(%p) : !d, !ta, !b
    gpu.return
  }
  // CHECK-LABEL: .entry sparse_i8(
  // CHECK: tcgen05.mma.sp.cta_group::1.kind::i8.
  gpu.func @sparse_i8(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !di
    %a = sm90.smem_view %smem[0] : !smem to !i8a
    %b = sm90.smem_view %smem[32768] : !smem to !i8b
    %e = tcgen05.reserve : !e8
    tcgen05.mma i8 %d, %a, %b sparse(%e : !e8) accumulate(%p) {saturate} : !di, !i8a, !i8b
    gpu.return
  }
  // CHECK-LABEL: .entry scaled_tmem_a(
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16.collector::a::discard [%r{{[0-9]+}}], [%r{{[0-9]+}}], %rd
  gpu.func @scaled_tmem_a(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %a = tcgen05.reserve : !tf4
    %b = sm90.smem_view %smem[0] : !smem to !n64
    %sa = tcgen05.reserve : !sf16
    %sb = tcgen05.reserve : !sf16
    tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %sa, %sb accumulate(%p) {scale_block = 16 : i64} : !d, !tf4, !n64, !sf16, !sf16
    gpu.return
  }
  // CHECK-LABEL: .entry scaled_sparse(
  // CHECK: tcgen05.mma.sp.cta_group::1.kind::mxf8f6f4.block_scale.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [%r{{[0-9]+}}], %r{{[0-9]+}}, [%r{{[0-9]+}}], [%r{{[0-9]+}}], %p
  gpu.func @scaled_sparse(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %a = sm90.smem_view %smem[0] : !smem to !f8
    %b = sm90.smem_view %smem[32768] : !smem to !bf8
    %e = tcgen05.reserve : !e8
    %sa = tcgen05.reserve : !sf
    %sb = tcgen05.reserve : !sf
    tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b sparse(%e : !e8) scales %sa, %sb accumulate(%p) {a_block = 1 : i64, b_block = 1 : i64} : !d, !f8, !bf8, !sf, !sf
    gpu.return
  }
  // CHECK-LABEL: .entry scale_vec(
  // CHECK: tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale.scale_vec::2X.collector::a::discard [%r{{[0-9]+}}], [%r{{[0-9]+}}], %rd{{[0-9]+}}, [%r{{[0-9]+}}], %r{{[0-9]+}}, [%r{{[0-9]+}}], [%r{{[0-9]+}}], %p
  gpu.func @scale_vec(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !d
    %a = tcgen05.reserve : !tf4
    %b = sm90.smem_view %smem[0] : !smem to !n64
    %e = tcgen05.reserve : !e4
    %sa = tcgen05.reserve : !sf
    %sb = tcgen05.reserve : !sf
    tcgen05.mma_block_scale mxf4 %d, %a, %b sparse(%e : !e4) scales %sa, %sb accumulate(%p) {scale_vec} : !d, !tf4, !n64, !sf, !sf
    gpu.return
  }
  // CHECK-LABEL: .entry ws(
  // CHECK: mov.b64 {{ *}}[[MASK:%rd[0-9]+]], 288794975372574725;
  // CHECK: mov.b32 {{ *}}[[I:%r[0-9]+]], 1108346000;
  // CHECK: tcgen05.mma.ws.cta_group::1.kind::f16.collector::b2::fill [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[I]], %p{{[0-9]+}}, [[MASK]];
  gpu.func @ws(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !dG
    %a = sm90.smem_view %smem[0] : !smem to !a32
    %b = sm90.smem_view %smem[32768] : !smem to !b72
    %mask = tcgen05.column_mask use 3 skip 2 shift 4 drop [5]
    tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) mask(%mask) collector fill {buffer = 2 : i32, max_shift = 8 : i64} : !dG, !a32, !b72
    gpu.return
  }
  // CHECK-LABEL: .entry ws_tmem_a(
  // CHECK: tcgen05.mma.ws.cta_group::1.kind::f16.collector::b3::lastuse [%r{{[0-9]+}}], [%r{{[0-9]+}}], %rd
  gpu.func @ws_tmem_a(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !dG
    %a = tcgen05.reserve : !tG
    %b = sm90.smem_view %smem[0] : !smem to !b
    tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) collector fill {buffer = 3 : i32} : !dG, !tG, !b
    tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) collector lastuse {buffer = 3 : i32} : !dG, !tG, !b
    gpu.return
  }
  // CHECK-LABEL: .entry ws_sparse(
  // CHECK: mov.b32 {{ *}}[[I:%r[0-9]+]], 68158612;
  // CHECK: tcgen05.mma.ws.sp.cta_group::1.kind::f16.collector::b0::use [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [%r{{[0-9]+}}], [[I]], %p
  gpu.func @ws_sparse(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !dE
    %a = sm90.smem_view %smem[0] : !smem to !a64
    %b = sm90.smem_view %smem[32768] : !smem to !b
    %e = tcgen05.reserve : !e16
    tcgen05.mma_ws f16 %d, %a, %b sparse(%e : !e16) accumulate(%p) collector fill : !dE, !a64, !b
    tcgen05.mma_ws f16 %d, %a, %b sparse(%e : !e16) accumulate(%p) collector use : !dE, !a64, !b
    gpu.return
  }
  // CHECK-LABEL: .entry pair_sparse(
  // CHECK: tcgen05.mma.sp.cta_group::2.kind::f16.collector::a::discard
  gpu.func @pair_sparse(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !dC
    %a = sm90.smem_view %smem[0] : !smem to !a64
    %b = sm90.smem_view %smem[32768] : !smem to !b32
    %e = tcgen05.reserve : !e16
    %l = vector.broadcast %n : i32 to vector<8xi32>
    tcgen05.mma f16 cta_group 2 %d, %a, %b sparse(%e : !e16) accumulate(%p) disable(%l : vector<8xi32>) : !dC, !a64, !b32
    gpu.return
  }
  // CHECK-LABEL: .entry pair_split(
  // CHECK: tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale.collector::a::discard
  gpu.func @pair_split(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !dB
    %a = sm90.smem_view %smem[0] : !smem to !a64f8
    %b = sm90.smem_view %smem[32768] : !smem to !b32f8
    %sa = tcgen05.reserve : !sf
    %sb = tcgen05.reserve : !split
    tcgen05.mma_block_scale mxf8f6f4 cta_group 2 %d, %a, %b scales %sa, %sb accumulate(%p) : !dB, !a64f8, !b32f8, !sf, !split
    gpu.return
  }
}
