// What the compiler encodes reads back as what the operation says.
// RUN: tc-opt %s -convert-sm90-to-nvvm -convert-tcgen05-to-nvvm | FileCheck %s
// RUN: tc-explain smem 4611756662049538048 | FileCheck %s --check-prefix=A
// RUN: tc-explain smem -9223301530654867456 | FileCheck %s --check-prefix=B
// RUN: tc-explain f16 135341200 | FileCheck %s --check-prefix=IDESC

// CHECK: llvm.mlir.constant(4611756662049538048 : i64)
// CHECK: llvm.mlir.constant(-9223301530654867456 : i64)
// CHECK: llvm.mlir.constant(135341200 : i32)

// IDESC: type of D {{ *}}f32
// IDESC: type of A {{ *}}bf16
// IDESC: negate A {{ *}}yes
// IDESC: negate B {{ *}}no
// IDESC: A is major along {{ *}}K
// IDESC: B is major along {{ *}}N
// IDESC: {{^ *17-22 *N *64$}}
// IDESC: {{^ *24-28 *M *128$}}

// A: stride dimension byte offset {{ *}}1024
// A: swizzle {{ *}}128 bytes{{$}}

// B: leading dimension byte offset {{ *}}4096
// B: stride dimension byte offset {{ *}}512
// B: swizzle {{ *}}64 bytes

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<mn_major, b64, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>

func.func @mma(%d: !tcgen05.tmem<128x64xf32, D>, %a: !a, %b: !b, %p: i1) {
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {negate_a} : !tcgen05.tmem<128x64xf32, D>, !a, !b
  return
}
