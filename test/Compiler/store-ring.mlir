// RUN: tc-compile %s --config="tile=128x128x64 cta-group=1" -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: tc-compile %s --config="tile=128x128x64 cta-group=1 epilogue=direct" -o %t.direct.ptx
// RUN: FileCheck %s --check-prefix=DIRECT < %t.direct.ptx

// The epilogue through store buffers: 32 columns in flight for each wait, the
// accumulator released after the last, then registers to shared memory and a
// TMA store of one thread with a policy that was made once.

// CHECK: createpolicy.fractional.L2::evict_first.b64 %[[POLICY:.*]], 1.0;
// CHECK-COUNT-1: tcgen05.ld.sync.aligned.32x32b.x32.b32
// CHECK-NOT: tcgen05.ld
// CHECK: tcgen05.wait::ld.sync.aligned
// CHECK: tcgen05.fence::before_thread_sync
// CHECK: mbarrier.arrive
// CHECK: cvt.rn.bf16x2.f32
// CHECK: cp.async.bulk.wait_group.read {{.*}}1;
// CHECK: bar.sync {{.*}}1, 128;
// CHECK-COUNT-4: st.shared.v4.b32
// CHECK: fence.proxy.async.shared::cta
// CHECK: bar.sync {{.*}}1, 128;
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint {{.*}}, %[[POLICY]];
// CHECK: cp.async.bulk.commit_group
// CHECK-NOT: st.global
// CHECK: cp.async.bulk.wait_group {{.*}}0;

// The third parameter is the tensor map of D: boxes of 128 rows of 32 columns.
// JSON: "buffer": "D",
// JSON: "box": [
// JSON-NEXT: 32,
// JSON-NEXT: 128
// JSON: "swizzle": "64B"

// DIRECT-NOT: bulk_group
// DIRECT: st.global.v4
func.func @store_ring(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<512x256xbf16>, memref<384x256xbf16>) outs(%d : memref<512x384xbf16>)
  return
}
