//===- NormalizeContractions.h - any order of dimensions --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions with any number of M, N, K and batch dimensions in any order, as
// one over matrices.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOTMM_NORMALIZECONTRACTIONS_H
#define TC_LIB_CONVERSION_LINALGTOTMM_NORMALIZECONTRACTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace tc {

/// Adds the patterns that rewrite contractions that matchContraction() does not
/// take for the order or the number of their dimensions.
void populateNormalizeContractionPatterns(mlir::RewritePatternSet &patterns,
                                          bool allowTf32);

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOTMM_NORMALIZECONTRACTIONS_H
