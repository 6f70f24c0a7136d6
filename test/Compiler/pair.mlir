// RUN: tc-compile %s --config="cta-group=2 tile=256x256x64" -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=JSON < %t.json

// A pair of CTAs from the configuration to PTX and the kernel description.

// CHECK: .reqnctapercluster 2, 1, 1
// CHECK: tcgen05.alloc.cta_group::2
// CHECK: tcgen05.relinquish_alloc_permit.cta_group::2
// CHECK: barrier.cluster.arrive.aligned
// CHECK: barrier.cluster.wait.aligned
// CHECK: fence.mbarrier_init.release.cluster
// CHECK-DAG: mapa.shared::cluster.u64 %[[LEADER:.*]], %{{.*}}, 0
// CHECK-DAG: mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _,
// CHECK-DAG: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2
// CHECK-DAG: mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _,
// CHECK-DAG: mbarrier.try_wait.parity.relaxed.cluster.shared.b64
// CHECK-DAG: tcgen05.mma.cta_group::2.kind::f16
// CHECK-DAG: tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64
// CHECK: tcgen05.dealloc.cta_group::2

// 1024 x 512 is 4 x 2 tiles: 8 pairs.
// JSON: "block": [
// JSON-NEXT: 192,
// JSON: "cluster": [
// JSON-NEXT: 2,
// JSON-NEXT: 1,
// JSON-NEXT: 1
// JSON: "grid": [
// JSON-NEXT: 16,
func.func @pair(%a: memref<1024x256xbf16>, %b: memref<512x256xbf16>, %d: memref<1024x512xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<1024x256xbf16>, memref<512x256xbf16>) outs(%d : memref<1024x512xbf16>)
  return
}
