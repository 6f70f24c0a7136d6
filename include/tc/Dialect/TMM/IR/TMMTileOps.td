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
// later passes decide which warps execute it and how it is synchronised.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMTILEOPS_TD
#define TC_DIALECT_TMM_IR_TMMTILEOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TMM/IR/TMMAgents.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"
include "tc/Dialect/TMM/IR/TMMEnums.td"
include "tc/Dialect/TMM/IR/TMMInterfaces.td"
include "tc/Dialect/TMM/IR/TMMTypes.td"
include "tc/Dialect/TMM/IR/TMMWindows.td"
include "tc/Support/Interfaces.td"

// For rows and columns: whether all elements of a register tile are inside the
// matrix.
def TMM_InBounds : DefaultValuedAttr<
    ConfinedAttr<DenseBoolArrayAttr, [DenseArrayCount<2>]>, "{false, false}">;

// What copies of whole tiles read or write in global memory.
def TMM_GlobalTensor : AnyTypeOf<[AnyStridedMemRef, TC_TensorHandleType]>;

// What loads read, too: the matrix of the windows of images.
def TMM_WindowsMemRef : Type<CPred<"::tc::tmm::getWindowsLayout($_self) != nullptr">,
                             "memref with the layout #tmm.windows">;
def TMM_LoadSource
    : AnyTypeOf<[AnyStridedMemRef, TMM_WindowsMemRef, TC_TensorHandleType]>;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

def TMM_AllocOp : TMM_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a tile buffer in a memory space";
  let description = [{
    The buffer lives until the end of the block that holds the op; its contents
    are undefined until written. `tmm-materialize-pipelines` replaces every
    buffer that carries data from one engine to another by a pipeline, which
    `tmm-pipeline` makes `stages` slots deep, and whose slots readers release when
    they have issued work on the next one with `late_release` (`tmm.pipeline`).

    With `over` the buffer shares the memory of another one of the same block, as one that
    holds what is computed from it: its contents are undefined when it is written, and so are
    those of the other one from then on. All reads of the other one come before. A
    buffer shares its memory with one that comes after, which may share it in turn.

    * C1: `over` is the result of a `tmm.alloc` in the same block, with as many stages.
    * C2: the memory spaces of both share memory.

    Example:

    ```mlir
    %a = tmm.alloc stages(4) : <128x64xbf16, #sm90.smem<k_major, b128>>
    %acc = tmm.alloc : <128x128xf32, #tcgen05.tmem>
    %s = tmm.alloc stages(2) : !tile
    %p = tmm.alloc stages(2) over %s : !tile on !tile
    ```
  }];
  let arguments = (ins Optional<TMM_BufferType>:$over,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>,
                           "1">:$stages,
                       UnitAttr:$late_release);
  let results = (outs TMM_BufferType:$buffer);
  let assemblyFormat = [{
    (`stages` `(` $stages^ `)`)? (`late_release` $late_release^)? (`over` $over^)? attr-dict
    `:` type($buffer) (`on` qualified(type($over))^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, CArg<"int64_t", "1">:$stages,
                                CArg<"bool", "false">:$lateRelease), [{
    build($_builder, $_state, type, /*over=*/nullptr, stages, lateRelease);
  }]>];
  let hasVerifier = 1;
}

