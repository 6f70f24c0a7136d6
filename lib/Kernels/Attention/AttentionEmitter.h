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

namespace tc::tmm {

/// Emits the body of a kernel. Member functions follow the nesting.
class AttentionProgram : public AttentionGrid {
public:
  AttentionProgram(mlir::OpBuilder &b, AttentionOp op,
                   const AttentionForm &form, mlir::gpu::GPUFuncOp kernel);

private:
  /// Queries of a tile whose rows one role has.
  struct Part {
    /// The first row, and the tile of Q.
    Value row, tile;
    /// Null where one role has all rows.
    mlir::StringAttr role;
    /// The sums of the second product, where they are in memory.
    Value sums;
  };
  /// What the loop over keys carries of a part: the largest score of a row (in
  /// units of getUnit), the sum of its exponentials, and the sums of the second
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

  mlir::VectorType tileType(int64_t columns, mlir::Type element) {
    return mlir::VectorType::get({shape.rows, columns}, element);
  }
  RegisterLayoutAttrInterface getLayout() { return shape.scores.registers; }
  RegisterLayoutAttrInterface getValuesLayout(int64_t columns) {
    return RowValuesAttr::get(b.getContext(), getLayout(), columns);
  }
  llvm::SmallVector<Part> emitParts(Value row);
  void emitTile(Value row) override;
  void emitBatch() override { emitSharedIndices(); }
  std::pair<int64_t, int64_t> getExtents() const override {
    return {shape.outColumns, shape.keys};
  }
  void emitOutput(const Part &part, const State &state, Value written);
  void emitLse(const Part &part, const State &state);

  // AttentionBlock.cpp
  llvm::SmallVector<State> emitBlock(llvm::ArrayRef<Part> parts, Value block,
                                     Value more, llvm::ArrayRef<State> states);
  Value emitMma(Value a, Value buffer, Value acc, Value accumulate,
                const TileParts &parts);
  Weights emitSoftmax(const Part &part, const State &state, Value scores,
                      Value first);
  Value emitBias(const Part &part, Value scores, Value first);
  /// What scores are counted in: units of log2, or as they are with a bias,
  /// whose numbers may be as low as a float can be.
  double getUnit() const;
  Value emitLargest(Value before, Value block);
  void emitSums(const Part &part, const Weights &weights, Value values,
                Value more);
  Value emitValues(Value values, int64_t columns);
  Value emitBroadcast(Value values, int64_t columns);
  Value emitMask(Value scores, Value row, Value first);
  Value emitMasked(Value scores, Value row, Value first);

  mutable AttentionOp op;
  const AttentionShape &shape;
  Value q, k, v, o, lse, bias;
  /// A tile of scores, of sums, and of one value for each row.
  mlir::VectorType scoresType, sumsType, valuesType;
};

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ATTENTION_ATTENTIONEMITTER_H
