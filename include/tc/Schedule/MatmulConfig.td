//===- MatmulConfig.td - the configuration of a matmul -----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every field once. From here come the plain data, the attributes with their
// syntax and verifiers, the command line form, --explain and the table of the
// documentation; a new field is a row here and its use.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEDULE_MATMULCONFIG_TD
#define TC_SCHEDULE_MATMULCONFIG_TD

include "tc/Schedule/ConfigBase.td"

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def TC_TileScheduler : ConfigEnum<"TileScheduler", "how output tiles are assigned", [
  I32EnumAttrCase<"static_tiles", 0, "static">,
  I32EnumAttrCase<"clc", 1>,
  I32EnumAttrCase<"counter", 2>,
]> {
  let description = [{
    `static`: each CTA computes its tiles from its index. `clc`: CTAs steal the
    work of clusters that have not been launched (cluster launch control).
    `counter`: each CTA, or cluster, takes its first tile from its index and the
    others from a counter in global memory, when it is done with the one before.
  }];
}

def TC_Epilogue : ConfigEnum<"Epilogue", "how the epilogue stores D", [
  I32EnumAttrCase<"direct", 0>,
  I32EnumAttrCase<"tma_store", 1>,
]> {
  let description = [{
    `direct`: each thread stores its row from registers. `tma_store`: the threads
    put their rows into a ring of store buffers in shared memory, from which TMA
    stores them.
  }];
}

def TC_Roles : ConfigEnum<"Roles", "who executes the engines of a kernel", [
  I32EnumAttrCase<"none", 0>,
  I32EnumAttrCase<"specialized", 1>,
  I32EnumAttrCase<"ping_pong", 2>,
]> {
  let description = [{
    `none`: all warps walk through one program. `specialized`: loads, matrix
    instructions and epilogue have warps of their own. `ping_pong`: so, with two
    warpgroups that take turns in the tiles: while one multiplies, the other
    stores.
  }];
}

def TC_CacheHint : ConfigEnum<"CacheHint", "what the L2 cache does with loaded tiles", [
  I32EnumAttrCase<"none", 0>,
  I32EnumAttrCase<"evict_normal", 1>,
  I32EnumAttrCase<"evict_first", 2>,
  I32EnumAttrCase<"evict_last", 3>,
]> {
  let description = [{
    `evict_first`: what is read once and need not stay. `evict_last`: what is read
    again and again. `evict_normal` says what `none` leaves to the default, by
    name (PTX ISA, "Cache Eviction Priority Hints").
  }];
}

