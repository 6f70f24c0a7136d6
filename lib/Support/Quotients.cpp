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

using namespace mlir;
using namespace tc;

static bool becomesInteger(Value value, unsigned depth) {
  return depth < 16 &&
         llvm::any_of(
             value.getUsers(),
             [&](Operation *user) {
               if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::CmpIOp,
                       arith::FPToSIOp, arith::FPToUIOp, math::FloorOp,
                       math::CeilOp, math::TruncOp>(user))
                 return true;
               if (isa<math::RoundOp, math::RoundEvenOp>(user))
                 return false;
               bool isNumber = isa<arith::ArithDialect, math::MathDialect>(
                                   user->getDialect()) &&
                               user->getNumResults() == 1;
               return isNumber && becomesInteger(user->getResult(0), depth + 1);
             });
}

bool tc::mustBeExact(Value quotient) { return becomesInteger(quotient, 0); }
