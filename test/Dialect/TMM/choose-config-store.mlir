// RUN: tc-opt --mlir-print-local-scope --tmm-choose-config %s | FileCheck %s

// TMA stores D through two buffers of as many columns as the epilogue reads.
// CHECK-LABEL: func @store_ring
func.func @store_ring(%a: memref<256x64xbf16>, %b: memref<64x256xbf16>, %d: memref<256x256xbf16>) {
  // CHECK: epilogue = <kind = tma_store, subtile = 32, stages = 2>
  tmm.matmul ins(%a, %b : memref<256x64xbf16>, memref<64x256xbf16>) outs(%d : memref<256x256xbf16>)
  return
}

// What the loads of B ask of N is enough for the stores.
// CHECK-LABEL: func @implied_pitch
func.func @implied_pitch(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // CHECK: epilogue = <kind = tma_store, subtile = 32, stages = 2>
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// Here nothing but the store would need N to be a multiple of 8: only on demand.
// CHECK-LABEL: func @checked_pitch
func.func @checked_pitch(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>, %e: memref<?x?xbf16>) {
  // CHECK: epilogue = <kind = direct, subtile = 32>
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xbf16>)
  // CHECK: epilogue = <kind = tma_store, subtile = 32, stages = 2>
  tmm.matmul transpose_b config <epilogue = <kind = tma_store>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%e : memref<?x?xbf16>)
  return
}

// CHECK-LABEL: func @impossible
func.func @impossible(%a: memref<64x64xbf16>, %b: memref<133x64xbf16>, %d: memref<64x133xbf16>, %e: memref<64x136xbf16>, %c: memref<136x64xbf16>) {
  // CHECK: epilogue = <kind = direct,
  tmm.matmul transpose_b ins(%a, %b : memref<64x64xbf16>, memref<133x64xbf16>) outs(%d : memref<64x133xbf16>)
  // CHECK: epilogue = <kind = direct,
  tmm.matmul accumulate transpose_b ins(%a, %c : memref<64x64xbf16>, memref<136x64xbf16>) outs(%e : memref<64x136xbf16>)
  return
}

// Rows of 98 elements in a wider buffer end inside of 16 bytes, which TMA writes
// as a whole.
// CHECK-LABEL: func @row_end
func.func @row_end(%a: memref<256x128xbf16>, %b: memref<98x128xbf16>, %d: memref<256x98xf32, strided<[128, 1]>>,
                   %c: memref<96x128xbf16>, %e: memref<256x96xf32, strided<[128, 1]>>) {
  // CHECK: epilogue = <kind = direct,
  tmm.matmul transpose_b ins(%a, %b : memref<256x128xbf16>, memref<98x128xbf16>) outs(%d : memref<256x98xf32, strided<[128, 1]>>)
  // CHECK: epilogue = <kind = tma_store,
  tmm.matmul transpose_b ins(%a, %c : memref<256x128xbf16>, memref<96x128xbf16>) outs(%e : memref<256x96xf32, strided<[128, 1]>>)
  return
}

// The same with a number of columns that only the run knows.
// CHECK-LABEL: func @dynamic_row_end
func.func @dynamic_row_end(%a: memref<256x128xbf16>, %b: memref<128x?xbf16>, %d: memref<256x?xf32, strided<[128, 1]>>) {
  // CHECK: epilogue = <kind = direct,
  tmm.matmul ins(%a, %b : memref<256x128xbf16>, memref<128x?xbf16>) outs(%d : memref<256x?xf32, strided<[128, 1]>>)
  return
}

// The stages that were asked for come first: one buffer where two do not fit,
// none where not even that does.
// CHECK-LABEL: func @little_room
func.func @little_room(%a: memref<256x64xbf16>, %b: memref<256x64xbf16>, %d: memref<256x256xf32>) {
  // CHECK: ring = <stages = 12, {{.*}} epilogue = <kind = tma_store, subtile = 16, stages = 1>
  tmm.matmul transpose_b config <tile = <shape = 128x16x64>, ring = <stages = 12>, epilogue = <subtile = 16>> ins(%a, %b : memref<256x64xbf16>, memref<256x64xbf16>) outs(%d : memref<256x256xf32>)
  // CHECK: ring = <stages = 7, {{.*}} epilogue = <kind = direct,
  tmm.matmul transpose_b config <tile = <shape = 128x128x64>, ring = <stages = 7>> ins(%a, %b : memref<256x64xbf16>, memref<256x64xbf16>) outs(%d : memref<256x256xf32>)
  return
}
