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
include "tc/Dialect/TMM/IR/TMMDialect.td"
include "tc/Dialect/TMM/IR/TMMInterfaces.td"
include "tc/Dialect/TMM/IR/TMMTypes.td"

//===----------------------------------------------------------------------===//
// Scheduler
//===----------------------------------------------------------------------===//

def TMM_SchedulerOp : TMM_Op<"scheduler", [Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "describe how the output tiles are dealt to the CTAs";
  let description = [{
    Names the tile space of a problem: `ceildiv(M, tileM) * ceildiv(N, tileN)`
    output tiles, each summed over `ceildiv(K, tileK)` K-blocks. `static` means
    that CTA `c` of `g` computes the tiles `c, c + g, c + 2g, ...`.

    Tiles are numbered in bands of `raster` rows of tiles, column by column inside
    a band, so that tiles computed at the same time share rows of A and columns
    of B in the L2 cache; `raster` 0 makes all rows one band (M fastest). The last
    band may be lower. With band height h (`raster`, or what is left):

    ```
    band = tile / (raster * tilesN);  i = tile mod (raster * tilesN)
    row = band * raster + i mod h;    column = i / h
    ```

    A grid of one CTA per tile and a persistent grid
    are therefore the same program. With `ctas` 2 the CTAs 2p and 2p + 1 are a
    pair that computes a tile together: the tiles are dealt to pairs, and both
    CTAs of a pair see the same work.

    With `batch` there are that many problems of the same size, one after the other:
    the tiles of the second follow those of the first.

    Operands: the extents M, N and K in elements and the number of problems (`i32`,
    not negative).

    Example:

    ```mlir
    %sched = tmm.scheduler static(%m, %n, %k) tile [128, 128, 64] raster 8 : !tmm.scheduler
    %many = tmm.scheduler static(%m, %n, %k) batch %count tile [128, 128, 64] : !tmm.scheduler
    ```
  }];
  let arguments = (ins I32:$m, I32:$n, I32:$k, Optional<I32>:$batch,
                       DenseI64ArrayAttr:$tile,
                       DefaultValuedAttr<ConfinedAttr<I64Attr,
                           [IntMinValue<1>, IntMaxValue<2>]>, "1">:$ctas,
                       DefaultValuedAttr<ConfinedAttr<I64Attr,
                           [IntNonNegative]>, "0">:$raster);
  let results = (outs TMM_SchedulerType:$scheduler);
  let assemblyFormat = [{
    `static` `` `(` $m `,` $n `,` $k `)` (`batch` $batch^)? `tile` $tile
    (`ctas` $ctas^)? (`raster` $raster^)? attr-dict
    `:` type($scheduler)
  }];
  let hasVerifier = 1;
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

// For rows and columns: whether all elements of a register tile are inside the
// matrix.
def TMM_InBounds : DefaultValuedAttr<
    ConfinedAttr<DenseBoolArrayAttr, [DenseArrayCount<2>]>, "{false, false}">;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

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

def TMM_AllocOp : TMM_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a tile buffer in a named memory space";
  let description = [{
    The buffer lives until the end of the block that holds the op; its contents
    are undefined until written. `tmm-materialize-pipelines` replaces every
    buffer that carries data from one engine to another by a pipeline.

    Example:

    ```mlir
    %a = tmm.alloc : <128x64xbf16, smem>
    %acc = tmm.alloc : <128x128xf32, tmem>
    ```
  }];
  let results = (outs TMM_BufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def TMM_LoadOp : TMM_Op<"load", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copy a tile of an operand from global to shared memory";
  let description = [{
    `buffer[i, k] = source[row + i, kcol + k]`, or
    `source[kcol + k, row + i]` with `transposed` (the operand is stored with
    its K dimension first). Elements outside `source` read as zero, so that a
    tail contributes nothing to the sum.

    Operands: `source`, a matrix in global memory with unit innermost stride, or a batch
    of them with its indices as `batch`;
    `row` (M of A or N of B) and `kcol`, `i32`, in elements; `buffer`, a tile in
    shared memory, (M or N) x K; `cache_hint`, what the L2 cache does with the
    tile. Executed by the TMA engine.

    Example:

    ```mlir
    tmm.load %a[%row, %k], %tile transposed cache_hint evict_first
      : memref<?x?xbf16>, !tmm.buffer<128x64xbf16, smem>
    tmm.load %v[%row, %k] batch(%head), %tile
      : memref<12x?x64xbf16>, !tmm.buffer<128x64xbf16, smem>
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$source, I32:$row, I32:$kcol,
                       TMM_BufferType:$buffer, Variadic<I32>:$batch,
                       UnitAttr:$transposed,
                       DefaultValuedAttr<TMM_CacheHint,
                           "::tc::tmm::CacheHint::none">:$cache_hint);
  let assemblyFormat = [{
    $source `[` $row `,` $kcol `]` (`batch` `(` $batch^ `)`)? `,` $buffer
    (`transposed` $transposed^)? (`cache_hint` $cache_hint^)? attr-dict
    `:` type($source) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def TMM_MmaOp : TMM_Op<"mma", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["getScope"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "multiply two tiles into an accumulator tile";
  let description = [{
    `acc[m, n] = (accumulate ? acc[m, n] : 0) + sum_k a[m, k] * b[n, k]`

    Operands: `a` (M x K) and `b` (N x K) in shared memory, `acc` (M x N) in
    tensor memory, `accumulate`, an `i1`. Executed by the tensor core: products
    are summed in the accumulator's element type by the rules of the matrix
    unit, in ascending K.

    With `pair` two CTAs execute the op as one. Each holds its own rows of A and
    of the accumulator and half of the columns of B: `b` is (N / 2) x K, and in
    the formula it is the even CTA's `b` above the odd CTA's.

    Example:

    ```mlir
    tmm.mma %a, %b, %acc accumulate(%more)
      : !tmm.buffer<128x64xbf16, smem>, !tmm.buffer<64x64xbf16, smem>,
        !tmm.buffer<128x64xf32, tmem>
    tmm.mma %a, %b, %acc accumulate(%more) pair
      : !tmm.buffer<128x64xbf16, smem>, !tmm.buffer<128x64xbf16, smem>,
        !tmm.buffer<128x256xf32, tmem>
    ```
  }];
  let arguments = (ins TMM_BufferType:$a, TMM_BufferType:$b,
                       TMM_BufferType:$acc, I1:$accumulate, UnitAttr:$pair);
  let assemblyFormat = [{
    $a `,` $b `,` $acc `accumulate` `` `(` $accumulate `)` (`pair` $pair^)? attr-dict
    `:` type($a) `,` type($b) `,` type($acc)
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

    Operands: `acc` (M x N) in tensor memory, `column` (`i32`, a multiple of the
    result's width), `written` (`i1`). The result is the CTA's view of a register
    tile, M x width; each thread holds part of it.

    Example:

    ```mlir
    %r = tmm.read %acc[%column] if %written
      : !tmm.buffer<128x128xf32, tmem> -> vector<128x32xf32>
    ```
  }];
  let arguments = (ins TMM_BufferType:$acc, I32:$column, I1:$written);
  let results = (outs VectorOfRankAndType<[2], [AnyFloat]>:$result);
  let assemblyFormat = [{
    $acc `[` $column `]` `if` $written attr-dict
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
    that nothing is outside. `batch` are the indices of the dimensions in front.

    Example:

    ```mlir
    %c = tmm.fetch %d[%row, %col] in_bounds [false, true]
      : memref<?x256xf32> -> vector<128x32xf32>
    %v = tmm.fetch %bias[%row, %col] along n : memref<?xf32> -> vector<128x32xf32>
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$source, I32:$row, I32:$col,
                       Variadic<I32>:$batch, OptionalAttr<TMM_Along>:$along, TMM_InBounds:$in_bounds);
  let results = (outs VectorOfRankAndType<[2], [AnyFloat]>:$result);
  let assemblyFormat = [{
    $source `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? (`along` $along^)? (`in_bounds` $in_bounds^)? attr-dict
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
    outside. `batch` are the indices of the dimensions in front.

    Example:

    ```mlir
    tmm.store %r, %d[%row, %col] in_bounds [false, true]
      : vector<128x32xf32>, memref<?x256xf32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[2], [AnyFloat]>:$value,
                       AnyStridedMemRef:$target, I32:$row, I32:$col,
                       Variadic<I32>:$batch, TMM_InBounds:$in_bounds);
  let assemblyFormat = [{
    $value `,` $target `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? (`in_bounds` $in_bounds^)? attr-dict
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
    shape and element type in shared memory. Executed by the threads.

    Example:

    ```mlir
    tmm.stage %r, %staging
      : vector<128x32xbf16>, !tmm.buffer<128x32xbf16, smem, <n_major, swizzle = 64>>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[2], [AnyFloat]>:$value,
                       TMM_BufferType:$buffer);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
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
    indices as `batch`; `row` and `col`, `i32`, in elements. Executed by the TMA
    engine on behalf of one of the threads.

    Example:

    ```mlir
    tmm.unload %staging, %d[%row, %col]
      : !tmm.buffer<128x32xbf16, smem, <n_major, swizzle = 64>>, memref<?x256xbf16>
    ```
  }];
  let arguments = (ins TMM_BufferType:$buffer, AnyStridedMemRef:$target,
                       I32:$row, I32:$col, Variadic<I32>:$batch);
  let assemblyFormat = [{
    $buffer `,` $target `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? attr-dict
    `:` type($buffer) `,` type($target)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Programmatic dependent launch
//===----------------------------------------------------------------------===//

def TMM_WaitPrerequisitesOp : TMM_Op<"wait_prerequisites", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait until the kernels in front of this one have ended";
  let description = [{
    Returns when the grids that this one was launched behind have completed and
    what they wrote is visible. What stands in front of it may overlap with them:
    it must not touch memory that they use. Every role that reads or writes global
    memory executes it first.

    Example:

    ```mlir
    tmm.wait_prerequisites
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def TMM_LaunchDependentsOp : TMM_Op<"launch_dependents", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "let the kernels behind this one start";
  let description = [{
    The grids that wait for this one may be launched when all of its CTAs have
    executed the op or have ended. It says nothing about memory: a dependent
    grid waits for that itself (`tmm.wait_prerequisites`). It stands behind the
    last load, when every CTA has its shared memory and Tensor Memory.

    Example:

    ```mlir
    tmm.launch_dependents
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TC_DIALECT_TMM_IR_TMMTILEOPS_TD
