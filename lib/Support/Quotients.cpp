//===- Quotients.cpp - quotients that have to be exact ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Quotients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tc;

bool tc::mustBeExact(Value quotient) {
  SmallVector<Value> values = {quotient};
  DenseSet<Value> seen = {quotient};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::CmpFOp,
              arith::CmpIOp, arith::FPToSIOp, arith::FPToUIOp, math::FloorOp,
              math::CeilOp, math::TruncOp>(user))
        return true;
      bool computes = user->getNumResults() == 1 &&
                      user->getNumRegions() == 0 && isMemoryEffectFree(user) &&
                      !isa<math::RoundOp, math::RoundEvenOp>(user);
      if (computes && seen.insert(user->getResult(0)).second)
        values.push_back(user->getResult(0));
    }
  return false;
}
