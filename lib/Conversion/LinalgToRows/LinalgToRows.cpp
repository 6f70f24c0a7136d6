//===- LinalgToRows.cpp - rows of linalg to tmm.rows ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each reduction along rows is the start of a group, unless it is in one.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/LinalgToRows/LinalgToRows.h"

#include "RowGroup.h"

#include "tc/Dialect/TMM/IR/TMMDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTLINALGTOROWSPASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

namespace {

struct ConvertLinalgToRowsPass
    : tc::impl::ConvertLinalgToRowsPassBase<ConvertLinalgToRowsPass> {
  void runOnOperation() override;
};

} // namespace

/// Whether upstream's loops of `op` can be seen: named operations that are
/// elementwise or reductions.
static bool isRowOp(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() &&
         !isa<linalg::GenericOp, linalg::FillOp>(op) &&
         (isa<linalg::ReduceOp, linalg::MapOp, linalg::BroadcastOp,
              linalg::TransposeOp>(op) ||
          linalg::isElementwise(op));
}

void ConvertLinalgToRowsPass::runOnOperation() {
  // Sizes of results are those of operands: what reads them would lie between
  // operations of a group.
  RewritePatternSet sizes(&getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(sizes);
  (void)applyPatternsGreedily(getOperation(), std::move(sizes));
  IRRewriter rewriter(&getContext());
  SmallVector<linalg::LinalgOp> named;
  SmallVector<linalg::GenericOp> seeds;
  auto isReduction = [](linalg::LinalgOp op) {
    return op.getNumReductionLoops() == 1;
  };
  getOperation()->walk([&](linalg::LinalgOp op) {
    if (isRowOp(op))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
  splitReductions(rewriter, getOperation());
  SmallVector<linalg::GenericOp> copies = copyPieces(rewriter, getOperation());
  // What is transposed joins reductions first.
  for (bool isOfReductions : {true, false})
    getOperation()->walk([&](linalg::GenericOp op) {
      if (isReduction(op) == isOfReductions)
        seeds.push_back(op);
    });
  llvm::SmallPtrSet<Operation *, 16> erased;
  for (linalg::GenericOp seed : seeds) {
    if (erased.contains(seed))
      continue;
    // Parts alone do not say how many rows and columns there are: then a tensor
    // is put together before.
    for (bool usesPieces : {true, false}) {
      std::optional<RowGroup> group = RowGroup::start(seed, usesPieces);
      if (!group)
        break;
      group->grow();
      SmallVector<Operation *> members = group->getMembers();
      if (!group->replace(rewriter))
        continue;
      erased.insert(members.begin(), members.end());
      break;
    }
  }
  for (linalg::GenericOp copy : copies)
    if (!erased.contains(copy))
      rewriter.replaceOp(copy, copy.getDpsInputOperand(0)->get());
  // What reductions started from would be kernels, too, and what parts were put
  // together by.
  getOperation()->walk([&](Block *block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isa<linalg::FillOp, linalg::GenericOp, tensor::ExtractSliceOp,
              tensor::InsertSliceOp, tensor::PadOp>(op) &&
          isOpTriviallyDead(&op))
        rewriter.eraseOp(&op);
  });
}
