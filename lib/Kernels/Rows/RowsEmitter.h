//===- RowsEmitter.h - who emits the kernel of rows -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel of rows is emitted by. RowsProgram.cpp has the order of it,
// EarlyFetches.cpp what is read before that.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ROWS_ROWSEMITTER_H
#define TC_LIB_KERNELS_ROWS_ROWSEMITTER_H

#include "RowsProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tc::tmm {

/// The shape of the tile of a scalar of the body: all of the CTA's rows and
/// columns, the same with rows and columns exchanged, or one value for each
/// row.
enum class TileShape { Columns, Turned, Values };

class RowsProgram {
public:
  RowsProgram(mlir::OpBuilder &b, RowsOp op, const RowsKernelForm &form,
              mlir::gpu::GPUFuncOp kernel)
      : b(b), op(op), loc(op.getLoc()), form(form), kernel(kernel),
        shape(form.shape), columnValues(op.getColumnValues()) {}

  void emit();

private:
  bool isLooped() const { return !form.countsColumns && !isOneTile(); }
  /// Whether each element is read once: where rows stay in registers, and where
  /// the first reductions are all there is.
  bool isReadOnce() const {
    return !isLooped() || (shape.readsNontemporal && byLevel.size() == 1);
  }
  bool isOneTile() const {
    return !mlir::ShapedType::isDynamic(form.columns) &&
           form.columns <= shape.columns;
  }
  bool canTurn(mlir::Value value);
  bool isWholeTiles() const {
    return !mlir::ShapedType::isDynamic(form.columns) && form.columns != 0 &&
           form.columns % shape.columns == 0;
  }
  bool isColumn(mlir::Value value) const {
    return columnValues.contains(value);
  }
  /// The type of the tile of a scalar of `type`.
  mlir::VectorType getTileType(mlir::Type type, TileShape as) const {
    if (as == TileShape::Turned)
      return mlir::VectorType::get({shape.columns, shape.rows}, type);
    bool isValues = as == TileShape::Values;
    return mlir::VectorType::get({shape.rows, isValues ? 1 : shape.columns},
                                 type);
  }
  RegisterLayoutAttrInterface getLayout(TileShape as) const {
    if (as != TileShape::Values)
      return shape.layout;
    return RowValuesAttr::get(b.getContext(), shape.layout, shape.columns);
  }
  /// Where a tile is, i32: indices of leading dimensions, its first row, its
  /// first column.
  struct Place {
    llvm::SmallVector<mlir::Value> batch;
    mlir::Value row, col;
  };
  void emitSizes();
  Place emitPlace(mlir::Value tile);
  /// What is promised of the accesses to rows and columns of an operand.
  mlir::DenseBoolArrayAttr getInBounds(const RowsOperand &operand,
                                       bool hasColumns,
                                       bool isTransposed = false);
  unsigned getLevel(mlir::Value value);
  mlir::Value emitFetch(mlir::BlockArgument argument, TileShape as);
  mlir::Value get(mlir::Value value, TileShape as);
  mlir::Value compute(mlir::Value value, TileShape as);
  mlir::Value computeFrom(mlir::OpResult value, TileShape as,
                          llvm::function_ref<mlir::Value(mlir::Value)> of);
  bool isByRowValue(mlir::arith::DivFOp op);
  struct Inverse;
  Inverse getInverse(mlir::Value divisor);
  mlir::Value crop(mlir::Value tile, mlir::TypedAttr fill, TileShape as);
  /// Computes what `value` takes that is the same in a row.
  void prepare(mlir::Value value);
  void forTiles(
      mlir::ValueRange start,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> body,
      llvm::SmallVectorImpl<mlir::Value> &results);
  void reduce(llvm::ArrayRef<RowReduceOp> reductions);
  mlir::Value emitPlaces(mlir::Value index);
  mlir::Value pick(RowPickOp op, mlir::Value value);
  void collectFetched(mlir::Value value,
                      llvm::SmallVectorImpl<mlir::BlockArgument> &arguments);
  void fetchEarly();
  void prefetchNext(llvm::ArrayRef<mlir::BlockArgument> arguments);
  void store();

  mlir::OpBuilder &b;
  RowsOp op;
  mlir::Location loc;
  const RowsKernelForm &form;
  mlir::gpu::GPUFuncOp kernel;
  const RowsShape &shape;
  llvm::DenseSet<mlir::Value> columnValues;
  /// i32: the number of the tile, where it is; sizes of leading dimensions, the
  /// numbers of rows and columns.
  mlir::Value number;
  llvm::SmallVector<mlir::Value> batch;
  mlir::Value row, col;
  llvm::SmallVector<mlir::Value> sizes;
  mlir::Value rows, columns;
  /// Tiles of scalars: what is the same in a row for the whole kernel, the
  /// others as long as the column is the same.
  llvm::DenseMap<mlir::Value, mlir::Value> uniform, broadcast, varying, turned;
  /// What a row is divided by: what to multiply with first, and then.
  struct Inverse {
    mlir::Value scale, inverse;
  };
  llvm::DenseMap<mlir::Value, Inverse> inverses;
  llvm::DenseMap<mlir::Operation *, bool> byRowValue;
  /// Columns whose values of rows are computed.
  llvm::DenseSet<mlir::Value> prepared;
  /// Scalars of the body at the place of a pick.
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Value>, mlir::Value> picked;
  llvm::DenseMap<mlir::Value, unsigned> levels;
  /// The reductions of each level but 0.
  llvm::SmallVector<llvm::SmallVector<RowReduceOp>> byLevel;
};

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ROWS_ROWSEMITTER_H
