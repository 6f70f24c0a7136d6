// RUN: tc-opt %s -tmm-tile=chip=sm_100a | FileCheck %s

// Accumulators in memory: scores and dP are read by a role, a thread a row; P and dS are written for the other products.
// CHECK-LABEL: gpu.func @keys_attention_dk_dv
// CHECK: tmm.role "epilogue" warps(4) registers(240)
// CHECK: tmm.role "mma" warps(1) registers(152)
// CHECK: %[[DK:.*]] = tmm.alloc : !f32_128x128_tmem
// CHECK: %[[DV:.*]] = tmm.alloc : !f32_128x128_tmem
// CHECK: scf.for %[[NUMBER:.*]] = %c0{{.*}} to
// CHECK: %[[MORE:.*]] = arith.cmpi ne, %[[NUMBER]], %c0
// CHECK: %[[Q:.*]] = tmm.alloc stages(4) late_release
// CHECK: %[[G:.*]] = tmm.alloc stages(4) late_release
// CHECK: %[[S:.*]] = tmm.alloc
// CHECK: tmm.mma %{{.*}}, %[[Q]], %[[S]] accumulate(%false
// CHECK: %[[DP:.*]] = tmm.alloc
// CHECK: tmm.mma %{{.*}}, %[[G]], %[[DP]] accumulate(%false
// CHECK: tmm.read %[[S]]
// CHECK: math.exp2
// CHECK: tmm.write %{{.*}}, %[[P:.*]][
// CHECK: tmm.mma %[[P]], %[[G]] transposed, %[[DV]] accumulate(%[[MORE]])
// CHECK: tmm.read %[[DP]]
// CHECK: tmm.write %{{.*}}, %[[DS:.*]][
// CHECK: tmm.mma %[[DS]], %[[Q]] transposed, %[[DK]] accumulate(%[[MORE]])
func.func @keys(%q: memref<8x256x128xbf16>, %l: memref<8x256xf32>, %o: memref<8x256x128xbf16>) {
  tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dk_dv(%o, %o : memref<8x256x128xbf16>, memref<8x256x128xbf16>)
    : memref<8x256x128xbf16>, memref<8x256x128xbf16>, memref<8x256x128xbf16>, memref<8x256x128xbf16>, memref<8x256xf32>, memref<8x256xf32>
  return
}
