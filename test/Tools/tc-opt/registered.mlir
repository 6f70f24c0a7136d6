// RUN: tc-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: tc-opt --list-passes | FileCheck %s --check-prefix=PASSES
// RUN: tc-opt %s | FileCheck %s

// The project's dialects and passes, beside upstream's.

// DIALECTS-DAG: linalg
// DIALECTS-DAG: nvvm
// DIALECTS-DAG: sm80
// DIALECTS-DAG: sm90
// DIALECTS-DAG: tcgen05
// DIALECTS-DAG: tmm

// PASSES-DAG: --canonicalize
// PASSES-DAG: --convert-linalg-to-tmm
// PASSES-DAG: --convert-sm80-to-nvvm
// PASSES-DAG: --convert-sm90-kernel-params
// PASSES-DAG: --convert-sm90-to-nvvm
// PASSES-DAG: --convert-tcgen05-to-nvvm
// PASSES-DAG: --convert-tmm-kernel-interface-to-sm90
// PASSES-DAG: --convert-tmm-pipelines-to-sm90
// PASSES-DAG: --convert-tmm-roles-to-sm90
// PASSES-DAG: --convert-tmm-tiles
// PASSES-DAG: --tc-lower-prefetches
// PASSES-DAG: --tc-lower-vectors
// PASSES-DAG: --tc-simplify-loop-state
// PASSES-DAG: --tc-require-block-size
// PASSES-DAG: --tc-serialize-gpu-modules
// PASSES-DAG: --tcgen05-allocate-tmem
// PASSES-DAG: --tmm-choose-config
// PASSES-DAG: --tmm-distribute
// PASSES-DAG: --tmm-tile

// CHECK: !sm90.mbarrier
func.func private @types(!sm90.mbarrier)
