// A slot of operands is released when the products of the next K-block are issued;
// those of the last one are awaited when the turn has been passed on.
// RUN: tc-opt %s --tmm-choose-config="chip=sm_90a config='tile=64x64x64 roles=ping-pong'" --tmm-tile=chip=sm_90a --tmm-assign-roles --tmm-materialize-pipelines | FileCheck %s --check-prefix=PIPELINE
// RUN: tc-compile %s --chip=sm_90a --config="tile=64x64x64 stages=3 sms=2 roles=ping-pong" --explain -o %t.ptx 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=LATE
// RUN: tc-run %t.ptx --races=strict --schedule=all --check | FileCheck %s --check-prefix=RIGHT
// PIPELINE: tmm.pipeline stages(8) late_release
// EXPLAIN: late-release=on
// LATE: wgmma.commit_group
// LATE: wgmma.wait_group.sync.aligned 1;
// LATE: mbarrier.arrive
// LATE: mbarrier.try_wait
// LATE: mbarrier.arrive
// LATE: wgmma.wait_group.sync.aligned 0;
// LATE: mbarrier.arrive
// RIGHT: maximum error

// Without turns, too.
// RUN: tc-compile %s --chip=sm_90a --config="tile=128x64x64 stages=2 late-release=on" -o %t.on.ptx
// RUN: FileCheck %s --input-file=%t.on.ptx --check-prefix=ON
// RUN: tc-run %t.on.ptx --races=strict --schedule=all --check | FileCheck %s --check-prefix=RIGHT
// ON: wgmma.wait_group.sync.aligned 1;
// RUN: tc-compile %s --chip=sm_90a --config="tile=64x64x64 stages=3 late-release=off roles=ping-pong" -o %t.off.ptx
// RUN: FileCheck %s --input-file=%t.off.ptx --check-prefix=OFF
// OFF-NOT: wgmma.wait_group.sync.aligned 1;

// RUN: not tc-compile %s --chip=sm_90a --config="tile=128x64x64 stages=1 late-release=on" -o %t.ptx 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not tc-compile %s --chip=sm_100a --config="late-release=on" -o %t.ptx 2>&1 | FileCheck %s --check-prefix=TCGEN05
// RUN: not tc-compile %s --chip=sm_120a --config="late-release=on" -o %t.ptx 2>&1 | FileCheck %s --check-prefix=MMA
// ONE: late-release.mlir:[[#@LINE+4]]:3: error: 'tmm.matmul' op configuration: late-release of on: expected off, with one stage the next K-block waits for that slot
// TCGEN05: error: 'tmm.matmul' op configuration: late-release of on: expected off, no warp waits for products of tcgen05 before it releases a slot
// MMA: error: 'tmm.matmul' op configuration: late-release of on: expected off, no warp waits for products of mma-sync before it releases a slot
func.func @f(%a: memref<200x136xbf16>, %b: memref<264x136xbf16>, %d: memref<200x264xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<200x136xbf16>, memref<264x136xbf16>) outs(%d : memref<200x264xbf16>)
  return
}
