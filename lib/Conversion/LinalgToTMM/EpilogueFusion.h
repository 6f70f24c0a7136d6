//===- EpilogueFusion.h - elementwise ops around a matmul -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves elementwise linalg operations on the initial value or on the result of
// a tmm.matmul into its epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOTMM_EPILOGUEFUSION_H
#define TC_LIB_CONVERSION_LINALGTOTMM_EPILOGUEFUSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc {

/// Adds the pattern that fuses what computes the initial value of a matmul.
void populateFuseProducerPatterns(mlir::RewritePatternSet &patterns);

/// Adds the pattern that fuses what is computed from its result. To be applied
/// when no producer is left.
void populateFuseConsumerPatterns(mlir::RewritePatternSet &patterns);

/// Emits a remark for each linalg operation on the result of `matmul` that
/// could not be fused, with the reason.
void explainUnfused(tmm::MatmulOp matmul);

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOTMM_EPILOGUEFUSION_H
