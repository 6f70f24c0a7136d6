// RUN: tc-opt --mlir-print-local-scope --tmm-choose-config %s | FileCheck %s
// RUN: tc-opt --mlir-print-local-scope --tmm-choose-config --tmm-choose-config %s | FileCheck %s
// RUN: tc-opt --mlir-print-local-scope --tmm-choose-config="config='tile=128x64x128 accumulator-stages=2 sms=4 epilogue-subtile=16'" %s | FileCheck %s --check-prefix=OPTION

// Two tiles are computed side by side; each column of B is read once, A twice.
// CHECK-LABEL: func @static_sizes
// OPTION-LABEL: func @static_sizes
func.func @static_sizes(%a: memref<128x64xbf16>, %b: memref<64x128xbf16>, %d: memref<128x128xf32>) {
  // CHECK: tmm.matmul config <tile = <shape = 128x64x64, unit = tcgen05, cta_group = 1, cluster = 1x1>, ring = <stages = 8, swizzle = 128B, load_a = tma, load_b = tma, cache_hint_a = evict_last, cache_hint_b = evict_first>, accumulators = <stages = 2>, scheduler = <kind = static, raster = 8, sms = 148, pdl = off>, epilogue = <kind = tma_store, subtile = 32, stages = 2>, roles = <kind = specialized, epilogue_registers = 0>>
  // OPTION: tmm.matmul config <tile = <shape = 128x64x128, unit = tcgen05, cta_group = 1, cluster = 1x1>, ring = <stages = 4, swizzle = 128B, load_a = tma, load_b = tma, cache_hint_a = evict_last, cache_hint_b = evict_first>, accumulators = <stages = 2>, scheduler = <kind = static, raster = 8, sms = 4, pdl = off>, epilogue = <kind = tma_store, subtile = 16, stages = 2>, roles = <kind = specialized, epilogue_registers = 0>>
  tmm.matmul ins(%a, %b : memref<128x64xbf16>, memref<64x128xbf16>) outs(%d : memref<128x128xf32>)
  return
}

// Fields that are set are kept, unless the option replaces them.
// CHECK-LABEL: func @given_fields
// OPTION-LABEL: func @given_fields
func.func @given_fields(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // CHECK: tmm.matmul transpose_b config <tile = <shape = 128x48x64, unit = tcgen05, cta_group = 1, cluster = 1x1>, ring = <stages = 3, swizzle = 128B, load_a = tma, load_b = tma, cache_hint_a = none, cache_hint_b = none>, accumulators = <stages = 2>, scheduler = <kind = static, raster = 8, sms = 148, pdl = off>, epilogue = <kind = direct, subtile = 16>, roles = <kind = specialized, epilogue_registers = 0>>
  // OPTION: tile = <shape = 128x64x128,
  // OPTION-SAME: ring = <stages = 3
  tmm.matmul transpose_b config <tile = <shape = 128x48x64>, ring = <stages = 3>>
    ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// Unknown sizes count as 4096: large enough for pairs of CTAs. The grid is that of
// the device, because how many tiles there are is known when it runs.
// CHECK-LABEL: func @dynamic_sizes
func.func @dynamic_sizes(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // CHECK: tmm.matmul config <tile = <shape = 256x256x64, unit = tcgen05, cta_group = 2, cluster = 2x1>, ring = <stages = 6, swizzle = 128B, load_a = tma, load_b = tma, cache_hint_a = none, cache_hint_b = none>, accumulators = <stages = 2>, scheduler = <kind = static, raster = 8, sms = 148, pdl = off>, epilogue = <kind = tma_store, subtile = 32, stages = 2>, roles = <kind = specialized, epilogue_registers = 0>>
  %0 = tmm.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%d : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// 256 tiles on 74 pairs are four waves, which 64 pairs compute as well.
// CHECK-LABEL: func @even_grid
func.func @even_grid(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<4096x4096xbf16>) {
  // CHECK: shape = 256x256x64, unit = tcgen05, cta_group = 2, {{.*}} sms = 128, pdl = off>
  tmm.matmul transpose_b ins(%a, %b : memref<4096x4096xbf16>, memref<4096x4096xbf16>) outs(%d : memref<4096x4096xbf16>)
  return
}

// A tile of 256 rows is one of a pair.
// CHECK-LABEL: func @rows_of_a_pair
func.func @rows_of_a_pair(%a: memref<256x64xbf16>, %b: memref<64x128xbf16>, %d: memref<256x128xf32>) {
  // CHECK: tile = <shape = 256x128x64, unit = tcgen05, cta_group = 2, cluster = 2x1>
  tmm.matmul config <tile = <shape = 256x128x64>> ins(%a, %b : memref<256x64xbf16>, memref<64x128xbf16>) outs(%d : memref<256x128xf32>)
  return
}

// Without roles nothing overlaps the epilogue: one accumulator.
// CHECK-LABEL: func @no_roles
func.func @no_roles(%a: memref<128x64xbf16>, %b: memref<64x128xbf16>, %d: memref<128x128xf32>) {
  // CHECK: ring = <stages = 8, {{.*}} accumulators = <stages = 1>
  tmm.matmul config <roles = <kind = none>> ins(%a, %b : memref<128x64xbf16>, memref<64x128xbf16>) outs(%d : memref<128x128xf32>)
  return
}

// A narrow output takes a narrow tile.
// CHECK-LABEL: func @narrow
func.func @narrow(%a: memref<96x8xbf16>, %b: memref<16x8xbf16>, %d: memref<96x16xf32>) {
  // CHECK: tmm.matmul transpose_b config <tile = <shape = 128x16x64,
  // CHECK-SAME: subtile = 16
  tmm.matmul transpose_b ins(%a, %b : memref<96x8xbf16>, memref<16x8xbf16>) outs(%d : memref<96x16xf32>)
  return
}

// Where the rows of B run along N a tile has whole swizzle rows of 64 elements.
// CHECK-LABEL: func @narrow_rows_along_n
func.func @narrow_rows_along_n(%a: memref<96x8xbf16>, %b: memref<8x16xbf16>, %d: memref<96x16xf32>) {
  // CHECK: tmm.matmul config <tile = <shape = 128x64x64,
  tmm.matmul ins(%a, %b : memref<96x8xbf16>, memref<8x16xbf16>) outs(%d : memref<96x16xf32>)
  return
}

// CHECK-LABEL: func @empty
func.func @empty(%a: memref<0x8xbf16>, %b: memref<8x16xbf16>, %d: memref<0x16xf32>) {
  // CHECK: tmm.matmul config <tile =
  tmm.matmul ins(%a, %b : memref<0x8xbf16>, memref<8x16xbf16>) outs(%d : memref<0x16xf32>)
  return
}
