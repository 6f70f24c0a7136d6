//===- TMMTileOps.td - tile program ops of the TMM dialect -*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile program: one kernel, one thread of control, a loop over output
// tiles and a loop over K-blocks. Every op works on a whole tile of the CTA;
// who executes it and how it is synchronised is decided further down.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMTILEOPS_TD
#define TC_DIALECT_TMM_IR_TMMTILEOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TMM/IR/TMMAgents.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"
include "tc/Dialect/TMM/IR/TMMEnums.td"
include "tc/Dialect/TMM/IR/TMMInterfaces.td"
include "tc/Dialect/TMM/IR/TMMSchedulerAttrs.td"
include "tc/Dialect/TMM/IR/TMMTypes.td"
include "tc/Support/Interfaces.td"

//===----------------------------------------------------------------------===//
// Scheduler
//===----------------------------------------------------------------------===//

def TMM_SchedulerOp : TMM_Op<"scheduler", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "describe how the output tiles are dealt to the CTAs";
  let description = [{
    Names the tile space of a problem: `ceildiv(M, tileM) * ceildiv(N, tileN)`
    output tiles, each summed over `ceildiv(K, tileK)` K-blocks. `rule` deals them
    (any attribute with `SchedulerAttrInterface`, as `#tmm.static`).

    With `ctas` C the CTAs Cp to Cp + C - 1 are a cluster that computes a tile
    together: the tiles are dealt to clusters, and all CTAs of a cluster see the
    same work.

    With `batch` there are that many problems of the same size.

    Operands: the extents M, N and K in elements and the number of problems (`i32`,
    not negative).

    Example:

    ```mlir
    %sched = tmm.scheduler #tmm.static<raster = 8>(%m, %n, %k) tile [128, 128, 64] : !tmm.scheduler
    %many = tmm.scheduler #tmm.static(%m, %n, %k) batch %count tile [128, 128, 64] : !tmm.scheduler
    ```
  }];
  let arguments = (ins TMM_SchedulerAttrInterface:$rule, I32:$m, I32:$n, I32:$k,
                       Optional<I32>:$batch, DenseI64ArrayAttr:$tile,
                       DefaultValuedAttr<ConfinedAttr<I64Attr,
                           [IntMinValue<1>, IntMaxValue<16>]>, "1">:$ctas);
  let results = (outs TMM_SchedulerType:$scheduler);
  let assemblyFormat = [{
    $rule `` `(` $m `,` $n `,` $k `)` (`batch` $batch^)? `tile` $tile
    (`ctas` $ctas^)? attr-dict `:` type($scheduler)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The tiles that are dealt, as the rule sees them.
    TileSpace getTileSpace() {
      return {getM(), getN(), getK(), getBatch(), getTile(),
              static_cast<int64_t>(getCtas())};
    }
  }];
}

def TMM_FirstWorkOp : TMM_Op<"first_work", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the first work item of this CTA";
  let description = [{
    Example:

    ```mlir
    %work = tmm.first_work %sched : !tmm.work
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler);
  let results = (outs TMM_WorkType:$work);
  let assemblyFormat = "$scheduler attr-dict `:` type($work)";
}

def TMM_NextWorkOp : TMM_Op<"next_work", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the work item after the given one";
  let description = [{
    Defined for every work item, also for an invalid one, whose successor is
    invalid too.

    Example:

    ```mlir
    %next = tmm.next_work %sched, %work : !tmm.work
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler, TMM_WorkType:$work);
  let results = (outs TMM_WorkType:$next);
  let assemblyFormat = "$scheduler `,` $work attr-dict `:` type($next)";
}

