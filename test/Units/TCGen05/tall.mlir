// A tile of 256 rows in a CTA is two accumulators. Each step of K multiplies the rows of
// both by the same B, which the second takes from where the first kept it. Eight warps
// read them, the last four the columns of the second. The factors of its rows come after
// all of those of the first.
// RUN: tc-compile %s --chip=sm_107f --config="sms=8 cta-group=1 tile=256x128x256 scale-stages=1" --emit=tcgen05 \
// RUN:   | FileCheck %s
// RUN: tc-compile %s --chip=sm_107f --config="sms=8 cta-group=1 tile=256x128x256 split-ring=on" --emit=tiles \
// RUN:   | FileCheck %s --check-prefix=RING
// RUN: tc-compile %s --chip=sm_107f --config="sms=8 cta-group=2 tile=512x128x256 split-ring=on" -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=all | FileCheck %s --check-prefix=RUNS
// RUNS: maximum error

// A K that the kind does not have is that of all chips.
// RUN: tc-compile %S/Inputs/narrow.mlir --chip=sm_107f --config="sms=8 cta-group=1 tile=256x64x64" --emit=tiles -o %t.narrow.mlir
// RUN: sed "s/keep_b = true/k = 64, keep_b = true/" %t.narrow.mlir | tc-compile - --chip=sm_107f -o %t.narrow.ptx
// RUN: FileCheck %s --check-prefix=NARROW --input-file=%t.narrow.ptx
// NARROW-COUNT-8: tcgen05.mma.cta_group::1.kind::f16.collector
// NARROW-NOT: tcgen05.mma
// RUN: sed "s/keep_b = true/k = -8/" %t.narrow.mlir | not tc-compile - --chip=sm_107f -o %t.none.ptx 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: expected k from 0, got -8

// CHECK: %[[SFA:.*]] = tcgen05.reserve : !f8E4M3FN_128x128_tmem_scales
// CHECK: %[[SFB:.*]] = tcgen05.reserve : !f8E4M3FN_128x64_tmem_scales
// CHECK: %[[ACCS:.*]] = tcgen05.reserve : !f32_128x512_tmem_D
// CHECK: %[[MINE:.*]] = tcgen05.warp_window
// CHECK: %[[TILE:.*]] = arith.divui %{{.*}}, %c128_i32
// CHECK: %[[AFTER:.*]] = arith.muli %[[TILE]], %c128_i32
// CHECK: arith.addi %{{.*}}, %[[AFTER]]
// CHECK: tcgen05.slice %[[MINE]]
// Of A the blocks of the first rows, then those of the others; of B those of each 4 blocks of K.
// CHECK: %[[ROW0:.*]] = tcgen05.slice %[[SFA]][0]
// CHECK-NEXT: tcgen05.cp %{{.*}}, %[[ROW0]]
// CHECK: %[[ROW1:.*]] = tcgen05.slice %[[SFA]][16]
// CHECK-NEXT: tcgen05.cp %{{.*}}, %[[ROW1]]
// CHECK: %[[D0:.*]] = tcgen05.slice %[[ACC:.*]][0] : !f32_128x256_tmem_D to !f32_128x128_tmem_D
// CHECK-NEXT: %[[A0:.*]] = tcgen05.slice %[[SFA]][0] : {{.*}} to !f8E4M3FN_128x32_tmem_scales
// CHECK-NEXT: %[[B0:.*]] = tcgen05.slice %[[SFB]][0]
// CHECK-NEXT: tcgen05.mma_block_scale mxf4nvf4 %[[D0]], %[[UPPER:.*]], %[[B:.*]] scales %[[A0]], %[[B0]] accumulate(%[[MORE:.*]])
// CHECK-NEXT: collector_b fill {scale_block = 16 : i64, wide_k}
// CHECK: %[[D1:.*]] = tcgen05.slice %[[ACC]][128]
// CHECK-NEXT: %[[A1:.*]] = tcgen05.slice %[[SFA]][16]
// CHECK-NEXT: tcgen05.mma_block_scale mxf4nvf4 %[[D1]], %[[LOWER:.*]], %[[B]] scales %[[A1]], %[[B0]] accumulate(%[[MORE]])
// CHECK-NEXT: collector_b lastuse {scale_block = 16 : i64, wide_k}
// CHECK: tcgen05.mma_block_scale mxf4nvf4 %[[D0]], %[[UPPER]], %[[B]]
// CHECK-NEXT: collector_b fill {a_k = 128 : i64, b_k = 128 : i64, scale_block = 16 : i64, wide_k}
// CHECK: tcgen05.mma_block_scale mxf4nvf4 %[[D1]], %[[LOWER]], %[[B]]
// CHECK-NEXT: collector_b lastuse {a_k = 128 : i64, b_k = 128 : i64, scale_block = 16 : i64, wide_k}
// CHECK-NOT: tcgen05.mma

// RING: tmm.alloc stages([[STAGES:[0-9]+]]) release_on_read : !f4E2M1FN_256x256_smem
// RING-NEXT: tmm.alloc stages([[STAGES]]) : !f4E2M1FN_128x256_smem
// RING: tmm.mma {{.*}} by(#tcgen05.mma<k = 128, keep_b = true>)

func.func @f(%a: memref<512x512xf4E2M1FN>, %b: memref<256x512xf4E2M1FN>, %sa: memref<4x8x32x4x4xf8E4M3FN>,
             %sb: memref<2x8x32x4x4xf8E4M3FN>, %d: memref<512x256xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<512x512xf4E2M1FN>, memref<256x512xf4E2M1FN>)
    scales(%sa, %sb : memref<4x8x32x4x4xf8E4M3FN>, memref<2x8x32x4x4xf8E4M3FN>) outs(%d : memref<512x256xbf16>)
  return
}
