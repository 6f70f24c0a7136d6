// RUN: tc-opt --split-input-file --verify-diagnostics %s

// What single fields take, and what no combination of them is, is tested for
// every field in unittests/TMM/ConfigTest.cpp.

// expected-error @below {{unknown part 'tiles' of a configuration: expected one of tile, ring, accumulators, scheduler, epilogue, roles}}
func.func private @unknown_part() attributes {c = #tmm.config<tiles = <shape = 128x128x64>>}

// -----

// expected-error @below {{part 'ring' given twice}}
func.func private @part_twice() attributes {c = #tmm.config<ring = <stages = 1>, ring = <swizzle = none>>}

// -----

// expected-error @below {{unknown field 'depth' of ring: expected one of stages, scale_stages, swizzle, load_a, load_b, cache_hint_a, cache_hint_b}}
func.func private @unknown() attributes {c = #tmm.config<ring = <depth = 4>>}

// -----

// expected-error @below {{field 'stages' of ring given twice}}
func.func private @twice() attributes {c = #tmm.config<ring = <stages = 1, stages = 2>>}

// -----

// expected-error @below {{shape: expected 3 numbers with 'x' between them (M, N, K), got 128x128}}
func.func private @tile_rank() attributes {c = #tmm.config<tile = <shape = 128x128>>}

// -----

// expected-error @below {{cluster: expected positive numbers, got 0}}
func.func private @cluster() attributes {c = #tmm.config<tile = <cluster = 1x0>>}

// -----

// expected-error @below {{cluster of 3x2: expected a multiple of 2 CTAs along M, those of a matrix instruction, nearest 4x2}}
func.func private @cluster_of_pairs() attributes {c = #tmm.config<tile = <cta_group = 2, cluster = 3x2>>}

// -----

// expected-error @below {{cta_group: expected 1 or 2, got 3}}
func.func private @cta_group() attributes {c = #tmm.config<tile = <cta_group = 3>>}

// -----

// expected-error-re @below {{unit: expected tcgen05, wgmma{{.*}}mma_sync{{.*}}, got simt}}
func.func private @unit() attributes {c = #tmm.config<tile = <unit = simt>>}

// -----

// expected-error @below {{swizzle: expected 128B, 64B, 32B or none, got 16B}}
func.func private @swizzle() attributes {c = #tmm.config<ring = <swizzle = 16B>>}

// -----

// expected-error @below {{kind: expected static, clc or counter, got stream_k}}
func.func private @scheduler() attributes {c = #tmm.config<scheduler = <kind = stream_k>>}

// -----

// expected-error @below {{stages: expected a positive number, got 0}}
func.func private @stages() attributes {c = #tmm.config<ring = <stages = 0>>}

// -----

// expected-error @below {{raster: expected 0 or a positive number, got -1}}
func.func private @raster() attributes {c = #tmm.config<scheduler = <raster = -1>>}

// -----

// expected-error @below {{pdl: expected off or on, got maybe}}
func.func private @pdl() attributes {c = #tmm.config<scheduler = <pdl = maybe>>}

// -----

// expected-error @below {{epilogue-registers of 168: expected 0, without roles no thread gives registers up}}
func.func private @registers() attributes {c = #tmm.roles_config<kind = none, epilogue_registers = 168>}

// -----

// expected-error @below {{raster: expected a number up to 2147483647, got 4294967296}}
func.func private @large_raster() attributes {c = #tmm.config<scheduler = <raster = 4294967296>>}

// -----

// expected-error @below {{cluster: expected numbers up to 2147483647, got 4294967296}}
func.func private @large_cluster() attributes {c = #tmm.config<tile = <cluster = 4294967296x4294967296>>}

// -----

// expected-error @below {{expected raster of at most 2147483647, got 4294967296}}
func.func private @large_bands() attributes {c = #tmm.static<raster = 4294967296>}

// -----

// Words have underscores in the IR and dashes on the command line.
// expected-error @below {{kind: expected direct or tma_store, got tma}}
func.func private @dashes() attributes {c = #tmm.config<epilogue = <kind = tma-store>>}
