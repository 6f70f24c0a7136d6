//===- TMMEnums.td - enumerations of the tmm dialect -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory spaces of tiles and the ways to hand out output tiles.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMENUMS_TD
#define TC_DIALECT_TMM_IR_TMMENUMS_TD

include "mlir/IR/EnumAttr.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"

def TMM_MemorySpace : I32EnumAttr<"MemorySpace", "where a tile lives", [
  I32EnumAttrCase<"smem", 0>,
  I32EnumAttrCase<"tmem", 1>,
]> {
  let description = [{
    `smem` is the shared memory of a CTA, from which the matrix unit reads its
    operands. `tmem` is the memory that the matrix unit accumulates in.
  }];
  let cppNamespace = "::tc::tmm";
  let genSpecializedAttr = 0;
}

def TMM_Scheduler : I32EnumAttr<"Scheduler", "how output tiles are handed out", [
  I32EnumAttrCase<"static_tiles", 0, "static">,
  I32EnumAttrCase<"clc", 1>,
  I32EnumAttrCase<"stream_k", 2>,
]> {
  let description = [{
    `static`: each CTA computes its tiles from its index. `clc`: CTAs steal the
    work of clusters that have not been launched. `stream_k`: CTAs share tiles
    along K, so that all have the same number of K-blocks.
  }];
  let cppNamespace = "::tc::tmm";
  let genSpecializedAttr = 0;
}

def TMM_Roles : I32EnumAttr<"Roles", "who executes the engines of a kernel", [
  I32EnumAttrCase<"none", 0>,
  I32EnumAttrCase<"specialized", 1>,
]> {
  let description = [{
    `none`: all warps walk through one program. `specialized`: loads, matrix
    instructions and epilogue have warps of their own.
  }];
  let cppNamespace = "::tc::tmm";
  let genSpecializedAttr = 0;
}

def TMM_CacheHint : I32EnumAttr<"CacheHint", "what the L2 cache does with loaded tiles", [
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
  let cppNamespace = "::tc::tmm";
}

def TMM_Switch : I32EnumAttr<"Switch", "whether a feature is used", [
  I32EnumAttrCase<"off", 0>,
  I32EnumAttrCase<"on", 1>,
]> {
  let cppNamespace = "::tc::tmm";
  let genSpecializedAttr = 0;
}

def TMM_Epilogue : I32EnumAttr<"Epilogue", "how the epilogue stores D", [
  I32EnumAttrCase<"direct", 0>,
  I32EnumAttrCase<"tma_store", 1>,
]> {
  let description = [{
    `direct`: each thread stores its row from registers. `tma_store`: the threads
    put their rows into a ring of store buffers in shared memory, from which TMA
    stores them.
  }];
  let cppNamespace = "::tc::tmm";
  let genSpecializedAttr = 0;
}

def TMM_Order : I32EnumAttr<"Order", "which dimension of a tile in shared memory is contiguous", [
  I32EnumAttrCase<"k_major", 0>,
  I32EnumAttrCase<"mn_major", 1>,
  I32EnumAttrCase<"n_major", 2>,
]> {
  let description = [{
    `k_major`: the elements of one row of A (one column of B) are adjacent.
    `mn_major`: the elements of one K index are adjacent. `n_major`: the elements
    of one row of D are adjacent.
  }];
  let cppNamespace = "::tc::tmm";
  let genSpecializedAttr = 0;
}

def TMM_Along : I32EnumAttr<"Along", "the dimension of D that a vector runs along", [
  I32EnumAttrCase<"m", 0>,
  I32EnumAttrCase<"n", 1>,
]> {
  let description = [{
    `m`: one element for each row of D, used in every column. `n`: one element for
    each column of D, used in every row.
  }];
  let cppNamespace = "::tc::tmm";
}

def TMM_Engine : I32EnumAttr<"Engine", "what executes an op of a tile program", [
  I32EnumAttrCase<"tma", 0>,
  I32EnumAttrCase<"tensor_core", 1>,
  I32EnumAttrCase<"threads", 2>,
  I32EnumAttrCase<"tma_store", 3>,
]> {
  let description = [{
    `tma`: the bulk tensor copy engine, asynchronous, completes with bytes.
    `tensor_core`: the matrix unit, asynchronous, completes with a commit.
    `threads`: the threads of the CTA, complete when they arrive. `tma_store`: the
    bulk tensor copy engine on the way to global memory, asynchronous, completes
    with bulk groups, which only the thread that issued them can wait for. So one
    of the `threads` issues them.
  }];
  let cppNamespace = "::tc::tmm";
  let genSpecializedAttr = 0;
}

def TMM_Scope : I32EnumAttr<"Scope", "the CTAs that share a pipeline or an op", [
  I32EnumAttrCase<"cta", 0>,
  I32EnumAttrCase<"pair", 1>,
]> {
  let description = [{
    `cta`: one CTA. `pair`: two CTAs of a cluster whose memories one matrix
    instruction reads and writes.
  }];
  let cppNamespace = "::tc::tmm";
  let genSpecializedAttr = 0;
}

#endif // TC_DIALECT_TMM_IR_TMMENUMS_TD
