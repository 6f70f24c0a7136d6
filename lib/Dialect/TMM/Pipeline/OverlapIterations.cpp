//===- OverlapIterations.cpp - deferred parts of iterations -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rotates a loop: what comes after tmm.defer runs in the next iteration, at
// tmm.resume. An engine that works on when its ops return has work of both
// iterations then.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/KernelForm.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace tc::tmm {
#define GEN_PASS_DEF_OVERLAPITERATIONSPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

struct OverlapIterationsPass
    : tc::tmm::impl::OverlapIterationsPassBase<OverlapIterationsPass> {
  void runOnOperation() override;
};

/// A loop and the parts of its body.
class Rotation {
public:
  explicit Rotation(scf::ForOp loop) : loop(loop), yield(getYield(loop)) {}

  /// Finds the parts; emits an error where they are not as tmm.defer says.
  LogicalResult split(DeferOp defer);
  void run();

private:
  static scf::YieldOp getYield(scf::ForOp loop) {
    return cast<scf::YieldOp>(loop.getBody()->getTerminator());
  }
  void collectCarried();
  bool isDeferred(Value value) {
    Operation *op = value.getDefiningOp();
    return op && deferredOps.contains(op);
  }
  /// Whether `value` is defined in the body.
  bool isInside(Value value) {
    return loop.getRegion().isAncestor(value.getParentRegion());
  }
  void clone(OpBuilder &b, ArrayRef<Operation *> ops, IRMapping &mapping) {
    for (Operation *op : ops)
      b.clone(*op, mapping);
  }
  SmallVector<Value> emit(OpBuilder &b);
  void emitIteration(OpBuilder &b, Value index, ValueRange before);
  SmallVector<Value> getCarried(IRMapping &mapping) {
    return llvm::map_to_vector(
        carried, [&](Value value) { return mapping.lookup(value); });
  }

  scf::ForOp loop;
  scf::YieldOp yield;
  /// The ops before tmm.resume, those between it and tmm.defer, and the rest.
  SmallVector<Operation *> first, middle, deferred;
  DenseSet<Operation *> deferredOps;
  /// What the deferred part and the next iteration need of an iteration.
  llvm::SetVector<Value> carried;
};

} // namespace

/// The values that `op` and the ops in it use.
static void forEachUse(Operation *op,
                       function_ref<void(Operation *, Value)> use) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      use(inner, operand);
  });
}

LogicalResult Rotation::split(DeferOp defer) {
  SmallVector<Operation *> *part = &first;
  Operation *resume = nullptr, *end = nullptr;
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isResume = isa<ResumeOp>(op), isDefer = isa<DeferOp>(op);
    if (!isResume && !isDefer) {
      part->push_back(&op);
      continue;
    }
    // tmm_defer_c1
    if ((isResume && resume) || (isDefer && (end || !resume)))
      return op.emitOpError()
             << "expected one tmm.resume and then one "
                "tmm.defer in the body of a loop, got "
             << (isDefer && !end ? "no tmm.resume before it" : "another");
    (isResume ? resume : end) = &op;
    part = isResume ? &middle : &deferred;
  }
  for (Operation *op : deferred)
    deferredOps.insert(op);
  collectCarried();
  // tmm_defer_c2
  Operation *early = nullptr;
  for (Operation *op : first)
    forEachUse(op, [&](Operation *user, Value value) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (argument && argument.getOwner() == loop.getBody() &&
          argument != loop.getInductionVar() &&
          isDeferred(loop.getTiedLoopYieldedValue(argument)->get()))
        early = user;
    });
  if (!early)
    return success();
  InFlightDiagnostic diag = defer.emitOpError()
                            << "expected nothing before tmm.resume to use what "
                               "the deferred part of the iteration before "
                               "computes, got a use";
  diag.attachNote(early->getLoc()) << "used here";
  return diag;
}

