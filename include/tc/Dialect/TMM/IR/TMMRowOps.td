//===- TMMRowOps.td - rows and what is reduced along them --*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What surrounds products: operations on rows, with reductions along them, each
// group of which becomes one kernel of threads alone.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMROWOPS_TD
#define TC_DIALECT_TMM_IR_TMMROWOPS_TD

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Dialect/Vector/IR/VectorAttributes.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"

/// What ops say that have a body of rows.
class TMM_RowsDeclaration {
  string text = [{
    ::mlir::AffineMap getMapOf(unsigned operand) {
      return ::mlir::cast<::mlir::AffineMapAttr>(getMaps()[operand]).getValue();
    }
    /// Dimensions of the maps, of which the last one is the column.
    unsigned getNumDims() { return getMapOf(0).getNumDims(); }
    /// Whether `map` has the column.
    static bool hasColumn(::mlir::AffineMap map) {
      return map.isFunctionOfDim(map.getNumDims() - 1);
    }
    /// Whether operand `operand` is a part along dimension `dim` of the maps.
    bool isPiece(unsigned operand, unsigned dim) {
      return isPiece(operand) &&
             ::llvm::is_contained(
                 ::mlir::cast<::mlir::DenseI64ArrayAttr>((*getPieces())[operand]).asArrayRef(),
                 int64_t(dim));
    }
    /// Whether it is one along any.
    bool isPiece(unsigned operand) {
      return getPieces() && operand < getPieces()->size() &&
             !::mlir::cast<::mlir::DenseI64ArrayAttr>((*getPieces())[operand]).empty();
    }
    /// The operand and its dimension that give the size of each dimension of the
    /// maps: a static one where there is one. Pieces give none.
    ::llvm::SmallVector<std::pair<unsigned, unsigned>> getSizeSources();
    /// The values of the body that differ along a row.
    ::llvm::DenseSet<::mlir::Value> getColumnValues();
  }];
}
defvar rowsDeclaration = TMM_RowsDeclaration<>.text;

def TMM_RowsOp : TMM_Op<"rows", [
    AttrSizedOperandSegments, SingleBlock, IsolatedFromAbove, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
        ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
         "getAliasingValues", "bufferize"]>]> {
  let summary = "compute rows, with reductions along them";
  let description = [{
    For each row, a point r of the leading dimensions of the maps, and each column c of it:

    ```
    in_i = ins_i[maps_i(r, c)]
    outs_j[maps_j(r, c)] = what the body yields for in_0, in_1, ...
    ```

    The body computes one element, from those of `ins` at its place; `tmm.row_reduce` in it is the sum, the
    largest or the like of what it is given for all columns of the row, `tmm.row_pick` what it is given
    at one of them, and `tmm.row_index` the place along a dimension. An output whose map does not have the
    column has one element for each row, for which the body yields a value that is the same in the whole row.
    Outputs are written, never read.

    The last dimension of the maps is the column, the dimensions before it are rows. Sizes are those of the
    operands, which may be tensors or memrefs.

    Of `pieces`, each of `ins` has a list of dimensions along which it is a part only: its map may add a number
    to them, its size may be another one, and `in_i` is 0 where the map leads outside of it. A body that chooses
    by `tmm.row_index` makes concatenations, pads and rotations of them.

    * C1: there is a map for each operand, all of as many dimensions, at least 1; its results are dimensions,
      each at most once, or 0. Numbers are added to those of pieces alone.
    * C2: the map of an output has every dimension but, of one with an element for each row, the column.
    * C3: static sizes of one dimension are equal, and those of a result 0 are 1.
    * C4: the body takes the element types of `ins` and yields those of `outs`, of 8, 16, 32 or 64 bits, or `i1`.
    * C5: its operations are elementwise operations, constants, `tmm.row_index`, `tmm.row_pick` and
      `tmm.row_reduce`.
    * C6: what it yields for an output without the column is the same in the whole row.
    * C7: there is a list of pieces for each of `ins`, or none at all; its dimensions are among those of the map.

    Example, softmax:

    ```mlir
    #e = affine_map<(r, c) -> (r, c)>
    %y = tmm.rows ins(%x : tensor<?x4096xf32>) outs(%o : tensor<?x4096xf32>) maps [#e, #e] {
    ^bb0(%e: f32):
      %max = tmm.row_reduce <maximumf> %e : f32
      %d = arith.subf %e, %max : f32
      %p = math.exp %d : f32
      %sum = tmm.row_reduce <add> %p : f32
      %q = arith.divf %p, %sum : f32
      tmm.yield %q : f32
    } -> tensor<?x4096xf32>
    ```
  }];
  let arguments = (ins
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$ins,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$outs,
    AffineMapArrayAttr:$maps,
    OptionalAttr<TypedArrayAttrBase<DenseI64ArrayAttr, "lists of dimensions">>:$pieces);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`ins` `(` $ins^ `:` type($ins) `)`)? `outs` `(` $outs `:` type($outs) `)` `maps` $maps
    (`pieces` $pieces^)? attr-dict-with-keyword $body (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = rowsDeclaration # [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
  }];
}

