//===- VerifyPaths.cpp - allocations and accesses in order ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations of a kernel, and loads and stores that are not waited for, along
// its paths. Of branches whose conditions are not related nothing is known:
// what one warp allocates another one frees.
//
// Regions are compared where they are static slices of the same value.
//
//===----------------------------------------------------------------------===//

#include "KernelPaths.h"
#include "KernelRules.h"
#include "tc/Support/ISA.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

/// Choices after which the search stops.
constexpr unsigned kChoiceSteps = 4096;

namespace {

/// An allocation, on a path to it.
struct Allocation {
  AllocOp op;
  Value slot;
  Choices path;
};

/// Finds all allocations.
class AllocationPaths : public KernelPaths {
public:
  SmallVector<Allocation> allocations;

protected:
  LogicalResult visit(Operation *op, Facts &) override {
    if (auto alloc = dyn_cast<AllocOp>(op))
      allocations.push_back({alloc, getSlot(alloc.getSlot()), path});
    return success();
  }
};

class KernelChecks : public KernelPaths {
public:
  explicit KernelChecks(MutableArrayRef<Allocation> allocations)
      : allocations(allocations) {}
  LogicalResult verify(gpu::GPUFuncOp kernel);

protected:
  LogicalResult visit(Operation *op, Facts &facts) override;

private:
  LogicalResult visitCall(CallOpInterface op, Facts &facts);
  bool isLater(const Allocation &other, DeallocOp op);
  bool mayBeAllocated(DeallocOp op, Value slot);
  bool mayBeOfEarlierTurn(DeallocOp op, Value slot, Operation *freed);
  LogicalResult verifyFreedOnAllPaths(DeallocOp op, Value slot,
                                      const Facts &facts);
  LogicalResult verifyAddress(AddressOp op, const Facts &facts);
  LogicalResult visitAlloc(AllocOp op, Facts &facts);
  LogicalResult verifyColumnsInUse(AllocOp op, const Facts &facts);
  LogicalResult visitDealloc(DeallocOp op, Facts &facts);
  LogicalResult verifyAllFreed(Operation *op, const Facts &facts);
  LogicalResult visitAccess(Operation *op, Facts &facts);
  LogicalResult verifyWaited(OpOperand &operand, const Facts &facts);

  MutableArrayRef<Allocation> allocations;
  /// Slots of which an allocation was freed, and whether a function was called
  /// that is not known not to allocate or free.
  llvm::SmallPtrSet<Value, 4> freed;
  bool isCalled = false;
  /// What holds at ends of the kernel that some warps of a CTA may reach before
  /// others.
  llvm::MapVector<Operation *, Facts> ends;
};

} // namespace

