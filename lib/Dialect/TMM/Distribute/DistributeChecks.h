//===- DistributeChecks.h - what threads cannot hold ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why an op of a tile program has no part for each thread: each emits an error.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_DISTRIBUTE_DISTRIBUTECHECKS_H
#define TC_LIB_DIALECT_TMM_DISTRIBUTE_DISTRIBUTECHECKS_H

#include "mlir/IR/Operation.h"

namespace tc::tmm {

/// Checks that elements of `tile`, which the tmm.fetch or tmm.store `op` moves,
/// have addresses in global memory.
llvm::LogicalResult checkBytes(mlir::Operation *op, mlir::Type tile);

/// Refuses an op on columns: those that are known have become slices.
llvm::LogicalResult rejectColumns(mlir::Operation *op);

/// Refuses an op that looks at places of a tile.
llvm::LogicalResult rejectOp(mlir::Operation *op);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_DISTRIBUTE_DISTRIBUTECHECKS_H
