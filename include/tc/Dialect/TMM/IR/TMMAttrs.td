//===- TMMAttrs.td - attributes of the tmm dialect ---------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The configuration of a matrix multiplication.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMATTRS_TD
#define TC_DIALECT_TMM_IR_TMMATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/TMM/IR/TMMEnums.td"

class TMM_OptionalInt<string description>
    : OptionalParameter<"::std::optional<int64_t>", description>;

def TMM_ConfigAttr : AttrDef<TMM_Dialect, "Config"> {
  let mnemonic = "config";
  let summary = "how a matrix multiplication is computed";
  let description = [{
    Every field is optional; those that are not set are chosen by
    `tmm-choose-config`. The command line writes the same fields as
    `tile=128x256x64 cta-group=1 stages=4`: dashes or underscores, `x` between
    numbers.

    | field | meaning |
    |---|---|
    | `tile` | output tile of one CTA group and K-block: M (128 per CTA, or 64 of one CTA), N, K in elements |
    | `cta_group` | CTAs that one matrix instruction spans: 1 or 2 |
    | `cluster` | CTAs per cluster along M and N |
    | `stages` | slots of the ring that carries A and B tiles |
    | `accumulator_stages` | accumulators in flight |
    | `swizzle` | bytes of the swizzle pattern of A and B tiles: 128B, 64B, 32B or none |
    | `scheduler` | `static`, `clc` or `stream_k` |
    | `epilogue` | `tma_store` (through a ring of store buffers) or `direct` (from registers) |
    | `epilogue_subtile` | accumulator columns that the epilogue holds at a time |
    | `store_stages` | slots of the ring of store buffers, for `tma_store` |
    | `roles` | `none` or `specialized` (warps of their own for each engine) |
    | `raster` | rows of tiles that are computed column by column, 0: all |
    | `sms` | CTAs resident at a time |
    | `cache_hint_a`, `cache_hint_b` | what the L2 cache does with A, B: `none`, `evict_normal`, `evict_first` or `evict_last` |
    | `pdl` | `on`: the kernel may start while the one before it in the stream ends (programmatic dependent launch), or `off` |
    | `epilogue_registers` | registers of an epilogue thread, which those of the other roles give up (`setmaxnreg`); 0: every thread has those that the kernel is launched with |

    Example:

    ```mlir
    #tmm.config<tile = [128, 256, 64], cta_group = 1, stages = 4, swizzle = 128B>
    ```
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t", "M, N, K; empty: not set">:$tile,
    TMM_OptionalInt<"CTAs per matrix instruction">:$ctaGroup,
    OptionalArrayRefParameter<"int64_t", "CTAs along M, N; empty: not set">:$cluster,
    TMM_OptionalInt<"slots of the A and B ring">:$stages,
    TMM_OptionalInt<"accumulators in flight">:$accumulatorStages,
    TMM_OptionalInt<"bytes of the swizzle pattern, 0: none">:$swizzle,
    OptionalParameter<"::std::optional<::tc::tmm::Scheduler>">:$scheduler,
    OptionalParameter<"::std::optional<::tc::tmm::Epilogue>">:$epilogue,
    TMM_OptionalInt<"columns read at a time">:$epilogueSubtile,
    TMM_OptionalInt<"slots of the store ring">:$storeStages,
    OptionalParameter<"::std::optional<::tc::tmm::Roles>">:$roles,
    TMM_OptionalInt<"rows of tiles in a band">:$raster,
    TMM_OptionalInt<"CTAs resident">:$sms,
    OptionalParameter<"::std::optional<::tc::tmm::CacheHint>">:$cacheHintA,
    OptionalParameter<"::std::optional<::tc::tmm::CacheHint>">:$cacheHintB,
    OptionalParameter<"::std::optional<::tc::tmm::Switch>">:$pdl,
    TMM_OptionalInt<"registers of an epilogue thread, 0: as launched">:$epilogueRegisters);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// This configuration with every field that `other` sets taken from it.
    /// Either may be null.
    static ConfigAttr merge(ConfigAttr base, ConfigAttr other);
  }];
}

def TMM_LayoutAttr : AttrDef<TMM_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "the order of the elements of a tile in shared memory";
  let description = [{
    Which dimension is contiguous, and the bytes of the swizzle pattern (0: none,
    else 32, 64 or 128) that spreads it over the banks. `tmm-tile` takes the order
    of an operand tile from the operand's transposition and its swizzle from the
    configuration; a tile of D (`n_major`) has the swizzle of its row.

    Example:

    ```mlir
    !tmm.buffer<128x64xbf16, smem, <mn_major, swizzle = 128>>
    ```
  }];
  let parameters = (ins EnumParameter<TMM_Order>:$order, "int64_t":$swizzle);
  let assemblyFormat = "`<` $order `,` `swizzle` `=` $swizzle `>`";
  let genVerifyDecl = 1;
}

#endif // TC_DIALECT_TMM_IR_TMMATTRS_TD
