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

#include "TestUnit.h"

#include "tc/Support/EmitArith.h"
#include "tc/Support/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

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
void registerTestLower(); // TestLower.cpp

/// For TestLib.cpp, which declares it.
void registerTestUnit(DialectRegistry &registry) {
  registry.insert<TestUnitDialect>();
  registerTestLower();
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

Scope NeighboursAttr::getScope() const {
  return getOfGrid() ? Scope::Grid : Scope::Cluster;
}

int64_t NeighboursAttr::getNumCtas() const { return getCtas(); }

SmallVector<int64_t> NeighboursAttr::getMembers(int64_t rank) const {
  int64_t next = (rank + 1) % getCtas();
  if (next < rank)
    return {next, rank};
  return {rank, next};
}

//===----------------------------------------------------------------------===//
// Threads, and counters in global memory
//===----------------------------------------------------------------------===//

Value tc::test_unit::emitAddress(OpBuilder &b, Location loc, Value memref) {
  Value index = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
}

Value tc::test_unit::emitOffset(OpBuilder &b, Location loc, Value base,
                                Value count, int64_t bytes) {
  Value wide = arith::ExtSIOp::create(b, loc, b.getI64Type(), count);
  Value size = arith::ConstantIntOp::create(b, loc, b.getI64Type(), bytes);
  Value offset = arith::MulIOp::create(b, loc, wide, size);
  return arith::AddIOp::create(b, loc, base, offset);
}

Value tc::test_unit::emitRank(OpBuilder &b, Location loc) {
  Value rank = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), rank);
}

Value tc::test_unit::emitPointer(OpBuilder &b, Location loc, Value address) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/1);
  return LLVM::IntToPtrOp::create(b, loc, type, address);
}

static constexpr int64_t kCounterBytes = 4;

Scope CounterAttr::getReach() const { return Scope::Grid; }

Value CounterAttr::emitStorage(OpBuilder &b, Location loc,
                               const SignalRequest &request) const {
  auto kernel = cast<gpu::GPUFuncOp>(request.kernel);
  Value base = emitAddress(b, loc, kernel.getArgument(getArgument()));
  return emitOffset(b, loc, base, emitRank(b, loc),
                    request.depth * kCounterBytes);
}

Value CounterAttr::emitRemote(OpBuilder &b, Location loc, Value storage,
                              Value cta, int64_t depth) const {
  Value distance = arith::SubIOp::create(b, loc, cta, emitRank(b, loc));
  return emitOffset(b, loc, storage, distance, depth * kCounterBytes);
}

Value CounterAttr::emitSlot(OpBuilder &b, Location loc, Value storage,
                            OpFoldResult index) const {
  Value slot = getValueOrCreateConstantIndexOp(b, loc, index);
  slot = arith::IndexCastOp::create(b, loc, b.getI32Type(), slot);
  return emitOffset(b, loc, storage, slot, kCounterBytes);
}

void CounterAttr::emitArrive(OpBuilder &b, Location loc,
                             const SignalUse &use) const {
  // LLVM 22 drops the order of this one.
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::release, "device");
  LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::uinc_wrap,
                            emitPointer(b, loc, use.signal),
                            emitI32(b, loc, 2 * use.arrivals - 1),
                            LLVM::AtomicOrdering::monotonic, "device");
}

void CounterAttr::emitWait(OpBuilder &b, Location loc, const SignalUse &use,
                           Value parity) const {
  Value pointer = emitPointer(b, loc, use.signal);
  auto poll = [&](OpBuilder &b, Location loc, ValueRange) {
    Value count = LLVM::LoadOp::create(
        b, loc, b.getI32Type(), pointer, kCounterBytes, /*isVolatile=*/false,
        /*isNonTemporal=*/false, /*isInvariant=*/false,
        /*isInvariantGroup=*/false, LLVM::AtomicOrdering::acquire, "device");
    // The phase that is not complete yet is of this parity.
    Value current =
        arith::DivUIOp::create(b, loc, count, emitI32(b, loc, use.arrivals));
    Value waits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        current, parity);
    scf::ConditionOp::create(b, loc, waits, ValueRange());
  };
  scf::WhileOp::create(b, loc, TypeRange(), ValueRange(), poll,
                       [](OpBuilder &b, Location loc, ValueRange) {
                         scf::YieldOp::create(b, loc);
                       });
}