void Rotation::collectCarried() {
  for (Operation *op : deferred)
    forEachUse(op, [&](Operation *, Value value) {
      // Not what the op itself holds, nor what is deferred with it.
      if (value.getParentBlock() == loop.getBody() && !isDeferred(value))
        carried.insert(value);
    });
  for (Value value : yield.getOperands())
    if (value.getParentBlock() == loop.getBody() && !isDeferred(value))
      carried.insert(value);
}

/// Emits the iteration `index`, with the deferred part of the one before it,
/// whose carried values are `before`; all but its own deferred part.
void Rotation::emitIteration(OpBuilder &b, Value index, ValueRange before) {
  IRMapping last, now;
  for (auto [value, held] : llvm::zip_equal(carried, before))
    last.map(value, held);
  now.map(loop.getInductionVar(), index);
  for (auto [argument, value] :
       llvm::zip_equal(loop.getRegionIterArgs(), yield.getOperands()))
    if (!isDeferred(value))
      now.map(argument, last.lookupOrDefault(value));
  clone(b, first, now);
  clone(b, deferred, last);
  for (auto [argument, value] :
       llvm::zip_equal(loop.getRegionIterArgs(), yield.getOperands()))
    if (isDeferred(value))
      now.map(argument, last.lookup(value));
  clone(b, middle, now);
  scf::YieldOp::create(b, loop.getLoc(), getCarried(now));
}

/// Emits all iterations, of which there is at least one; returns the results.
SmallVector<Value> Rotation::emit(OpBuilder &b) {
  Location loc = loop.getLoc();
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), loop.getLowerBound());
  for (auto [argument, init] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    mapping.map(argument, init);
  clone(b, first, mapping);
  clone(b, middle, mapping);
  Value second =
      arith::AddIOp::create(b, loc, loop.getLowerBound(), loop.getStep());
  auto rotated = scf::ForOp::create(
      b, loc, second, loop.getUpperBound(), loop.getStep(), getCarried(mapping),
      [&](OpBuilder &inner, Location, Value index, ValueRange before) {
        emitIteration(inner, index, before);
      });
  IRMapping last;
  for (auto [value, result] : llvm::zip_equal(carried, rotated.getResults()))
    last.map(value, result);
  clone(b, deferred, last);
  return llvm::map_to_vector(yield.getOperands(), [&](Value value) {
    return last.lookupOrDefault(value);
  });
}

void Rotation::run() {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (trips && !trips->isZero()) {
    loop.replaceAllUsesWith(emit(b));
    loop.erase();
    return;
  }
  Value runs =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  auto branch = scf::IfOp::create(
      b, loc, runs,
      [&](OpBuilder &then, Location) {
        SmallVector<Value> results = emit(then);
        scf::YieldOp::create(then, loc, results);
      },
      [&](OpBuilder &otherwise, Location) {
        scf::YieldOp::create(otherwise, loc, loop.getInitArgs());
      });
  loop.replaceAllUsesWith(branch.getResults());
  loop.erase();
}

/// Whether an engine works on when its ops in `loop` return.
static bool hasPendingWork(scf::ForOp loop) {
  auto isPending = [](EngineOpInterface op) {
    EngineAttrInterface engine = op.getEngine();
    return engine.isPendingAtReturn() || engine.isQueue()
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return loop.walk(isPending).wasInterrupted();
}

void OverlapIterationsPass::runOnOperation() {
  SmallVector<DeferOp> ops;
  getOperation()->walk([&](DeferOp op) { ops.push_back(op); });
  for (DeferOp op : ops) {
    auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
    // A loop of one iteration is none any more.
    if (!loop || loop.getUnsignedCmp() || !hasPendingWork(loop))
      continue;
    Rotation rotation(loop);
    if (failed(rotation.split(op)))
      return signalPassFailure();
    rotation.run();
    ++numOverlapped;
  }
  SmallVector<Operation *> left;
  getOperation()->walk([&](Operation *op) {
    if (isa<ResumeOp, DeferOp>(op))
      left.push_back(op);
  });
  for (Operation *op : left)
    op->erase();
}
