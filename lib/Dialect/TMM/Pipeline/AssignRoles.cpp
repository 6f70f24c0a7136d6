//===- AssignRoles.cpp - which role executes an op --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives every op on tiles of a kernel that declares roles the role that drives
// its engine, unless it has one.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/Pipeline/AssignRoles.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::tmm {
#define GEN_PASS_DEF_ASSIGNROLESPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;

/// The roles of `roles` that drive the engine of `op`.
static SmallVector<RoleOp> findDrivers(EngineOpInterface op,
                                       ArrayRef<RoleOp> roles) {
  SmallVector<RoleOp> drivers;
  for (RoleOp role : roles)
    if (llvm::is_contained(role.getDrives(), Attribute(op.getEngine())))
      drivers.push_back(role);
  return drivers;
}

static LogicalResult assignRole(EngineOpInterface op, ArrayRef<RoleOp> roles) {
  SmallVector<RoleOp> drivers = findDrivers(op, roles);
  if (drivers.size() == 1) {
    op.setRoleName(drivers.front().getNameAttr());
    return success();
  }
  InFlightDiagnostic diag = op->emitOpError()
                            << "expected one role that drives "
                            << op.getEngine() << ", got " << drivers.size()
                            << ": name the role on the op";
  for (RoleOp role : drivers.empty() ? SmallVector<RoleOp>(roles) : drivers)
    diag.attachNote(role.getLoc()) << "role " << role.getName() << " here";
  return diag;
}

SmallVector<RoleOp> tc::tmm::getRolesAround(EngineOpInterface op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  if (!kernel)
    return {};
  return SmallVector<RoleOp>(kernel.getOps<RoleOp>());
}

FailureOr<unsigned> tc::tmm::assignRoles(Operation *root) {
  unsigned count = 0;
  // The ops of a kernel follow each other.
  gpu::GPUFuncOp kernel;
  SmallVector<RoleOp> roles;
  WalkResult result = root->walk([&](EngineOpInterface op) {
    if (op.isOfEveryRole() || op.getRoleName())
      return WalkResult::advance();
    if (auto around = op->getParentOfType<gpu::GPUFuncOp>(); around != kernel) {
      kernel = around;
      roles = getRolesAround(op);
    }
    if (roles.empty())
      return WalkResult::advance();
    ++count;
    return WalkResult(assignRole(op, roles));
  });
  if (result.wasInterrupted())
    return failure();
  return count;
}

namespace {

struct AssignRolesPass : tc::tmm::impl::AssignRolesPassBase<AssignRolesPass> {
  void runOnOperation() override {
    FailureOr<unsigned> count = assignRoles(getOperation());
    if (failed(count))
      return signalPassFailure();
    numAssigned += *count;
  }
};

} // namespace
