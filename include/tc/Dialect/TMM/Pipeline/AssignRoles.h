//===- AssignRoles.h - which role executes an op ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tmm-assign-roles does to a module, for ops that are picked.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_PIPELINE_ASSIGNROLES_H
#define TC_DIALECT_TMM_PIPELINE_ASSIGNROLES_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc::tmm {

/// The roles that the kernel around `op` declares.
llvm::SmallVector<RoleOp> getRolesAround(EngineOpInterface op);

/// Gives each op on tiles in `root`, itself included, that has no role the one
/// that drives its engine, in kernels that declare roles. Emits an error where
/// that is not one. Returns how many ops got a role.
mlir::FailureOr<unsigned> assignRoles(mlir::Operation *root);

} // namespace tc::tmm

#endif // TC_DIALECT_TMM_PIPELINE_ASSIGNROLES_H