SignalAttrInterface PostedAttr::getSignal() const {
  return CounterAttr::get(getContext(), getArgument());
}

Scope EveryoneAttr::getScope() const { return Scope::Grid; }

SmallVector<int64_t> EveryoneAttr::getMembers(int64_t) const {
  return llvm::to_vector(llvm::seq<int64_t>(0, getNumCtas()));
}

Proxy PosterAttr::getProxy() const { return Proxy::Generic; }
Issue PosterAttr::getIssue() const { return Issue::each(); }
CompletionAttrInterface PosterAttr::getCompletion() const {
  return PostedAttr::get(getContext(), getArgument());
}

Proxy WorkerAttr::getProxy() const { return Proxy::Generic; }
Issue WorkerAttr::getIssue() const { return Issue::each(); }
CompletionAttrInterface WorkerAttr::getCompletion() const {
  return ArrivedAttr::get(getContext());
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

int64_t CountedAttr::getArrivals(Issue, int64_t) const { return 1; }
bool CountedAttr::isOfThreads() const { return false; }
bool CountedAttr::countsBytes() const { return true; }

void CountedAttr::emitArrive(OpBuilder &builder, Location loc,
                             const Arrival &arrival) const {
  for (Value storage : arrival.targets)
    ExpectOp::create(builder, loc, arrival.emitSlot(builder, loc, storage),
                     arrival.bytes);
}

bool CommittedAttr::isOfThreads() const { return false; }

void CommittedAttr::emitArrive(OpBuilder &builder, Location loc,
                               const Arrival &arrival) const {
  CommitOp::create(builder, loc, arrival.emitSlot(builder, loc, arrival.own),
                   arrival.mask, arrival.ctas);
}

Proxy MoverAttr::getProxy() const { return Proxy::Async; }
Issue MoverAttr::getIssue() const { return Issue::oneThread(); }
CompletionAttrInterface MoverAttr::getCompletion() const {
  return CountedAttr::get(getContext());
}

Proxy ScannerAttr::getProxy() const { return Proxy::Async; }
Issue ScannerAttr::getIssue() const { return Issue::oneThread(); }
CompletionAttrInterface ScannerAttr::getCompletion() const {
  return CommittedAttr::get(getContext());
}

Proxy SystolicAttr::getProxy() const { return Proxy::Generic; }
Issue SystolicAttr::getIssue() const { return Issue::each(kWarpgroupThreads); }
CompletionAttrInterface SystolicAttr::getCompletion() const {
  return ArrivedAttr::get(getContext());
}
int64_t SystolicAttr::getMaxLag() const { return 1; }
bool SystolicAttr::isPendingAtReturn() const { return true; }

Proxy DealerAttr::getProxy() const { return Proxy::Async; }
Issue DealerAttr::getIssue() const { return Issue::oneThread(); }
CompletionAttrInterface DealerAttr::getCompletion() const {
  return CountedAttr::get(getContext());
}

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
  item.col = item.problem = item.firstBlock = emitConstant(b, loc, 0);
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

EngineAttrInterface FillOp::getEngine() { return getBy(); }

AgentSetAttrInterface FillOp::getTargets() {
  return getTo().value_or(AgentSetAttrInterface());
}

void FillOp::getEffects(Effects &effects) {
  if (getAdd())
    effects.emplace_back(MemoryEffects::Read::get(), &getBufferMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getBufferMutable());
}

EngineAttrInterface ScaleOp::getEngine() { return getBy(); }

void ScaleOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getBufferMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getBufferMutable());
}

EngineAttrInterface DrainOp::getEngine() { return getBy(); }

void DrainOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getYMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getBufferMutable());
}
