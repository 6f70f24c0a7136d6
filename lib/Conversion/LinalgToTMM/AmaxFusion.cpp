//===- AmaxFusion.cpp - the largest element of a product --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before elementwise operations are fused: amax is of what the product is here,
// whatever follows.
//
//===----------------------------------------------------------------------===//

#include "AmaxFusion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tc;

bool tc::isAmaxUsedBefore(tmm::MatmulOp matmul, Operation *op) {
  return matmul.getAmax() && matmul.getResult() &&
         llvm::any_of(matmul.getOutputs().back().getUsers(),
                      [&](Operation *user) {
                        return user->getBlock() != op->getBlock() ||
                               user->isBeforeInBlock(op);
                      });
}

bool tc::isLargest(linalg::GenericOp op) {
  Block *block = op.getBlock();
  auto max =
      block->getTerminator()->getOperand(0).getDefiningOp<arith::MaximumFOp>();
  if (!max)
    return false;
  Value lhs = max.getLhs(), rhs = max.getRhs();
  if (lhs != block->getArgument(1))
    std::swap(lhs, rhs);
  auto absolute = rhs.getDefiningOp<math::AbsFOp>();
  return lhs == block->getArgument(1) && absolute &&
         absolute.getOperand() == block->getArgument(0);
}

namespace {

/// Before:
///   %y = tmm.matmul ins(%a, %b) outs(%d) -> tensor<?x?xf32>
///   %m = linalg.generic ... maximumf(%out, absf(%in)) ins(%y) outs(%i)
/// After:
///   %y, %m = tmm.matmul ins(%a, %b) outs(%d) amax(%i)
struct FuseAmax : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
        !op.hasPureTensorSemantics() ||
        op.getNumReductionLoops() != op.getNumLoops())
      return rewriter.notifyMatchFailure(op, "no reduction of a tensor");
    auto matmul = op.getInputs()[0].getDefiningOp<tmm::MatmulOp>();
    if (!matmul || matmul->getBlock() != op->getBlock())
      return rewriter.notifyMatchFailure(op, "not of a product");
    if (!getElementTypeOrSelf(matmul.getResult().getType()).isF32() ||
        matmul.getAmax())
      return rewriter.notifyMatchFailure(
          op, "expected a product in f32 that has no amax yet");
    Value init = op.getOutputs()[0];
    if (!op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity() ||
        cast<ShapedType>(init.getType()).getRank() != 0 || !isLargest(op))
      return rewriter.notifyMatchFailure(
          op,
          "expected arith.maximumf of the output, of rank 0, and math.absf");
    if (failed(moveValueDefinitions(rewriter, init, matmul)))
      return rewriter.notifyMatchFailure(
          op, "expected a first value that is known before the product");

    rewriter.setInsertionPoint(matmul);
    Region epilogue;
    if (matmul.hasEpilogue()) {
      epilogue.takeBody(*matmul.getEpilogue());
      auto yield = cast<tmm::YieldOp>(epilogue.front().getTerminator());
      yield.getValuesMutable().append(yield.getValue());
    }
    auto fused = tmm::MatmulOp::create(
        rewriter, rewriter.getFusedLoc({matmul.getLoc(), op.getLoc()}),
        matmul.getA(), matmul.getB(), matmul.getD(), matmul.getExtras(),
        matmul.getAlongCodes(), matmul.hasEpilogue() ? &epilogue : nullptr,
        matmul.getAccumulate(), matmul.getTransposeA(), matmul.getTransposeB(),
        matmul.getConfigAttr(), matmul.getScales(), matmul.getAllowTf32(),
        matmul.getScaleBlocks(), matmul.getF16Sum(),
        tmm::OtherOutputs{Value(), init}, matmul.getMetadata());
    rewriter.replaceOp(op, fused.getOutputs().back());
    rewriter.replaceOp(matmul, fused.getResult());
    return success();
  }
};

} // namespace

void tc::populateFuseAmaxPatterns(RewritePatternSet &patterns) {
  patterns.add<FuseAmax>(patterns.getContext());
}
