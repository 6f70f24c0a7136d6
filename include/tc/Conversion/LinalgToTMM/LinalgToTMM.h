//===- LinalgToTMM.h - linalg contractions to tmm.matmul --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass convert-linalg-to-tmm and its patterns.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_LINALGTOTMM_LINALGTOTMM_H
#define TC_CONVERSION_LINALGTOTMM_LINALGTOTMM_H

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

/// Why f32 cannot be multiplied as the options of these names ask for; empty
/// where it can.
std::string explainBadF32(llvm::StringRef f32, bool allowTf32);

} // namespace tc

#endif // TC_CONVERSION_LINALGTOTMM_LINALGTOTMM_H
