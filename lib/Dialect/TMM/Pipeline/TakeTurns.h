//===- TakeTurns.h - instances of a role ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to warp specialisation.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_PIPELINE_TAKETURNS_H
#define TC_LIB_DIALECT_TMM_PIPELINE_TAKETURNS_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc::tmm {

/// What the instances of one role share when they take turns.
struct Turns {
  RoleOp role;
  /// The pipelines that only this role uses: each instance has slots of its
  /// own.
  llvm::SmallVector<mlir::Value> own;
  /// The pipeline that orders the turns; null where no order is needed.
  mlir::Value order;
};

/// Makes `region`, which does the work of the role, do that of its instance
/// `number` only: in iterations n mod turns = number of the loop that the role
/// names it does what it did, on the others it only counts the transactions.
/// Pipelines of its own are not counted. Where an iteration has transactions in
/// an inner loop or branch, the instances make them in turn: the first one
/// makes the pipeline `turns.order`. Emits an error where there is no such
/// loop, or where another instance needs a value of the turn.
mlir::LogicalResult takeTurns(mlir::Region &region, Turns &turns,
                              int64_t number);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_PIPELINE_TAKETURNS_H
