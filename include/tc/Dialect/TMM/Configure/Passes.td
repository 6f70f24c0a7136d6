//===- Passes.td - configurations of problems --------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that choose and explain the configurations of problems, and those
// that rewrite a problem first.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_CONFIGURE_PASSES_TD
#define TC_DIALECT_TMM_CONFIGURE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseConfigPass : Pass<"tmm-choose-config"> {
  let summary = "Fill in the configuration of every tmm.matmul";
  let description = [{
    Chooses every field of the configuration that is not set, from the problem
    (sizes where they are static, element types, transpositions) and a model of the
    machine's resources and speed (`lib/Schedule`). Fields that are set are kept
    and checked: a value that cannot be lowered is refused with the reason and the
    nearest legal value, a configuration that needs more shared memory or accumulator
    columns than there are with both figures. A configuration that was measured
    (`tuned`, docs/Configuration.md) is taken where it agrees with the given fields.

    Before:

    ```mlir
    tmm.matmul config <tile = <shape = 128x64x64>> ins(%a, %b : ...) outs(%d : ...)
    ```

    After:

    ```mlir
    tmm.matmul config <tile = <shape = 128x64x64, unit = tcgen05, cta_group = 1, cluster = 1x1>,
        ring = <stages = 8, swizzle = 128B, cache_hint_a = none, cache_hint_b = none>,
        accumulators = <stages = 2>, scheduler = <kind = static, raster = 8, sms = 148, pdl = off>,
        epilogue = <kind = tma_store, subtile = 32, stages = 2>,
        roles = <kind = specialized, epilogue_registers = 0>> ins(%a, %b : ...) outs(%d : ...)
    ```
  }];
  let options = [
    Option<"config", "config", "std::string", /*default=*/"\"\"",
           "Fields that replace those in the IR, as tile=128x256x64 stages=1">,
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_100a\"",
           "The GPU whose resources and speed count">,
    Option<"tuned", "tuned", "std::string", /*default=*/"\"\"",
           "A table of measured configurations, which come before the model's choice">,
  ];
  let statistics = [
    Statistic<"numChosen", "matmuls", "Number of tmm.matmul whose configuration was completed">,
  ];
  let dependentDialects = ["::tc::tmm::TMMDialect"];
}

def PackOperandsPass : Pass<"tmm-pack-operands"> {
  let summary = "Copy operands that TMA cannot load, and pack rows of few heads";
  let description = [{
    An operand whose rows TMA cannot address, or whose order the matrix unit does not
    read, is loaded by threads, for every tile again (`load_a`, `load_b`). Where a
    copy with padded rows, in the other order if need be, and the product of it take
    fewer cycles by the model, the product reads such a copy. Operands whose `load` is
    given are left as they are, and those whose rows have a length that is not static.

    The windows of images (`tmm.windows`) are loaded by TMA. Where it cannot, or what reads them is no
    product's A, or the fields that are given do not fit them, they are gathered: outside of the
    images from a padded copy.

    A CTA of `tmm.attention` holds 128 rows of Q, of one head. Where heads share K and V and have few rows
    each, as when one token is decoded, those of all these heads become rows of one: K and V are
    read once for them. Only where every row sees every key, sizes are static, tiles become
    fewer, and a view has the rows in that order: `memref<2x32x1x64xbf16>` with 8 heads of K becomes
    `memref<2x8x4x64xbf16, ...>`.

    Before:

    ```mlir
    tmm.matmul ins(%a, %b : memref<512x1021xbf16>, memref<1021x512xbf16>) outs(%d : ...)
    ```

    After:

    ```mlir
    %copy = memref.alloc() : memref<512x1024xbf16>
    %rows = memref.subview %copy[0, 0] [512, 1021] [1, 1]
        : memref<512x1024xbf16> to memref<512x1021xbf16, strided<[1024, 1]>>
    memref.copy %a, %rows : ...
    tmm.matmul ins(%rows, %b : memref<512x1021xbf16, strided<[1024, 1]>>, ...) outs(%d : ...)
    ```
  }];
  let options = [
    Option<"config", "config", "std::string", /*default=*/"\"\"",
           "Fields that replace those in the IR, as tile=128x256x64 stages=1">,
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_100a\"",
           "The GPU whose resources and speed count">,
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say at each product what is copied, and the cycles with and without">,
  ];
  let dependentDialects = [
    "::tc::tmm::TMMDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect"];
}

