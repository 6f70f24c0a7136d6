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

void ForgottenValues::erase(Operation *op) {
  OpBuilder b(op);
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    Value poison = ub::PoisonOp::create(b, result.getLoc(), result.getType());
    poisons.push_back(poison);
    result.replaceAllUsesWith(poison);
  }
  op->erase();
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

/// The op whose regions `use` decides about, or its user.
static Operation *getDecided(OpOperand &use) {
  Operation *user = use.getOwner();
  return isa<scf::ConditionOp>(user) ? user->getParentOp() : user;
}

OpOperand *ForgottenValues::findReader(Block *end, Location &origin) {
  // Ops were erased from the last to the first.
  for (Value poison : llvm::reverse(poisons)) {
    origin = poison.getLoc();
    if (OpOperand *reader = findReader(poison, end))
      return reader;
  }
  return nullptr;
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
      if (results.empty()) {
        // A loop without effects that runs more or less often yields other
        // values, and nothing else.
        Operation *decided = getDecided(use);
        if (!isMemoryEffectFree(decided))
          return &use;
        llvm::append_range(results, decided->getResults());
      }
      reached.insert(results.begin(), results.end());
    }
  return nullptr;
}

/// Erases the ops in `region` that have no effects and no users.
static void eraseDead(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (isOpTriviallyDead(&op)) {
        op.erase();
        continue;
      }
      for (Region &nested : op.getRegions())
        eraseDead(nested);
    }
}

void ForgottenValues::drop(Region &region) {
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
  eraseDead(region);
}
