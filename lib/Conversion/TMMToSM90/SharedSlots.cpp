//===- SharedSlots.cpp - rounds of slots that pipelines share ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot goes round all pipelines that share it: the producers of the first
// fill it, its consumers release it to the producers of the next, and so on. So
// each role makes one transaction in a round at each of its ends, in that order
// and one after the other, and all roles make as many rounds.
//
// Rounds are counted: those of a block are a sum over its ops, a loop of known
// length multiplies them, the arms of a branch have to agree. Loops of unknown
// length count as one factor each.
//
//===----------------------------------------------------------------------===//

#include "PipelineChecks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

/// A number of rounds: element i is for those in i loops of unknown length.
using Rounds = SmallVector<uint64_t, 4>;

/// The rounds of one role.
class RoleRounds {
public:
  RoleRounds(const DenseMap<Operation *, Operation *> &ends, PipelineOp first)
      : ends(ends), first(first) {}

  /// Notes that `begin` begins a transaction of the end that is number `place`
  /// in a round.
  void add(Operation *begin, unsigned place);
  /// Emits an error where the role makes no whole rounds in `region`.
  FailureOr<Rounds> count(Region &region);
  Operation *getFirst() { return begins.front().first; }

private:
  FailureOr<Rounds> countIn(Operation &op);
  LogicalResult verifyOrder(ArrayRef<Operation *> round);
  LogicalResult refuseOrder(Operation *op, Operation *before);
  Operation *findBegin(unsigned place);

  const DenseMap<Operation *, Operation *> &ends;
  PipelineOp first;
  llvm::MapVector<Operation *, unsigned> begins;
  /// The ends of the role, in the order of a round.
  SmallVector<unsigned> places;
};

} // namespace

static void addRounds(Rounds &sum, const Rounds &more) {
  sum.resize(std::max(sum.size(), more.size()));
  for (auto [to, from] : llvm::zip(sum, more))
    to = llvm::SaturatingAdd(to, from);
}

static void printRounds(InFlightDiagnostic &diag, const Rounds &rounds) {
  if (rounds.empty())
    diag << 0;
  StringRef separator;
  for (auto [loops, number] : llvm::enumerate(rounds)) {
    if (number == 0)
      continue;
    diag << separator << number;
    separator = " + ";
    if (loops > 0)
      diag << " in " << loops << " loops of unknown length";
  }
}

void RoleRounds::add(Operation *begin, unsigned place) {
  begins.insert({begin, place});
  if (!llvm::is_contained(places, place))
    places.insert(llvm::upper_bound(places, place), place);
}

Operation *RoleRounds::findBegin(unsigned place) {
  return llvm::find_if(begins,
                       [&](auto &begin) { return begin.second == place; })
      ->first;
}

LogicalResult RoleRounds::refuseOrder(Operation *op, Operation *before) {
  InFlightDiagnostic diag =
      op->emitOpError() << "expected pipelines that share slots to make their "
                           "transactions one after the other in one block, got "
                           "another order";
  diag.attachNote(before->getLoc()) << "expected before";
  diag.attachNote(first.getLoc()) << "first user of the slots here";
  return diag;
}

/// What gives the slot of a transaction away that `end` ends: its
/// tmm.release_held in the same block, if it is held.
static Operation *findRelease(Operation *end) {
  auto skip = dyn_cast<SkipOp>(end);
  if (!skip)
    return end;
  for (Operation *user : skip.getState().getUsers())
    if (auto hold = dyn_cast<HoldOp>(user))
      for (Operation *release : hold->getUsers())
        if (isa<ReleaseHeldOp>(release) &&
            release->getBlock() == end->getBlock())
          return release;
  return nullptr;
}

LogicalResult RoleRounds::verifyOrder(ArrayRef<Operation *> round) {
  for (auto [number, begin] : llvm::enumerate(round)) {
    unsigned place = places[number % places.size()];
    if (begins.lookup(begin) != place)
      return refuseOrder(begin, findBegin(place));
    if (number == 0)
      continue;
    Operation *end = ends.lookup(round[number - 1]);
    Operation *release = findRelease(end);
    Operation *at =
        release ? begin->getBlock()->findAncestorOpInBlock(*release) : nullptr;
    if (!at || !at->isBeforeInBlock(begin))
      return refuseOrder(begin, release ? release : end);
  }
  if (round.size() % places.size() == 0)
    return success();
  return refuseOrder(findBegin(places[round.size() % places.size()]),
                     round.back());
}

