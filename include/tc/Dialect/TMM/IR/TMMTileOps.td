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

// What copies of whole tiles read or write in global memory.
def TMM_GlobalTensor : AnyTypeOf<[AnyStridedMemRef, TC_TensorHandleType]>;

// What loads read, too: the matrix of the windows of images.
def TMM_WindowsMemRef : Type<CPred<"::tc::tmm::getWindowsLayout($_self) != nullptr">,
                             "memref with the layout #tmm.windows">;
def TMM_LoadSource
    : AnyTypeOf<[AnyStridedMemRef, TMM_WindowsMemRef, TC_TensorHandleType]>;

def TMM_AllocOp : TMM_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a tile buffer in a memory space";
  let description = [{
    The buffer lives until the end of the block that holds the op; its contents
    are undefined until written. `tmm-materialize-pipelines` replaces every
    buffer that carries data from one engine to another by a pipeline, which
    `tmm-pipeline` makes `stages` slots deep, and whose slots readers release when
    they have issued work on the next one with `late_release`, and when they have read
    them with `release_on_read` (`tmm.pipeline`).

    With `over` the buffer shares the memory of another one of the same block, as one that
    holds what is computed from it: its contents are undefined when it is written, and so are
    those of the other one from then on. All reads of the other one come before. A
    buffer shares its memory with one that comes after, which may share it in turn.

    * C1: `over` is the result of a `tmm.alloc` in the same block, with as many stages.
    * C2: the memory spaces of both share memory.
    * C3: `stages` is at most 65536: no memory has more slots, and their bytes are counted.

    Example:

    ```mlir
    %a = tmm.alloc stages(4) : <128x64xbf16, #sm90.smem<k_major, b128>>
    %b = tmm.alloc stages(4) release_on_read : <128x64xbf16, #sm90.smem<k_major, b128>>
    %acc = tmm.alloc : <128x128xf32, #tcgen05.tmem>
    %s = tmm.alloc stages(2) : !tile
    %p = tmm.alloc stages(2) over %s : !tile on !tile
    ```
  }];
  let arguments = (ins Optional<TMM_BufferType>:$over,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>,
                           "1">:$stages,
                       UnitAttr:$late_release, UnitAttr:$release_on_read);
  let results = (outs TMM_BufferType:$buffer);
  let assemblyFormat = [{
    (`stages` `(` $stages^ `)`)? (`late_release` $late_release^)?
    (`release_on_read` $release_on_read^)? (`over` $over^)? attr-dict
    `:` type($buffer) (`on` qualified(type($over))^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, CArg<"int64_t", "1">:$stages,
                                CArg<"bool", "false">:$lateRelease,
                                CArg<"bool", "false">:$releaseOnRead), [{
    build($_builder, $_state, type, /*over=*/nullptr, stages, lateRelease, releaseOnRead);
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

def TMM_UnloadOp : TMM_Op<"unload", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>]> {
  let summary = "copy a store buffer from shared to global memory";
  let description = [{
    `target[row + i, col + j] = buffer[i, j]`; elements outside `target` are
    dropped. The opposite of `tmm.load`.

    With `when` (`i1`, the same in all threads) nothing is written where it is false: the op takes part in its pipeline
    all the same.

    Operands: `buffer`, a tile of D in shared memory, `n_major`; `target`, a matrix
    in global memory with unit innermost stride, or a batch of them with its
    indices as `batch`, or the handle of one; `row` and `col`, `i32`, in elements.

    Example:

    ```mlir
    tmm.unload %staging, %d[%row, %col] by(#sm90.tma_store)
      : !tmm.buffer<128x32xbf16, #sm90.smem<n_major, b64>>, memref<?x256xbf16>
    tmm.unload %staging, %d[%row, %col] when %whole by(#sm90.tma_store)
      : !tmm.buffer<128x32xbf16, #sm90.smem<n_major, b64>>, memref<?x256xbf16>
    ```
  }];
  let arguments = (ins Arg<TMM_BufferType, "", [MemRead]>:$buffer,
                       Arg<TMM_GlobalTensor, "", [MemWrite]>:$target,
                       I32:$row, I32:$col, Variadic<I32>:$batch, Optional<I1>:$when,
                       TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $buffer `,` $target `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? (`when` $when^)? `by` `` `(` $by `)`
    (`role` `(` $role^ `)`)? attr-dict
    `:` type($buffer) `,` type($target)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$buffer, "::mlir::Value":$target, "::mlir::Value":$row, "::mlir::Value":$col,
                   "::mlir::ValueRange":$batch, "::tc::EngineAttrInterface":$by, "::mlir::StringAttr":$role), [{
      build($_builder, $_state, buffer, target, row, col, batch, /*when=*/nullptr, by, role);
    }]>];
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
    reads, `a` maybe a register tile in the layout of the accumulator; `acc` (M x N), an accumulator, either a buffer that the engine writes or
    a value in the registers of the role that multiplies, which the op returns
    updated; `accumulate`, an `i1`. Products are summed in the accumulator's element
    type by the rules of the matrix unit, in ascending K.

    With `transposed` after it, `b` is K x N and read as its transpose. So a tile that is loaded once can be B of
    two products, by its rows and by its columns.

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
    * C7: with a register tile as `a` the accumulator is a value, and there are no factors, metadata or extent;
      what a thread holds of both are parts of M x K and M x N elements.
    * C8: a `transposed` b is in one CTA, without factors and metadata.

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
    %out = tmm.mma %p, %v, %old accumulate(%true) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
      : vector<128x64xbf16>, !b, vector<128x256xf32> -> vector<128x256xf32>
    %dk = tmm.mma %ds, %q transposed, %before accumulate(%true) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
      : vector<128x64xbf16>, <64x128xbf16, #sm90.smem<k_major, b128>>, vector<128x128xf32> -> vector<128x128xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[TMM_BufferType, TMM_OperandTile]>:$a, TMM_BufferType:$b,
                       AnyTypeOf<[TMM_BufferType, TMM_RegisterTile]>:$acc,
                       Optional<TMM_BufferType>:$scale_a,
                       Optional<TMM_BufferType>:$scale_b,
                       Optional<TMM_BufferType>:$metadata,
                       Optional<I32>:$extent,
                       I1:$accumulate, OptionalAttr<TMM_AgentSetParameter>:$over,
                       TMM_EngineParameter:$by, TMM_OptionalRegisterLayout:$layout,
                       OptionalAttr<StrAttr>:$role, UnitAttr:$transposed);
  let results = (outs Optional<TMM_RegisterTile>:$result);
  let assemblyFormat = [{
    $a `,` $b (`transposed` $transposed^)? `,` $acc (`scales` `` `(` $scale_a^ `,` $scale_b `)`)?
    (`metadata` `` `(` $metadata^ `:` type($metadata) `)`)?
    (`extent` `` `(` $extent^ `)`)?
    `accumulate` `` `(` $accumulate `)` (`over` $over^)? `by` `` `(` $by `)`
    (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict `:` custom<OperandType>(type($a)) `,` type($b) `,` type($acc)
    (`,` type($scale_a)^ `,` type($scale_b))?
    (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The tile of A in memory; null where it is in registers.
    ::tc::tmm::BufferType getBufferA() {
      return ::llvm::dyn_cast<::tc::tmm::BufferType>(getA().getType());
    }
    /// The tile of B as the formula has it, N x K.
    ::tc::tmm::BufferType getTileB();
    /// The element type of A.
    ::mlir::Type getElementTypeA() {
      if (::tc::tmm::BufferType buffer = getBufferA())
        return buffer.getElementType();
      return ::mlir::getElementTypeOrSelf(getA());
    }
  }];
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

#endif // TC_DIALECT_TMM_IR_TMMTILEOPS_TD
