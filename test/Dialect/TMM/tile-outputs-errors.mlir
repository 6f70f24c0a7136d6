// RUN: not tc-compile %s --config="epilogue-subtile=16" -o %t.ptx 2>&1 | FileCheck %s --check-prefix=SUBTILE
// RUN: not tc-compile %s --config="tile=128x48x64" -o %t.ptx 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not tc-compile %s --chip=sm_90a -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tc-compile %s --config="epilogue=tma-store" -o %t.ptx 2>&1 | FileCheck %s --check-prefix=STORE

// SUBTILE: error: 'tmm.matmul' op configuration: epilogue-subtile of 16: expected 32, 64 or 128 columns (32 elements of D share a scale factor), nearest 32
// TILE: error: 'tmm.matmul' op configuration: tile N of 48: expected
// CHIP: error: 'tmm.matmul' op expected D without scale factors on sm_90a, where no thread holds whole rows of a tile
// STORE: error: 'tmm.matmul' op configuration: epilogue of tma-store: expected direct, D has elements of 4 bits, which threads pack as they store
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf4E2M1FN>, %s: memref<?x?x32x4x4xf8E8M0FNU>) {
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf4E2M1FN>) scale_d(%s : memref<?x?x32x4x4xf8E8M0FNU>)
  return
}
