// RUN: not tc-opt %s -tmm-tile=chip=sm_120a 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not tc-opt %s -tmm-tile=chip=sm_200 2>&1 | FileCheck %s --check-prefix=CHIP

// PAIR: tile-chip-units.mlir:[[@LINE+4]]:3: error: 'tmm.matmul' op expected cta_group 1, as mma.sync is an instruction of one warp, got 2
// CHIP: tile-chip-units.mlir:[[@LINE+3]]:3: error: 'tmm.matmul' op expected a chip with a matrix unit that kernels are made for, got sm_200

func.func @f(%a: memref<256x128xbf16>, %b: memref<128x128xbf16>, %d: memref<256x128xf32>) {
  tmm.matmul config <tile = <shape = 256x64x64, cta_group = 2>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<256x128xbf16>, memref<128x128xbf16>) outs(%d : memref<256x128xf32>)
  return
}
