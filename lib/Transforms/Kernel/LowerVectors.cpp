//===- LowerVectors.cpp - vector operations without LLVM twin ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies upstream's patterns, in the two groups in which upstream's own
// conversion applies them.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tc {
#define GEN_PASS_DEF_LOWERVECTORSPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;

/// Bits of a register, which LLVM packs small integers in.
static constexpr int64_t kRegisterBits = 32;

/// Whether a register of `type` would have bits that no element of it is in.
static bool isPartlyUndefined(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || !vector.getElementType().isInteger())
    return false;
  int64_t bits = vector.getElementTypeBitWidth();
  return bits > 1 && bits < kRegisterBits &&
         vector.getNumElements() * bits % kRegisterBits != 0;
}

namespace {

/// Elementwise operations on small integers that do not fill registers, one by
/// one: whoever follows undefined bits through registers, as the emulator does,
/// would find the rest of a register in what is computed.
struct UnrollSmallIntegers : RewritePattern {
  UnrollSmallIntegers(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) ||
        op->getNumResults() != 1 ||
        !(llvm::any_of(op->getOperandTypes(), isPartlyUndefined) ||
          llvm::any_of(op->getResultTypes(), isPartlyUndefined)))
      return failure();
    Location loc = op->getLoc();
    auto type = cast<VectorType>(op->getResult(0).getType());
    SmallVector<Value> results;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(
            isa<VectorType>(operand.getType())
                ? vector::ExtractOp::create(rewriter, loc, operand, i)
                      .getResult()
                : operand);
      OperationState state(loc, op->getName(), operands,
                           {type.getElementType()}, op->getAttrs());
      state.propertiesAttr = op->getPropertiesAsAttribute();
      results.push_back(rewriter.create(state)->getResult(0));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, results);
    return success();
  }
};

/// Slices of what is rounded, of a number of elements that is no power of two:
/// they are rounded one by one, as LLVM rounds the whole by elements.
struct SliceBeforeRounding : OpRewritePattern<vector::ExtractStridedSliceOp> {
  SliceBeforeRounding(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(vector::ExtractStridedSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto rounding = op.getSource().getDefiningOp<arith::TruncFOp>();
    VectorType type = op.getSourceVectorType();
    if (!rounding || type.getRank() != 1 ||
        llvm::isPowerOf2_64(type.getNumElements()))
      return failure();
    auto first = [](ArrayAttr values) {
      return cast<IntegerAttr>(values[0]).getInt();
    };
    Value slice = vector::ExtractStridedSliceOp::create(
        rewriter, op.getLoc(), rounding.getIn(),
        ArrayRef<int64_t>{first(op.getOffsets())},
        ArrayRef<int64_t>{first(op.getSizes())},
        ArrayRef<int64_t>{first(op.getStrides())});
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(
        op, TypeRange(op.getType()), ValueRange(slice), rounding->getAttrs());
    return success();
  }
};

struct LowerVectors : public tc::impl::LowerVectorsPassBase<LowerVectors> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    vector::populateVectorStepLoweringPatterns(patterns);
    vector::populateVectorBitCastLoweringPatterns(patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    vector::populateVectorRankReducingFMAPattern(patterns);
    patterns.add<SliceBeforeRounding, UnrollSmallIntegers>(&getContext());
    // Each pattern leaves simpler ops: there is an end, whenever it comes.
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     GreedyRewriteConfig().setMaxIterations(
                                         GreedyRewriteConfig::kNoLimit))))
      signalPassFailure();
  }
};

} // namespace