def TMM_LoadOp : TMM_Op<"load", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["getTargets", "setSignal"]>]> {
  let summary = "copy a tile of an operand from global to shared memory";
  let description = [{
    `buffer[i, k] = source[row + i, kcol + k]`, or
    `source[kcol + k, row + i]` with `transposed` (the operand is stored with
    its K dimension first). Elements outside `source` read as zero, so that a
    tail contributes nothing to the sum.

    Scale factors are stored in blocks of 128 rows and 4 columns. With `blocked` the source
    is a matrix of them, of rank 5 (`tmm.matmul` says how): `buffer[i, k] = source[r / 128, c / 4,
    r mod 32, r mod 128 / 32, c mod 4]` with r = row + i and c = kcol + k. There
    `row` and `kcol` are multiples of 128 and 4. Metadata of a sparse A, of i32 and rank 4, is in
    blocks, too: `buffer[i, k] = source[r / 128, c / 4, r mod 128, c mod 4]`, lanes and
    cells of Tensor Memory.

    `source` may have the layout `#tmm.windows`. Its rows are not at strides, so only an engine
    that computes the pixels can load it. Where it is a handle of the images, `windows` replaces the
    layout.

    Operands: `source`, a matrix in global memory with unit innermost stride, or a batch
    of them with its indices as `batch`, or the handle of one that the engine reads
    by itself (a tensor map), once the kernel's interface is lowered;
    `row` (M of A or N of B) and `kcol`, `i32`, in elements; `buffer`, a tile in
    shared memory, (M or N) x K; `cache_hint`, what the L2 cache does with the
    tile; `to`, the CTAs whose buffers receive the tile. There the op loads one
    part of it for each of them, every CTA its own: the parts together are the tile,
    and each CTA gets all of it. `signal` is the
    barrier that counts the bytes, once the pipeline of the buffer is lowered.

    * C1: the memory space of `buffer` takes as many parts as there are CTAs in `to`.
    * C2: with `windows` the source is a handle of the images, of as many dimensions and
      two more; neither is `transposed`, `blocked` or a batch.

    Example:

    ```mlir
    tmm.load %a[%row, %k], %tile transposed cache_hint evict_first by(#sm90.tma)
      : memref<?x?xbf16>, !tile
    tmm.load %v[%row, %k] batch(%head), %tile to #tmm.ctas<2x4, along = [1]> by(#sm90.tma)
      : memref<12x?x64xbf16>, !tile
    tmm.load %map[%row, %k], %tile by(#sm90.tma) signal %full : !sm90.mbarrier
      : !sm90.tensor_map<128x64xbf16, b128>, !tile
    tmm.load %images[%row, %k], %tile windows(<output = [8, 9], window = [3, 3],
      channels = 64, strides = [1, 1], dilations = [1, 1], padding = [1, 1]>) by(#sm90.tma) signal %full : !sm90.mbarrier
      : !sm90.tensor_map<128x64xbf16, b128, im2col = 4>, !tile
    ```
  }];
  let arguments = (ins Arg<TMM_LoadSource, "", [MemRead]>:$source,
                       I32:$row, I32:$kcol,
                       Arg<TMM_BufferType, "", [MemWrite]>:$buffer, Variadic<I32>:$batch,
                       UnitAttr:$transposed, UnitAttr:$blocked,
                       OptionalAttr<TMM_WindowsAttr>:$windows,
                       DefaultValuedAttr<TMM_CacheHintAttr,
                           "::tc::tmm::CacheHint::none">:$cache_hint,
                       OptionalAttr<TMM_AgentSetParameter>:$to,
                       TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role,
                       Optional<AnyType>:$signal);
  let assemblyFormat = [{
    $source `[` $row `,` $kcol `]` (`batch` `(` $batch^ `)`)? `,` $buffer
    (`transposed` $transposed^)? (`blocked` $blocked^)? (`windows` `(` $windows^ `)`)? (`cache_hint` $cache_hint^)? (`to` $to^)? `by` `` `(` $by `)`
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
    up to the K of an instruction: what is beyond is not read into the sum, which
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

    With `metadata`, blocks of 128 lanes and 4 cells for the rows of A, A is sparse: `a` is
    M x K/2, the elements that the metadata names (`tmm.matmul` says how), and the sum is over
    them alone. `extent` counts elements of `b`.

    * C1: `b` has the K of `a`, or twice as many columns with `metadata`.
    * C2: `acc` has the rows of `a` and the rows of all `b`.
    * C3: `acc` is an operand and the result, or a buffer and no result.
    * C4: `scale_a` has a row for each of `a`, `scale_b` for each of all `b`, both
      the same number of columns, which divides K.
    * C5: a value of rank 1 is what a thread holds of the tile by `layout`.
    * C6: `metadata` has 128 lanes, in blocks of 4 cells.

    Example:

    ```mlir
    tmm.mma %a, %b, %acc accumulate(%more) by(#tcgen05.mma) : !a, !b, !acc
    tmm.mma %kept, %b, %acc metadata(%which : !metadata) accumulate(%more) by(#tcgen05.mma)
      : !half_a, !b, !acc
    tmm.mma %a, %half, %sums accumulate(%more) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma)
      : !a, !half_b, !pair_acc
    tmm.mma %a8, %b8, %acc scales(%sfa, %sfb) extent(%rest) accumulate(%more) by(#tcgen05.mma)
      : !a8, !b8, !acc, !sfa, !sfb
    %sum = tmm.mma %a, %b, %old accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
      : !a, !b, vector<128x256xf32> -> vector<128x256xf32>
    ```
  }];
  let arguments = (ins TMM_BufferType:$a, TMM_BufferType:$b,
                       AnyTypeOf<[TMM_BufferType, TMM_RegisterTile]>:$acc,
                       Optional<TMM_BufferType>:$scale_a,
                       Optional<TMM_BufferType>:$scale_b,
                       Optional<TMM_BufferType>:$metadata,
                       Optional<I32>:$extent,
                       I1:$accumulate, OptionalAttr<TMM_AgentSetParameter>:$over,
                       TMM_EngineParameter:$by, TMM_OptionalRegisterLayout:$layout,
                       OptionalAttr<StrAttr>:$role);
  let results = (outs Optional<TMM_RegisterTile>:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`scales` `` `(` $scale_a^ `,` $scale_b `)`)?
    (`metadata` `` `(` $metadata^ `:` type($metadata) `)`)?
    (`extent` `` `(` $extent^ `)`)?
    `accumulate` `` `(` $accumulate `)` (`over` $over^)? `by` `` `(` $by `)`
    (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict `:` type($a) `,` type($b) `,` type($acc)
    (`,` type($scale_a)^ `,` type($scale_b))?
    (`->` type($result)^)?
  }];
  let hasVerifier = 1;
}