static bool mayBeSame(Value slot, Value other) {
  return slot == other || !isKnownSlot(slot) || !isKnownSlot(other);
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

// tcgen05_kernel_c5, tcgen05_kernel_c17. Of the allocations on one path, whose
// choices the others share.
LogicalResult KernelChecks::verifyColumnsInUse(AllocOp op, const Facts &facts) {
  SmallVector<const Fact *> live;
  for (const Fact &fact : facts)
    if (fact.kind == FactKind::Live && isSure(fact))
      live.push_back(&fact);
  auto sharesPath = [&](const Fact *fact, const Choices &choices) {
    return llvm::all_of(fact->path, [&](const Choice &choice) {
      return llvm::is_contained(choices, choice) ||
             llvm::is_contained(path, choice);
    });
  };
  for (const Fact *longest : live) {
    int64_t columns = op.getColumns();
    SmallVector<AllocOp> others;
    for (const Fact *fact : live)
      if (sharesPath(fact, longest->path)) {
        others.push_back(cast<AllocOp>(fact->op));
        columns += others.back().getColumns();
      }
    bool isExclusive =
        op.getExclusive() || llvm::any_of(others, [](AllocOp other) {
          return other.getExclusive();
        });
    int64_t most = findTmemColumns(op->getParentOfType<gpu::GPUFuncOp>())
                       .value_or(kTmemColumns);
    if (columns <= most && !isExclusive)
      continue;
    InFlightDiagnostic diagnostic = op.emitError();
    if (isExclusive)
      diagnostic << "expected an exclusive allocation to be the only one, got "
                 << others.size() + 1 << " at a time "
                 << cite(ISASection::TmemExclusive);
    else
      diagnostic << "expected at most " << most
                 << " columns to be allocated at a time, got " << columns << " "
                 << cite(ISASection::TmemAllocation);
    for (AllocOp other : others)
      diagnostic.attachNote(other.getLoc())
          << other.getColumns() << " columns are allocated here";
    return diagnostic;
  }
  return success();
}

LogicalResult KernelChecks::visitAlloc(AllocOp op, Facts &facts) {
  Value slot = getSlot(op.getSlot());
  for (const Fact &fact : facts) {
    if (!isSure(fact))
      continue;
    if (fact.kind == FactKind::Relinquished) {
      // tcgen05_kernel_c4
      InFlightDiagnostic diagnostic =
          op.emitError()
          << "expected no allocation after the permit is given up "
          << cite(ISASection::TmemAllocInstructions);
      diagnostic.attachNote(fact.op->getLoc()) << "given up here";
      return diagnostic;
    }
    if (fact.kind == FactKind::Live && fact.about == slot) {
      // tcgen05_kernel_c2
      InFlightDiagnostic diagnostic =
          op.emitError() << "expected the allocation of the slot to be freed "
                            "before the slot is written again "
                         << cite(ISASection::TmemAllocInstructions);
      diagnostic.attachNote(fact.op->getLoc()) << "allocated here";
      return diagnostic;
    }
  }
  // Of a single one, too.
  int64_t most = findTmemColumns(op->getParentOfType<gpu::GPUFuncOp>())
                     .value_or(op.getColumns());
  if (op.getColumns() > most)
    return op.emitError() << "expected at most " << most
                          << " columns of the target to be allocated, got "
                          << op.getColumns() << " "
                          << cite(ISASection::TmemAllocation);
  if (failed(verifyColumnsInUse(op, facts)))
    return failure();
  // tcgen05_kernel_c6
  for (const Fact &fact : facts) {
    auto last = dyn_cast<AllocOp>(fact.op);
    if (fact.kind != FactKind::Last || !isSure(fact) ||
        op.getColumns() <= last.getColumns())
      continue;
    InFlightDiagnostic diagnostic =
        op.emitError() << "expected at most " << last.getColumns()
                       << " columns, those of the allocation before, got "
                       << op.getColumns() << " "
                       << cite(ISASection::TmemAllocation);
    diagnostic.attachNote(last.getLoc()) << "the allocation before";
    return diagnostic;
  }
  llvm::erase_if(facts, [&](const Fact &fact) {
    return isPossible(fact) &&
           (fact.kind == FactKind::Last ||
            (fact.kind == FactKind::Freed && fact.about == slot));
  });
  add(facts, FactKind::Live, op, slot);
  add(facts, FactKind::Last, op, Value());
  return success();
}

/// Whether all threads that come to `other` have been at the visited `op`.
bool KernelChecks::isLater(const Allocation &other, DeallocOp op) {
  if (!llvm::all_of(path, [&](const Choice &choice) {
        return choice.isUniform() || llvm::is_contained(other.path, choice);
      }))
    return false;
  Operation *first = op, *second = nullptr;
  bool isInLoop = false;
  while (!(second = first->getBlock()->findAncestorOpInBlock(
               *AllocOp(other.op).getOperation()))) {
    first = first->getParentOp();
    isInLoop |= isa<LoopLikeOpInterface>(first);
  }
  if (first == second || !first->isBeforeInBlock(second))
    return false;
  for (Region *region = first->getParentRegion();;
       region = region->getParentRegion()) {
    // Blocks may be a loop that starts with another one. In a turn of a loop
    // there may be no turn of those in it.
    if (!region->hasOneBlock() ||
        (isInLoop && isa<LoopLikeOpInterface>(region->getParentOp())))
      return false;
    if (isa<gpu::GPUFuncOp>(region->getParentOp()))
      return true;
  }
}

/// Whether an allocation of `slot` may come before `op`, in this warp or
/// another.
bool KernelChecks::mayBeAllocated(DeallocOp op, Value slot) {
  return isCalled || llvm::any_of(allocations, [&](const Allocation &other) {
           return mayBeSame(other.slot, slot) && !isLater(other, op) &&
                  isPossibleInCta({FactKind::Live, other.op, other.slot,
                                   other.path,
                                   static_cast<unsigned>(other.path.size())});
         });
}

/// Whether one of `paths` is taken, whatever is chosen; or there are too many
/// choices to tell, more than `steps`.
static bool isOneTaken(ArrayRef<Choices> paths, unsigned &steps) {
  if (paths.empty())
    return false;
  for (const Choices &path : paths)
    if (path.empty())
      return true;
  if (steps == 0)
    return true;
  --steps;
  Choice choice = paths.front().front();
  for (choice.region = 0; choice.region < choice.count(); ++choice.region) {
    SmallVector<Choices> left;
    for (Choices path : paths) {
      if (llvm::any_of(path, [&](const Choice &other) {
            return other.excludes(choice);
          }))
        continue;
      llvm::erase(path, choice);
      left.push_back(std::move(path));
    }
    if (!isOneTaken(left, steps))
      return false;
  }
  return true;
}

/// Checks that what `op` frees is allocated on each path to it, where it is
/// known where it may be allocated.
LogicalResult KernelChecks::verifyFreedOnAllPaths(DeallocOp op, Value slot,
                                                  const Facts &facts) {
  if (isCalled || !isKnownSlot(slot) || !freed.empty())
    return success();
  SmallVector<Choices> paths;
  llvm::SmallSetVector<Operation *, 4> live;
  for (const Fact &fact : facts) {
    if (fact.kind != FactKind::Live || fact.about != slot ||
        !isPossibleInCta(fact))
      continue;
    if (!isPartOf(fact.path, path) ||
        !llvm::all_of(fact.path,
                      [](const Choice &choice) { return choice.isKnown(); }))
      return success();
    live.insert(fact.op);
    paths.push_back(
        llvm::filter_to_vector<2>(fact.path, [&](const Choice &choice) {
          return !llvm::is_contained(path, choice);
        }));
  }
  for (const Allocation &other : allocations)
    if (mayBeSame(other.slot, slot) && !live.contains(other.op) &&
        !isLater(other, op))
      return success();
  unsigned steps = kChoiceSteps;
  if (isOneTaken(paths, steps))
    return success();
  InFlightDiagnostic diagnostic =
      op.emitError() << "expected what is freed to be allocated on all paths, "
                        "got an allocation on some "
                     << cite(ISASection::TmemAllocInstructions);
  for (Operation *alloc : live)
    diagnostic.attachNote(alloc->getLoc()) << "allocated here";
  return diagnostic;
}

/// Whether `op` may free what an earlier turn of a loop allocated, where it
/// depends on the turn, and not what was `freed` before the loop.
bool KernelChecks::mayBeOfEarlierTurn(DeallocOp op, Value slot,
                                      Operation *freed) {
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>();
       loop && !loop->isAncestor(freed);
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (llvm::any_of(path,
                     [&](const Choice &choice) {
                       Block *block = choice.getBlock();
                       return block && loop->isAncestor(block->getParentOp());
                     }) &&
        llvm::any_of(allocations, [&](Allocation &other) {
          return mayBeSame(other.slot, slot) && loop->isAncestor(other.op);
        }))
      return true;
  return false;
}

// tcgen05_kernel_c3
LogicalResult KernelChecks::visitDealloc(DeallocOp op, Facts &facts) {
  auto address = op.getAllocation().getDefiningOp<AddressOp>();
  if (!address)
    return op.emitError() << "expected an allocation that 'tcgen05.address' "
                             "gives, whose slot says what is freed "
                          << cite(ISASection::TmemAllocInstructions);
  auto fail = [&](Operation *freed) -> LogicalResult {
    InFlightDiagnostic diagnostic =
        op.emitError() << "expected what is freed to be allocated and not "
                          "freed yet "
                       << cite(ISASection::TmemAllocInstructions);
    if (freed)
      diagnostic.attachNote(freed->getLoc()) << "freed here";
    return diagnostic;
  };
  bool isLive = false;
  Value slot = getSlot(address.getSlot());
  int64_t columns = cast<TmemType>(op.getAllocation().getType()).getColumns();
  for (const Fact &fact : facts) {
    if (fact.kind == FactKind::Freed && fact.about == slot && isSure(fact) &&
        !mayBeOfEarlierTurn(op, slot, fact.op))
      return fail(fact.op);
    if (fact.kind != FactKind::Live || !mayBeSame(fact.about, slot) ||
        !isPossibleInCta(fact))
      continue;
    isLive = true;
    auto alloc = cast<AllocOp>(fact.op);
    // Of those in other branches this may be another one.
    // tcgen05_kernel_c17
    if (alloc.getExclusive() != op.getExclusive() && fact.about == slot &&
        isSure(fact)) {
      InFlightDiagnostic diagnostic =
          op.emitError() << "expected " << (op.getExclusive() ? "no " : "")
                         << "'exclusive', as what is freed was allocated "
                         << cite(ISASection::TmemExclusive);
      diagnostic.attachNote(alloc.getLoc()) << "allocated here";
      return diagnostic;
    }
    if (alloc.getColumns() == columns || fact.about != slot ||
        (!isSure(fact) && llvm::any_of(allocations, [&](Allocation &other) {
          return mayBeSame(other.slot, slot) &&
                 other.op.getColumns() == columns;
        })))
      continue;
    InFlightDiagnostic diagnostic =
        op.emitError() << "expected the " << alloc.getColumns()
                       << " columns that are allocated to be freed, got "
                       << columns << " "
                       << cite(ISASection::TmemAllocInstructions);
    diagnostic.attachNote(alloc.getLoc()) << "allocated here";
    return diagnostic;
  }
  if (!isLive && !mayBeAllocated(op, slot))
    return fail(nullptr);
  if (isLive && failed(verifyFreedOnAllPaths(op, slot, facts)))
    return failure();
  llvm::erase_if(facts, [&](const Fact &fact) {
    bool isEnded = fact.kind == FactKind::Live && mayBeSame(fact.about, slot) &&
                   isPossibleInCta(fact);
    if (isEnded && isOfEarlierTurn(fact, op->getBlock()))
      endedLater.insert(fact.op);
    return isEnded;
  });
  freed.insert(slot);
  if (isKnownSlot(slot))
    add(facts, FactKind::Freed, op, slot);
  return success();
}

// tcgen05_kernel_c16
LogicalResult KernelChecks::verifyAddress(AddressOp op, const Facts &facts) {
  Value slot = getSlot(op.getSlot());
  int64_t columns = op.getAllocation().getType().getColumns();
  if (llvm::any_of(allocations, [&](Allocation &other) {
        return mayBeSame(other.slot, slot) && other.op.getColumns() >= columns;
      }))
    return success();
  const Fact *live = llvm::find_if(facts, [&](const Fact &fact) {
    return fact.kind == FactKind::Live && fact.about == slot &&
           isPossibleInCta(fact);
  });
  if (live == facts.end())
    return success();
  auto alloc = cast<AllocOp>(live->op);
  InFlightDiagnostic diagnostic =
      op.emitError() << "expected at most the " << alloc.getColumns()
                     << " columns that are allocated, got " << columns << " "
                     << cite(ISASection::TmemAllocation);
  diagnostic.attachNote(alloc.getLoc()) << "allocated here";
  return diagnostic;
}

// tcgen05_kernel_c2
LogicalResult KernelChecks::verifyAllFreed(Operation *op, const Facts &facts) {
  // One allocation may be live on several paths.
  llvm::SmallSetVector<Operation *, 4> live;
  for (const Fact &fact : facts)
    if (fact.kind == FactKind::Live)
      live.insert(fact.op);
  if (live.empty())
    return success();
  InFlightDiagnostic diagnostic =
      op->emitError() << "expected every allocation of Tensor Memory to be "
                         "freed before the kernel ends, got "
                      << live.size() << " that "
                      << (live.size() == 1 ? "is" : "are") << " not "
                      << cite(ISASection::TmemAllocInstructions);
  for (Operation *alloc : live) {
    diagnostic.attachNote(alloc->getLoc()) << "allocated here";
    for (const Fact &fact : facts)
      if (fact.kind == FactKind::Freed &&
          fact.about == cast<AllocOp>(alloc).getSlot())
        diagnostic.attachNote(fact.op->getLoc()) << "freed here on some paths";
  }
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

// tcgen05_kernel_c8
LogicalResult KernelChecks::verifyWaited(OpOperand &operand,
                                         const Facts &facts) {
  Operation *op = operand.getOwner();
  std::optional<Columns> columns = getColumns(operand.get());
  bool isWrite = isWritten(operand);
  for (const Fact &fact : facts) {
    if (!columns || fact.kind != FactKind::Pending || !isSure(fact))
      continue;
    // Reads do not disturb each other.
    bool isLoad = !isa<StOp>(fact.op);
    if ((isLoad && !isWrite) ||
        !getColumns(getAccessed(fact.op))->overlaps(*columns))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitError() << "expected a 'tcgen05.wait " << (isLoad ? "ld" : "st")
                        << "' before columns that are being "
                        << (isLoad ? "loaded" : "stored")
                        << " are accessed again "
                        << cite(ISASection::TmemOrder);
    diagnostic.attachNote(fact.op->getLoc())
        << (isLoad ? "loaded" : "stored") << " here";
    return diagnostic;
  }
  return success();
}

LogicalResult KernelChecks::visitAccess(Operation *op, Facts &facts) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<TmemType>(operand.get().getType()))
      continue;
    // tcgen05_kernel_c12
    Value origin = getOrigin(operand.get());
    for (const Fact &fact : facts) {
      if (isa<DeallocOp>(op) || fact.kind != FactKind::Freed ||
          fact.about != origin || !isSure(fact))
        continue;
      InFlightDiagnostic diagnostic =
          op->emitError() << "expected operand #" << operand.getOperandNumber()
                          << " in Tensor Memory that is allocated, got an "
                             "allocation that is freed "
                          << cite(ISASection::TmemAllocInstructions);
      diagnostic.attachNote(fact.op->getLoc()) << "freed here";
      return diagnostic;
    }
    if (failed(verifyWaited(operand, facts)))
      return failure();
  }
  if (Value region = getAccessed(op))
    if (getColumns(region))
      add(facts, FactKind::Pending, op, getOrigin(region));
  return success();
}

