//===- DecomposeAggregates.cpp - one operation for several ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on tensors that have no loops of their own, as the operations that
// they mean.
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace tc {
#define GEN_PASS_DEF_DECOMPOSEAGGREGATESPASS
#include "tc/Compiler/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

namespace {

struct DecomposeAggregatesPass
    : tc::impl::DecomposeAggregatesPassBase<DecomposeAggregatesPass> {
  void runOnOperation() override;
};

/// Those with upstream's interface, on tensors.
struct DecomposeAggregate
    : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<TensorType>))
      return rewriter.notifyMatchFailure(op, "not on tensors");
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "upstream cannot decompose it");
    rewriter.replaceOp(op, *results);
    return success();
  }
};

/// A pack is a pad, a reshape and a transposition; an unpack the way back.
template <typename Op, auto lower>
struct DecomposePacking : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "not on tensors");
    return success(succeeded(lower(rewriter, op, /*withSlices=*/false)));
  }
};

/// One shape to another, both known, through a vector.
struct DecomposeReshape : OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(op.getType());
    if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape() ||
        from.getRank() == 0 || to.getRank() == 0)
      return rewriter.notifyMatchFailure(op, "not between known shapes");
    auto all = [](int64_t rank) {
      return SmallVector<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(rank))};
    };
    Value elements = op.getSource();
    if (from.getRank() > 1)
      elements = tensor::CollapseShapeOp::create(rewriter, op.getLoc(),
                                                 elements, all(from.getRank()));
    if (to.getRank() > 1)
      elements = tensor::ExpandShapeOp::create(rewriter, op.getLoc(), to,
                                               elements, all(to.getRank()));
    rewriter.replaceOp(op, elements);
    return success();
  }
};

} // namespace

void DecomposeAggregatesPass::runOnOperation() {
  RewritePatternSet patterns(&getContext());
  patterns.add<DecomposeAggregate, DecomposeReshape,
               DecomposePacking<linalg::PackOp, linalg::lowerPack>,
               DecomposePacking<linalg::UnPackOp, linalg::lowerUnPack>>(
      &getContext());
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  walkAndApplyPatterns(getOperation(), std::move(patterns));
}