def TMM_CopyOp : TMM_Op<"copy", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["getSpan"]>]> {
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
  let arguments = (ins Arg<TMM_BufferType, "", [MemRead]>:$source,
                       Arg<TMM_BufferType, "", [MemWrite]>:$target,
                       OptionalAttr<TMM_AgentSetParameter>:$over,
                       TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $source `,` $target (`over` $over^)? `by` `` `(` $by `)`
    (`role` `(` $role^ `)`)? attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def TMM_ReadOp : TMM_Op<"read", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>]> {
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
  let arguments = (ins Arg<TMM_BufferType, "", [MemRead]>:$acc, I32:$column, I1:$written,
                       TMM_OptionalRegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let results = (outs TMM_RegisterTile:$result);
  let assemblyFormat = [{
    $acc `[` $column `]` `if` $written (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict
    `:` type($acc) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TMM_ExtractColumnsOp : TMM_Op<"extract_columns", [Pure]> {
  let summary = "columns of a register tile";
  let description = [{
    `result[m, j] = tile[m, column + j]`

    Does for an accumulator in registers what `tmm.read` does for one in memory. Registers
    have no addresses, so `column` must be constant when the tile is distributed to threads:
    `tmm-unroll-columns` unrolls a loop that counts it. With a constant column the
    op becomes `vector.extract_strided_slice`.

    Operands: `tile` (M x N), `column` (`i32`, at least 0, at most N less the result's
    width). The result is M x width; the width divides N.

    Example:

    ```mlir
    %r = tmm.extract_columns %sum[%column] : vector<128x256xf32> -> vector<128x32xf32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[2], [AnyFloat, I32]>:$tile, I32:$column);
  let results = (outs VectorOfRankAndType<[2], [AnyFloat, I32]>:$result);
  let assemblyFormat = [{
    $tile `[` $column `]` attr-dict `:` type($tile) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TMM_InsertColumnsOp : TMM_Op<"insert_columns", [Pure,
    TypesMatchWith<"result has the type of tile", "tile", "result", "$_self">]> {
  let summary = "a register tile with other columns";
  let description = [{
    `result[m, n] = tile[m, n]`, but `result[m, column + j] = part[m, j]`

    The opposite of `tmm.extract_columns`, with the same rule for `column`. With a constant
    column the op becomes `vector.insert_strided_slice`.

    Operands: `part` (M x width), `tile` (M x N), `column` (`i32`, at least 0, at most N less
    the width). The width divides N.

    Example:

    ```mlir
    %s = tmm.insert_columns %part, %sum[%column] : vector<128x32xf32>, vector<128x256xf32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[2], [AnyFloat, I32]>:$part,
                       VectorOfRankAndType<[2], [AnyFloat, I32]>:$tile, I32:$column);
  let results = (outs VectorOfRankAndType<[2], [AnyFloat, I32]>:$result);
  let assemblyFormat = [{
    $part `,` $tile `[` $column `]` attr-dict `:` type($part) `,` type($tile)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TMM_FetchOp : TMM_Op<"fetch", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>]> {
  let summary = "read a register tile from global memory";
  let description = [{
    `result[i, j] = source[row + i, col + j]`, and zero outside `source`. A vector
    is read `along m`, `result[i, j] = source[row + i]`, or `along n`,
    `result[i, j] = source[col + j]`; its elements may be any distance apart. A source without
    dimensions after those of its batch is one number, `result[i, j] = source`, which has to
    be there. `in_bounds` promises for rows and for columns
    that nothing is outside. `batch` are the indices of the leading dimensions,
    `layout` says which threads get what.

    Example:

    ```mlir
    %c = tmm.fetch %d[%row, %col] in_bounds [false, true]
      : memref<?x256xf32> -> vector<128x32xf32>
    %v = tmm.fetch %bias[%row, %col] along n : memref<?xf32> -> vector<128x32xf32>
    %s = tmm.fetch %factors[%row, %col] batch(%i, %j) : memref<?x?xf32> -> vector<128x32xf32>
    ```
  }];
  let arguments = (ins Arg<AnyStridedMemRef, "", [MemRead]>:$source, I32:$row, I32:$col,
                       Variadic<I32>:$batch, OptionalAttr<TMM_Along>:$along,
                       TMM_InBounds:$in_bounds, TMM_OptionalRegisterLayout:$layout,
                       OptionalAttr<StrAttr>:$role);
  let results = (outs VectorOfRankAndType<[2], [AnyFloat, I32]>:$result);
  let assemblyFormat = [{
    $source `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? (`along` $along^)? (`in_bounds` $in_bounds^)?
    (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the source is one number.
    bool isNumber() {
      auto type = ::mlir::cast<::mlir::MemRefType>(getSource().getType());
      return !getAlong() && type.getRank() == int64_t(getBatch().size());
    }
  }];
}

def TMM_PrefetchOp : TMM_Op<"prefetch", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>]> {
  let summary = "prefetch a tile of a matrix into the L2 cache";
  let description = [{
    Hints that the elements `source[row + i, col + j]` of a tile of type `tile` be brought into
    the L2 cache, for a later `tmm.fetch`. Elements outside of `source` are skipped. `batch` are
    the indices of the leading dimensions, `in_bounds` promises for rows and for columns that
    nothing is outside. `layout` distributes the requests: each thread prefetches its first
    element of a row, and those of its elements that begin a further line of 128 bytes. Rows that
    are not known to be aligned are left out.

    Example:

    ```mlir
    tmm.prefetch %rest[%row, %col] in_bounds [true, true]
      : memref<?x256xbf16>, vector<128x128xbf16>
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$source, I32:$row, I32:$col,
                       Variadic<I32>:$batch, TMM_InBounds:$in_bounds,
                       TypeAttrOf<VectorOfRankAndType<[2], [AnyFloat, I32]>>:$tile,
                       TMM_OptionalRegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $source `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? (`in_bounds` $in_bounds^)?
    (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict
    `:` type($source) `,` $tile
  }];
  let hasVerifier = 1;
}

def TMM_StoreOp : TMM_Op<"store", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>]> {
  let summary = "write a register tile to global memory";
  let description = [{
    `target[row + i, col + j] = value[i, j]`; elements outside `target` are
    dropped. `in_bounds` promises for rows and for columns that nothing is
    outside. `batch` are the indices of the leading dimensions, `layout` says which
    threads hold what. Elements of 4 bits are packed, the first one in the lowest
    bits; once the kernel's interface is lowered their target is one of bytes.

    With `blocked` the target is a matrix of scale factors, of rank 5, as `tmm.load` reads
    it: `target[r / 128, c / 4, r mod 32, r mod 128 / 32, c mod 4] = value[i, j]` with r =
    row + i and c = col + j. The padding of its blocks counts as inside.

    Example:

    ```mlir
    tmm.store %r, %d[%row, %col] in_bounds [false, true]
      : vector<128x32xf32>, memref<?x256xf32>
    tmm.store %f, %sfd[%row, %col] blocked
      : vector<128x2xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[2], [AnyFloat, I32]>:$value,
                       Arg<AnyStridedMemRef, "", [MemWrite]>:$target,
                       I32:$row, I32:$col,
                       Variadic<I32>:$batch, UnitAttr:$blocked, TMM_InBounds:$in_bounds,
                       TMM_OptionalRegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $value `,` $target `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? (`blocked` $blocked^)? (`in_bounds` $in_bounds^)?
    (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict
    `:` type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}

def TMM_ConvertLayoutOp : TMM_Op<"convert_layout", [Pure, SameOperandsAndResultType]> {
  let summary = "exchange a register tile among the threads that hold it";
  let description = [{
    `result[i, j] = tile[i, j]`: the threads that held the tile in layout `from` hold it in
    layout `to`. `from` is the memory layout of `to`: the threads of a row have its elements in
    both, so that only they exchange theirs, within a warp and without memory. Elements have
    16 or 32 bits.

    Example:

    ```mlir
    %t = tmm.convert_layout %c from(#sm90.row_layout<16>) to(#sm90.wgmma_layout) : vector<128x64xbf16>
    ```
  }];
  let arguments = (ins TMM_RegisterTile:$tile, TMM_RegisterLayout:$from, TMM_RegisterLayout:$to);
  let results = (outs TMM_RegisterTile:$result);
  let assemblyFormat = [{
    $tile `from` `(` $from `)` `to` `(` $to `)` attr-dict `:` type($tile)
  }];
  let hasVerifier = 1;
}

def TMM_CropOp : TMM_Op<"crop", [Pure, TypesMatchWith<"result has the type of tile", "tile", "result", "$_self">]> {
  let summary = "zero where a register tile is outside of a matrix";
  let description = [{
    `result[i, j] = row + i < rows and col + j < cols ? tile[i, j] : 0`

    What a reduction over the elements of D reads: a tile at the edge also has
    others, of which the epilogue may make anything.

    Operands: `tile`; `row` and `col`, where it begins, and `rows` and `cols`, the sizes of the
    matrix, all `i32`.

    Example:

    ```mlir
    %inside = tmm.crop %t[%row, %col] to [%m, %n] : vector<128x32xf32>
    ```
  }];
  let arguments = (ins TMM_RegisterTile:$tile, I32:$row, I32:$col, I32:$rows, I32:$cols);
  let results = (outs TMM_RegisterTile:$result);
  let assemblyFormat = [{
    $tile `[` $row `,` $col `]` `to` `[` $rows `,` $cols `]` attr-dict `:` type($tile)
  }];
}

def TMM_QuantizeOp : TMM_Op<"quantize", [Pure]> {
  let summary = "divide blocks of a row by factors, and round";
  let description = [{
    For each row and each block of V columns, of which the widths of the results say how
    many there are:

    ```
    amax = max over the block of |tile[i, n]|
    scales[i, j] = 2^(floor(log2(amax)) - emax), at least 2^-127, 255 where amax is infinite or NaN   (f8E8M0FNU)
    scales[i, j] = sat(amax * f32(1 / 6))                                                             (f8E4M3FN)
    result[i, n] = sat(tile[i, n] * f32(1 / scales[i, j])), 0 for the reciprocal of 0
    ```

    emax is 8 for f8E4M3FN, 15 for f8E5M2 and 2 for f4E2M1FN. sat rounds to nearest even; what is larger
    than the largest number, infinity included, becomes that, and NaN stays NaN where the type has one. A thread must hold whole
    blocks. `tmm.matmul` with `scale_d` cites where the formulas are from.

    * C1: `result` and `scales` have the rows of `tile`, `result` its columns, and
      the columns of `scales` divide these into blocks of the length that its type
      asks for: 32 for f8E8M0FNU, 16 for f8E4M3FN.
    * C2: the types of `result` and `scales` are a pair of `tmm.matmul` with `scale_d`.

    Example:

    ```mlir
    %q, %s = tmm.quantize %t : vector<128x64xf32> -> vector<128x64xf8E4M3FN>, vector<128x2xf8E8M0FNU>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[2], [F32]>:$tile);
  let results = (outs VectorOfRankAndType<[2], [AnyFloat]>:$result,
                      VectorOfRankAndType<[2], [AnyFloat]>:$scales);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result) `,` type($scales)";
  let hasVerifier = 1;
}

def TMM_AtomicMaxOp : TMM_Op<"atomic_max", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>]> {
  let summary = "raise a number in global memory to the largest of a register tile";
  let description = [{
    `target = max(target, max over i, j of tile[i, j])`, in one step that other
    threads do not see parts of. All of them are at least +0, or NaN, which wins: their bits
    are ordered as integers are. A warp reduces what its threads hold and writes once.

    Example:

    ```mlir
    tmm.atomic_max %t, %amax : vector<128x32xf32>, memref<f32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1, 2], [F32]>:$tile,
                       Arg<MemRefRankOf<[F32, I32], [0]>, "", [MemRead, MemWrite]>:$target,
                       TMM_OptionalRegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $tile `,` $target (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict
    `:` type($tile) `,` type($target)
  }];
}

def TMM_StageOp : TMM_Op<"stage", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>]> {
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
  let arguments = (ins TMM_RegisterTile:$value,
                       Arg<TMM_BufferType, "", [MemWrite]>:$buffer,
                       TMM_OptionalRegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $value `,` $buffer (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def TMM_WriteOp : TMM_Op<"write", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>]> {
  let summary = "put columns of a register tile into an operand";
  let description = [{
    `buffer[i, column + j] = value[i, j]`: what an earlier product gave becomes the operand of
    the next one without leaving the multiprocessor.

    Operands: `value`, a register tile of M x width; `buffer` (M x K), a tile of the same element type
    in a space that threads write and the matrix unit reads (`#tcgen05.operand`); `column` (`i32`, a
    multiple of the width). Executed by the threads; `layout` says which of them hold what.
    Once the tile is distributed, `value` is the part of a thread. All columns of `buffer`
    are written before it is read.

    * C1: `buffer` has the rows and the element type of `value`, or of the tile of which
      `value` is a thread's part. The width of that tile divides the columns of `buffer`.

    Example:

    ```mlir
    tmm.write %r, %p[%column] layout(#tcgen05.rows)
      : vector<128x32xbf16>, !tmm.buffer<128x128xbf16, #tcgen05.operand>
    ```
  }];
  let arguments = (ins TMM_OperandTile:$value,
                       Arg<TMM_BufferType, "", [MemWrite]>:$buffer, I32:$column,
                       TMM_OptionalRegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $value `,` $buffer `[` $column `]` (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def TMM_UnloadOp : TMM_Op<"unload", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>]> {
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
  let arguments = (ins Arg<TMM_BufferType, "", [MemRead]>:$buffer,
                       Arg<TMM_GlobalTensor, "", [MemWrite]>:$target,
                       I32:$row, I32:$col, Variadic<I32>:$batch,
                       TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $buffer `,` $target `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? `by` `` `(` $by `)`
    (`role` `(` $role^ `)`)? attr-dict
    `:` type($buffer) `,` type($target)
  }];
  let hasVerifier = 1;
}

#endif // TC_DIALECT_TMM_IR_TMMTILEOPS_TD