def TMM_RowProblemOp : TMM_Op<"row_problem", [
    AttrSizedOperandSegments, SingleBlock, IsolatedFromAbove]> {
  let summary = "what rows the next launch computes";
  let description = [{
    Says on the host that the next `gpu.launch_func` of its block, which may have a condition
    (`scf.if`), computes what `tmm.rows` with the same operands, maps and body computes. It has no
    effect of its own: the kernel description is made from it, which gives `tc-run --check` its
    reference.

    `tmm-tile` writes it in place of the `tmm.rows`. Its operands are the memrefs of the host, whatever a
    launch passes for them. `tmm-drop-problems` removes it.

    Example, sums of rows:

    ```mlir
    #x = affine_map<(r, c) -> (r, c)>
    #s = affine_map<(r, c) -> (r)>
    tmm.row_problem ins(%x : memref<?x4096xf32>) outs(%o : memref<?xf32>) maps [#x, #s] {
    ^bb0(%e: f32):
      %sum = tmm.row_reduce <add> %e : f32
      tmm.yield %sum : f32
    }
    // gpu.launch_func @kernels::@host_rows ... args(%x, %o)
    ```
  }];
  let arguments = (ins
    Variadic<AnyMemRef>:$ins, Variadic<AnyMemRef>:$outs, AffineMapArrayAttr:$maps,
    OptionalAttr<TypedArrayAttrBase<DenseI64ArrayAttr, "lists of dimensions">>:$pieces);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`ins` `(` $ins^ `:` type($ins) `)`)? `outs` `(` $outs `:` type($outs) `)` `maps` $maps
    (`pieces` $pieces^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = rowsDeclaration # [{
    /// The launch that it is of: the next one of the block, with a condition or
    /// without, or null.
    ::mlir::gpu::LaunchFuncOp getLaunch();
  }];
}

def TMM_RowReduceOp : TMM_Op<"row_reduce", [Pure, SameOperandsAndResultType,
    ParentOneOf<["RowsOp", "RowProblemOp"]>]> {
  let summary = "reduce what the body of tmm.rows computes along a row";
  let description = [{
    `result = value at column 0 (kind) value at column 1 (kind) ...`, the same for all columns of
    the row; of a row without columns the neutral element of `kind`.

    The order is that of the kernel (`tmm.reduce`): the same in every run and for every grid.
    It depends on the number of columns and on the types alone.

    Example, sums of rows:

    ```mlir
    #x = affine_map<(r, c) -> (r, c)>
    #s = affine_map<(r, c) -> (r)>
    %y = tmm.rows ins(%x : tensor<?x4096xf32>) outs(%o : tensor<?xf32>) maps [#x, #s] {
    ^bb0(%e: f32):
      %sum = tmm.row_reduce <add> %e : f32
      tmm.yield %sum : f32
    } -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Vector_CombiningKindAttr:$kind,
                       AnyTypeOf<[F32, F64, I32, I64]>:$value);
  let results = (outs AnyTypeOf<[F32, F64, I32, I64]>:$result);
  let assemblyFormat = "$kind $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def TMM_RowPickOp : TMM_Op<"row_pick", [Pure, ParentOneOf<["RowsOp", "RowProblemOp"]>,
    TypesMatchWith<"result has the type of value", "value", "result", "$_self">]> {
  let summary = "what the body of tmm.rows computes at one column of a row";
  let description = [{
    `result = value at column index`, the same for all columns of the row. Where `index` is no column, elements
    of operands that have the column are 0 there; those of pieces are what they have at that place.

    * C1: `index` is the same in the whole row.

    Example, an element of each row:

    ```mlir
    #x = affine_map<(r, c) -> (r, c)>
    #s = affine_map<(r, c) -> (r)>
    %y = tmm.rows ins(%x, %i : tensor<?x4096xf32>, tensor<?xi64>) outs(%o : tensor<?xf32>) maps [#x, #s, #s] {
    ^bb0(%e: f32, %label: i64):
      %picked = tmm.row_pick %e at %label : f32, i64
      tmm.yield %picked : f32
    } -> tensor<?xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyFloat, AnyInteger, Index]>:$value, AnyTypeOf<[I32, I64, Index]>:$index);
  let results = (outs AnyTypeOf<[AnyFloat, AnyInteger, Index]>:$result);
  let assemblyFormat = "$value `at` $index attr-dict `:` type($value) `,` type($index)";
  let hasVerifier = 1;
}

def TMM_RowIndexOp : TMM_Op<"row_index", [Pure, ParentOneOf<["RowsOp", "RowProblemOp"]>]> {
  let summary = "the place along a dimension of tmm.rows";
  let description = [{
    `result = (r, c)[dim]` for the element that the body computes.

    * C1: `dim` is a dimension of the maps.

    Example, the numbers of the columns:

    ```mlir
    #e = affine_map<(r, c) -> (r, c)>
    %y = tmm.rows outs(%o : tensor<?x4096xi32>) maps [#e] {
      %column = tmm.row_index 1
      %i = arith.index_cast %column : index to i32
      tmm.yield %i : i32
    } -> tensor<?x4096xi32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
  let hasVerifier = 1;
}

#endif // TC_DIALECT_TMM_IR_TMMROWOPS_TD
