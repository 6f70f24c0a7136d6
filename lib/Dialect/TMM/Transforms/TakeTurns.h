//===- TakeTurns.h - instances of a role ------------------------- -*- C++
//-*-===//
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

#ifndef TC_LIB_DIALECT_TMM_TRANSFORMS_TAKETURNS_H
#define TC_LIB_DIALECT_TMM_TRANSFORMS_TAKETURNS_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc::tmm {

/// Makes `region`, which does the work of `role`, do that of its instance
/// `turn` only: in iterations n mod turns = turn of the loop that the role
/// names it does what it did, on the others it only counts the transactions.
/// The pipelines `own`, which only this role uses, get slots for each instance
/// and are not counted. Emits an error where there is no such loop, or where
/// another instance needs a value of the turn.
mlir::LogicalResult takeTurns(mlir::Region &region, RoleOp role, int64_t turn,
                              llvm::ArrayRef<mlir::Value> own);

/// Where `op` updates a value, as an accumulator that loops carry, has its
/// users see the value from before: the op is not executed here.
void bypassUpdate(EngineOpInterface op);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_TRANSFORMS_TAKETURNS_H
