//===- MergeConsumers.cpp - one consumer of a product -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An epilogue is one consumer of a product. Front ends print x * sigmoid(x), or
// GELU, as several that all read it; here those become one where that computes
// nothing twice.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/LinalgToTMM/LinalgToTMM.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace tc;

/// Whether `op` is elementwise, on tensors.
static bool isElementwise(Operation *op) {
  auto named = dyn_cast<linalg::LinalgOp>(op);
  return named && named.hasPureTensorSemantics() &&
         named.getNumParallelLoops() == named.getNumLoops() &&
         op->getNumResults() == 1 &&
         (isa<linalg::GenericOp>(op) || linalg::isElementwise(named));
}

/// `op`, which is elementwise, as a generic operation; null where upstream
/// cannot make it one.
static linalg::GenericOp toGeneric(RewriterBase &rewriter, Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::GenericOp> generic =
      linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
  return succeeded(generic) ? *generic : linalg::GenericOp();
}

/// Merges a consumer of `product` with the only one of its own result; whether
/// there was one.
static bool mergeOne(RewriterBase &rewriter, Value product) {
  // Ops are replaced on the way, each with all its uses of the product.
  const llvm::SetVector<Operation *> users(product.user_begin(),
                                           product.user_end());
  for (Operation *user : users) {
    if (user->getNumResults() != 1 || !user->getResult(0).hasOneUse() ||
        user->getBlock() != product.getParentBlock())
      continue;
    OpOperand &between = *user->getResult(0).use_begin();
    Operation *next = between.getOwner();
    if (next->getBlock() != user->getBlock() || !isElementwise(user) ||
        !isElementwise(next))
      continue;
    auto after = cast<linalg::LinalgOp>(next);
    if (!after.isDpsInput(&between) ||
        cast<linalg::LinalgOp>(user).getNumLoops() != after.getNumLoops())
      continue;
    const bool areGeneric =
        isa<linalg::GenericOp>(user) && isa<linalg::GenericOp>(next);
    linalg::GenericOp producer = toGeneric(rewriter, user);
    linalg::GenericOp consumer = toGeneric(rewriter, next);
    if (!producer || !consumer)
      return false;
    OpOperand &use = *producer->getResult(0).use_begin();
    if (!linalg::areElementwiseOpsFusable(&use)) {
      // Others of the users may be gone; now all of these are generic.
      if (!areGeneric)
        return mergeOne(rewriter, product);
      continue;
    }
    rewriter.setInsertionPoint(consumer);
    FailureOr<linalg::ElementwiseOpFusionResult> fused =
        linalg::fuseElementwiseOps(rewriter, &use);
    if (failed(fused))
      return false;
    // Of several results, those of the consumer come last.
    rewriter.replaceOp(consumer, fused->fusedOp->getResults().take_back(
                                     consumer->getNumResults()));
    rewriter.eraseOp(producer);
    return true;
  }
  return false;
}

void tc::mergeConsumers(RewriterBase &rewriter, Operation *root) {
  SmallVector<tmm::MatmulOp> products;
  root->walk([&](tmm::MatmulOp op) { products.push_back(op); });
  for (tmm::MatmulOp op : products)
    for (Value result : op->getResults())
      while (!result.use_empty() && !result.hasOneUse() &&
             mergeOne(rewriter, result))
        ;
}
