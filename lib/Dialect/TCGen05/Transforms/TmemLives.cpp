//===- TmemLives.cpp - when a region of Tensor Memory is in use -*- C++ -*-===//
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

#include "TmemLives.h"

#include "tc/Support/Synchronization.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

namespace {

/// Where all threads meet: what is before `begin` has happened for what is
/// after `end`.
struct Meeting {
  int64_t begin, end;
};

class Lives {
public:
  Lives(gpu::GPUFuncOp kernel, int ctaGroup);
  TmemLife getLife(ReserveOp reserve) const;

private:
  int64_t getPosition(Operation *op) const {
    return positions.lookup(entry->findAncestorOpInBlock(*op));
  }
  void findMeetings(int ctaGroup);
  std::optional<int64_t> getCompletion(Operation *access) const;
  CommitOp findCommit(Operation *access) const;

  Block *entry;
  llvm::DenseMap<Operation *, int64_t> positions;
  SmallVector<Meeting> meetings;
  SmallVector<CommitOp> commits;
};

} // namespace

/// The first operation after `op` for which `matches`, in its block and in
/// those around it; null from a block on that `op` leaves through an operation
/// that `stops`.
static Operation *findAfter(Operation *op,
                            function_ref<bool(Operation &)> matches,
                            function_ref<bool(Operation *)> stops) {
  for (; !isa<FunctionOpInterface>(op); op = op->getParentOp()) {
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (matches(*next))
        return next;
    if (stops(op->getParentOp()))
      return nullptr;
  }
  return nullptr;
}

/// Whether two values are the same mbarrier, as far as can be seen.
static bool isSameBarrier(Value a, Value b) {
  if (a == b)
    return true;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  return first && second && isMemoryEffectFree(first) &&
         OperationEquivalence::isEquivalentTo(
             first, second, OperationEquivalence::IgnoreLocations);
}

Lives::Lives(gpu::GPUFuncOp kernel, int ctaGroup)
    : entry(&kernel.getBody().front()) {
  int64_t position = 0;
  for (Operation &op : *entry)
    positions[&op] = position++;
  kernel.walk([&](CommitOp op) { commits.push_back(op); });
  // Positions in one block say nothing of others.
  if (kernel.getBody().hasOneBlock())
    findMeetings(ctaGroup);
}

void Lives::findMeetings(int ctaGroup) {
  auto isFence = [](Operation *op, FenceKind kind) {
    auto fence = dyn_cast<FenceOp>(op);
    return fence && fence.getKind() == kind;
  };
  Operation *before = nullptr, *arrival = nullptr;
  std::optional<int64_t> begin;
  for (Operation &op : *entry) {
    if (isFence(&op, FenceKind::Before)) {
      before = &op;
      continue;
    }
    if (isFence(&op, FenceKind::After)) {
      if (begin)
        meetings.push_back({*begin, positions.lookup(&op)});
      begin.reset();
      continue;
    }
    auto interface = dyn_cast<SynchronizationOpInterface>(op);
    if (isa<NVVM::ClusterArriveOp>(op) ||
        (interface && interface.arrivesAtCluster())) {
      arrival = before;
    } else if (isa<NVVM::ClusterWaitOp>(op) ||
               (interface && interface.waitsForCluster())) {
      if (arrival)
        begin = positions.lookup(arrival);
      arrival = nullptr;
    } else if (isa<gpu::BarrierOp>(op) && ctaGroup != 2 && before) {
      begin = positions.lookup(before);
    }
  }
}

/// The commit that covers `access`, alone on its mbarrier, by the same thread.
CommitOp Lives::findCommit(Operation *access) const {
  Operation *found = findAfter(
      access, [](Operation &op) { return isa<CommitOp>(op); },
      [](Operation *parent) { return !isa<LoopLikeOpInterface>(parent); });
  auto commit = dyn_cast_or_null<CommitOp>(found);
  if (!commit)
    return {};
  for (CommitOp other : commits)
    if (other != commit &&
        isSameBarrier(other.getMbarrier(), commit.getMbarrier()))
      return {};
  return commit;
}

/// The position from which on `access` is complete.
std::optional<int64_t> Lives::getCompletion(Operation *access) const {
  auto never = [](Operation *) { return false; };
  Operation *done;
  if (isa<LdOp, LdRedOp, LdCompressOp, StOp>(access)) {
    WaitKind kind = isa<StOp>(access) ? WaitKind::St : WaitKind::Ld;
    done = findAfter(
        access,
        [&](Operation &op) {
          auto wait = dyn_cast<WaitOp>(op);
          return wait && wait.getKind() == kind;
        },
        never);
  } else {
    CommitOp commit = findCommit(access);
    if (!commit)
      return std::nullopt;
    // One wait after a loop is not for all of its commits.
    done = findAfter(
        commit,
        [&](Operation &op) {
          auto interface = dyn_cast<SynchronizationOpInterface>(op);
          Value awaited = interface ? interface.getAwaited() : Value();
          return awaited && isSameBarrier(awaited, commit.getMbarrier());
        },
        [](Operation *parent) { return isa<LoopLikeOpInterface>(parent); });
  }
  if (!done)
    return std::nullopt;
  return getPosition(done);
}

/// Whether `access` works as well 16 lanes further up.
static bool fitsUpperLanes(Operation *access) {
  if (auto mma = dyn_cast<MmaOp>(access))
    return !mma.getTmemA() && !mma.getMetadata();
  if (auto ld = dyn_cast<LdOp>(access))
    return getFacts(ld.getShape()).lanes < kTmemWindowLanes;
  if (auto st = dyn_cast<StOp>(access))
    return getFacts(st.getShape()).lanes < kTmemWindowLanes;
  return false;
}

TmemLife Lives::getLife(ReserveOp reserve) const {
  TmemLife life;
  bool isSeen = !meetings.empty();
  SmallVector<Operation *> accesses;
  SmallVector<Value> pending{reserve.getRegion()};
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      if (isa<SliceOp, WarpWindowOp>(user))
        pending.push_back(user->getResult(0));
      else if (isa<LdOp, LdRedOp, LdCompressOp, StOp, CpOp, ShiftOp, MmaOp,
                   MmaWsOp, MmaBlockScaleOp>(user))
        accesses.push_back(user);
      else
        return life;
    }
  life.fitsUpperLanes =
      reserve.getRegion().getType().getLayout() == DataPath::F &&
      llvm::all_of(accesses, fitsUpperLanes);
  if (accesses.empty() || !isSeen)
    return life;
  int64_t begin = std::numeric_limits<int64_t>::max(), used = 0, done = 0;
  Operation *last = nullptr;
  for (Operation *access : accesses) {
    int64_t position = getPosition(access);
    begin = std::min(begin, position);
    if (!last || position >= used) {
      used = position;
      last = access;
    }
  }
  life.begin = begin;
  for (Operation *access : accesses) {
    std::optional<int64_t> completion = getCompletion(access);
    if (!completion)
      return life;
    done = std::max(done, *completion);
  }
  for (Meeting meeting : meetings) {
    if (meeting.begin < std::max(used, done))
      continue;
    life.end = meeting.end;
    life.last = last;
    break;
  }
  return life;
}

SmallVector<TmemLife> tc::tcgen05::getTmemLives(gpu::GPUFuncOp kernel,
                                                ArrayRef<ReserveOp> reserves,
                                                int ctaGroup) {
  Lives lives(kernel, ctaGroup);
  SmallVector<TmemLife> result;
  for (ReserveOp reserve : reserves)
    result.push_back(lives.getLife(reserve));
  return result;
}