/// Whether `callee`, or a function that it calls, may allocate, free or wait.
static bool mayUseTmem(Operation *callee,
                       llvm::SmallPtrSetImpl<Operation *> &seen) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(callee);
  if (!function || function.isExternal())
    return true;
  if (!seen.insert(callee).second)
    return false;
  return callee
      ->walk([&](Operation *op) {
        auto call = dyn_cast<CallOpInterface>(op);
        bool mayUse = isa<TCGen05Dialect>(op->getDialect()) ||
                      (call && mayUseTmem(call.resolveCallable(), seen));
        return mayUse ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// After a call of a function that uses Tensor Memory nothing is known.
LogicalResult KernelChecks::visitCall(CallOpInterface op, Facts &facts) {
  llvm::SmallPtrSet<Operation *, 4> seen;
  if (!mayUseTmem(op.resolveCallable(), seen))
    return success();
  isCalled = true;
  facts.clear();
  return success();
}

LogicalResult KernelChecks::visit(Operation *op, Facts &facts) {
  if (isa<gpu::ReturnOp>(op)) {
    if (llvm::all_of(path,
                     [](const Choice &choice) { return choice.isUniform(); }))
      return verifyAllFreed(op, facts);
    ends[op] = facts;
    return success();
  }
  if (auto call = dyn_cast<CallOpInterface>(op))
    return visitCall(call, facts);
  if (auto address = dyn_cast<AddressOp>(op))
    return verifyAddress(address, facts);
  if (!isa<TCGen05Dialect>(op->getDialect()) || isa<SliceOp, WarpWindowOp>(op))
    return success();
  if (auto wait = dyn_cast<WaitOp>(op)) {
    bool stores = wait.getKind() == WaitKind::St;
    llvm::erase_if(facts, [&](const Fact &fact) {
      return fact.kind == FactKind::Pending && isPossible(fact) &&
             isa<StOp>(fact.op) == stores;
    });
    return success();
  }
  if (isa<RelinquishAllocPermitOp>(op))
    add(facts, FactKind::Relinquished, op, Value());
  if (auto alloc = dyn_cast<AllocOp>(op))
    return visitAlloc(alloc, facts);
  if (failed(visitAccess(op, facts)))
    return failure();
  if (auto dealloc = dyn_cast<DeallocOp>(op))
    return visitDealloc(dealloc, facts);
  return success();
}

LogicalResult KernelChecks::verify(gpu::GPUFuncOp kernel) {
  Facts facts;
  if (failed(follow(kernel.getBody(), facts)))
    return failure();
  // Some warps may end before others free.
  for (auto &[end, before] : ends) {
    Facts live = llvm::filter_to_vector<4>(before, [&](const Fact &fact) {
      return llvm::any_of(facts, [&](const Fact &left) {
        return left.kind == FactKind::Live && left.op == fact.op;
      });
    });
    if (failed(verifyAllFreed(end, live)))
      return failure();
  }
  return success();
}

LogicalResult tc::tcgen05::verifyPaths(gpu::GPUFuncOp kernel) {
  AllocationPaths found;
  Facts facts;
  if (failed(found.follow(kernel.getBody(), facts)))
    return failure();
  return KernelChecks(found.allocations).verify(kernel);
}
