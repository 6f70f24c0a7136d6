//===- LoopCarry.cpp - more values through a loop ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rebuilds loops with more loop-carried values.
//
//===----------------------------------------------------------------------===//

#include "LoopCarry.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

Operation *tc::tmm::carryThroughLoop(Operation *loop, ValueRange inits,
                                     SmallVectorImpl<Value> &carried) {
  OpBuilder builder(loop);
  Location loc = loop->getLoc();
  auto append = [&](Block &block, SmallVectorImpl<Value> *out) {
    for (Value init : inits) {
      Value arg = block.addArgument(init.getType(), loc);
      if (out)
        out->push_back(arg);
    }
  };
  Operation *newLoop;
  if (auto forOp = dyn_cast<scf::ForOp>(loop)) {
    SmallVector<Value> all(forOp.getInitArgs());
    llvm::append_range(all, inits);
    auto result =
        scf::ForOp::create(builder, loc, forOp.getLowerBound(),
                           forOp.getUpperBound(), forOp.getStep(), all);
    result.getRegion().takeBody(forOp.getRegion());
    append(*result.getBody(), &carried);
    Operation *yield = result.getBody()->getTerminator();
    yield->insertOperands(yield->getNumOperands(), carried);
    newLoop = result;
  } else if (auto ifOp = dyn_cast<scf::IfOp>(loop)) {
    SmallVector<Type> types(ifOp.getResultTypes());
    llvm::append_range(types, TypeRange(inits));
    auto result = scf::IfOp::create(builder, loc, types, ifOp.getCondition(),
                                    /*withElseRegion=*/true);
    result.getThenRegion().takeBody(ifOp.getThenRegion());
    if (ifOp.getElseRegion().empty()) {
      OpBuilder b = OpBuilder::atBlockEnd(result.elseBlock());
      scf::YieldOp::create(b, loc, ValueRange());
    } else {
      result.getElseRegion().takeBody(ifOp.getElseRegion());
    }
    // A branch that makes no transaction passes them on.
    for (Block *block : {result.thenBlock(), result.elseBlock()}) {
      Operation *yield = block->getTerminator();
      yield->insertOperands(yield->getNumOperands(), inits);
    }
    llvm::append_range(carried, inits);
    newLoop = result;
  } else {
    auto whileOp = cast<scf::WhileOp>(loop);
    SmallVector<Value> all(whileOp.getInits());
    llvm::append_range(all, inits);
    SmallVector<Type> types(whileOp.getResultTypes());
    llvm::append_range(types, TypeRange(inits));
    auto result = scf::WhileOp::create(builder, loc, types, all);
    result.getBefore().takeBody(whileOp.getBefore());
    result.getAfter().takeBody(whileOp.getAfter());
    SmallVector<Value> before;
    append(result.getBefore().front(), &before);
    append(result.getAfter().front(), &carried);
    Operation *condition = result.getBeforeBody()->getTerminator();
    condition->insertOperands(condition->getNumOperands(), before);
    Operation *yield = result.getAfterBody()->getTerminator();
    yield->insertOperands(yield->getNumOperands(), carried);
    newLoop = result;
  }
  newLoop->setAttrs(loop->getAttrDictionary());
  loop->replaceAllUsesWith(
      newLoop->getResults().take_front(loop->getNumResults()));
  loop->erase();
  return newLoop;
}

void tc::tmm::setCarried(Operation *loop, ValueRange values) {
  Block *body;
  if (auto forOp = dyn_cast<scf::ForOp>(loop))
    body = forOp.getBody();
  else if (auto whileOp = dyn_cast<scf::WhileOp>(loop))
    body = whileOp.getAfterBody();
  else
    body = values.front().getParentBlock();
  Operation *yield = body->getTerminator();
  yield->setOperands(yield->getNumOperands() - values.size(), values.size(),
                     values);
}
