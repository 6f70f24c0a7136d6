// REQUIRES: test-lib
// RUN: tc-compile-test %s --chip=sm_121a --config="unit=tile-x" -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: tc-run %t.ptx --size=M=200,N=136,K=264 --races=strict --schedule=eager,lazy,random:1,random:2 --check | FileCheck %s --check-prefix=EMULATED
// RUN: tc-compile-test %s --chip=sm_121a --config="unit=tile-x epilogue=direct stages=2" -o %t.direct.ptx
// RUN: tc-run %t.direct.ptx --size=M=72,N=40,K=520 --races=strict --schedule=eager,lazy,random:1 --check | FileCheck %s --check-prefix=DIRECT
// RUN: tc-compile-test %s --chip=sm_121a --config="unit=tile-x" --explain --emit=tmm 2>&1 | FileCheck %s --check-prefix=EXPLAINED
// RUN: tc-compile-test %s --chip=sm_121a --config="unit=tile-x" --emit=tiles | FileCheck %s --check-prefix=TILES
// RUN: not tc-compile-test %s --chip=sm_121a --config="unit=tile-x tile=64x96x64" -o %t.bad.ptx 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not tc-compile-test %s --chip=sm_121a --config="unit=tile-x scheduler=clc" -o %t.bad.ptx 2>&1 | FileCheck %s --check-prefix=SCHEDULER
// RUN: not tc-compile-test %s --chip=sm_100a --config="unit=tile-x" -o %t.bad.ptx 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tc-compile %s --chip=sm_121a --config="unit=tile-x" -o %t.bad.ptx 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// A made-up unit (test/lib/TileX): its rows, steps of N, constants and lowering
// are those of its folder. It multiplies the last step of a K-block first.
// CHECK: .target sm_121a
// CHECK-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// EMULATED: eager {{.*}} ok
// EMULATED: lazy {{.*}} ok
// EMULATED: random:1 {{.*}} ok
// EMULATED: random:2 {{.*}} ok
// DIRECT: eager {{.*}} ok
// DIRECT: lazy {{.*}} ok
// DIRECT: random:1 {{.*}} ok
// EXPLAINED: constants: made up
// EXPLAINED: unit = tile_x
// TILES: tmm.mma {{.*}} by(#tile_x.engine)
// ROWS: tile M of 64: expected 128, the rows of the four warps of tile engine X
// SCHEDULER: scheduler of clc: expected static, nothing lowers it for tile-x
// CHIP: unit of tile-x: expected tcgen05 or mma-sync, what the chip has
// UNKNOWN: unit: expected tcgen05, wgmma or mma-sync, got 'tile-x'
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xbf16>)
  return
}
