// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func private @no_field
// CHECK-SAME: c = #tmm.config<>, d = #tmm.config<>
func.func private @no_field() attributes {c = #tmm.config<>, d = #tmm.config<ring = <>>}

// Parts and fields are accepted in any order and printed in one.
// CHECK-LABEL: func private @all_fields
// CHECK-SAME: c = #tmm.config<tile = <shape = 256x128x64, unit = tcgen05, cta_group = 2, cluster = 2x1>,
// CHECK-SAME: ring = <stages = 4, scale_stages = 2, swizzle = 64B, load_a = tma, load_b = tma, cache_hint_a = evict_first, cache_hint_b = none, late_release = on>,
// CHECK-SAME: accumulators = <stages = 2>,
// CHECK-SAME: scheduler = <kind = static, raster = 0, sms = 148, pdl = on, split_k = 4>,
// CHECK-SAME: epilogue = <kind = tma_store, subtile = 32, stages = 2>,
// CHECK-SAME: roles = <kind = specialized, epilogue_registers = 168>>
func.func private @all_fields() attributes {c = #tmm.config<
  roles = <epilogue_registers = 168, kind = specialized>,
  epilogue = <stages = 2, subtile = 32, kind = tma_store>,
  scheduler = <split_k = 4, pdl = on, sms = 148, raster = 0, kind = static>,
  accumulators = <stages = 2>,
  ring = <load_b = tma, late_release = on, cache_hint_b = none, load_a = tma, cache_hint_a = evict_first, swizzle = 64B, scale_stages = 2, stages = 4>,
  tile = <cluster = 2x1, cta_group = 2, unit = tcgen05, shape = 256x128x64>>}

// A part is an attribute of its own, too.
// CHECK-LABEL: func private @parts
// CHECK-SAME: a = #tmm.tile_config<shape = 64x8x16, unit = wgmma>, b = #tmm.ring_config<swizzle = none>, c = #tmm.scheduler_config<kind = clc>
func.func private @parts() attributes {a = #tmm.tile_config<unit = wgmma, shape = 64x8x16>,
  b = #tmm.ring_config<swizzle = none>, c = #tmm.scheduler_config<kind = clc>}
