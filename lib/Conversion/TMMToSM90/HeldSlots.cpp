//===- HeldSlots.cpp - slots and values that work still uses ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work that is pending at return reads its slots and writes its results until
// it is awaited. So a slot is released after an await that covers the work on
// it: one that leaves no more transactions pending than were issued since.
//
// A slot is held in one of two ways, so that each is released once:
//
//   in its block   hold, then release_held
//   in a loop      hold, and the next iteration, or what follows the loop,
//                  releases it; before the first iteration the loop carries a
//                  tmm.hold that counts nothing, which a branch leaves out
//
//===----------------------------------------------------------------------===//

#include "PipelineChecks.h"

#include "tc/Support/InFlight.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// Ops that are executed one after the other, as parts of blocks.
using Path = SmallVector<llvm::iterator_range<Block::iterator>>;

/// Adds the ops after `at` to `path`, up to what holds `to`; to the end of the
/// block where nothing after it does.
static void addRest(Path &path, Operation *at, Operation *to) {
  Block *block = at->getBlock();
  Operation *last = block->findAncestorOpInBlock(*to);
  bool isAfter = last && at->isBeforeInBlock(last);
  path.push_back({std::next(at->getIterator()),
                  isAfter ? last->getIterator() : block->end()});
}

/// The ops between `from` and `to`; with `around`, the body of a loop, those
/// between `from` and `to` of the next iteration.
static Path makePath(Operation *from, Operation *to, Block *around = nullptr) {
  Path path;
  Operation *at = from;
  for (Block *block = at->getBlock();
       around ? block != around : !block->findAncestorOpInBlock(*to);
       block = at->getBlock()) {
    path.push_back({std::next(at->getIterator()), block->end()});
    at = at->getParentOp();
  }
  if (!around) {
    addRest(path, at, to);
    return path;
  }
  path.push_back({std::next(at->getIterator()), around->end()});
  path.push_back(
      {around->begin(), around->findAncestorOpInBlock(*to)->getIterator()});
  return path;
}

/// Whether `op` issues a transaction to `engine`.
static bool issuesTo(Operation &op, EngineAttrInterface engine) {
  auto access = dyn_cast<EngineOpInterface>(op);
  return access && access.getEngine() == engine;
}

/// The transactions that `path` issues to `engine` until the end, if it has no
/// await that covers what was issued before it.
static std::optional<int64_t> findUnawaited(const Path &path,
                                            EngineAttrInterface engine) {
  int64_t issued = 0;
  for (auto part : path)
    for (Operation &op : part) {
      auto await = dyn_cast<AwaitOp>(op);
      if (await && await.getBy() == engine &&
          await.getPending() <= uint64_t(issued))
        return std::nullopt;
      issued += issuesTo(op, engine);
    }
  return issued;
}

/// Checks that the work of `access` on a slot is awaited on `path`, before
/// `release`.
static LogicalResult verifyCovered(EngineOpInterface access, Operation *release,
                                   const Path &path) {
  EngineAttrInterface engine = access.getEngine();
  std::optional<int64_t> issued = findUnawaited(path, engine);
  if (!issued)
    return success();
  InFlightDiagnostic diag =
      release->emitOpError()
      << "expected a tmm.await by " << engine << " with at most "
      << std::min(*issued, engine.getMaxLag())
      << " pending between the work on the slot and its release, got none";
  diag.attachNote(access->getLoc()) << "work here";
  return diag;
}

