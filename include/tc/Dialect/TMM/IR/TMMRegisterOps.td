//===- TMMRegisterOps.td - register tiles of TMM -----------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles in the registers of the threads that hold an accumulator: what an
// epilogue reads, computes and stores.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMREGISTEROPS_TD
#define TC_DIALECT_TMM_IR_TMMREGISTEROPS_TD

include "tc/Dialect/TMM/IR/TMMTileOps.td"

// For rows and columns: whether all elements of a register tile are inside the
// matrix.
def TMM_InBounds : DefaultValuedAttr<
    ConfinedAttr<DenseBoolArrayAttr, [DenseArrayCount<2>]>, "{false, false}">;

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
    `layout` says which threads get what. `shift` is added to `row` and `col`; what is before the first row or
    column is outside, too. `nontemporal`: no thread reads the elements again, and caches need not keep
    them, as for `vector.load`.

    Example:

    ```mlir
    %c = tmm.fetch %d[%row, %col] in_bounds [false, true]
      : memref<?x256xf32> -> vector<128x32xf32>
    %once = tmm.fetch %d[%row, %col] nontemporal : memref<?x256xf32> -> vector<128x32xf32>
    %h = tmm.fetch %half[%row, %col] shift [0, -128]
      : memref<?x128xf32> -> vector<128x32xf32>
    %v = tmm.fetch %bias[%row, %col] along n : memref<?xf32> -> vector<128x32xf32>
    %s = tmm.fetch %factors[%row, %col] batch(%i, %j) : memref<?x?xf32> -> vector<128x32xf32>
    ```
  }];
  let arguments = (ins Arg<AnyStridedMemRef, "", [MemRead]>:$source, I32:$row, I32:$col,
                       Variadic<I32>:$batch, OptionalAttr<TMM_Along>:$along,
                       TMM_InBounds:$in_bounds, TMM_OptionalRegisterLayout:$layout,
                       OptionalAttr<StrAttr>:$role, OptionalAttr<DenseI64ArrayAttr>:$shift,
                       UnitAttr:$nontemporal);
  let results = (outs VectorOfRankAndType<[2], [AnyFloat, I1, I8, I16, I32, I64]>:$result);
  let assemblyFormat = [{
    $source `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? (`along` $along^)? (`in_bounds` $in_bounds^)?
    (`shift` $shift^)? (`nontemporal` $nontemporal^)? (`layout` `(` $layout^ `)`)?
    (`role` `(` $role^ `)`)? attr-dict `:` type($source) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source, "::mlir::Value":$row,
      "::mlir::Value":$col, "::mlir::ValueRange":$batch, "AlongAttr":$along,
      "::mlir::DenseBoolArrayAttr":$in_bounds, "::tc::RegisterLayoutAttrInterface":$layout,
      "::mlir::StringAttr":$role), [{
    build($_builder, $_state, result, source, row, col, batch, along, in_bounds, layout, role,
          ::mlir::DenseI64ArrayAttr(), /*nontemporal=*/::mlir::UnitAttr());
  }]>];
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
                       TypeAttrOf<VectorOfRankAndType<[2], [AnyFloat, I8, I16, I32, I64]>>:$tile,
                       TMM_OptionalRegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $source `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? (`in_bounds` $in_bounds^)?
    (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict
    `:` type($source) `,` $tile
  }];
  let hasVerifier = 1;
}

def TMM_StoreOp : TMM_Op<"store", [AttrSizedOperandSegments,
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

    With `until` (`i32`) rows from that one on are outside, too, where other tiles may write: it is at most the
    number of rows of `target`, and `in_bounds` promises nothing of rows. Not with `blocked`.

    * C2: `until` comes without `blocked` and without a promise for rows.

    Example:

    ```mlir
    tmm.store %r, %d[%row, %col] in_bounds [false, true]
      : vector<128x32xf32>, memref<?x256xf32>
    tmm.store %f, %sfd[%row, %col] blocked
      : vector<128x2xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU>
    tmm.store %r, %d[%row, %col] until %end in_bounds [false, true]
      : vector<128x32xf32>, memref<?x256xf32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[2], [AnyFloat, I1, I8, I16, I32, I64]>:$value,
                       Arg<AnyStridedMemRef, "", [MemWrite]>:$target,
                       I32:$row, I32:$col,
                       Variadic<I32>:$batch, Optional<I32>:$until, UnitAttr:$blocked, TMM_InBounds:$in_bounds,
                       TMM_OptionalRegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $value `,` $target `[` $row `,` $col `]` (`batch` `(` $batch^ `)`)? (`until` $until^)? (`blocked` $blocked^)?
    (`in_bounds` $in_bounds^)? (`layout` `(` $layout^ `)`)? (`role` `(` $role^ `)`)? attr-dict
    `:` type($value) `,` type($target)
  }];
  let builders = [
    // Of all rows of `target`.
    OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$target, "::mlir::Value":$row, "::mlir::Value":$col,
                   "::mlir::ValueRange":$batch, "bool":$blocked, "::mlir::DenseBoolArrayAttr":$inBounds,
                   "::tc::RegisterLayoutAttrInterface":$layout, "::mlir::StringAttr":$role), [{
      build($_builder, $_state, value, target, row, col, batch, /*until=*/nullptr, blocked, inBounds, layout, role);
    }]>];
  let hasVerifier = 1;
}

def TMM_ConvertLayoutOp : TMM_Op<"convert_layout", [Pure, SameOperandsAndResultType]> {
  let summary = "exchange a register tile among the threads that hold it";
  let description = [{
    `result[i, j] = tile[i, j]`: the threads that held the tile in layout `from` hold it in
    layout `to`. `from` is the memory layout of `to`: the threads of a row have its elements in
    both, so that only they exchange theirs, within a warp and without memory. Elements have
    16 or 32 bits. Or both are `#tmm.row_values` of one layout, for tiles of different columns: nothing moves.

    Example:

    ```mlir
    %t = tmm.convert_layout %c from(#sm80.row_layout<16>) to(#sm90.wgmma_layout) : vector<128x64xbf16>
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
  let summary = "zero, or another number, where a register tile is outside of a matrix";
  let description = [{
    `result[i, j] = row + i < rows and col + j < cols ? tile[i, j] : fill`

    What a reduction over the elements of D reads: a tile at the edge also has
    others, of which the epilogue may make anything. `fill` is 0 where it is not given.

    Operands: `tile`; `row` and `col`, where it begins, and `rows` and `cols`, the sizes of the
    matrix, all `i32`.

    * C1: `fill` has the element type of `tile`.

    Example:

    ```mlir
    %inside = tmm.crop %t[%row, %col] to [%m, %n] : vector<128x32xf32>
    ```
  }];
  let arguments = (ins TMM_ElementTile:$tile, I32:$row, I32:$col, I32:$rows, I32:$cols,
                       OptionalAttr<TypedAttrInterface>:$fill);
  let results = (outs TMM_ElementTile:$result);
  let assemblyFormat = [{
    $tile `[` $row `,` $col `]` `to` `[` $rows `,` $cols `]` (`fill` $fill^)? attr-dict `:` type($tile)
  }];
  let hasVerifier = 1;
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

#endif // TC_DIALECT_TMM_IR_TMMREGISTEROPS_TD
