//===- ForgottenValues.cpp - values that a role does not have ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows poison through loops, branches and pure ops.
//
//===----------------------------------------------------------------------===//

#include "ForgottenValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tc::tmm;

void ForgottenValues::forget(Value value) {
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    Operation *user = use.getOwner();
    if (!isa<scf::YieldOp, scf::ConditionOp>(user))
      continue;
    OpBuilder b(user);
    auto poison = ub::PoisonOp::create(b, value.getLoc(), value.getType());
    poisons.insert(poison);
    use.set(poison);
  }
}

/// Whether `op` carries its operands through loops or out of branches.
static bool isCarrying(Operation *op) {
  return isa<scf::YieldOp, scf::ConditionOp, scf::ForOp, scf::WhileOp>(op);
}

/// The values that `use`, of a loop, a branch or a terminator in one, becomes;
/// none where it decides something instead.
static SmallVector<Value> getCarried(OpOperand &use) {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    if (number < loop.getNumControlOperands())
      return {};
    number -= loop.getNumControlOperands();
    return {loop.getRegionIterArg(number), loop.getResult(number)};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(user))
    return {loop.getBeforeArguments()[number]};
  if (isa<scf::ConditionOp>(user)) {
    auto loop = cast<scf::WhileOp>(user->getParentOp());
    if (number == 0)
      return {};
    return {loop.getAfterArguments()[number - 1], loop.getResult(number - 1)};
  }
  Operation *parent = user->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return {loop.getRegionIterArg(number), loop.getResult(number)};
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return {loop.getBeforeArguments()[number]};
  return {parent->getResult(number)};
}

OpOperand *ForgottenValues::findReader(Region &region, Block *end,
                                       Location &origin) {
  WalkResult walk = region.walk([&](ub::PoisonOp poison) {
    // Those in loops that were erased meanwhile are not found.
    if (!poisons.contains(poison))
      return WalkResult::advance();
    origin = poison.getLoc();
    reader = findReader(poison, end);
    return reader ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted() ? reader : nullptr;
}

OpOperand *ForgottenValues::findReader(Value poison, Block *end) {
  size_t next = reached.size();
  reached.insert(poison);
  for (; next < reached.size(); ++next)
    for (OpOperand &use : reached[next].getUses()) {
      Operation *user = use.getOwner();
      if (end && user == end->getTerminator())
        return &use;
      SmallVector<Value> results;
      if (isCarrying(user))
        results = getCarried(use);
      else if (isMemoryEffectFree(user) && user->getNumRegions() == 0)
        llvm::append_range(results, user->getResults());
      if (results.empty())
        return &use;
      reached.insert(results.begin(), results.end());
    }
  return nullptr;
}

void ForgottenValues::drop() {
  for (Value value : reached)
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      Operation *user = use.getOwner();
      if (!isCarrying(user))
        continue; // Pure, and used by such ops alone.
      // A loop that carries what it got does not change it.
      if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
          loop && isa<scf::YieldOp>(user)) {
        use.set(loop.getRegionIterArg(use.getOperandNumber()));
        continue;
      }
      if (value.getDefiningOp<ub::PoisonOp>())
        continue;
      OpBuilder b(user);
      use.set(ub::PoisonOp::create(b, value.getLoc(), value.getType()));
    }
  for (Value value : reached)
    if (auto poison = value.getDefiningOp<ub::PoisonOp>();
        poison && poison->use_empty())
      poison->erase();
}
