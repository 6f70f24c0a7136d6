// Bytecode of every level reads as what was written, and carries the versions of the dialects.

// RUN: tc-compile %s --emit=tmm -o %t.tmm.mlir
// RUN: tc-compile %s --emit=tiles -o %t.tiles.mlir
// RUN: tc-compile %s --emit=roles -o %t.roles.mlir
// RUN: tc-compile %s --emit=tcgen05 -o %t.tcgen05.mlir
// RUN: tc-compile %s --emit=nvvm -o %t.nvvm.mlir
// RUN: tc-compile %s --chip=sm_90a --emit=tcgen05 -o %t.sm90.mlir
// RUN: tc-opt %t.tmm.mlir -o %t.tmm.text && tc-opt %t.tmm.mlir --emit-bytecode -o %t.tmm.bc && tc-opt %t.tmm.bc | diff %t.tmm.text -
// RUN: tc-opt %t.tiles.mlir -o %t.tiles.text && tc-opt %t.tiles.mlir --emit-bytecode -o %t.tiles.bc && tc-opt %t.tiles.bc | diff %t.tiles.text -
// RUN: tc-opt %t.roles.mlir -o %t.roles.text && tc-opt %t.roles.mlir --emit-bytecode -o %t.roles.bc && tc-opt %t.roles.bc | diff %t.roles.text -
// RUN: tc-opt %t.tcgen05.mlir -o %t.tcgen05.text && tc-opt %t.tcgen05.mlir --emit-bytecode -o %t.tcgen05.bc && tc-opt %t.tcgen05.bc | diff %t.tcgen05.text -
// RUN: tc-opt %t.nvvm.mlir -o %t.nvvm.text && tc-opt %t.nvvm.mlir --emit-bytecode -o %t.nvvm.bc && tc-opt %t.nvvm.bc | diff %t.nvvm.text -
// RUN: tc-opt %t.sm90.mlir -o %t.sm90.text && tc-opt %t.sm90.mlir --emit-bytecode -o %t.sm90.bc && tc-opt %t.sm90.bc | diff %t.sm90.text -

// tc-compile goes on from bytecode as from text.
// RUN: tc-compile %t.tiles.mlir -o %t.text.ptx
// RUN: tc-compile %t.tiles.bc -o %t.bytecode.ptx
// RUN: diff %t.text.ptx %t.bytecode.ptx

// A later version is refused: the reader of %t.tmm.bc with another number.
// RUN: %python %S/Inputs/later_version.py %t.tmm.bc %t.later.bc
// RUN: not tc-opt %t.later.bc 2>&1 | FileCheck %s --check-prefix=LATER
// LATER: error: bytecode of dialect 'tmm': expected version 1 or older, got 2

func.func @f(%a: memref<256x128xbf16>, %b: memref<128x64xbf16>, %d: memref<256x64xf32>) {
  linalg.matmul ins(%a, %b : memref<256x128xbf16>, memref<128x64xbf16>) outs(%d : memref<256x64xf32>)
  return
}
