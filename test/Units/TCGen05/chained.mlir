// RUN: tc-opt %S/../../Integration/Chained/mlp.mlir --mlir-print-local-scope -tmm-assign-roles -tmm-materialize-pipelines -tmm-release-early -tmm-pipeline | FileCheck %s --check-prefix=PIPELINE
// RUN: tc-opt %S/../../Integration/Chained/mlp.mlir --mlir-print-local-scope -tmm-assign-roles -tmm-materialize-pipelines -tmm-release-early -tmm-pipeline -tmm-warp-specialize -tmm-lower-scheduler -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-distribute -convert-tmm-tiles -convert-tmm-roles-to-sm90 -canonicalize -cse | FileCheck %s

// What one product gave is A of the next: the operand is a pipeline that threads fill
// and the matrix unit reads, with the fences of Tensor Memory on both sides.

// PIPELINE: %[[P:.*]] = tmm.pipeline : <(<128x128xbf16, #tcgen05.operand>), depth = 1>
// PIPELINE: %[[FREE:.*]] = tmm.producer_acquire %[[P]]
// PIPELINE: scf.for
// PIPELINE: tmm.write %{{.*}}, %[[FREE]][%{{.*}}] layout(#tcgen05.rows) role("epilogue")
// PIPELINE: tmm.producer_commit %[[P]]
// PIPELINE: %[[FULL:.*]] = tmm.consumer_wait %[[P]]
// PIPELINE: tmm.mma %[[FULL]], %{{.*}} role("mma")
// PIPELINE: tmm.consumer_release %[[P]]

// CHECK-LABEL: gpu.func @kernel
// CHECK: %[[P:.*]] = tcgen05.reserve : !tcgen05.tmem<128x128xbf16, D, packed>
// CHECK: %[[WINDOW:.*]] = tcgen05.warp_window %[[P]] : !tcgen05.tmem<128x128xbf16, D, packed>
// A slice begins at a cell, which two elements share.
// CHECK: arith.{{divui|shrui}}
// CHECK: %[[PART:.*]] = tcgen05.slice %[[WINDOW]][%{{.*}}] : !tcgen05.tmem<32x128xbf16, D, packed> to !tcgen05.tmem<32x32xbf16, D, packed>
// CHECK: tcgen05.st %{{.*}}, %[[PART]] : vector<32xbf16> to !tcgen05.tmem<32x32xbf16, D, packed>
// CHECK-NEXT: tcgen05.wait st
// CHECK: tcgen05.fence before
// CHECK: sm90.mbarrier.arrive
// CHECK: tcgen05.fence after
// CHECK: tcgen05.mma f16 %{{.*}}, %[[P]], %{{.*}} accumulate(%false) : !tcgen05.tmem<128x128xf32, D>, !tcgen05.tmem<128x128xbf16, D, packed>
// CHECK: tcgen05.mma f16 %{{.*}}, %[[P]], %{{.*}} accumulate(%true) {a_k = 112 : i64, b_k = 112 : i64}
