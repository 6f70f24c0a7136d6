// Slots that two CTAs share go back to both. By default the arrivals release at
// the scope of the cluster, as the text of the ISA asks for.
// RUN: tc-compile %s --chip=sm_90a --config="tile=128x64x64 cluster=1x2 stages=2" -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=CLUSTER
// RUN: tc-run %t.ptx --races=strict --schedule=eager,lazy,random:1 --check | FileCheck %s --check-prefix=RIGHT
// CLUSTER-COUNT-2: mbarrier.arrive.release.cluster.shared::cluster.b64 _,

// At the scope of the CTA, as CUTLASS: right, by a named assumption of the emulator.
// RUN: tc-opt %s --tmm-choose-config="chip=sm_90a config='tile=128x64x64 cluster=1x2 stages=2 release-scope=cta'" --tmm-tile=chip=sm_90a --tmm-assign-roles --tmm-materialize-pipelines | FileCheck %s --check-prefix=PIPELINE
// RUN: tc-compile %s --chip=sm_90a --config="tile=128x64x64 cluster=1x2 stages=2 release-scope=cta" --explain -o %t.cta.ptx 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: FileCheck %s --input-file=%t.cta.ptx --check-prefix=SCOPE
// RUN: tc-run %t.cta.ptx --schedule=eager,lazy,random:1 --check | FileCheck %s --check-prefixes=RIGHT,ASSUMED
// RUN: not tc-run %t.cta.ptx --races=strict 2>&1 | FileCheck %s --check-prefix=STRICT
// PIPELINE: tmm.pipeline stages(2) cta_release
// EXPLAIN: release-scope=cta
// SCOPE-NOT: .release.cluster.shared::cluster
// SCOPE-COUNT-2: mbarrier.arrive.shared::cluster.b64 _,
// RIGHT-DAG: lazy {{.*}} ok
// RIGHT-DAG: maximum error
// ASSUMED-DAG: assumed cta-arrival-ends-reads
// STRICT: mbarrier.arrive on a barrier of another CTA: expected .cluster scope, got .cta

// RUN: not tc-compile %s --chip=sm_100a --config="cluster=2x1 release-scope=cta" -o %t.ptx 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: release-scope.mlir:[[#@LINE+2]]:3: error: 'tmm.matmul' op configuration: release-scope of cta: expected cluster, nothing lowers it for tcgen05
func.func @f(%a: memref<200x136xbf16>, %b: memref<264x136xbf16>, %d: memref<200x264xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<200x136xbf16>, memref<264x136xbf16>) outs(%d : memref<200x264xbf16>)
  return
}