FailureOr<Rounds> RoleRounds::countIn(Operation &op) {
  auto isLoop = isa<LoopLikeOpInterface>(op);
  bool isBranch = !isLoop && isa<RegionBranchOpInterface>(op);
  Rounds sum;
  for (Region &region : op.getRegions()) {
    FailureOr<Rounds> rounds = count(region);
    if (failed(rounds))
      return failure();
    if (!isBranch || region.getRegionNumber() == 0) {
      addRounds(sum, *rounds);
      continue;
    }
    if (*rounds == sum)
      continue;
    Operation *inside = llvm::find_if(begins, [&](auto &begin) {
                          return op.isProperAncestor(begin.first);
                        })->first;
    InFlightDiagnostic diag =
        inside->emitOpError()
        << "expected one transaction of each end of pipelines that share slots "
           "in a round, got a branch that makes ";
    printRounds(diag, sum);
    diag << " or ";
    printRounds(diag, *rounds);
    diag.attachNote(op.getLoc()) << "branch here";
    diag.attachNote(first.getLoc()) << "first user of the slots here";
    return diag;
  }
  if (!isLoop || sum.empty())
    return sum;
  auto loop = dyn_cast<scf::ForOp>(op);
  std::optional<APInt> trips =
      loop ? loop.getStaticTripCount() : std::optional<APInt>();
  if (!trips) {
    sum.insert(sum.begin(), 0);
    return sum;
  }
  if (trips->isZero())
    return Rounds();
  for (uint64_t &number : sum)
    number = llvm::SaturatingMultiply(number, trips->getZExtValue());
  return sum;
}

FailureOr<Rounds> RoleRounds::count(Region &region) {
  Rounds sum;
  for (Block &block : region) {
    SmallVector<Operation *> round;
    for (Operation &op : block) {
      if (begins.contains(&op)) {
        round.push_back(&op);
        continue;
      }
      FailureOr<Rounds> inside = countIn(op);
      if (failed(inside))
        return failure();
      // Rounds in a loop or branch are not part of one that has begun.
      if (!inside->empty() && round.size() % places.size() != 0)
        return refuseOrder(findBegin(places[round.size() % places.size()]),
                           round.back());
      addRounds(sum, *inside);
    }
    if (round.empty())
      continue;
    if (failed(verifyOrder(round)))
      return failure();
    addRounds(sum, {round.size() / places.size()});
  }
  return sum;
}

/// Checks the rounds of the slots of `first`.
static LogicalResult
verifyRoundsOf(PipelineOp first, const DenseMap<Operation *, Operation *> &ends,
               gpu::GPUFuncOp kernel) {
  DenseMap<Value, unsigned> numbers;
  for (PipelineOp op = first; !numbers.contains(op); op = op.getNextOfSlots())
    numbers.insert({op.getPipeline(), numbers.size()});
  llvm::MapVector<Region *, RoleRounds> roles;
  llvm::SmallDenseSet<Region *> taking;
  kernel.walk([&](Operation *op) {
    if (!op->hasTrait<UsesPipeline>() || !numbers.contains(op->getOperand(0)))
      return;
    auto role = WarpSpecializeOp::findRole(op->getBlock());
    Region *region =
        role ? &role->first.getRoles()[role->second] : &kernel.getBody();
    if (auto skip = dyn_cast<SkipOp>(op); skip && !isHeld(skip))
      taking.insert(region);
    if (!isa<ProducerAcquireOp, ConsumerWaitOp>(op))
      return;
    unsigned place =
        2 * numbers.lookup(op->getOperand(0)) + isa<ConsumerWaitOp>(op);
    roles.insert({region, RoleRounds(ends, first)})
        .first->second.add(op, place);
  });
  RoleRounds *known = nullptr;
  Rounds expected;
  for (auto &[region, role] : roles) {
    FailureOr<Rounds> rounds = role.count(*region);
    if (failed(rounds))
      return failure();
    // Instances that take turns make a part of them.
    if (taking.contains(region))
      continue;
    if (!known) {
      known = &role;
      expected = *rounds;
      continue;
    }
    if (*rounds == expected)
      continue;
    InFlightDiagnostic diag =
        role.getFirst()->emitOpError()
        << "expected one transaction of each end of pipelines that share slots "
           "in a round, got roles that make ";
    printRounds(diag, expected);
    diag << " and ";
    printRounds(diag, *rounds);
    diag.attachNote(known->getFirst()->getLoc()) << "the other one here";
    diag.attachNote(first.getLoc()) << "first user of the slots here";
    return diag;
  }
  return success();
}

LogicalResult tc::verifySharedSlots(gpu::GPUFuncOp kernel,
                                    ArrayRef<Transaction> transactions) {
  DenseMap<Operation *, Operation *> ends;
  for (const Transaction &transaction : transactions)
    ends.insert({transaction.begin, transaction.end});
  auto verify = [&](PipelineOp op) -> WalkResult {
    if (op.getOver() || op.getNextOfSlots() == op)
      return WalkResult::advance();
    return verifyRoundsOf(op, ends, kernel);
  };
  return failure(kernel.walk(verify).wasInterrupted());
}
