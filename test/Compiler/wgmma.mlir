// From linalg to wgmma: on sm_90a the chip's unit is chosen, the role that multiplies stores, and the numbers are right.
// RUN: tc-compile %s --chip=sm_90a --config="tile=128x64x64 epilogue=direct" -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1 | FileCheck %s --check-prefix=RUNS
// RUN: FileCheck %s --check-prefixes=PTX,DIRECT < %t.ptx
// RUN: tc-compile %s --chip=sm_90a --config=tile=128x64x64 -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1 | FileCheck %s --check-prefix=RUNS
// RUN: FileCheck %s --check-prefixes=PTX,STORE < %t.ptx
// RUN: tc-compile %s --chip=sm_90a --config="tile=128x64x64 epilogue=direct" --emit=roles -o - | FileCheck %s --check-prefix=ROLES
// RUN: tc-compile %s --chip=sm_90a --config="tile=128x64x64 epilogue=direct" --emit=roles -o - | tc-opt --tmm-lower-scheduler --tmm-await-work --convert-tmm-pipelines-to-sm90 | FileCheck %s --check-prefix=SIGNALS
// RUN: tc-compile %s --chip=sm_90a --explain -o %t.ptx 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// RUNS: check D = A * B: M=150 N=88 K=72, bf16 x bf16 -> f32

// The accumulator is a value of the consumer through the K loop, in two warpgroups.
// ROLES: tmm.warp_specialize "consumer" warps(8) {
// ROLES: scf.for
// ROLES-NEXT: -> (vector<128x64xf32>, !state)
// ROLES: tmm.consumer_wait
// ROLES: %[[SUM:[^ ]*]] = tmm.mma {{.*}} by(#sm90.wgmma) layout(#sm90.wgmma_layout)
// ROLES: tmm.consumer_release
// ROLES: scf.yield %[[SUM]], %{{.*}} : vector<128x64xf32>, !state
// ROLES: tmm.store {{.*}} layout(#sm90.wgmma_layout)
// ROLES: } "load" warps(1) elected {

// A slot is released by one thread of each of the eight warps, which have awaited their work, once for both operands.
// No fence: the multiplication reads through the proxy of the copies.
// SIGNALS: sm90.mbarrier.init %{{.*}}, 1 :
// SIGNALS: sm90.mbarrier.init %{{.*}}, 8 :
// SIGNALS: %[[NEW:.*]] = tmm.mma
// SIGNALS-NEXT: %[[SUM:.*]] = tmm.await %[[NEW]] by(#sm90.wgmma) pending 0
// SIGNALS-NOT: {{tmm.await|fence_proxy}}
// SIGNALS: arith.remui %{{.*}}, %c32{{.*}} : i32
// SIGNALS: scf.if
// SIGNALS: sm90.mbarrier.arrive
// SIGNALS: scf.yield %[[SUM]]

// PTX: .entry f_matmul
// PTX: mbarrier.try_wait.parity
// PTX: wgmma.fence.sync.aligned
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// PTX: wgmma.commit_group.sync.aligned
// PTX: wgmma.wait_group.sync.aligned 0
// PTX: mbarrier.arrive.shared.b64
// DIRECT: st.global.v2.b32
// A pair of f32 of a row goes to the store buffer at once, and from there to D.
// STORE: st.shared.v2.b32
// STORE: fence.proxy.async.shared::cta
// STORE: bar.sync 1, 256
// STORE: cp.async.bulk.tensor.2d.global.shared::cta

// EXPLAIN: unit=wgmma cta-group=1 cluster=1x1
// EXPLAIN-NOT: Tensor Memory
// EXPLAIN: registers: about
func.func @f(%a: memref<150x72xbf16>, %b: memref<72x88xbf16>, %d: memref<150x88xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<150x88xf32>)
  linalg.matmul ins(%a, %b : memref<150x72xbf16>, memref<72x88xbf16>) outs(%d : memref<150x88xf32>)
  return
}
