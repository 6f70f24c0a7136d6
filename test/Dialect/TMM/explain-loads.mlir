// RUN: tc-opt %s --tmm-explain-config -split-input-file 2>&1 | FileCheck %s
// RUN: tc-opt %s --tmm-explain-config=chip=sm_90a -split-input-file 2>&1 | FileCheck %s --check-prefix=HOPPER

// What TMA does not load, and why.
// CHECK: loads: A by cp.async, which is in the fill of shared memory: TMA needs a multiple of 16 bytes for the rows of A, got 44 (PTX ISA
// CHECK-NEXT: loads: B by threads, which is in the fill of shared memory: as asked
// CHECK-NEXT: grid:
func.func @rows(%a: memref<64x22xbf16>, %b: memref<22x48xbf16>, %d: memref<64x48xf32>) {
  tmm.matmul config <ring = <load_b = threads>> ins(%a, %b : memref<64x22xbf16>, memref<22x48xbf16>) outs(%d : memref<64x48xf32>)
  return
}

// -----

// CHECK: load-a=tma load-b=tma
// CHECK-NOT: loads:
// HOPPER: loads: B by threads, which is in the fill of shared memory: its tiles are stored in the other order, which TMA cannot
func.func @order(%a: memref<64x32xi8>, %b: memref<32x48xi8>, %d: memref<64x48xi32>) {
  tmm.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%d : memref<64x48xi32>)
  return
}
