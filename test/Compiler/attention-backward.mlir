// RUN: tc-compile %s --chip=sm_90a -o - | FileCheck %s

// Two products from shared memory, whose results become the operands of two more in registers: only barriers and loads
// of lse and delta are in memory between them, and one group of each pair is pending where the other is read.
// CHECK: .entry backward_attention_dk_dv(
// CHECK: setmaxnreg.inc.sync.aligned.u32 {{.*}}240
// CHECK: ld.global.v2.b32
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: wgmma.commit_group
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK: wgmma.commit_group
// CHECK-NOT: st.shared
// CHECK: wgmma.wait_group.sync.aligned {{.*}}1
// CHECK-NOT: st.shared
// CHECK: ex2.approx.ftz.f32
// CHECK: cvt.rn.bf16x2.f32
// CHECK-NOT: st.shared
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK: wgmma.commit_group
// CHECK: wgmma.wait_group.sync.aligned {{.*}}1
func.func @backward(%q: memref<4x256x128xbf16>, %l: memref<4x256xf32>, %o: memref<4x256x128xbf16>) {
  tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dk_dv(%o, %o : memref<4x256x128xbf16>, memref<4x256x128xbf16>)
    : memref<4x256x128xbf16>, memref<4x256x128xbf16>, memref<4x256x128xbf16>, memref<4x256x128xbf16>, memref<4x256xf32>, memref<4x256xf32>
  return
}
