//===- AttentionEmitter.h - the kernel of attention -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: what emits the body of a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ATTENTION_ATTENTIONEMITTER_H
#define TC_LIB_KERNELS_ATTENTION_ATTENTIONEMITTER_H

#include "AttentionProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tc::tmm {

/// Emits the body of a kernel. Member functions follow the nesting.
class AttentionProgram {
public:
  AttentionProgram(mlir::OpBuilder &b, AttentionOp op,
                   const AttentionForm &form, mlir::gpu::GPUFuncOp kernel);

  void emit();

private:
  using Value = mlir::Value;

  /// Queries of a tile whose rows one role has.
  struct Part {
    /// The first row, and the tile of Q.
    Value row, tile;
    /// Null where one role has all rows.
    mlir::StringAttr role;
    /// The sums of the second product, where they are in memory.
    Value sums;
  };
  /// What the loop over keys carries of a part: the largest score of a row in
  /// units of log2, the sum of its exponentials, and the sums of the second
  /// product, where they are in registers.
  struct State {
    Value largest, total, sums;
  };
  /// The softmax of a block: the state after it but for the sums, what these
  /// are multiplied by, and the weights.
  struct Weights {
    State next;
    Value rescale, weights;
  };

  Value constant(int64_t value) {
    return mlir::arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  }
  Value flag(bool value) {
    return mlir::arith::ConstantIntOp::create(b, loc, b.getI1Type(), value);
  }
  mlir::VectorType tileType(int64_t columns, mlir::Type element) {
    return mlir::VectorType::get({shape.rows, columns}, element);
  }
  Value splat(mlir::VectorType type, double value) {
    return mlir::arith::ConstantOp::create(
        b, loc,
        mlir::DenseElementsAttr::get(
            type, b.getFloatAttr(type.getElementType(), value)));
  }
  RegisterLayoutAttrInterface getLayout() { return shape.scores.registers; }
  RegisterLayoutAttrInterface getValuesLayout(int64_t columns) {
    return RowValuesAttr::get(b.getContext(), getLayout(), columns);
  }
  /// Whether accumulators are in memory.
  bool isInMemory() { return bool(shape.scores.accumulator); }

  void emitRoles();
  void emitIndices(Value number);
  Value emitPlace(Value inGroup, Value number);
  void emitRequest(Value scheduler);
  void emitAnswer();
  Value emitNext(Value scheduler, Value work);
  llvm::SmallVector<Part> emitParts(Value row);
  void emitTile(Value row);
  std::pair<Value, Value> emitBlocks(Value row);
  Value emitLoad(Value source, Value at, llvm::ArrayRef<Value> indices,
                 BufferType type, uint64_t stages, const TileParts &parts,
                 bool transposed);
  void emitOutput(const Part &part, const State &state, Value written);
  void emitLse(const Part &part, const State &state);

  // AttentionBlock.cpp
  llvm::SmallVector<State> emitBlock(llvm::ArrayRef<Part> parts, Value block,
                                     Value more, llvm::ArrayRef<State> states);
  Value emitMma(Value a, Value buffer, Value acc, Value accumulate,
                const TileParts &parts);
  Weights emitSoftmax(const Part &part, const State &state, Value scores,
                      Value first);
  Value emitLargest(Value before, Value block);
  void emitSums(const Part &part, const Weights &weights, Value values,
                Value more);
  Value emitValues(Value values, int64_t columns);
  Value emitBroadcast(Value values, int64_t columns);
  Value emitMask(Value scores, Value row, Value first);
  Value emitMasked(Value scores, Value row, Value first);

  mlir::OpBuilder &b;
  AttentionOp op;
  mlir::Location loc;
  const AttentionForm &form;
  const AttentionShape &shape;
  Value q, k, v, o, lse, queries, keys;
  /// Tiles of queries. The counter of work, the request of the current tile, of
  /// how many, and the answer; null where nobody counts.
  Value tiles, counter, request, count, answer;
  llvm::SmallVector<Value> batch, shares;
  /// Of the current tile.
  llvm::SmallVector<Value> indices, sharedIndices;
  mlir::Type f32;
  /// A tile of scores, of sums, and of one value for each row.
  mlir::VectorType scoresType, sumsType, valuesType;
};

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ATTENTION_ATTENTIONEMITTER_H
