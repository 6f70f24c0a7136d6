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

/// Makes linalg.matmul of quantised products without zero points.
void populateQuantizedMatmulPatterns(mlir::RewritePatternSet &patterns);

/// Whether `op` is a quantised product, which is refused with an error where it
/// has zero points.
bool refuseQuantizedMatmul(mlir::Operation *op);

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOTMM_QUANTIZEDMATMUL_H
