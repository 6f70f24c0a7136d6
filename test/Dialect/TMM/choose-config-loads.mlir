// RUN: tc-opt --mlir-print-local-scope --tmm-choose-config %s | FileCheck %s

// What loads an operand follows from where its rows start, as far as that is known.
// CHECK-LABEL: func @rows
func.func @rows(%a: memref<64x24xbf16>, %b: memref<24x48xbf16>, %d: memref<64x48xf32>) {
  // CHECK: load_a = tma, load_b = tma
  tmm.matmul ins(%a, %b : memref<64x24xbf16>, memref<24x48xbf16>) outs(%d : memref<64x48xf32>)
  // CHECK: load_a = threads, load_b = cp_async
  tmm.matmul config <ring = <load_a = threads, load_b = cp_async>> ins(%a, %b : memref<64x24xbf16>, memref<24x48xbf16>) outs(%d : memref<64x48xf32>)
  return
}

// Rows of 44 and 52 bytes; of a pair both operands would come by TMA.
// CHECK-LABEL: func @copies
func.func @copies(%a: memref<300x22xbf16>, %b: memref<26x22xbf16>, %d: memref<300x26xf32>) {
  // CHECK: cta_group = 1
  // CHECK-SAME: load_a = cp_async, load_b = cp_async, cache_hint_a = none, cache_hint_b = none
  tmm.matmul transpose_b ins(%a, %b : memref<300x22xbf16>, memref<26x22xbf16>) outs(%d : memref<300x26xf32>)
  return
}

// Rows of 42 bytes, and every row of four bytes where elements have as many.
// CHECK-LABEL: func @elements
func.func @elements(%a: memref<17x21xbf16>, %b: memref<21x32xbf16>, %d: memref<17x32xf32>) {
  // CHECK: load_a = threads, load_b = tma
  tmm.matmul ins(%a, %b : memref<17x21xbf16>, memref<21x32xbf16>) outs(%d : memref<17x32xf32>)
  return
}

// CHECK-LABEL: func @words
func.func @words(%a: memref<17x21xf32>, %b: memref<21x33xf32>, %d: memref<17x33xf32>) {
  // CHECK: load_a = cp_async, load_b = cp_async
  tmm.matmul allow_tf32 ins(%a, %b : memref<17x21xf32>, memref<21x33xf32>) outs(%d : memref<17x33xf32>)
  return
}

// Where rows start in a wider buffer, and the matrices of a batch.
// CHECK-LABEL: func @offset
func.func @offset(%a: memref<64x24xbf16, strided<[32, 1], offset: 6>>, %b: memref<3x24x48xbf16, strided<[1156, 48, 1]>>, %d: memref<3x64x48xf32>) {
  // CHECK: load_a = cp_async, load_b = cp_async
  tmm.matmul ins(%a, %b : memref<64x24xbf16, strided<[32, 1], offset: 6>>, memref<3x24x48xbf16, strided<[1156, 48, 1]>>) outs(%d : memref<3x64x48xf32>)
  return
}

// What is not known is checked where TMA loads; beside a distance that TMA cannot
// address, elements are what is always right.
// CHECK-LABEL: func @unknown
func.func @unknown(%a: memref<?x?xbf16>, %b: memref<?x?xbf16, strided<[?, 1], offset: 2>>, %d: memref<?x?xf32>) {
  // CHECK: load_a = tma, load_b = threads
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16, strided<[?, 1], offset: 2>>) outs(%d : memref<?x?xf32>)
  return
}

// D is stored by TMA where the loads of B ask as much of N: not where threads load it.
// CHECK-LABEL: func @stores_with_b
func.func @stores_with_b(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // CHECK: epilogue = <kind = direct
  tmm.matmul config <ring = <load_b = threads>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
