// RUN: tc-opt --tmm-choose-config %s | FileCheck %s

// TMA stores D through two buffers of as many columns as the epilogue reads.
// CHECK-LABEL: func @store_ring
func.func @store_ring(%a: memref<256x64xbf16>, %b: memref<64x256xbf16>, %d: memref<256x256xbf16>) {
  // CHECK: epilogue = tma_store, epilogue_subtile = 32, store_stages = 2
  tmm.matmul ins(%a, %b : memref<256x64xbf16>, memref<64x256xbf16>) outs(%d : memref<256x256xbf16>)
  return
}

// What the loads of B ask of N is enough for the stores.
// CHECK-LABEL: func @implied_pitch
func.func @implied_pitch(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // CHECK: epilogue = tma_store, epilogue_subtile = 32, store_stages = 2
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// Here nothing but the store would need N to be a multiple of 8: only on demand.
// CHECK-LABEL: func @checked_pitch
func.func @checked_pitch(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>, %e: memref<?x?xbf16>) {
  // CHECK: epilogue = direct
  // CHECK-NOT: store_stages
  // CHECK: roles
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xbf16>)
  // CHECK: epilogue = tma_store, epilogue_subtile = 32, store_stages = 2
  tmm.matmul transpose_b config <epilogue = tma_store> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%e : memref<?x?xbf16>)
  return
}

// CHECK-LABEL: func @impossible
func.func @impossible(%a: memref<64x64xbf16>, %b: memref<133x64xbf16>, %d: memref<64x133xbf16>, %e: memref<64x136xbf16>, %c: memref<136x64xbf16>) {
  // CHECK: epilogue = direct
  tmm.matmul transpose_b ins(%a, %b : memref<64x64xbf16>, memref<133x64xbf16>) outs(%d : memref<64x133xbf16>)
  // CHECK: epilogue = direct
  tmm.matmul accumulate transpose_b ins(%a, %c : memref<64x64xbf16>, memref<136x64xbf16>) outs(%e : memref<64x136xbf16>)
  return
}

// The stages that were asked for come first: one buffer where two do not fit,
// none where not even that does.
// CHECK-LABEL: func @little_room
func.func @little_room(%a: memref<256x64xbf16>, %b: memref<256x64xbf16>, %d: memref<256x256xf32>) {
  // CHECK: stages = 12, {{.*}} epilogue = tma_store, epilogue_subtile = 16, store_stages = 1
  tmm.matmul transpose_b config <tile = [128, 16, 64], stages = 12, epilogue_subtile = 16> ins(%a, %b : memref<256x64xbf16>, memref<256x64xbf16>) outs(%d : memref<256x256xf32>)
  // CHECK: stages = 7, {{.*}} epilogue = direct
  tmm.matmul transpose_b config <tile = [128, 128, 64], stages = 7> ins(%a, %b : memref<256x64xbf16>, memref<256x64xbf16>) outs(%d : memref<256x256xf32>)
  return
}
