// RUN: tc-opt %s --mlir-print-local-scope --tmm-pack-operands --canonicalize | FileCheck %s
// RUN: tc-opt %s --mlir-print-local-scope --tmm-pack-operands="config=load-a=threads" --canonicalize | FileCheck %s --check-prefix=GIVEN
// RUN: tc-opt %s --mlir-print-local-scope --tmm-pack-operands=chip=sm_90a --canonicalize | FileCheck %s --check-prefix=HOPPER
// RUN: not tc-opt %s --tmm-pack-operands=chip=sm_75 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: tc-opt %s --tmm-pack-operands=remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// CHIP: error: chip option: expected a chip with a known matrix unit and number of multiprocessors, got 'sm_75'

// Rows of 2042 bytes, which the tiles of four columns of CTAs read: one copy with rows of 2048.
// CHECK-LABEL: func @rows
// CHECK-SAME: %[[A:.*]]: memref<512x1021xbf16>, %[[B:.*]]: memref<1021x512xbf16>
// CHECK: %[[COPY:.*]] = memref.alloc() : memref<512x1024xbf16>
// CHECK: %[[ROWS:.*]] = memref.subview %[[COPY]][0, 0] [512, 1021] [1, 1] : memref<512x1024xbf16> to memref<512x1021xbf16, strided<[1024, 1]>>
// CHECK: memref.copy %[[A]], %[[ROWS]]
// CHECK: tmm.matmul ins(%[[ROWS]], %[[B]] :
// What is asked for stays.
// REMARK: [[@LINE+4]]:3: remark: copied first, so that TMA can load it: A; {{[0-9,]+}} cycles predicted with the copies, {{[0-9,]+}} if threads loaded each tile
// GIVEN-LABEL: func @rows
// GIVEN-NOT: memref.copy
func.func @rows(%a: memref<512x1021xbf16>, %b: memref<1021x512xbf16>, %d: memref<512x512xf32>) {
  tmm.matmul ins(%a, %b : memref<512x1021xbf16>, memref<1021x512xbf16>) outs(%d : memref<512x512xf32>)
  return
}

// One K-block of one tile: a kernel more would take longer.
// CHECK-LABEL: func @small
// CHECK-NOT: memref.copy
// CHECK: return
func.func @small(%a: memref<64x22xbf16>, %b: memref<22x48xbf16>, %d: memref<64x48xf32>) {
  tmm.matmul ins(%a, %b : memref<64x22xbf16>, memref<22x48xbf16>) outs(%d : memref<64x48xf32>)
  return
}

// A batch of unknown size, and M; the length of rows is known.
// CHECK-LABEL: func @sizes
// CHECK: %[[COPY:.*]] = memref.alloc(%[[BATCH:.*]], %[[M:.*]]) : memref<?x?x1024xbf16>
// CHECK: %[[ROWS:.*]] = memref.subview %[[COPY]][0, 0, 0] [%[[BATCH]], %[[M]], 1021] [1, 1, 1]
// CHECK: tmm.matmul ins(%[[ROWS]], %{{.*}} :
func.func @sizes(%a: memref<?x?x1021xbf16>, %b: memref<?x1021x512xbf16>, %d: memref<?x?x512xf32>) {
  tmm.matmul ins(%a, %b : memref<?x?x1021xbf16>, memref<?x1021x512xbf16>) outs(%d : memref<?x?x512xf32>)
  return
}

// wgmma reads elements of 8 bits along K alone: the copy has the other order. tcgen05 reads both.
// CHECK-LABEL: func @order
// CHECK-NOT: linalg.transpose
// CHECK: return
// HOPPER-LABEL: func @order
// HOPPER-SAME: %[[A:.*]]: memref<512x1024xi8>, %[[B:.*]]: memref<1024x512xi8>
// HOPPER: %[[COPY:.*]] = memref.alloc() : memref<512x1024xi8>
// HOPPER: linalg.transpose ins(%[[B]] : memref<1024x512xi8>) outs(%[[COPY]] : memref<512x1024xi8>) permutation = [1, 0]
// HOPPER: tmm.matmul transpose_b ins(%[[A]], %[[COPY]] :
func.func @order(%a: memref<512x1024xi8>, %b: memref<1024x512xi8>, %d: memref<512x512xi32>) {
  tmm.matmul ins(%a, %b : memref<512x1024xi8>, memref<1024x512xi8>) outs(%d : memref<512x512xi32>)
  return
}