def ExplainConfigPass : Pass<"tmm-explain-config"> {
  let summary = "Say which configuration is chosen for every tmm.matmul, and why";
  let description = [{
    Changes nothing. For every matmul that `tmm-choose-config` with the same options
    would complete, says what it chooses: what fits into shared memory, Tensor Memory
    and registers and what is left, the waves of tiles, the predicted cycles of a
    K-block and of the launch with what binds them, the best candidates, and which
    fields were given and by whom. In words it is a remark at the matmul; `format=json`
    prints an array with one object for each matmul to stderr. Matmuls whose
    configuration is refused are left to `tmm-choose-config`.

    Before:

    ```mlir
    tmm.matmul transpose_b ins(%a, %b : memref<8192x8192xbf16>, ...) outs(%d : ...)
    ```

    After:

    ```
    m.mlir:2:3: remark: matmul M = 8192, N = 8192, K = 8192: tile=256x256x64 cta-group=2 ...
      grid: 74 pairs of CTAs on 148 of 148 multiprocessors, 1,024 tiles; 14 waves, 98.8 % busy
      shared memory: 7 stages of 32,768: 229,376 + 144 barriers + 1,008 alignment + ...
    ```
  }];
  let options = [
    Option<"config", "config", "std::string", /*default=*/"\"\"",
           "Fields that replace those in the IR, as tile=128x256x64 stages=1">,
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_100a\"",
           "The GPU whose resources and speed count">,
    Option<"tuned", "tuned", "std::string", /*default=*/"\"\"",
           "A table of measured configurations, which come before the model's choice">,
    Option<"format", "format", "std::string", /*default=*/"\"words\"",
           "words or json">,
  ];
  let dependentDialects = ["::tc::tmm::TMMDialect"];
}

def SplitKPass : Pass<"tmm-split-k"> {
  let summary = "Make parts of K problems of a batch, whose sums are added afterwards";
  let description = [{
    A `tmm.matmul` on memrefs whose configuration has `split_k` of S > 1 becomes one of S parts
    of K: views of A and B are a batch, each part of as many whole K-blocks. Their sums, f32 or
    i32, go to a buffer of S x M x N. An operation of linalg adds them, the first part first, and
    computes D as the product would have: what is accumulated, the epilogue, the conversion. It
    becomes a kernel of its own (`convert-linalg-to-gpu`). The order of the sums is fixed, so that
    results are the same in every run. `tmm.problem` says that its launch completes the product.
    A D without elements has no parts.

    With `pdl` on the second kernel, too, may start while the first one ends.

    What cannot be cut is refused with the reason: K that is not known or no multiple of S
    K-blocks, scale factors, a sparse A, windows of images, elements of less than 8 bits,
    a D of 8 bits or fewer, `amax`, a batch of three dimensions.

    Before:

    ```mlir
    tmm.matmul config <scheduler = <split_k = 2>> ins(%a, %b : memref<128x512xbf16>, memref<512x256xbf16>)
        outs(%d : memref<128x256xbf16>)
    ```

    After:

    ```mlir
    %0 = memref.expand_shape %a [[0], [1, 2]] output_shape [128, 2, 256] : ...
    %parts_a = memref.transpose %0 (d0, d1, d2) -> (d1, d0, d2) : ...
    %parts_b = memref.expand_shape %b [[0, 1], [2]] output_shape [2, 256, 256] : ...
    %sums = memref.alloc() : memref<2x128x256xf32>
    tmm.matmul config <scheduler = <split_k = 1>> ins(%parts_a, %parts_b : ...) outs(%sums : memref<2x128x256xf32>)
    tmm.problem ins(%a, %b : memref<128x512xbf16>, memref<512x256xbf16>) outs(%d : memref<128x256xbf16>)
    linalg.generic {...} ins(%first, %second : memref<128x256xf32, strided<[256, 1]>>, ...) outs(%d : memref<128x256xbf16>) {
    ^bb0(%x: f32, %y: f32, %old: bf16):
      %1 = arith.addf %x, %y : f32
      %2 = arith.truncf %1 : f32 to bf16
      linalg.yield %2 : bf16
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_100a\"",
           "The GPU that the configurations are for">,
  ];
  let statistics = [
    Statistic<"numSplit", "matmuls", "Number of tmm.matmul whose K was cut into parts">,
  ];
  let dependentDialects = [
    "::tc::tmm::TMMDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

#endif // TC_DIALECT_TMM_CONFIGURE_PASSES_TD