def TC_LoadEngine : ConfigEnum<"LoadEngine", "what loads the tiles of an operand", [
  I32EnumAttrCase<"tma", 0>,
  I32EnumAttrCase<"cp_async", 1>,
  I32EnumAttrCase<"threads", 2>,
]> {
  let description = [{
    `tma`: one thread, whose copies are tiles; rows are multiples of 16 bytes.
    `cp_async`: the threads of a role copy 4, 8 or 16 bytes each (`cp.async`), as
    rows are aligned. `threads`: they load elements and store them to shared memory,
    wherever they are.
  }];
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

def TC_TilePart : ConfigPart<"Tile", "tile", "the output tile, and what computes it", ["grid", "k_block"], [
  ConfigField<"shape", "tile", ["tileM", "tileN", "tileK"], Extents<"M, N, K">,
      "output tile of the CTAs that compute one together, and K-block: M, N, K in elements">,
  ConfigField<"unit", "unit", ["unit"], Unit,
      "matrix unit, one of the chip's">,
  ConfigField<"cta_group", "cta_group", ["ctaGroup"], OneOf<[1, 2]>,
      "CTAs that one matrix instruction spans">,
  ConfigField<"cluster", "cluster", ["clusterM", "clusterN"], Extents<"CTAs along M, N">,
      "CTAs of a cluster along M and N: those in a row share A, those in a column B">,
]>;

def TC_RingPart : ConfigPart<"Ring", "ring", "the ring that carries operand tiles", ["shared_memory", "tensor_memory"], [
  ConfigField<"stages", "stages", ["stages"], Count<1>,
      "slots of the ring of A and B tiles">,
  ConfigField<"scale_stages", "scale_stages", ["scaleStages"], Count<1>,
      "slots of the ring of scale factors, or of metadata of a sparse A, in Tensor Memory">,
  ConfigField<"swizzle", "swizzle", ["swizzle"], SwizzleBytes,
      "bytes of the swizzle pattern of A and B tiles">,
  ConfigField<"load_a", "load_a", ["loadA"], Choice<TC_LoadEngine>,
      "what loads the tiles of A">,
  ConfigField<"load_b", "load_b", ["loadB"], Choice<TC_LoadEngine>,
      "what loads the tiles of B">,
  ConfigField<"cache_hint_a", "cache_hint_a", ["cacheHintA"], Choice<TC_CacheHint>,
      "what the L2 cache does with A">,
  ConfigField<"cache_hint_b", "cache_hint_b", ["cacheHintB"], Choice<TC_CacheHint>,
      "what the L2 cache does with B">,
  ConfigField<"late_release", "late_release", ["lateRelease"], Switch,
      "whether a slot is released when products of the next one are issued: the unit has work while one completes">,
  ConfigField<"split_ring", "split_ring", ["splitRing"], Switch,
      "whether A has a ring of its own, whose slots are free once the unit has read them">,
]>;

def TC_AccumulatorsPart : ConfigPart<"Accumulators", "accumulators", "the accumulators", ["tensor_memory"], [
  ConfigField<"stages", "accumulator_stages", ["accumulatorStages"], Count<1>,
      "accumulators in flight">,
]>;

def TC_SchedulerPart : ConfigPart<"Scheduler", "scheduler", "how CTAs get their tiles", ["grid"], [
  ConfigField<"kind", "scheduler", ["scheduler"], Choice<TC_TileScheduler>,
      "how output tiles are assigned">,
  ConfigField<"raster", "raster", ["raster"], Count<0>,
      "rows of clusters whose tiles are computed column by column, 0: all">,
  ConfigField<"sms", "sms", ["sms"], Count<1>,
      "CTAs resident at a time">,
  ConfigField<"pdl", "pdl", ["pdl"], Switch,
      "whether the kernel may start while the one before it in the stream ends (programmatic dependent launch)">,
  ConfigField<"split_k", "split_k", ["splitK"], Count<1>,
      "parts of K that are multiplied as problems of a batch, whose sums a second kernel adds; 1 where it is not given">,
]>;

def TC_EpiloguePart : ConfigPart<"Epilogue", "epilogue", "how D is stored", ["shared_memory", "registers"], [
  ConfigField<"kind", "epilogue", ["epilogue"], Choice<TC_Epilogue>,
      "through a ring of store buffers (`tma_store`) or from registers (`direct`)">,
  ConfigField<"subtile", "epilogue_subtile", ["epilogueSubtile"], Count<1>,
      "accumulator columns that the epilogue holds at a time">,
  ConfigField<"stages", "store_stages", ["storeStages"], Count<1>,
      "slots of the ring of store buffers, for `tma_store`">,
]>;

def TC_RolesPart : ConfigPart<"Roles", "roles", "which warps do what", ["registers"], [
  ConfigField<"kind", "roles", ["roles"], Choice<TC_Roles>,
      "whether each engine has warps of its own">,
  ConfigField<"epilogue_registers", "epilogue_registers", ["epilogueRegisters"], Count<0>,
      "registers of an epilogue thread, which those of the other roles give up (`setmaxnreg`); 0: as launched">,
]>;

def TC_MatmulConfig : Config<"MatmulConfig", [
  TC_TilePart, TC_RingPart, TC_AccumulatorsPart, TC_SchedulerPart,
  TC_EpiloguePart, TC_RolesPart,
]>;

#endif // TC_SCHEDULE_MATMULCONFIG_TD
