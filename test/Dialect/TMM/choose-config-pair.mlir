// RUN: tc-opt --tmm-choose-config %s | FileCheck %s
// RUN: tc-opt --tmm-choose-config="config='stages=5 sms=4'" %s | FileCheck %s --check-prefix=OPTION

// A pair of CTAs: tiles of 256 rows, of whose operands each CTA holds half, so that
// six slots fit beside the store buffers.
// CHECK-LABEL: func @pair
func.func @pair(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // CHECK: tmm.matmul config <tile = [256, 256, 64], cta_group = 2, cluster = [2, 1], stages = 6, accumulator_stages = 2, swizzle = 128B, scheduler = static, epilogue = tma_store, epilogue_subtile = 32, store_stages = 2, roles = specialized, raster = 8, sms = 148, cache_hint_a = none, cache_hint_b = none, pdl = off, epilogue_registers = 0>
  // OPTION: cta_group = 2, cluster = [2, 1], stages = 5, {{.*}} sms = 4, cache_hint_a = none, cache_hint_b = none, pdl = off, epilogue_registers = 0>
  tmm.matmul config <cta_group = 2>
    ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
