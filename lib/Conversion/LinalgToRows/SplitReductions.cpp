//===- SplitReductions.cpp - reductions in two steps ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction to few values would keep few multiprocessors busy. Where its
// length divides, parts of it are reduced first, then their results: two
// kernels whose order of sums is as fixed as that of one.
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace tc;

/// CTAs that keep a GPU busy, and what is aimed at where there are fewer.
static constexpr int64_t kFewCtas = 264, kManyCtas = 1056;
/// What is read in less time than a second kernel takes.
static constexpr int64_t kSmall = 1 << 18;
/// Columns of a part: one tile at least.
static constexpr int64_t kMinPart = 64;
/// Rows along memory are one kernel with what reads their reduction, unless so
/// few are so long.
static constexpr int64_t kFewRows = 16, kLongRow = 1 << 17;
static constexpr int64_t kMaxParts = 128;
/// Bytes of a row of a square (Kernels/Rows).
static constexpr int64_t kLineBytes = 128;

/// How many parts the reduction of `op` is made in; 1: it stays whole.
static int64_t getParts(linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  // Upstream adds the parts as a dimension of a permutation.
  if (llvm::any_of(ranges, ShapedType::isDynamic) || op.getNumDpsInits() != 1 ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return 1;
  // Parts are of the output's type: small ones would be rounded twice.
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (type.getIntOrFloatBitWidth() < 32)
    return 1;
  int64_t length = ranges[reductions.front()], points = 1;
  for (int64_t range : ranges)
    points *= range;
  if (points < kSmall)
    return 1;
  // Squares where the column is not along memory.
  int64_t ctas = points / length;
  bool isTransposed = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() != op.getNumLoops())
      continue;
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!last || last.getPosition() == reductions.front())
      continue;
    isTransposed = true;
    int64_t size = ranges[last.getPosition()];
    int64_t bytes = llvm::divideCeil(
        getElementTypeOrSelf(input->get().getType()).getIntOrFloatBitWidth(),
        8);
    ctas = points / length / size *
           llvm::divideCeil(size, kLineBytes / std::max<int64_t>(bytes, 2));
  }
  if (ctas >= kFewCtas ||
      (!isTransposed && (ctas > kFewRows || length < kLongRow)))
    return 1;
  int64_t parts = 1;
  while (parts < kMaxParts && ctas * parts * 2 <= kManyCtas &&
         length % (parts * 2) == 0 && length / (parts * 2) >= kMinPart)
    parts *= 2;
  return parts;
}

void tc::splitReductions(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::GenericOp> ops;
  root->walk([&](linalg::GenericOp op) {
    if (op.getNumReductionLoops() == 1 && op.hasPureTensorSemantics() &&
        canBeRows(op) && getParts(op) > 1)
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops) {
    rewriter.setInsertionPoint(op);
    (void)linalg::splitReduction(rewriter, op, [](linalg::LinalgOp some) {
      linalg::SplitReductionOptions options;
      options.ratio = getParts(cast<linalg::GenericOp>(some.getOperation()));
      options.index = 0;
      return options;
    });
  }
}
