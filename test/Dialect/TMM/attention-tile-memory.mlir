// RUN: tc-opt %s -tmm-tile=chip=sm_100a -canonicalize -cse | FileCheck %s

// Accumulators in Tensor Memory: two roles have 128 queries each, up to 128 columns of sums; with more there is one.

// CHECK-LABEL: gpu.func @two_attention
// CHECK: tmm.role "epilogue0" warps(4) registers(208)
// CHECK: tmm.role "epilogue1" warps(4) registers(208)
// CHECK: tmm.role "load" warps(1) registers(88)
// CHECK: tmm.role "mma" warps(1) registers(88)
// CHECK: tmm.role "idle" warps(2) registers(88)
// CHECK: %[[SUMS:.*]] = tmm.alloc : !f32_128x128_tmem
// CHECK: scf.for
// CHECK:   %[[MORE:.*]] = arith.cmpi ne
// CHECK:   tmm.mma %{{.*}}, %[[K:.*]], %[[S0:.*]] accumulate(%false)
// CHECK:   tmm.mma %{{.*}}, %[[K]], %[[S1:.*]] accumulate(%false)
// CHECK:   tmm.resume
// CHECK:   tmm.read %[[S0]][%c0_i32] if %true layout(#tcgen05.rows) role("epilogue0") : !f32_128x80_tmem
// Sums are rescaled where a score is larger by 8 powers of 2 than what is subtracted.
// CHECK:   arith.addf %{{.*}}, %[[SLACK:.*]] : vector<128x1xf32>
// CHECK:   tmm.read %[[S1]][%c0_i32] if %true layout(#tcgen05.rows) role("epilogue1")
// CHECK:   tmm.defer
// CHECK:   tmm.write %{{.*}}, %[[P:.*]][%c0_i32] layout(#tcgen05.rows) role("epilogue0") : vector<128x80xbf16>, !bf16_128x80_operand
// CHECK:   scf.if %[[MORE]] {
// CHECK:     tmm.rescale %[[SUMS]] by %{{.*}} role("epilogue0")
// CHECK:   tmm.mma %[[P]], %{{.*}}, %[[SUMS]] accumulate(%[[MORE]])
// CHECK: tmm.read %[[SUMS]][%{{.*}}] if %{{.*}} role("epilogue0") : !f32_128x128_tmem -> vector<128x64xf32>
func.func @two(%q: memref<8x300x128xbf16>, %o: memref<8x300x128xbf16>) {
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<8x300x128xbf16>) : memref<8x300x128xbf16>, memref<8x300x128xbf16>, memref<8x300x128xbf16>
  return
}

// CHECK-LABEL: gpu.func @one_attention
// CHECK: tmm.role "epilogue" warps(4)
// CHECK-NOT: tmm.role "epilogue
// CHECK: tmm.alloc : !f32_128x256_tmem
func.func @one(%q: memref<8x300x256xbf16>, %o: memref<8x300x256xbf16>) {
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<8x300x256xbf16>) : memref<8x300x256xbf16>, memref<8x300x256xbf16>, memref<8x300x256xbf16>
  return
}

// No more queries than one role has.
// CHECK-LABEL: gpu.func @short_attention
// CHECK: tmm.role "epilogue" warps(4)
// CHECK-NOT: tmm.role "epilogue
// CHECK: !f32_128x48_tmem
func.func @short(%q: memref<8x40x64xbf16>, %o: memref<8x40x64xbf16>) {
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<8x40x64xbf16>) : memref<8x40x64xbf16>, memref<8x40x64xbf16>, memref<8x40x64xbf16>
  return
}
