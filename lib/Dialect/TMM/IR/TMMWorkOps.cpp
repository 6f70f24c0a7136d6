//===- TMMWorkOps.cpp - work items of the TMM dialect -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

//===----------------------------------------------------------------------===//
// SchedulerOp and work items
//===----------------------------------------------------------------------===//

LogicalResult SchedulerOp::verify() {
  if (getTile().size() != 3 ||
      llvm::any_of(getTile(), [](int64_t size) { return size <= 0; }))
    return emitOpError() << "expected tile to be three positive sizes M, N, K, "
                            "got ["
                         << getTile() << "]";
  // tmm_scheduler_c2
  if (getRows() && !getBatch())
    return emitOpError() << "expected `batch` with `rows`, one for each "
                            "problem, got none";
  if (getStacked() && !getRows())
    return emitOpError() << "expected `rows` with `stacked`, got none";
  // tmm_scheduler_c3
  if (getRule().readsRows() != bool(getRows()))
    return emitOpError() << "expected "
                         << (getRows() ? "a rule that reads `rows`"
                                       : "`rows`, which the rule reads")
                         << ", got " << getRule()
                         << (getRows() ? "" : " without");
  return success();
}

//===----------------------------------------------------------------------===//
// Work as a payload
//===----------------------------------------------------------------------===//

EngineAttrInterface RequestWorkOp::getEngine() { return getBy(); }

AgentSetAttrInterface RequestWorkOp::getSpan() {
  return getOver().value_or(AgentSetAttrInterface());
}

void RequestWorkOp::setSignal(Value barrier) {
  getSignalMutable().assign(barrier);
}

EngineAttrInterface CountRequestOp::getEngine() { return getBy(); }

AgentSetAttrInterface CountRequestOp::getSpan() {
  return getOver().value_or(AgentSetAttrInterface());
}

EngineAttrInterface AnswerRequestOp::getEngine() { return getBy(); }

AgentSetAttrInterface AnswerRequestOp::getSpan() {
  return getOver().value_or(AgentSetAttrInterface());
}

void AnswerRequestOp::setSignal(Value barrier) {
  getSignalMutable().assign(barrier);
}

/// Threads read the answer; `by` says how to.
EngineAttrInterface QueryWorkOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

bool QueryWorkOp::isOfEveryRole() { return true; }

//===----------------------------------------------------------------------===//
// Programmatic dependent launch
//===----------------------------------------------------------------------===//

EngineAttrInterface WaitPrerequisitesOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

bool WaitPrerequisitesOp::isOfEveryRole() { return true; }

/// The engine whose work it ends: the last load is on its way.
EngineAttrInterface LaunchDependentsOp::getEngine() { return getBy(); }
