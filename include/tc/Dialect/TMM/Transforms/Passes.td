//===- Passes.td - passes on the tmm dialect ---------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that stay within the dialect, in the order in which they run.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_TRANSFORMS_PASSES_TD
#define TC_DIALECT_TMM_TRANSFORMS_PASSES_TD

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
  let summary = "Copy operands that TMA cannot load, where that pays";
  let description = [{
    An operand whose rows TMA cannot address, or whose order the matrix unit does not
    read, is loaded by threads, for every tile again (`load_a`, `load_b`). Where a
    copy with padded rows, in the other order if need be, and the product of it take
    fewer cycles by the model, the product reads such a copy. Operands whose `load` is
    given are left as they are, and those whose rows have a length that is not static.

    The windows of images (`tmm.windows`) are loaded by TMA. Where it cannot, or what reads them is no
    product's A, or the fields that are given do not fit them, they are gathered: outside of the
    images from a padded copy.

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

def TilePass : Pass<"tmm-tile", "::mlir::ModuleOp"> {
  let summary = "Outline every tmm.matmul into a kernel that loops over tiles";
  let description = [{
    Replaces each matmul by the launch of a kernel in `gpu.module @kernels`. The
    kernel is the tile program: one thread of control, a loop over the tiles that
    its scheduler assigns and a loop over K-blocks. The host computes the grid
    (one CTA per tile, at most `sms` of the configuration) and launches nothing
    where the output is empty. With `cta_group = 2` a tile belongs to a pair of
    CTAs, launched as a cluster: each loads its rows of A and half of the columns
    of B, the pair multiplies, and each stores its rows of D. Sizes that are not static become `i32` arguments.
    The epilogue reads `epilogue_subtile` columns of the accumulator at a time and
    stores them from registers, or with `epilogue = tma_store` from a store buffer
    in shared memory, whose swizzle is as wide as its rows allow.
    The matmul's operands must be memrefs and its configuration complete. Where they
    are parts of one buffer that are known to have elements in common with D, it is refused.
    So is an epilogue that does not use the accumulator: nothing would read it.
    The host checks what is known only at run time (`cf.assert`): that sizes of the operands agree, that
    coordinates and work items fit into 32 bits, that rows of D do not overlap.

    Before:

    ```mlir
    tmm.matmul transpose_b config <tile = <shape = 128x64x64, ...>, ...> ins(%a, %b : ...) outs(%d : ...)
    ```

    After:

    ```mlir
    scf.if %some_tiles {
      cf.assert %same, "operand A: dimension 0 must have as many elements as dimension 0 of operand D"
      gpu.launch_func @kernels::@f_matmul blocks in (%grid, %c1, %c1)
        threads in (%c128, %c1, %c1) args(%a, %b, %d, %m, ...)
    }
    gpu.func @f_matmul(%a, %b, %d, %m, ...) kernel {
      %sched = tmm.scheduler static(%m, %n, %k) tile [128, 64, 64] : !tmm.scheduler
      scf.while (%work = %first) ... {
        %row, %col, %block, %count = tmm.work_tile %sched, %work : i32
        scf.for %i = 0 to %count { tmm.load; tmm.load; tmm.mma }
        scf.for %column = 0 to 64 step 32 { tmm.read; tmm.stage; tmm.unload }
      }
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_100a\"",
           "The target of the kernels">,
    Option<"features", "features", "std::string", /*default=*/"",
           "The PTX version of the kernels, as the NVPTX back end names it "
           "(+ptx88); the least one of the chip where empty">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::tc::tmm::TMMDialect"];
}

def DropProblemsPass : Pass<"tmm-drop-problems"> {
  let summary = "Remove the statements of what launches compute";
  let description = [{
    The kernel description and diagnostics read `tmm.problem`. Once host code goes
    on to upstream's lowerings, no pass reads it. `tmm.reinterpret` becomes a
    `builtin.unrealized_conversion_cast`: in LLVM both of its types are one.

    Before:

    ```mlir
    tmm.problem ins(%a, %b : ...) outs(%d : ...)
    gpu.launch_func @kernels::@host_matmul ...
    ```

    After:

    ```mlir
    gpu.launch_func @kernels::@host_matmul ...
    ```
  }];
}

def MaterializePipelinesPass : Pass<"tmm-materialize-pipelines"> {
  let summary = "Carry tiles between engines in pipelines of depth 1";
  let description = [{
    Replaces every `tmm.alloc` that one engine writes and another reads by a slot
    of a pipeline. Buffers of one block with the same engines and roles at both
    ends share a pipeline, whose slot is their tuple. Acquire and commit go around the first and last
    writer, wait and release around the first and last reader, in the block of the
    buffer; the state of each end is carried through every loop around it, and the
    producer's tail ends the kernel. Nothing is peeled or reordered: a deeper
    pipeline is a matter of its type alone (`tmm-pipeline`).

    Readers may be in branches and loops of that block, and so may writers of an
    engine that commits or of threads. An engine whose bytes are counted (a TMA load,
    a work request) writes its buffer once and in that block: the barrier of a slot
    expects its bytes once, whether a branch is taken or not.

    Before:

    ```mlir
    scf.for %i = %c0 to %count step %c1 : i32 {
      %a = tmm.alloc : <128x64xbf16, smem>
      tmm.load %source[%row, %k], %a : ...
      tmm.mma %a, %b, %acc accumulate(%more) : ...
    }
    ```

    After:

    ```mlir
    %ring = tmm.pipeline : !tmm.pipeline<(<128x64xbf16, smem>, ...), depth = 1>
    %s:2 = scf.for ... iter_args(%p = %start, %c = %start) {
      %a0, %b0 = tmm.producer_acquire %ring[%p] : ...
      tmm.load %source[%row, %k], %a0 : ...
      %p1 = tmm.producer_commit %ring[%p] : ...
      %a1, %b1 = tmm.consumer_wait %ring[%c] : ...
      tmm.mma %a1, %b1, %acc accumulate(%more) : ...
      %c1 = tmm.consumer_release %ring[%c] : ...
      scf.yield %p1, %c1
    }
    tmm.producer_tail %ring[%s#0] : ...
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::tc::tmm::TMMDialect"];
}

def ReleaseEarlyPass : Pass<"tmm-release-early"> {
  let summary = "Release a slot in the last iteration of the loop that reads it";
  let description = [{
    Where threads read a slot in a loop and release it after the loop, as the
    epilogue reads an accumulator, moves the release to the last iteration, after
    the last op that reads the slot there. What the iteration does with the data,
    the stores of the last columns, then does not keep the producer from the
    slot. The loop has constant bounds and at least one iteration; other loops are
    left alone, as are slots that another engine reads.

    Before:

    ```mlir
    %acc = tmm.consumer_wait %accs[%c] : ...
    scf.for %column = %c0 to %c256 step %c32 : i32 {
      %r = tmm.read %acc[%column] if %written : ...
      tmm.store %r, %d[%row, %col] : ...
    }
    %c1 = tmm.consumer_release %accs[%c] : ...
    ```

    After:

    ```mlir
    %acc = tmm.consumer_wait %accs[%c] : ...
    %c1 = scf.for %column = %c0 to %c256 step %c32 iter_args(%unread = %c) : i32 {
      %r = tmm.read %acc[%column] if %written : ...
      %last = arith.cmpi eq, %column, %c224 : i32
      %n = scf.if %last {
        %released = tmm.consumer_release %accs[%c] : ...
        scf.yield %released
      } else {
        scf.yield %c
      }
      tmm.store %r, %d[%row, %col] : ...
      scf.yield %n
    }
    ```
  }];
  let statistics = [
    Statistic<"numReleased", "released", "Number of slots that are released inside their loop">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tc::tmm::TMMDialect"];
}

def PipelinePass : Pass<"tmm-pipeline"> {
  let summary = "Give every pipeline its depth";
  let description = [{
    Makes every pipeline of one slot as deep as its `stages` say; one that has more
    keeps them. Only types change: the number of transactions that an end carries
    selects slot and parity when the pipeline is lowered.

    Before:

    ```mlir
    %ring = tmm.pipeline stages(4) : !tmm.pipeline<(!tile), depth = 1>
    ```

    After:

    ```mlir
    %ring = tmm.pipeline stages(4) : !tmm.pipeline<(!tile), depth = 4>
    ```
  }];
  let dependentDialects = ["::tc::tmm::TMMDialect"];
}

def AssignRolesPass : Pass<"tmm-assign-roles"> {
  let summary = "Give every op on tiles a role";
  let description = [{
    In kernels that declare roles (`tmm.role`), gives each op on tiles that has no
    role the one that `drives` its engine. Any other assignment is a matter of
    writing `role(...)` on the ops, by hand or by another pass before this one.

    Before:

    ```mlir
    tmm.role "load" warps(1) drives [#sm90.tma]
    tmm.load %a[%row, %k], %tile by(#sm90.tma) : memref<?x?xbf16>, !tile
    ```

    After:

    ```mlir
    tmm.role "load" warps(1) drives [#sm90.tma]
    tmm.load %a[%row, %k], %tile by(#sm90.tma) role("load") : memref<?x?xbf16>, !tile
    ```
  }];
  let statistics = [
    Statistic<"numAssigned", "ops", "Number of ops that were given a role">,
  ];
  let dependentDialects = ["::tc::tmm::TMMDialect"];
}

def WarpSpecializePass : Pass<"tmm-warp-specialize", "::mlir::ModuleOp"> {
  let summary = "Cut a kernel into the roles that it declares";
  let description = [{
    Cuts the thread of control of each kernel that declares roles (`tmm.role`) at
    its pipelines. Each role keeps the loops and the ops that name it; the roles
    meet in pipelines alone. An op with effects that no role claims is refused.
    Loads run ahead by the depth of their pipeline, and with two accumulators the
    epilogue of a tile runs beside the main loop of the next.

    A role with `turns` becomes as many regions: each executes its iterations of the
    loop that the role names, and only counts the transactions of the others.

    Loops and branches that carry what another role computes carry it no longer
    in this role: what they carried is poison, and an op of this role that
    would read it is refused.

    Before:

    ```mlir
    tmm.role "load" warps(1) drives [#sm90.tma]
    tmm.role "mma" warps(1) drives [#tcgen05.mma]
    scf.for ... {
      producer_acquire %ring; tmm.load role("load"); producer_commit %ring
      consumer_wait %ring; tmm.mma role("mma"); consumer_release %ring
    }
    ```

    After:

    ```mlir
    tmm.warp_specialize "load" warps(1) elected {
      scf.for ... { producer_acquire %ring; tmm.load; producer_commit %ring }
    } "mma" warps(1) elected {
      scf.for ... { consumer_wait %ring; tmm.mma; consumer_release %ring }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
                           "::tc::tmm::TMMDialect"];
}

def SkewPipelinesPass : Pass<"tmm-skew-pipelines"> {
  let summary = "Load ahead in one thread of control";
  let description = [{
    The alternative to `tmm-warp-specialize`, for kernels without roles: a loop that fills, reads and releases one slot of a pipeline of depth D in
    each iteration reads slot i and then fills the one of iteration i + D - 1. The
    first D - 1 are filled before the loop. Nothing else changes: the ends
    make the same transactions in the same order, and each carries its state.

    Before:

    ```mlir
    scf.for %i = %c0 to %count step %c1 iter_args(%p = %start, %c = %start) {
      %a0 = tmm.producer_acquire %ring[%p]
      tmm.load %source[%row, %k(i)], %a0
      %p1 = tmm.producer_commit %ring[%p]
      %a1 = tmm.consumer_wait %ring[%c]
      tmm.mma %a1, ...
      %c1 = tmm.consumer_release %ring[%c]
      scf.yield %p1, %c1
    }
    ```

    After, with a depth of 4:

    ```mlir
    %ahead = scf.for %j = %c0 to min(3, %count) step %c1 iter_args(%p = %start) {
      acquire; load of block j; commit
    }
    scf.for %i = %c0 to %count step %c1 iter_args(%p = %ahead, %c = %start) {
      wait; mma; release
      %p1 = scf.if %i + 3 < %count { acquire; load of block i + 3; commit }
      scf.yield %p1, %c1
    }
    ```
  }];
  let statistics = [
    Statistic<"numSkewed", "pipelines", "Number of pipelines that are filled ahead">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tc::tmm::TMMDialect"];
}

def LowerSchedulerPass : Pass<"tmm-lower-scheduler"> {
  let summary = "Make numbers of schedulers and work items";
  let description = [{
    Asks the rule of each scheduler (`SchedulerAttrInterface`) which numbers a work
    item consists of, and for the arithmetic on them. Work items that loops
    and branches carry become those numbers. Runs when roles are cut: every
    role computes its work for itself.

    Before:

    ```mlir
    %sched = tmm.scheduler #tmm.static(%m, %n, %k) tile [128, 64, 32] : !tmm.scheduler
    %first = tmm.first_work %sched : !tmm.work
    scf.while (%w = %first) : (!tmm.work) -> !tmm.work {
      %valid = tmm.work_valid %sched, %w : i1
      scf.condition(%valid) %w : !tmm.work
    } do {
    ^bb0(%w: !tmm.work):
      %row, %col, %block, %count = tmm.work_tile %sched, %w : i32
      ...
      %next = tmm.next_work %sched, %w : !tmm.work
      scf.yield %next : !tmm.work
    }
    ```

    After, with tilesM = ceildiv(%m, 128) and tiles = tilesM * ceildiv(%n, 64):

    ```mlir
    %cta = gpu.block_id x
    scf.while (%w = %cta) : (i32) -> i32 {
      %valid = arith.cmpi ult, %w, %tiles : i32
      scf.condition(%valid) %w : i32
    } do {
    ^bb0(%w: i32):
      %tm = arith.remui %w, %tilesM : i32
      %row = arith.muli %tm, %c128 : i32
      ...
      %next = arith.addi %w, %ctas : i32
      scf.yield %next : i32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect"];
}

def UnrollColumnsPass : Pass<"tmm-unroll-columns"> {
  let summary = "Unroll the loops over the columns of a register tile";
  let description = [{
    Registers have no addresses: where the column of a `tmm.extract_columns` depends on the
    induction variable of a loop with constant bounds, the loop is unrolled, and the
    column becomes a constant. Loops that never run stay, those of more iterations than
    the tile has columns are refused.

    Runs when pipelines are lowered: before, the slots that the loop goes through would
    become as many pipelines.

    Before:

    ```mlir
    scf.for %column = %c0 to %c64 step %c32 : i32 {
      %r = tmm.extract_columns %sum[%column] : vector<128x64xf32> -> vector<128x32xf32>
      "use"(%r) : (vector<128x32xf32>) -> ()
    }
    ```

    After:

    ```mlir
    %r0 = vector.extract_strided_slice %sum {offsets = [0, 0], sizes = [128, 32], strides = [1, 1]}
      : vector<128x64xf32> to vector<128x32xf32>
    "use"(%r0) : (vector<128x32xf32>) -> ()
    %r1 = vector.extract_strided_slice %sum {offsets = [0, 32], sizes = [128, 32], strides = [1, 1]}
      : vector<128x64xf32> to vector<128x32xf32>
    "use"(%r1) : (vector<128x32xf32>) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def DistributePass : Pass<"tmm-distribute"> {
  let summary = "Deal register tiles to the threads";
  let description = [{
    A register tile of the CTA becomes what one thread holds of it, a vector of
    rank 1. Which elements that are says the layout that the ops name which make or take
    the tile (any attribute with `RegisterLayoutAttrInterface`, as
    `#tcgen05.rows`); elementwise ops, splats, slices and control flow have the layout of
    the tiles around them. `tmm.fetch` and `tmm.store` become the accesses of a thread:
    16 bytes wide, or as wide as what it holds of a row, where rows are aligned and
    inside the matrix, else in the largest chunks that are inside or outside as a whole.
    `tmm.read`, `tmm.mma` and `tmm.stage` stay for the matrix unit's conversion.

    Runs when roles are cut and the kernel's interface is lowered: a thread has a number
    in its role, and a matrix a memref in global memory.

    Before:

    ```mlir
    %r = tmm.read %acc[%column] if %written layout(#tcgen05.rows)
      : !acc -> vector<128x32xf32>
    %h = arith.truncf %r : vector<128x32xf32> to vector<128x32xbf16>
    tmm.store %h, %d[%row, %col] layout(#tcgen05.rows)
      : vector<128x32xbf16>, memref<?x256xbf16, #gpu.address_space<global>>
    ```

    After:

    ```mlir
    %r = tmm.read %acc[%column] if %written layout(#tcgen05.rows)
      : !acc -> vector<32xf32>
    %h = arith.truncf %r : vector<32xf32> to vector<32xbf16>
    %own = arith.addi %row, %thread : i32
    %inside = arith.cmpi slt, %own, %rows : i32
    scf.if %inside {
      // four stores of vector<8xbf16>, or what is inside
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // TC_DIALECT_TMM_TRANSFORMS_PASSES_TD
