// RUN: tc-opt %s -convert-sm90-to-nvvm -convert-tcgen05-to-nvvm | FileCheck %s

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!words = memref<128x4xi32, #gpu.address_space<workgroup>>
!bytes = memref<128x16xi8, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @cp
func.func @cp(%a: !a, %words: !words, %bytes: !bytes, %eight: !tcgen05.tmem<128x16xbf16, D, packed>,
              %four: !tcgen05.tmem<128x4xi32, raw>) {
  // A descriptor of 1024 bytes between groups of 8 rows and swizzle 2; column 16 is 32 bytes further.
  // CHECK: %[[BITS:.*]] = llvm.mlir.constant(4611756662049538048 : i64)
  // CHECK: %[[BASE:.*]] = llvm.add %{{.*}}, %[[BITS]]
  // CHECK: %[[STEP:.*]] = llvm.mlir.constant(2 : i64)
  // CHECK: %[[S:.*]] = llvm.add %[[BASE]], %[[STEP]]
  // CHECK: nvvm.tcgen05.cp %{{.*}}, %[[S]] {group = #nvvm.cta_group<cta_2>, shape = #nvvm.tcgen05_cp_shape<shape_128x256b>}
  tcgen05.cp %a, %eight shape "128x256b" cta_group 2 {k = 16 : i64} : !a, !tcgen05.tmem<128x16xbf16, D, packed>
  // CHECK: %[[LANE:.*]] = llvm.getelementptr %{{.*}}[2031616]
  // CHECK: nvvm.tcgen05.cp %[[LANE]], %{{.*}} {group = #nvvm.cta_group<cta_2>, shape = #nvvm.tcgen05_cp_shape<shape_4x256b>}
  tcgen05.cp %a, %eight shape "4x256b" cta_group 2 {lane = 31 : i64} : !a, !tcgen05.tmem<128x16xbf16, D, packed>
  // CHECK: nvvm.tcgen05.cp %{{.*}}, %{{.*}} {group = #nvvm.cta_group<cta_2>, shape = #nvvm.tcgen05_cp_shape<shape_128x128b>}
  tcgen05.cp %words, %four shape "128x128b" cta_group 2 : !words, !tcgen05.tmem<128x4xi32, raw>
  // CHECK: nvvm.tcgen05.cp %{{.*}} {group = #nvvm.cta_group<cta_2>, multicast = #nvvm.tcgen05_cp_multicast<warpx2_02_13>, shape = #nvvm.tcgen05_cp_shape<shape_64x128b>}
  tcgen05.cp %words, %four shape "64x128b.warpx2::02_13" cta_group 2 : !words, !tcgen05.tmem<128x4xi32, raw>
  // CHECK: nvvm.tcgen05.cp %{{.*}} {group = #nvvm.cta_group<cta_2>, multicast = #nvvm.tcgen05_cp_multicast<warpx2_01_23>, shape = #nvvm.tcgen05_cp_shape<shape_64x128b>}
  tcgen05.cp %words, %four shape "64x128b.warpx2::01_23" cta_group 2 : !words, !tcgen05.tmem<128x4xi32, raw>
  // CHECK: nvvm.tcgen05.cp %{{.*}} {group = #nvvm.cta_group<cta_2>, multicast = #nvvm.tcgen05_cp_multicast<warpx4>, shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, srcFormat = #nvvm.tcgen05_cp_src_fmt<b6x16_p32>}
  tcgen05.cp %bytes, %four format b6x16_p32 cta_group 2 : !bytes, !tcgen05.tmem<128x4xi32, raw>
  return
}

// CHECK-LABEL: func.func @shift
func.func @shift(%r: !tcgen05.tmem<128x8xi32, D>) {
  // CHECK: %[[LANE:.*]] = llvm.getelementptr %{{.*}}[4194304]
  // CHECK: nvvm.tcgen05.shift %[[LANE]] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<6>
  tcgen05.shift %r window 2 cta_group 2 : !tcgen05.tmem<128x8xi32, D>
  return
}
