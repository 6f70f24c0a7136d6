// RUN: tc-opt --split-input-file --verify-diagnostics %s

// expected-error @below {{unknown configuration field 'tiles': expected one of tile, cta_group, cluster, stages, accumulator_stages, swizzle, scheduler, epilogue, epilogue_subtile, store_stages, roles, raster, sms, cache_hint_a, cache_hint_b, pdl, epilogue_registers}}
func.func private @unknown() attributes {c = #tmm.config<tiles = [128, 128, 64]>}

// -----

// expected-error @below {{configuration field 'stages' given twice}}
func.func private @twice() attributes {c = #tmm.config<stages = 1, stages = 2>}

// -----

// expected-error @below {{tile: expected 3 numbers (M, N, K), got 2}}
func.func private @tile_rank() attributes {c = #tmm.config<tile = [128, 128]>}

// -----

// expected-error @below {{tile: expected a list of numbers, got none}}
func.func private @tile_empty() attributes {c = #tmm.config<tile = []>}

// -----

// expected-error @below {{cluster: expected positive numbers, got 0}}
func.func private @cluster() attributes {c = #tmm.config<cluster = [1, 0]>}

// -----

// expected-error @below {{cta_group: expected 1 or 2, got 3}}
func.func private @cta_group() attributes {c = #tmm.config<cta_group = 3>}

// -----

// expected-error @below {{swizzle: expected 128B, 64B, 32B or none, got 16B}}
func.func private @swizzle() attributes {c = #tmm.config<swizzle = 16B>}

// -----

// expected-error @below {{scheduler: expected static, clc or stream_k, got dynamic}}
func.func private @scheduler() attributes {c = #tmm.config<scheduler = dynamic>}

// -----

// expected-error @below {{stages: expected a positive number, got 0}}
func.func private @stages() attributes {c = #tmm.config<stages = 0>}

// -----

// expected-error @below {{epilogue: expected direct or tma_store, got fast}}
func.func private @epilogue() attributes {c = #tmm.config<epilogue = fast>}

// -----

// expected-error @below {{store_stages: expected a positive number, got 0}}
func.func private @store_stages() attributes {c = #tmm.config<store_stages = 0>}