/// Calls `visit` for the ops on the slot of `wait` that return before their
/// work is done.
static LogicalResult
forEachPending(ConsumerWaitOp wait,
               function_ref<LogicalResult(EngineOpInterface)> visit) {
  for (Operation *user : wait->getUsers())
    if (auto access = dyn_cast<EngineOpInterface>(user);
        access && access.getEngine().isPendingAtReturn() &&
        failed(visit(access)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Held slots
//===----------------------------------------------------------------------===//

/// The tmm.skip that counts the transaction of `hold`; null where none does.
static SkipOp findCounting(HoldOp hold) {
  for (Operation *user : hold.getState().getUsers())
    if (auto skip = dyn_cast<SkipOp>(user);
        skip && skip.getPipeline() == hold.getPipeline() &&
        skip->getBlock() == hold->getBlock())
      return skip;
  return nullptr;
}

/// Whether `left` and `right` are one value or one number.
static bool areSame(Value left, Value right) {
  std::optional<int64_t> number = getConstantIntValue(left);
  return left == right || (number && number == getConstantIntValue(right));
}

/// Whether `release` is in a branch of `block` that is taken where `left` and
/// `right` compare as `predicate` says.
static bool isInBranch(Operation *release, Block *block,
                       arith::CmpIPredicate predicate, Value left,
                       Value right) {
  auto branch = dyn_cast<scf::IfOp>(release->getParentOp());
  if (!branch || branch->getBlock() != block ||
      release->getBlock() != branch.thenBlock())
    return false;
  auto is = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  return is && is.getPredicate() == predicate && areSame(is.getLhs(), left) &&
         areSame(is.getRhs(), right);
}

/// Whether `release` is executed in each iteration of `loop` but the first.
static bool isAfterFirst(Operation *release, scf::ForOp loop) {
  auto isOf = [&](Value left, Value right) {
    return isInBranch(release, loop.getBody(), arith::CmpIPredicate::ne, left,
                      right);
  };
  return isOf(loop.getInductionVar(), loop.getLowerBound()) ||
         isOf(loop.getLowerBound(), loop.getInductionVar());
}

/// Whether `release` is executed after `loop` where that has an iteration.
static bool isAfterSome(Operation *release, scf::ForOp loop) {
  bool isUnsigned = loop.getUnsignedCmp();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (trips && !trips->isZero() && release->getBlock() == loop->getBlock())
    return true;
  return isInBranch(release, loop->getBlock(),
                    isUnsigned ? arith::CmpIPredicate::ult
                               : arith::CmpIPredicate::slt,
                    lower, upper) ||
         isInBranch(release, loop->getBlock(),
                    isUnsigned ? arith::CmpIPredicate::ugt
                               : arith::CmpIPredicate::sgt,
                    upper, lower);
}

namespace {

/// A slot of a transaction that `wait` begins and that ends later.
class HeldSlot {
public:
  HeldSlot(ConsumerWaitOp wait, HoldOp hold)
      : wait(wait), hold(hold),
        pipeline(wait.getPipeline().getDefiningOp<PipelineOp>()) {}

  /// Emits an error where it is not released once, when nothing uses it.
  LogicalResult verify();

private:
  LogicalResult verifyCarried(scf::ForOp loop, unsigned number);
  /// Checks what comes before `release`, in the next iteration of the loop
  /// with body `around` if that is not null.
  LogicalResult verifyRelease(ReleaseHeldOp release, Block *around = nullptr);

  ConsumerWaitOp wait;
  HoldOp hold;
  PipelineOp pipeline;
};

} // namespace

LogicalResult HeldSlot::verifyRelease(ReleaseHeldOp release, Block *around) {
  auto verifyWork = [&](EngineOpInterface access) {
    return verifyCovered(access, release, makePath(access, release, around));
  };
  if (failed(forEachPending(wait, verifyWork)))
    return failure();
  int64_t depth = wait.getPipeline().getType().getDepth();
  PipelineOp next = pipeline.getNextOfSlots();
  int64_t begun = 0;
  Operation *acquire = nullptr;
  for (auto part : makePath(wait, release, around))
    for (Operation &op : part)
      op.walk([&](Operation *inner) {
        if (auto other = dyn_cast<ConsumerWaitOp>(inner);
            other && other.getPipeline() == wait.getPipeline())
          // In a loop there may be any number of them.
          begun += inner == &op ? 1 : depth;
        if (auto other = dyn_cast<ProducerAcquireOp>(inner);
            other && other.getPipeline() == next.getPipeline())
          acquire = inner;
      });
  if (begun >= depth) {
    InFlightDiagnostic diag =
        hold.emitOpError() << "expected at most " << depth - 1
                           << " transactions to begin while a slot of a ring "
                              "of "
                           << depth << " is held, got " << begun;
    diag.attachNote(release.getLoc()) << "released here";
    return diag;
  }
  if (!acquire)
    return success();
  InFlightDiagnostic diag = release.emitOpError()
                            << "expected a held slot to be released before the "
                               "role takes one to fill it, got another order";
  diag.attachNote(acquire->getLoc()) << "taken here";
  return diag;
}

LogicalResult HeldSlot::verifyCarried(scf::ForOp loop, unsigned number) {
  auto first = loop.getInitArgs()[number].getDefiningOp<HoldOp>();
  if (!first || findCounting(first)) {
    InFlightDiagnostic diag =
        loop.emitOpError() << "expected a tmm.hold that counts no transaction "
                              "where a loop carries held slots, got another "
                              "value";
    diag.attachNote(hold.getLoc()) << "held here";
    return diag;
  }
  for (bool isInside : {true, false}) {
    Value carried = isInside ? Value(loop.getRegionIterArg(number))
                             : Value(loop.getResult(number));
    StringRef place = isInside ? "in the next iteration" : "after the loop";
    auto release = carried.hasOneUse()
                       ? dyn_cast<ReleaseHeldOp>(*carried.user_begin())
                       : ReleaseHeldOp();
    if (!release) {
      InFlightDiagnostic diag = hold.emitOpError()
                                << "expected one use of the held slot " << place
                                << ", by tmm.release_held, got "
                                << llvm::range_size(carried.getUses());
      diag.attachNote(loop.getLoc()) << "loop here";
      return diag;
    }
    if (!(isInside ? isAfterFirst : isAfterSome)(release, loop)) {
      InFlightDiagnostic diag = release.emitOpError();
      if (isInside)
        diag << "expected an scf.if in the loop, taken where its variable is "
                "not the lower bound, around the release of the slot of the "
                "iteration before, got none";
      else
        diag << "expected an scf.if after the loop, taken where the lower "
                "bound is less than the upper one, around the release of the "
                "slot of the last iteration, got none";
      diag.attachNote(loop.getLoc()) << "loop here";
      return diag;
    }
    if (failed(verifyRelease(release, isInside ? loop.getBody() : nullptr)))
      return failure();
  }
  return success();
}

LogicalResult HeldSlot::verify() {
  if (!hold.getHeld().hasOneUse())
    return hold.emitOpError() << "expected one use of the held slot, got "
                              << llvm::range_size(hold.getHeld().getUses());
  OpOperand &use = *hold.getHeld().use_begin();
  Operation *user = use.getOwner();
  if (auto release = dyn_cast<ReleaseHeldOp>(user);
      release && release->getBlock() == hold->getBlock())
    return verifyRelease(release);
  if (auto loop = dyn_cast<scf::ForOp>(hold->getParentOp());
      loop && user == loop.getBody()->getTerminator())
    return verifyCarried(loop, use.getOperandNumber());
  InFlightDiagnostic diag =
      hold.emitOpError() << "expected a held slot to be released in its block, "
                            "or carried by its loop, got another use";
  diag.attachNote(user->getLoc()) << "used here";
  return diag;
}

/// Checks that `hold`, which counts no transaction, only goes into loops that
/// carry others: those are checked themselves.
static LogicalResult verifyUncounted(HoldOp hold) {
  for (OpOperand &use : hold.getHeld().getUses()) {
    auto loop = dyn_cast<scf::ForOp>(use.getOwner());
    if (loop &&
        loop.getTiedLoopYieldedValue(loop.getTiedLoopRegionIterArg(&use))
            ->get()
            .getDefiningOp<HoldOp>())
      continue;
    InFlightDiagnostic diag =
        hold.emitOpError() << "expected a tmm.skip of the same state in its "
                              "block, which counts the transaction of a slot "
                              "that is released later, got none";
    diag.attachNote(use.getOwner()->getLoc()) << "used here";
    return diag;
  }
  return success();
}

/// The tmm.hold of the transaction that `skip` counts. Emits an error where
/// there are two.
static FailureOr<HoldOp> findHold(SkipOp skip) {
  HoldOp found;
  for (Operation *user : skip.getState().getUsers()) {
    auto hold = dyn_cast<HoldOp>(user);
    if (!hold || findCounting(hold) != skip)
      continue;
    if (found) {
      InFlightDiagnostic diag =
          hold.emitOpError() << "expected one tmm.hold of a transaction, got "
                                "two";
      diag.attachNote(found.getLoc()) << "the other one here";
      return diag;
    }
    found = hold;
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Values in flight
//===----------------------------------------------------------------------===//

namespace {

/// A value that is being computed, with the transactions that were issued after
/// the one that computes it.
struct ValueInFlight {
  Value value;
  int64_t issued;
};

} // namespace

/// The transactions to `engine` that are issued between where `value` is and
/// `user`.
static int64_t countIssued(Value value, Operation *user,
                           EngineAttrInterface engine) {
  int64_t issued = 0;
  Operation *op = value.getDefiningOp();
  Block *home = value.getParentBlock();
  for (Operation *at = user;; at = at->getParentOp()) {
    Block *block = at->getBlock();
    auto begin =
        block == home && op ? std::next(op->getIterator()) : block->begin();
    for (Operation &other : llvm::make_range(begin, at->getIterator()))
      issued += issuesTo(other, engine);
    if (block == home)
      return issued;
  }
}

/// Checks that nothing uses what `access` computes before it is awaited, and
/// that it is awaited once.
static LogicalResult verifyResults(EngineOpInterface access) {
  EngineAttrInterface engine = access.getEngine();
  SmallVector<ValueInFlight> work;
  for (Value result : access->getResults())
    work.push_back({result, 0});
  llvm::SmallDenseSet<std::pair<Value, int64_t>> seen;
  while (!work.empty()) {
    auto [value, issued] = work.pop_back_val();
    if (!seen.insert({value, issued}).second)
      continue;
    if (failed(verifyAwaitedOnce(value, llvm::IsaPred<AwaitOp>)))
      return failure();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      // More make no difference to any await.
      int64_t since = std::min(issued + countIssued(value, user, engine),
                               engine.getMaxLag());
      SmallVector<Value> carried = getCarried(use);
      for (Value other : carried)
        work.push_back({other, since});
      // The engine goes on from what it computes.
      if (!carried.empty() || issuesTo(*user, engine))
        continue;
      if (auto await = dyn_cast<AwaitOp>(user)) {
        if (await.getBy() != engine || await.getPending() > uint64_t(since))
          work.push_back({await.getResult(use.getOperandNumber()), since});
        continue;
      }
      InFlightDiagnostic diag =
          user->emitOpError()
          << "expected a value in flight to go through a tmm.await by "
          << engine << " with at most " << since
          << " pending before it is used, got none";
      diag.attachNote(access->getLoc()) << "work here";
      return diag;
    }
  }
  return success();
}

LogicalResult tc::verifyInFlight(gpu::GPUFuncOp kernel,
                                 ArrayRef<Transaction> transactions) {
  for (const Transaction &transaction : transactions) {
    auto wait = dyn_cast<ConsumerWaitOp>(transaction.begin);
    if (!wait)
      continue;
    if (auto skip = dyn_cast<SkipOp>(transaction.end)) {
      FailureOr<HoldOp> hold = findHold(skip);
      if (failed(hold) || failed(HeldSlot(wait, *hold).verify()))
        return failure();
      continue;
    }
    auto verifyWork = [&](EngineOpInterface access) {
      return verifyCovered(access, transaction.end,
                           makePath(access, transaction.end));
    };
    if (failed(forEachPending(wait, verifyWork)))
      return failure();
  }
  auto verify = [](Operation *op) -> WalkResult {
    auto hold = dyn_cast<HoldOp>(op);
    if (hold && !findCounting(hold))
      return verifyUncounted(hold);
    auto access = dyn_cast<EngineOpInterface>(op);
    if (access && access.getEngine().isPendingAtReturn())
      return verifyResults(access);
    return WalkResult::advance();
  };
  return failure(kernel.walk(verify).wasInterrupted());
}
