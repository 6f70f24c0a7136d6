// RUN: tc-opt %s | tc-opt | FileCheck %s

// CHECK-LABEL: func private @no_field
// CHECK-SAME: c = #tmm.config<>
func.func private @no_field() attributes {c = #tmm.config<>}

// Fields are accepted in any order and printed in one.
// CHECK-LABEL: func private @all_fields
// CHECK-SAME: c = #tmm.config<tile = [256, 128, 64], cta_group = 2, cluster = [2, 1], stages = 4, accumulator_stages = 2, swizzle = 64B, scheduler = static, epilogue = tma_store, epilogue_subtile = 32, store_stages = 2, sms = 148>
func.func private @all_fields() attributes {c = #tmm.config<sms = 148, store_stages = 2, epilogue_subtile = 32, epilogue = tma_store,
  scheduler = static, swizzle = 64B, accumulator_stages = 2, stages = 4, cluster = [2, 1], cta_group = 2,
  tile = [256, 128, 64]>}

// CHECK-LABEL: func private @hints
// CHECK-SAME: c = #tmm.config<cache_hint_a = evict_first, cache_hint_b = none, pdl = on, epilogue_registers = 168>
func.func private @hints() attributes {c = #tmm.config<epilogue_registers = 168, pdl = on,
  cache_hint_a = evict_first, cache_hint_b = none>}

// CHECK-LABEL: func private @keywords
// CHECK-SAME: c = #tmm.config<swizzle = none, scheduler = clc>, d = #tmm.config<scheduler = stream_k>
func.func private @keywords() attributes {c = #tmm.config<swizzle = none, scheduler = clc>,
  d = #tmm.config<scheduler = stream_k>}
