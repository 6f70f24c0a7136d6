//===- InFlight.cpp - values that are not computed yet ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/InFlight.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tc;

SmallVector<Value> tc::getCarried(OpOperand &operand) {
  auto branch = dyn_cast<RegionBranchOpInterface>(operand.getOwner());
  if (!branch && operand.getOwner()->hasTrait<OpTrait::IsTerminator>())
    branch =
        dyn_cast<RegionBranchOpInterface>(operand.getOwner()->getParentOp());
  if (!branch)
    return {};
  RegionBranchSuccessorMapping successors;
  branch.getSuccessorOperandInputMapping(successors);
  return SmallVector<Value>(successors.lookup(&operand));
}

LogicalResult tc::verifyAwaitedOnce(Value value,
                                    function_ref<bool(Operation *)> awaits) {
  if (value.use_empty() || value.hasOneUse())
    return success();
  for (Operation *user : value.getUsers()) {
    if (!awaits(user))
      continue;
    InFlightDiagnostic diag =
        user->emitOpError()
        << "expected each of values, which are in flight, to have no other "
           "use, got one with "
        << llvm::range_size(value.getUses()) << " uses";
    for (Operation *other : value.getUsers())
      if (other != user)
        diag.attachNote(other->getLoc()) << "used here";
    return diag;
  }
  return success();
}
