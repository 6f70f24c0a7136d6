//===- QuantizedMatmul.h - quantised products of linalg ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOTMM_QUANTIZEDMATMUL_H
#define TC_LIB_CONVERSION_LINALGTOTMM_QUANTIZEDMATMUL_H

#include "mlir/IR/PatternMatch.h"

namespace tc {

/// Makes linalg.matmul of quantised products, and corrects what it gives by
/// sums of rows and columns where their zero points are not 0.
void populateQuantizedMatmulPatterns(mlir::RewritePatternSet &patterns);

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOTMM_QUANTIZEDMATMUL_H
