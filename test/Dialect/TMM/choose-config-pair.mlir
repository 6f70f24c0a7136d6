// RUN: tc-opt --mlir-print-local-scope --tmm-choose-config %s | FileCheck %s
// RUN: tc-opt --mlir-print-local-scope --tmm-choose-config="config='stages=5 sms=4'" %s | FileCheck %s --check-prefix=OPTION

// A pair of CTAs: tiles of 256 rows, of whose operands each CTA holds half, so that
// six slots fit beside the store buffers.
// CHECK-LABEL: func @pair
func.func @pair(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // CHECK: tmm.matmul config <tile = <shape = 256x256x64, unit = tcgen05, cta_group = 2, cluster = 2x1>, ring = <stages = 6, swizzle = 128B, load_a = tma, load_b = tma, cache_hint_a = none, cache_hint_b = none>, accumulators = <stages = 2>, scheduler = <kind = static, raster = 8, sms = 148, pdl = off>, epilogue = <kind = tma_store, subtile = 32, stages = 2>, roles = <kind = specialized, epilogue_registers = 0>>
  // OPTION: cta_group = 2, cluster = 2x1>, ring = <stages = 5, {{.*}} sms = 4, pdl = off>
  tmm.matmul config <tile = <cta_group = 2>>
    ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
