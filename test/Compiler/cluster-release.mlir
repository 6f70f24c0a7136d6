// Slots that two CTAs share go back to both: who has read one releases it with a
// fence that is restricted to shared memory and relaxed arrivals, and who fills
// it acquires it in the same way. No fence of the GPU, and no assumption.
// RUN: tc-compile %s --chip=sm_90a --config="tile=128x64x64 cluster=1x2 stages=2" --emit=tcgen05 -o - | FileCheck %s --check-prefix=IR
// IR: sm90.wgmma.wait_group
// IR: sm90.fence_sync_restrict release
// IR-NEXT: {{.*}} = sm90.mbarrier.get
// IR-NEXT: sm90.mbarrier.arrive {{.*}} relaxed : !sm90.cluster_mbarrier
// IR-NEXT: {{.*}} = sm90.mbarrier.get
// IR-NEXT: sm90.mbarrier.arrive {{.*}} relaxed : !sm90.cluster_mbarrier
// IR: sm90.mbarrier.wait_parity {{.*}} relaxed cluster
// IR-NEXT: sm90.fence_sync_restrict acquire

// RUN: tc-compile %s --chip=sm_90a --config="tile=128x64x64 cluster=1x2 stages=2" -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// RUN: tc-run %t.ptx --races=strict --schedule=eager,lazy,random:1 --check | FileCheck %s --check-prefix=RIGHT
// PTX-NOT: release.cluster.shared
// PTX: fence.release.sync_restrict::shared::cta.cluster;
// PTX-COUNT-2: mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _,
// PTX: mbarrier.try_wait.parity.relaxed.cluster
// PTX: fence.acquire.sync_restrict::shared::cluster.cluster;
// RIGHT-DAG: lazy {{.*}} ok
// RIGHT-DAG: maximum error

// Without either fence the checker sees that nothing orders the next copy.
// RUN: grep -v fence.release.sync_restrict %t.ptx > %t.released.ptx
// RUN: not tc-run %t.released.ptx --launch %t.json --races=strict 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: grep -v fence.acquire.sync_restrict %t.ptx > %t.acquired.ptx
// RUN: not tc-run %t.acquired.ptx --launch %t.json --races=strict 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: race
func.func @f(%a: memref<200x136xbf16>, %b: memref<264x136xbf16>, %d: memref<200x264xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<200x136xbf16>, memref<264x136xbf16>) outs(%d : memref<200x264xbf16>)
  return
}
