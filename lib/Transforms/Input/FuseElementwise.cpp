//===- FuseElementwise.cpp - as few plain kernels as can be -----*- C++ -*-===//
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The patterns of upstream's pass of the same purpose, with a condition of our
// own.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tc {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;

namespace {

struct FuseElementwisePass
    : tc::impl::FuseElementwisePassBase<FuseElementwisePass> {
  void runOnOperation() override;
};

} // namespace

/// Whether what computes `operand` is computed where it is used.
static bool isFused(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse();
}

/// The same for reshapes. Upstream expands what is padded before it is, at the
/// place of its source, where sizes of the result may not be computed yet.
static bool isReshapeFused(OpOperand *operand) {
  return isFused(operand) && !operand->get().getDefiningOp<tensor::PadOp>();
}

void FuseElementwisePass::runOnOperation() {
  MLIRContext *context = &getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(patterns, isFused);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, isReshapeFused);
  tensor::populateBubbleUpExpandShapePatterns(patterns);
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  context->getLoadedDialect<linalg::LinalgDialect>()
      ->getCanonicalizationPatterns(patterns);
  linalg::populateConstantFoldLinalgOperations(patterns, isFused);
  // torch finds the place of a maximum with it.
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal();
  if (failed(
          applyPatternsGreedily(getOperation(), std::move(patterns), config)))
    signalPassFailure();
}