def TMM_WorkAtOp : TMM_Op<"work_at", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the work item of the CTAs with a number";
  let description = [{
    The first work item of the group of CTAs number `number` (`i32`, counted in
    groups that share their work), and the end of work where it is negative: a
    CTA that has taken over the work of others asks for it so.

    Example:

    ```mlir
    %work = tmm.work_at %sched, %number : !tmm.work
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler, I32:$number);
  let results = (outs TMM_WorkType:$work);
  let assemblyFormat = "$scheduler `,` $number attr-dict `:` type($work)";
}

def TMM_WorkValidOp : TMM_Op<"work_valid", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "whether a work item names a tile";
  let description = [{
    False ends the tile loop.

    Example:

    ```mlir
    %valid = tmm.work_valid %sched, %work : i1
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler, TMM_WorkType:$work);
  let results = (outs I1:$valid);
  let assemblyFormat = "$scheduler `,` $work attr-dict `:` type($valid)";
}

def TMM_WorkTileOp : TMM_Op<"work_tile", [Pure]> {
  let summary = "the coordinates of a work item";
  let description = [{
    Results, all `i32`: the first row and the first column of the output tile
    in elements, the first K-block, and the number of K-blocks (`>= 0`, not
    the same for every tile: no pass may assume that it is positive). Only
    defined for a valid work item.

    Example:

    ```mlir
    %row, %col, %block, %count = tmm.work_tile %sched, %work : i32
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler, TMM_WorkType:$work);
  let results = (outs I32:$row, I32:$col, I32:$firstBlock, I32:$blockCount);
  let assemblyFormat = "$scheduler `,` $work attr-dict `:` type($row)";
}

def TMM_WorkBatchOp : TMM_Op<"work_batch", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the problem that a work item belongs to";
  let description = [{
    The number of the problem among those of `batch`, from 0 (`i32`); 0 without it.
    Only defined for a valid work item.

    Example:

    ```mlir
    %batch = tmm.work_batch %sched, %work : i32
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler, TMM_WorkType:$work);
  let results = (outs I32:$batch);
  let assemblyFormat = "$scheduler `,` $work attr-dict `:` type($batch)";
}

def TMM_WorkShareOp : TMM_Op<"work_share", [Pure]> {
  let summary = "the share of its tile that a work item sums up";
  let description = [{
    A tile may be the sum of several work items with different K-blocks. Results,
    both `i32`: the number of this one, from 0, and how many there are (at least
    1). Only defined for a valid work item.

    Example:

    ```mlir
    %share, %shares = tmm.work_share %sched, %work : i32
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler, TMM_WorkType:$work);
  let results = (outs I32:$share, I32:$shares);
  let assemblyFormat = "$scheduler `,` $work attr-dict `:` type($share)";
}

// For rows and columns: whether all elements of a register tile are inside the
// matrix.
def TMM_InBounds : DefaultValuedAttr<
    ConfinedAttr<DenseBoolArrayAttr, [DenseArrayCount<2>]>, "{false, false}">;

// What copies of whole tiles read or write in global memory.
def TMM_GlobalTensor : AnyTypeOf<[AnyStridedMemRef, TC_TensorHandleType]>;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

def TMM_AllocOp : TMM_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a tile buffer in a memory space";
  let description = [{
    The buffer lives until the end of the block that holds the op; its contents
    are undefined until written. `tmm-materialize-pipelines` replaces every
    buffer that carries data from one engine to another by a pipeline, which
    `tmm-pipeline` makes `stages` slots deep.

    Example:

    ```mlir
    %a = tmm.alloc stages(4) : <128x64xbf16, #sm90.smem<k_major, b128>>
    %acc = tmm.alloc : <128x128xf32, #tcgen05.tmem>
    ```
  }];
  let arguments = (ins DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>,
                           "1">:$stages);
  let results = (outs TMM_BufferType:$buffer);
  let assemblyFormat = [{
    (`stages` `(` $stages^ `)`)? attr-dict `:` type($buffer)
  }];
}

def TMM_LoadOp : TMM_Op<"load", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["getTargets", "setSignal"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copy a tile of an operand from global to shared memory";
  let description = [{
    `buffer[i, k] = source[row + i, kcol + k]`, or
    `source[kcol + k, row + i]` with `transposed` (the operand is stored with
    its K dimension first). Elements outside `source` read as zero, so that a
    tail contributes nothing to the sum.

    Scale factors lie in blocks of 128 rows and 4 columns. With `blocked` the source
    is a matrix of them, of rank 5 (`tmm.matmul` says how): `buffer[i, k] = source[r / 128, c / 4,
    r mod 32, r mod 128 / 32, c mod 4]` with r = row + i and c = kcol + k. There
    `row` and `kcol` are multiples of 128 and 4.

    Operands: `source`, a matrix in global memory with unit innermost stride, or a batch
    of them with its indices as `batch`, or the handle of one that the engine reads
    by itself (a tensor map), once the kernel's interface is lowered;
    `row` (M of A or N of B) and `kcol`, `i32`, in elements; `buffer`, a tile in
    shared memory, (M or N) x K; `cache_hint`, what the L2 cache does with the
    tile; `to`, the CTAs whose buffers receive the tile. There the op loads one
    part of it for each of them, every CTA its own: the parts together are the tile,
    and each CTA gets all of it. `signal` is the
    barrier that counts the bytes, once the pipeline of the buffer is lowered.

    Example:

    ```mlir
    tmm.load %a[%row, %k], %tile transposed cache_hint evict_first by(#sm90.tma)
      : memref<?x?xbf16>, !tile
    tmm.load %v[%row, %k] batch(%head), %tile to #tmm.ctas<2x4, along = [1]> by(#sm90.tma)
      : memref<12x?x64xbf16>, !tile
    tmm.load %map[%row, %k], %tile by(#sm90.tma) signal %full : !sm90.mbarrier
      : !sm90.tensor_map<128x64xbf16, b128>, !tile
    ```
  }];
  let arguments = (ins TMM_GlobalTensor:$source, I32:$row, I32:$kcol,
                       TMM_BufferType:$buffer, Variadic<I32>:$batch,
                       UnitAttr:$transposed, UnitAttr:$blocked,
                       DefaultValuedAttr<TMM_CacheHintAttr,
                           "::tc::tmm::CacheHint::none">:$cache_hint,
                       OptionalAttr<TMM_AgentSetParameter>:$to,
                       TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role,
                       Optional<AnyType>:$signal);
  let assemblyFormat = [{
    $source `[` $row `,` $kcol `]` (`batch` `(` $batch^ `)`)? `,` $buffer
    (`transposed` $transposed^)? (`blocked` $blocked^)? (`cache_hint` $cache_hint^)? (`to` $to^)? `by` `` `(` $by `)`
    (`role` `(` $role^ `)`)? (`signal` $signal^ `:` type($signal))? attr-dict
    `:` type($source) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def TMM_MmaOp : TMM_Op<"mma", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["getSpan"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "multiply two tiles into an accumulator";
  let description = [{
    `acc[m, n] = (accumulate ? acc[m, n] : 0) + sum_k a[m, k] * b[n, k]`

    With `scales` a block of elements along K has a factor, `a[m, k]` becomes
    `a[m, k] * scale_a[m, k / (K / J)]` and so does `b`, J being the columns of the
    factors. With `extent` (`i32`, at least 1) the sum is over k < `extent`, rounded
    up to the K of an instruction: what is behind is not read into the sum, which
    counts where a factor of it may be NaN.

    Operands: `a` (M x K) and `b` (N x K), tiles in memory spaces that the engine
    reads; `acc` (M x N), an accumulator, either a buffer that the engine writes or
    a value in the registers of the role that multiplies, which the op returns
    updated; `accumulate`, an `i1`. Products are summed in the accumulator's element
    type by the rules of the matrix unit, in ascending K.

    The op with a value is asynchronous: its result may be used by other ops only
    after a completion of the engine, which the release of its operands is. `layout`
    says which threads hold what of it; once it is dealt to them, the value is what a
    thread holds.

    With `over` several CTAs execute the op as one. Each holds its own rows of A and
    of the accumulator and a part of the columns of B: `b` is (N / CTAs) x K, and in
    the formula it is the first CTA's `b` above the second's.

    Each CTA holds the factors of its own rows of A and of all columns of B.

    * C1: `a` and `b` have the same K.
    * C2: `acc` has the rows of `a` and the rows of all `b`.
    * C3: `acc` is an operand and the result, or a buffer and no result.
    * C4: `scale_a` has a row for each of `a`, `scale_b` for each of all `b`, both
      the same number of columns, which divides K.
    * C5: a value of rank 1 is what a thread holds of the tile by `layout`.

    Example:

    ```mlir
    tmm.mma %a, %b, %acc accumulate(%more) by(#tcgen05.mma) : !a, !b, !acc
    tmm.mma %a, %b, %acc accumulate(%more) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma)
      : !a, !b, !acc
    tmm.mma %a, %b, %acc scales(%sfa, %sfb) extent(%rest) accumulate(%more) by(#tcgen05.mma)
      : !a, !b, !acc, !sfa, !sfb
    %sum = tmm.mma %a, %b, %old accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
      : !a, !b, vector<128x256xf32> -> vector<128x256xf32>
    ```
  }];
  let arguments = (ins TMM_BufferType:$a, TMM_BufferType:$b,
                       AnyTypeOf<[TMM_BufferType, TMM_RegisterTile]>:$acc,
                       Optional<TMM_BufferType>:$scale_a,
                       Optional<TMM_BufferType>:$scale_b,
                       Optional<I32>:$extent,
                       I1:$accumulate, OptionalAttr<TMM_AgentSetParameter>:$over,
                       TMM_EngineParameter:$by, TMM_OptionalRegisterLayout:$layout,
                       OptionalAttr<StrAttr>:$role);
  let results = (outs Optional<TMM_RegisterTile>:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`scales` `` `(` $scale_a^ `,` $scale_b `)`)?
    (`extent` `` `(` $extent^ `)`)?
    `accumulate` `` `(` $accumulate `)` (`over` $over^)? `by` `` `(` $by `)`
    (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict `:` type($a) `,` type($b) `,` type($acc)
    (`,` type($scale_a)^ `,` type($scale_b))?
    (`->` type($result)^)?
  }];
  let hasVerifier = 1;
}

def TMM_CopyOp : TMM_Op<"copy", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["getSpan"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copy a tile to another memory space";
  let description = [{
    `target[i, j] = source[i, j]`, in the order that the memory space of each asks
    for. With `over` several CTAs execute the op as one, each on its own buffers.

    Operands: `source` and `target`, tiles of the same shape and element type in
    different memory spaces.

    Example:

    ```mlir
    tmm.copy %scales, %columns by(#tcgen05.cp)
      : !tmm.buffer<128x4xf8E8M0FNU, #sm90.smem<blocked, none>>,
        !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>
    ```
  }];
  let arguments = (ins TMM_BufferType:$source, TMM_BufferType:$target,
                       OptionalAttr<TMM_AgentSetParameter>:$over,
                       TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $source `,` $target (`over` $over^)? `by` `` `(` $by `)`
    (`role` `(` $role^ `)`)? attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def TMM_ReadOp : TMM_Op<"read", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read columns of an accumulator into registers";
  let description = [{
    `result[m, j] = written ? acc[m, column + j] : 0`

    The accumulator of a tile with 0 K-blocks is zero by definition: with
    `written` false the op yields zeros without touching the accumulator.

    Operands: `acc` (M x N), an accumulator in memory, `column` (`i32`, a multiple of the
    result's width), `written` (`i1`). The result is the CTA's view of a register
    tile, M x width; each thread holds part of it, which part says `layout`. Once it is
    dealt to them, the result is what a thread holds.

    Example:

    ```mlir
    %r = tmm.read %acc[%column] if %written layout(#tcgen05.rows)
      : !tmm.buffer<128x128xf32, #tcgen05.tmem> -> vector<128x32xf32>
    ```
  }];
  let arguments = (ins TMM_BufferType:$acc, I32:$column, I1:$written,
                       TMM_OptionalRegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let results = (outs TMM_RegisterTile:$result);
  let assemblyFormat = [{
    $acc `[` $column `]` `if` $written (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict
    `:` type($acc) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TMM_FetchOp : TMM_Op<"fetch", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read a register tile from global memory";
  let description = [{
    `result[i, j] = source[row + i, col + j]`, and zero outside `source`. A vector
    is read `along m`, `result[i, j] = source[row + i]`, or `along n`,
    `result[i, j] = source[col + j]`. `in_bounds` promises for rows and for columns
    that nothing is outside. `batch` are the indices of the dimensions in front,
    `layout` says which threads get what.

    Example:

    ```mlir
    %c = tmm.fetch %d[%row, %col] in_bounds [false, true]
      : memref<?x256xf32> -> vector<128x32xf32>
    %v = tmm.fetch %bias[%row, %col] along n : memref<?xf32> -> vector<128x32xf32>
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$source, I32:$row, I32:$col,
                       Variadic<I32>:$batch, OptionalAttr<TMM_Along>:$along,
                       TMM_InBounds:$in_bounds, TMM_OptionalRegisterLayout:$layout,
                       OptionalAttr<StrAttr>:$role);
  let results = (outs VectorOfRankAndType<[2], [AnyFloat]>:$result);
  let assemblyFormat = [{
    $source `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? (`along` $along^)? (`in_bounds` $in_bounds^)?
    (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TMM_StoreOp : TMM_Op<"store", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "write a register tile to global memory";
  let description = [{
    `target[row + i, col + j] = value[i, j]`; elements outside `target` are
    dropped. `in_bounds` promises for rows and for columns that nothing is
    outside. `batch` are the indices of the dimensions in front, `layout` says which
    threads hold what.

    Example:

    ```mlir
    tmm.store %r, %d[%row, %col] in_bounds [false, true]
      : vector<128x32xf32>, memref<?x256xf32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[2], [AnyFloat]>:$value,
                       AnyStridedMemRef:$target, I32:$row, I32:$col,
                       Variadic<I32>:$batch, TMM_InBounds:$in_bounds,
                       TMM_OptionalRegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $value `,` $target `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? (`in_bounds` $in_bounds^)?
    (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict
    `:` type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}

def TMM_StageOp : TMM_Op<"stage", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "put a register tile into a store buffer";
  let description = [{
    `buffer[i, j] = value[i, j]`: the rows that the threads hold go to shared
    memory, from where `tmm.unload` takes them.

    Operands: `value`, a register tile of M x width; `buffer`, a tile of the same
    shape and element type in shared memory. Executed by the threads; which of them
    hold what says `layout`. Once the tile is dealt to them, `value` is what a thread
    holds.

    * C1: `buffer` has the shape and the element type of `value`, or of the tile that
      `value` is a thread's part of.

    Example:

    ```mlir
    tmm.stage %r, %staging
      : vector<128x32xbf16>, !tmm.buffer<128x32xbf16, #sm90.smem<n_major, b64>>
    ```
  }];
  let arguments = (ins TMM_RegisterTile:$value, TMM_BufferType:$buffer,
                       TMM_OptionalRegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $value `,` $buffer (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def TMM_UnloadOp : TMM_Op<"unload", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copy a store buffer from shared to global memory";
  let description = [{
    `target[row + i, col + j] = buffer[i, j]`; elements outside `target` are
    dropped. The opposite of `tmm.load`.

    Operands: `buffer`, a tile of D in shared memory, `n_major`; `target`, a matrix
    in global memory with unit innermost stride, or a batch of them with its
    indices as `batch`, or the handle of one; `row` and `col`, `i32`, in elements.

    Example:

    ```mlir
    tmm.unload %staging, %d[%row, %col] by(#sm90.tma_store)
      : !tmm.buffer<128x32xbf16, #sm90.smem<n_major, b64>>, memref<?x256xbf16>
    ```
  }];
  let arguments = (ins TMM_BufferType:$buffer, TMM_GlobalTensor:$target,
                       I32:$row, I32:$col, Variadic<I32>:$batch,
                       TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $buffer `,` $target `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? `by` `` `(` $by `)`
    (`role` `(` $role^ `)`)? attr-dict
    `:` type($buffer) `,` type($target)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Work as a payload
//===----------------------------------------------------------------------===//

def TMM_RequestWorkOp : TMM_Op<"request_work", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["getSpan", "setSignal"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "ask for the work of CTAs that have not started";
  let description = [{
    Writes to `buffer` which CTAs the engine `by` has taken the work from, or that
    there are none left. With `over` the CTAs of a cluster ask as one and each gets
    the answer in its own buffer. A request follows only a valid work item.

    Example:

    ```mlir
    tmm.request_work %answer by(#sm90.clc) : !tmm.buffer<1x2xi64, #sm90.smem<plain, none>>
    ```
  }];
  let arguments = (ins TMM_BufferType:$buffer,
                       OptionalAttr<TMM_AgentSetParameter>:$over,
                       TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role,
                       Optional<AnyType>:$signal);
  let assemblyFormat = [{
    $buffer (`over` $over^)? `by` `` `(` $by `)` (`role` `(` $role^ `)`)?
    (`signal` $signal^ `:` type($signal))? attr-dict `:` type($buffer)
  }];
}

def TMM_QueryWorkOp : TMM_Op<"query_work", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["isOfEveryRole"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read whose work was taken over";
  let description = [{
    The number of the first CTA whose work `tmm.request_work` has got, or -1
    (`i32`). Part of every role: all of them follow the same work.

    Example:

    ```mlir
    %cta = tmm.query_work %answer by(#sm90.clc) : !tmm.buffer<1x2xi64, #sm90.smem<plain, none>>
    ```
  }];
  let arguments = (ins TMM_BufferType:$buffer, TMM_EngineParameter:$by,
                       OptionalAttr<StrAttr>:$role);
  let results = (outs I32:$cta);
  let assemblyFormat = [{
    $buffer `by` `` `(` $by `)` (`role` `(` $role^ `)`)? attr-dict `:` type($buffer)
  }];
}

//===----------------------------------------------------------------------===//
// Programmatic dependent launch
//===----------------------------------------------------------------------===//

def TMM_WaitPrerequisitesOp : TMM_Op<"wait_prerequisites", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["isOfEveryRole"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait until the kernels before this one have ended";
  let description = [{
    Returns when the grids that this one was launched after have completed and
    what they wrote is visible. What comes before it may overlap with them: it must
    not touch memory that they use. Every role that reads or writes global memory
    executes it first.

    Example:

    ```mlir
    tmm.wait_prerequisites
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$role);
  let assemblyFormat = "(`role` `(` $role^ `)`)? attr-dict";
}

def TMM_LaunchDependentsOp : TMM_Op<"launch_dependents", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "let the kernels after this one start";
  let description = [{
    The grids that wait for this one may be launched when all of its CTAs have
    executed the op or have ended. It says nothing about memory: a dependent
    grid waits for that itself (`tmm.wait_prerequisites`). It comes after the last
    load, in the role of the engine `by` that loads, when every CTA has its
    memory.

    Example:

    ```mlir
    tmm.launch_dependents by(#sm90.tma)
    ```
  }];
  let arguments = (ins TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = "`by` `` `(` $by `)` (`role` `(` $role^ `)`)? attr-dict";
}

#endif // TC_DIALECT_TMM_IR_TMMTILEOPS_TD
