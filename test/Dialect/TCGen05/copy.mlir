// tcgen05.cp with every shape, and tcgen05.shift, parse and print.
// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!words = memref<128x4xi32, #gpu.address_space<workgroup>>
!bytes = memref<128x16xi8, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @cp
// CHECK-SAME: (%[[A:.*]]: memref<128x64xbf16, {{.*}}>, %[[W:.*]]: memref<128x4xi32, {{.*}}>, %[[B:.*]]: memref<128x16xi8, {{.*}}>, %[[EIGHT:.*]]: !tcgen05.tmem<128x16xbf16, D, packed>, %[[FOUR:.*]]: !tcgen05.tmem<128x4xi32, raw>)
func.func @cp(%a: !a, %words: !words, %bytes: !bytes, %eight: !tcgen05.tmem<128x16xbf16, D, packed>,
              %four: !tcgen05.tmem<128x4xi32, raw>) {
  // CHECK: tcgen05.cp %[[A]], %[[EIGHT]] shape "128x256b" {k = 16 : i64} :
  tcgen05.cp %a, %eight shape "128x256b" {k = 16 : i64} : !a, !tcgen05.tmem<128x16xbf16, D, packed>
  // CHECK: tcgen05.cp %[[A]], %[[EIGHT]] shape "4x256b" cta_group 2 {lane = 31 : i64} :
  tcgen05.cp %a, %eight shape "4x256b" cta_group 2 {lane = 31 : i64} : !a, !tcgen05.tmem<128x16xbf16, D, packed>
  // CHECK: tcgen05.cp %[[W]], %[[FOUR]] shape "128x128b" :
  tcgen05.cp %words, %four shape "128x128b" : !words, !tcgen05.tmem<128x4xi32, raw>
  // CHECK: tcgen05.cp %[[W]], %[[FOUR]] shape "64x128b.warpx2::02_13" :
  tcgen05.cp %words, %four shape "64x128b.warpx2::02_13" : !words, !tcgen05.tmem<128x4xi32, raw>
  // CHECK: tcgen05.cp %[[W]], %[[FOUR]] shape "64x128b.warpx2::01_23" :
  tcgen05.cp %words, %four shape "64x128b.warpx2::01_23" : !words, !tcgen05.tmem<128x4xi32, raw>
  // CHECK: tcgen05.cp %[[B]], %[[FOUR]] format b6x16_p32 :
  tcgen05.cp %bytes, %four shape "32x128b.warpx4" format b6x16_p32 : !bytes, !tcgen05.tmem<128x4xi32, raw>
  // CHECK: tcgen05.cp %[[B]], %[[FOUR]] shape "128x128b" format b4x16_p64 cta_group 2 :
  tcgen05.cp %bytes, %four shape "128x128b" format b4x16_p64 cta_group 2 : !bytes, !tcgen05.tmem<128x4xi32, raw>
  return
}

// CHECK-LABEL: func.func @shift
// CHECK-SAME: (%[[R:.*]]: !tcgen05.tmem<128x8xi32, D>)
func.func @shift(%r: !tcgen05.tmem<128x8xi32, D>) {
  // CHECK: tcgen05.shift %[[R]] window 0 : !tcgen05.tmem<128x8xi32, D>
  tcgen05.shift %r window 0 : !tcgen05.tmem<128x8xi32, D>
  // CHECK: tcgen05.shift %[[R]] window 3 cta_group 2 : !tcgen05.tmem<128x8xi32, D>
  tcgen05.shift %r window 3 cta_group 2 : !tcgen05.tmem<128x8xi32, D>
  return
}
