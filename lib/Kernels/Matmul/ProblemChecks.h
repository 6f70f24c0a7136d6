//===- ProblemChecks.h - what must hold of a problem ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: what the verifier of tmm.matmul cannot see,
// because it depends on where memrefs come from or on sizes of the run.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_MATMUL_PROBLEMCHECKS_H
#define TC_LIB_KERNELS_MATMUL_PROBLEMCHECKS_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc::tmm {

/// Emits an error where D is known to overlap what `op` reads: parts of one
/// buffer that have elements in common.
mlir::LogicalResult checkOverlap(MatmulOp op);

/// Has the host check what is dynamic: that sizes of operands agree and are
/// small enough for coordinates of 32 bits, and that rows of D do not overlap.
void emitSizeChecks(mlir::OpBuilder &builder, MatmulOp op);

/// States what `op` computes, for the launch that comes next, with its
/// epilogue.
void emitStatement(mlir::OpBuilder &builder, MatmulOp op);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_MATMUL_PROBLEMCHECKS_H
