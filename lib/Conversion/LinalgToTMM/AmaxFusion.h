//===- AmaxFusion.h - the largest element of a product ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOTMM_AMAXFUSION_H
#define TC_LIB_CONVERSION_LINALGTOTMM_AMAXFUSION_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace tc {

/// Whether `op`, with one input and one output, keeps the larger of its output
/// and the absolute value of its input; NaN is larger than everything.
bool isLargest(mlir::linalg::GenericOp op);

/// Whether amax of `matmul`, if it has one, is used before `op` or in another
/// block.
bool isAmaxUsedBefore(tmm::MatmulOp matmul, mlir::Operation *op);

/// Makes reductions of a product to its largest absolute value an output of it.
void populateFuseAmaxPatterns(mlir::RewritePatternSet &patterns);

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOTMM_AMAXFUSION_H
