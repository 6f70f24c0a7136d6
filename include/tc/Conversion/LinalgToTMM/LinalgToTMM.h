//===- LinalgToTMM.h - linalg contractions to tmm.matmul --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass convert-linalg-to-tmm, its patterns, and the fusion of what follows
// a product one by one.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_LINALGTOTMM_LINALGTOTMM_H
#define TC_CONVERSION_LINALGTOTMM_LINALGTOTMM_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class AliasAnalysis;
} // namespace mlir

namespace tc {

#define GEN_PASS_DECL_CONVERTLINALGTOTMMPASS
#include "tc/Conversion/Passes.h.inc"

/// Patterns that turn contractions of two matrices into tmm.matmul and fold a
/// fill with zero into it. `aliases` must stay alive as long as the patterns;
/// it tells whether an operation between a fill and its contraction touches the
/// destination. f32 is multiplied as tf32 with `allowTf32`, else left alone.
void populateLinalgToTMMPatterns(mlir::RewritePatternSet &patterns,
                                 mlir::AliasAnalysis &aliases,
                                 bool allowTf32 = false);

/// Merges elementwise consumers of the products in `root`, itself included,
/// that are read several times, with those that alone read their results.
void mergeConsumers(mlir::RewriterBase &rewriter, mlir::Operation *root);

/// Moves `consumer`, elementwise on the result of `matmul`, into its epilogue:
/// on tensors its only user, on memrefs the next operation, in place. Returns
/// what replaces both. Where it cannot, says why in `reason` and changes
/// nothing.
mlir::FailureOr<tmm::MatmulOp> fuseConsumer(mlir::RewriterBase &rewriter,
                                            tmm::MatmulOp matmul,
                                            mlir::linalg::LinalgOp consumer,
                                            std::string &reason);

/// Why f32 cannot be multiplied as the options of these names ask for; empty
/// where it can.
std::string explainBadF32(llvm::StringRef f32, bool allowTf32);

} // namespace tc

#endif // TC_CONVERSION_LINALGTOTMM_LINALGTOTMM_H
