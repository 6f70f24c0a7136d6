//===- TestUnit.cpp - a back end of tests only ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The answers of a back end that exists only in tests, linked into tc-opt.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "TestUnitDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "TestUnitAttrs.h.inc"
#define GET_OP_CLASSES
#include "TestUnitOps.h.inc"

using namespace mlir;
using namespace tc;
using namespace tc::test_unit;

#include "TestUnitDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "TestUnitAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "TestUnitOps.cpp.inc"

void TestUnitDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "TestUnitAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TestUnitOps.cpp.inc"
      >();
}

namespace tc {
/// For tc-opt, which declares it.
void registerTestUnit(DialectRegistry &registry) {
  registry.insert<TestUnitDialect>();
}
} // namespace tc

//===----------------------------------------------------------------------===//
// Memory space and agent set
//===----------------------------------------------------------------------===//

LogicalResult BankAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape,
                                   Type elementType) const {
  if (shape[0] > getRows())
    return emitError() << "expected at most " << getRows()
                       << " rows in a bank, got " << shape[0];
  return success();
}

StringRef BankAttr::getRingName() const { return "banks"; }
bool BankAttr::isOrderedByFences() const { return true; }

void BankAttr::emitFenceBefore(OpBuilder &builder, Location loc, Proxy own,
                               Proxy other) const {
  FenceOp::create(builder, loc, /*before=*/true, other == Proxy::Async,
                  /*crosses=*/false);
}

void BankAttr::emitFenceAfter(OpBuilder &builder, Location loc, Proxy other,
                              Proxy own, bool crosses, bool) const {
  FenceOp::create(builder, loc, /*before=*/false, other == Proxy::Async,
                  crosses);
}

int64_t NeighboursAttr::getClusterCtas() const { return getCtas(); }

SmallVector<int64_t> NeighboursAttr::getMembers(int64_t rank) const {
  int64_t next = (rank + 1) % getCtas();
  if (next < rank)
    return {next, rank};
  return {rank, next};
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

Proxy MoverAttr::getProxy() const { return Proxy::Async; }
Issue MoverAttr::getIssue() const { return Issue::Thread; }
Completion MoverAttr::getCompletion() const { return Completion::Bytes; }

Proxy ScannerAttr::getProxy() const { return Proxy::Async; }
Issue ScannerAttr::getIssue() const { return Issue::Thread; }
Completion ScannerAttr::getCompletion() const { return Completion::Commit; }

void ScannerAttr::emitCommit(OpBuilder &builder, Location loc, Value barrier,
                             Value mask, int64_t ctas) const {
  CommitOp::create(builder, loc, barrier, mask, ctas);
}

Proxy SystolicAttr::getProxy() const { return Proxy::Generic; }
Issue SystolicAttr::getIssue() const { return Issue::Warpgroup; }
Completion SystolicAttr::getCompletion() const { return Completion::Arrive; }
int64_t SystolicAttr::getMaxLag() const { return 1; }
bool SystolicAttr::isPendingAtReturn() const { return true; }

Proxy DealerAttr::getProxy() const { return Proxy::Async; }
Issue DealerAttr::getIssue() const { return Issue::Thread; }
Completion DealerAttr::getCompletion() const { return Completion::Bytes; }

//===----------------------------------------------------------------------===//
// Scheduler
//===----------------------------------------------------------------------===//

SmallVector<Type> CountdownAttr::getWorkTypes() const {
  return {IntegerType::get(getContext(), getBits())};
}

static Value emitConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
}

SmallVector<Value> CountdownAttr::emitState(OpBuilder &b, Location loc,
                                            const tmm::TileSpace &space) const {
  return {arith::CeilDivUIOp::create(b, loc, space.m,
                                     emitConstant(b, loc, space.tile[0]))};
}

SmallVector<Value> CountdownAttr::emitFirst(OpBuilder &b, Location loc,
                                            const tmm::TileSpace &space,
                                            ValueRange state) const {
  return {arith::SubIOp::create(b, loc, state[0], emitConstant(b, loc, 1))};
}

SmallVector<Value> CountdownAttr::emitNext(OpBuilder &b, Location loc,
                                           const tmm::TileSpace &space,
                                           ValueRange state,
                                           ValueRange work) const {
  return {arith::SubIOp::create(b, loc, work[0], emitConstant(b, loc, 1))};
}

SmallVector<Value> CountdownAttr::emitAt(OpBuilder &, Location,
                                         const tmm::TileSpace &, ValueRange,
                                         Value number) const {
  return {number};
}

Value CountdownAttr::emitCount(OpBuilder &, Location, const tmm::TileSpace &,
                               ValueRange state) const {
  return state[0];
}

Value CountdownAttr::emitValid(OpBuilder &b, Location loc,
                               const tmm::TileSpace &space, ValueRange state,
                               ValueRange work) const {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, work[0],
                               emitConstant(b, loc, 0));
}

tmm::WorkItem CountdownAttr::emitItem(OpBuilder &b, Location loc,
                                      const tmm::TileSpace &space,
                                      ValueRange state, ValueRange work) const {
  tmm::WorkItem item;
  item.row = arith::MulIOp::create(b, loc, work[0],
                                   emitConstant(b, loc, space.tile[0]));
  item.col = item.problem = item.share = item.firstBlock =
      emitConstant(b, loc, 0);
  item.shares = emitConstant(b, loc, 1);
  item.blockCount = arith::CeilDivUIOp::create(
      b, loc, space.k, emitConstant(b, loc, space.tile[2]));
  return item;
}

//===----------------------------------------------------------------------===//
// Ops on tiles
//===----------------------------------------------------------------------===//

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

EngineAttrInterface MoveOp::getEngine() { return MoverAttr::get(getContext()); }
void MoveOp::setSignal(Value barrier) { getSignalMutable().assign(barrier); }

AgentSetAttrInterface MoveOp::getTargets() {
  return getTo().value_or(AgentSetAttrInterface());
}

void MoveOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getBufferMutable());
}

EngineAttrInterface ScanOp::getEngine() {
  return ScannerAttr::get(getContext());
}

void ScanOp::getEffects(Effects &effects) {
  for (OpOperand &in : getInsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &in);
  for (OpOperand &out : getOutsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &out);
}

EngineAttrInterface CombineOp::getEngine() {
  return SystolicAttr::get(getContext());
}

void CombineOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getBufferMutable());
}
