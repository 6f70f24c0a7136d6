//===- TMMReduceOps.td - reductions of register tiles ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along the rows of register tiles of any layout: who holds a row combines what it
// holds, or gets a copy of its value.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMREDUCEOPS_TD
#define TC_DIALECT_TMM_IR_TMMREDUCEOPS_TD

include "mlir/Dialect/Vector/IR/VectorAttributes.td"
include "tc/Dialect/TMM/IR/TMMTileOps.td"

def TMM_ReduceOp : TMM_Op<"reduce", [Pure]> {
  let summary = "reduce the rows of a register tile";
  let description = [{
    `result[i, 0] = tile[i, 0] (kind) tile[i, 1] (kind) ...`

    Every thread that holds a part of a row gets the result, in layout `#tmm.row_values`. The order is
    fixed by the shape and the layout:

    1. a thread combines its registers of the row by halves: register i with i + h, where h is the number
       of registers, halved and rounded up, until one is left;
    2. lanes of a warp that hold the row combine with those of numbers that differ in bit 0, then bit 1, ...
       (shuffles);
    3. warps that hold the row put their values into shared memory, and each combines all of them in the same
       way as lanes. This takes a barrier of the CTA, so not below a branch, nor in a role.

    Operands: `tile`, R x C; `layout`, who holds it. The result is R x 1.

    * C1: `result` has the rows and the element type of `tile` and one column.
    * C2: `kind` is one for the element type; for floats of 16 bits a minimum or maximum, as sums of them would be
      rounded at each step.

    Example:

    ```mlir
    #rows = #tmm.thread_rows<threads = 256, chunk = 4, rows = 1>
    %s = tmm.reduce <add> %x layout(#rows) : vector<1x4096xf32> -> vector<1x1xf32>
    ```
  }];
  let arguments = (ins Vector_CombiningKindAttr:$kind,
                       VectorOfRankAndType<[2], [F16, BF16, F32, F64, I32, I64]>:$tile,
                       TMM_RegisterLayout:$layout);
  let results = (outs VectorOfRankAndType<[2], [F16, BF16, F32, F64, I32, I64]>:$result);
  let assemblyFormat = [{
    $kind $tile `layout` `(` $layout `)` attr-dict `:` type($tile) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TMM_BroadcastOp : TMM_Op<"broadcast", [Pure]> {
  let summary = "a register tile of one value for each row";
  let description = [{
    `result[i, j] = values[i, 0]`

    Operands: `values`, R x 1, in layout `#tmm.row_values` of `layout`, the layout of the result, R x C.
    No thread reads what another holds.

    * C1: `values` has the rows and the element type of `result` and one column.

    Example:

    ```mlir
    #rows = #tmm.thread_rows<threads = 256, chunk = 4, rows = 1>
    %all = tmm.broadcast %s layout(#rows) : vector<1x1xf32> -> vector<1x4096xf32>
    ```
  }];
  let arguments = (ins VectorOfRank<[2]>:$values, TMM_RegisterLayout:$layout);
  let results = (outs VectorOfRank<[2]>:$result);
  let assemblyFormat = [{
    $values `layout` `(` $layout `)` attr-dict `:` type($values) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TMM_RescaleOp : TMM_Op<"rescale", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>]> {
  let summary = "multiply the rows of an accumulator by factors";
  let description = [{
    `acc[i, j] = factors[i, 0] * acc[i, j]`, and as it was where the factor is 1

    A warp whose threads have no other factor neither reads nor writes.

    Operands: `factors`, R x 1, in layout `#tmm.row_values` of `layout`; `acc`, an accumulator in
    memory, R x C, whose rows `layout` deals to threads. Once the tile is distributed, `factors` is
    what a thread holds.

    * C1: `factors` has the rows and the element type of `acc`, a float, and one column.

    Example:

    ```mlir
    tmm.rescale %acc by %f layout(#tcgen05.rows) : !tmm.buffer<128x64xf32, #tcgen05.tmem>, vector<128x1xf32>
    ```
  }];
  let arguments = (ins Arg<TMM_BufferType, "", [MemRead, MemWrite]>:$acc, TMM_RegisterTile:$factors,
                       TMM_RegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $acc `by` $factors `layout` `(` $layout `)` (`role` `(` $role^ `)`)? attr-dict
    `:` type($acc) `,` type($factors)
  }];
  let hasVerifier = 1;
}

def TMM_PositionsOp : TMM_Op<"positions", [Pure]> {
  let summary = "the rows or columns of the elements of a register tile";
  let description = [{
    `result[i, j] = start + i` along m, `result[i, j] = start + j` along n

    Example:

    ```mlir
    #rows = #tmm.thread_rows<threads = 256, chunk = 4, rows = 1>
    %columns = tmm.positions %col along n layout(#rows) : vector<1x4096xindex>
    ```
  }];
  let arguments = (ins I32:$start, TMM_Along:$along, TMM_RegisterLayout:$layout);
  let results = (outs VectorOfRankAndType<[2], [Index]>:$result);
  let assemblyFormat = [{
    $start `along` $along `layout` `(` $layout `)` attr-dict `:` type($result)
  }];
}

def TMM_GatherOp : TMM_Op<"gather", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>]> {
  let summary = "read an element of each row";
  let description = [{
    `result[i, 0] = source[row + i, places[i, 0]]`, and zero outside `source`. Of a vector it is
    `source[places[i, 0]]`. `batch` are the indices of the leading dimensions, `layout` is that of `places` and of
    the result.

    Example:

    ```mlir
    #rows = #tmm.thread_rows<threads = 256, chunk = 4, rows = 1>
    #values = #tmm.row_values<#rows, columns = 4096>
    %x = tmm.gather %source[%row, %places] layout(#values)
      : memref<?x4096xf32>, vector<1x1xi32> -> vector<1x1xf32>
    ```
  }];
  let arguments = (ins Arg<AnyStridedMemRef, "", [MemRead]>:$source, I32:$row,
                       VectorOfRankAndType<[2], [I32]>:$places, Variadic<I32>:$batch,
                       TMM_RegisterLayout:$layout, OptionalAttr<StrAttr>:$role);
  let results = (outs VectorOfRankAndType<[2], [AnyFloat, I1, I8, I16, I32, I64]>:$result);
  let assemblyFormat = [{
    $source `[` $row `,` $places `]` (`batch` `(` $batch^ `)`)? `layout` `(` $layout `)` (`role` `(` $role^ `)`)?
    attr-dict `:` type($source) `,` type($places) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the source has no rows.
    bool isVector() {
      auto type = ::mlir::cast<::mlir::MemRefType>(getSource().getType());
      return type.getRank() == 1 + int64_t(getBatch().size());
    }
  }];
}

def TMM_TransposeOp : TMM_Op<"transpose", [Pure]> {
  let summary = "transpose a register tile";
  let description = [{
    `result[i, j] = tile[j, i]`

    Who reads a matrix along its rows in memory holds columns of what is computed. Threads exchange elements
    through shared memory, where chunks of a row are permuted so that neither side meets a bank twice. This takes
    barriers of the CTA, so not below a branch, nor in a role.

    Operands: `tile`, C x R; `layout`, that of tile and result.

    * C1: `result` is R x C, of the element type of `tile`.

    Example:

    ```mlir
    #rows = #tmm.thread_rows<threads = 8, chunk = 8, rows = 2>
    %t = tmm.transpose %x layout(#rows) : vector<64x64xbf16> -> vector<64x64xbf16>
    ```
  }];
  let arguments = (ins TMM_ElementTile:$tile, TMM_RegisterLayout:$layout);
  let results = (outs TMM_ElementTile:$result);
  let assemblyFormat = [{
    $tile `layout` `(` $layout `)` attr-dict `:` type($tile) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TC_DIALECT_TMM_IR_TMMREDUCEOPS_TD
