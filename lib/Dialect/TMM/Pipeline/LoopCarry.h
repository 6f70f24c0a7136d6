//===- LoopCarry.h - more values through a loop -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the passes of the tmm dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_PIPELINE_LOOPCARRY_H
#define TC_LIB_DIALECT_TMM_PIPELINE_LOOPCARRY_H

#include "mlir/IR/Operation.h"

namespace tc::tmm {

/// Rebuilds `loop`, an scf.for, scf.while or scf.if, with more carried values
/// that start as `inits` and are yielded unchanged; returns the new op and, in
/// `carried`, the values inside its body.
mlir::Operation *carryThroughLoop(mlir::Operation *loop, mlir::ValueRange inits,
                                  llvm::SmallVectorImpl<mlir::Value> &carried);

/// Makes the body of `loop`, of an scf.if the branch that defines them, yield
/// `values` as its last carried values.
void setCarried(mlir::Operation *loop, mlir::ValueRange values);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_PIPELINE_LOOPCARRY_H
