//===- AttentionGrid.h - tiles of kernels of attention ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: the loop of a CTA over its tiles, which kernels of
// attention and of its gradients have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ATTENTION_ATTENTIONGRID_H
#define TC_LIB_KERNELS_ATTENTION_ATTENTIONGRID_H

#include "AttentionShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::tmm {

/// A kernel as its host passes it: the matrices, sizes that are dynamic, and,
/// where CTAs count their work, the counter.
struct GridForm {
  /// Queries, keys and sizes of the batch of the tiles; where they are dynamic
  /// the kernel has arguments for them after the matrices, i32.
  int64_t queries, keys;
  llvm::SmallVector<int64_t> batch;
  /// Row i sees the keys j <= i + `diagonal` and j > i + `after`, as far as
  /// these are given; neither is larger than coordinates are.
  std::optional<int64_t> diagonal, after;
  /// How many of the batch of Q share one of K, in each dimension; where it is
  /// dynamic an argument follows.
  llvm::SmallVector<int64_t> shares;
};

/// Emits the body of a kernel around a tile. Member functions follow the
/// nesting.
class AttentionGrid {
public:
  virtual ~AttentionGrid() = default;

  void emit();

protected:
  using Value = mlir::Value;

  /// `names` are those of the matrices, the first arguments of `kernel`.
  AttentionGrid(mlir::OpBuilder &b, mlir::Location loc, const GridShape &grid,
                const GridForm &form, mlir::gpu::GPUFuncOp kernel,
                llvm::ArrayRef<llvm::StringRef> names);

  /// Emits the tile whose first row is `row`. It calls emitAnswer when its
  /// loads are on their way.
  virtual void emitTile(Value row) = 0;
  /// Emits what other indices follow from those of a tile's batch.
  virtual void emitBatch() {}
  /// The rows that tiles are made of, all of them; and whether the last ones
  /// have the most work of a tile.
  virtual Value getRows() { return queries; }
  virtual bool hasMostLast() const { return form.diagonal.has_value(); }
  /// Columns of a tile, and of a block that is read at a time.
  virtual std::pair<int64_t, int64_t> getExtents() const = 0;

  Value constant(int64_t value) {
    return mlir::arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  }
  Value flag(bool value) {
    return mlir::arith::ConstantIntOp::create(b, loc, b.getI1Type(), value);
  }
  Value splat(mlir::VectorType type, double value) {
    return mlir::arith::ConstantOp::create(
        b, loc,
        mlir::DenseElementsAttr::get(
            type, b.getFloatAttr(type.getElementType(), value)));
  }
  /// Whether accumulators are in memory.
  bool isInMemory() { return bool(grid.scores.accumulator); }

  void emitAnswer();
  void emitSharedIndices();
  std::pair<Value, Value> emitKeyBlocks(Value row, int64_t size);
  Value emitLoad(Value source, Value at, llvm::ArrayRef<Value> indices,
                 BufferType type, uint64_t stages, const TileParts &parts,
                 bool transposed);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const GridShape &grid;
  const GridForm &form;
  llvm::SmallVector<Value> matrices;
  Value queries, keys;
  llvm::SmallVector<Value> batch, shares;
  /// Of the current tile, and of the batch of K that it shares.
  llvm::SmallVector<Value> indices, sharedIndices;
  mlir::Type f32;

private:
  void emitRoles();
  Value emitPlace(Value inGroup, Value number);
  void emitIndices(Value number);
  void emitRequest(Value scheduler);
  Value emitNext(Value scheduler, Value work);

  /// Tiles of all rows. The counter of work, the request of the current tile,
  /// of how many, and the answer; null where nobody counts.
  Value tiles, counter, request, count, answer;
};

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ATTENTION_ATTENTIONGRID_H
