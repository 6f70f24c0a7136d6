//===- SimplifyLoopState.cpp - merge and drop carried values ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two analyses over all loops of a kernel, because a state goes through nested
// ones:
//
// 1. Equal values. Values of one loop are taken to be equal until their starts
//    or what they become in an iteration differ; differences spread until
//    nothing changes.
// 2. Live values. What an operation with effects or a branch reads, and what
//    that is computed from.
//
// The rewriting only redirects uses. What is left over (a value that no op
// reads and that an iteration does not change) the canonicalizations of scf
// remove.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tc {
#define GEN_PASS_DEF_SIMPLIFYLOOPSTATEPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;

namespace {

/// One position of a loop: the values that it is in turn, and the operands that
/// they come from. A while loop has two rows of positions, those of the region
/// before the condition and those of the region after it.
struct Slot {
  /// Block argument and result, null where the row has none.
  Value argument, result;
  SmallVector<OpOperand *, 2> sources;
  /// Slots of one row and one class are equal.
  unsigned row, cls;
};

/// The slots of all loops below an operation.
class Slots {
public:
  explicit Slots(Operation *root);

  /// Splits classes until the slots of each are equal.
  void refine();
  /// Marks what is read, after `merge`.
  void findLive(Operation *root);
  /// Redirects the uses of equal slots to one of them.
  void merge();
  /// Lets what is not live stay as it starts.
  void dropDead();

private:
  void add(Value argument, Value result, ArrayRef<OpOperand *> sources,
           unsigned row);
  bool areEqual(Value a, Value b, unsigned depth = 0) const;
  bool areEqual(const Slot &a, const Slot &b) const;
  void markLive(Value value);
  /// The first slot of the class, which the others are compared with.
  Slot &getLeader(const Slot &slot) {
    return *llvm::find_if(slots, [&](const Slot &other) {
      return other.row == slot.row && other.cls == slot.cls;
    });
  }

  SmallVector<Slot> slots;
  DenseMap<Value, unsigned> numbers;
  DenseSet<Value> live;
};

struct SimplifyLoopState
    : public tc::impl::SimplifyLoopStatePassBase<SimplifyLoopState> {
  void runOnOperation() override {
    getOperation()->walk([&](gpu::GPUFuncOp kernel) {
      Slots slots(kernel);
      slots.refine();
      slots.merge();
      slots.findLive(kernel);
      slots.dropDead();
    });
  }
};

} // namespace

void Slots::add(Value argument, Value result, ArrayRef<OpOperand *> sources,
                unsigned row) {
  for (Value value : {argument, result})
    if (value)
      numbers[value] = slots.size();
  slots.push_back(
      {argument, result, SmallVector<OpOperand *, 2>(sources), row, 0});
}

Slots::Slots(Operation *root) {
  unsigned row = 0;
  root->walk([&](scf::ForOp loop) {
    MutableArrayRef<OpOperand> inits = loop.getInitArgsMutable();
    for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
      OpOperand &yielded = loop.getBody()->getTerminator()->getOpOperand(index);
      add(argument, loop.getResult(index), {&inits[index], &yielded}, row);
    }
    ++row;
  });
  root->walk([&](scf::WhileOp loop) {
    for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments()))
      add(argument, Value(),
          {&loop->getOpOperand(index), &loop.getYieldOp()->getOpOperand(index)},
          row);
    ++row;
    MutableArrayRef<OpOperand> passed = loop.getConditionOp().getArgsMutable();
    for (auto [index, argument] : llvm::enumerate(loop.getAfterArguments()))
      add(argument, loop.getResult(index), {&passed[index]}, row);
    ++row;
  });
}

//===----------------------------------------------------------------------===//
// Equal values
//===----------------------------------------------------------------------===//

/// Whether `a` and `b` are equal wherever both are computed, with the classes
/// as they are.
bool Slots::areEqual(Value a, Value b, unsigned depth) const {
  // States are short chains of arithmetic.
  constexpr unsigned kDeepest = 16;
  if (a == b)
    return true;
  if (a.getType() != b.getType() || depth == kDeepest)
    return false;
  auto slotA = numbers.find(a), slotB = numbers.find(b);
  if (slotA != numbers.end() && slotB != numbers.end()) {
    const Slot &first = slots[slotA->second], &second = slots[slotB->second];
    // An argument and a result are values of different times.
    return first.row == second.row && first.cls == second.cls &&
           isa<BlockArgument>(a) == isa<BlockArgument>(b);
  }
  auto resultA = dyn_cast<OpResult>(a), resultB = dyn_cast<OpResult>(b);
  if (!resultA || !resultB)
    return false;
  Operation *opA = resultA.getOwner(), *opB = resultB.getOwner();
  if (auto branch = dyn_cast<scf::IfOp>(opA); branch && opA == opB)
    return llvm::all_of(branch->getRegions(), [&](Region &region) {
      Operation *yield = region.front().getTerminator();
      return areEqual(yield->getOperand(resultA.getResultNumber()),
                      yield->getOperand(resultB.getResultNumber()), depth + 1);
    });
  if (opA->getName() != opB->getName() || opA->getNumRegions() ||
      resultA.getResultNumber() != resultB.getResultNumber() ||
      opA->getNumOperands() != opB->getNumOperands() ||
      opA->getAttrDictionary() != opB->getAttrDictionary() ||
      !isMemoryEffectFree(opA))
    return false;
  return llvm::all_of(llvm::zip(opA->getOperands(), opB->getOperands()),
                      [&](auto operands) {
                        return areEqual(std::get<0>(operands),
                                        std::get<1>(operands), depth + 1);
                      });
}

bool Slots::areEqual(const Slot &a, const Slot &b) const {
  return a.argument.getType() == b.argument.getType() &&
         llvm::all_of(llvm::zip(a.sources, b.sources), [&](auto sources) {
           return areEqual(std::get<0>(sources)->get(),
                           std::get<1>(sources)->get());
         });
}

void Slots::refine() {
  unsigned nextClass = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [index, slot] : llvm::enumerate(slots)) {
      Slot &leader = getLeader(slot);
      if (&leader == &slot || areEqual(leader, slot))
        continue;
      // Those after it that are equal to it follow.
      unsigned old = slot.cls, fresh = nextClass++;
      SmallVector<Slot *> follow;
      for (Slot &other : llvm::drop_begin(slots, index))
        if (other.row == slot.row && other.cls == old && areEqual(slot, other))
          follow.push_back(&other);
      for (Slot *other : follow)
        other->cls = fresh;
      changed = true;
    }
  }
}

//===----------------------------------------------------------------------===//
// Live values
//===----------------------------------------------------------------------===//

void Slots::markLive(Value value) {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!live.insert(next).second)
      continue;
    if (auto slot = numbers.find(next); slot != numbers.end()) {
      for (OpOperand *source : slots[slot->second].sources)
        worklist.push_back(source->get());
      continue;
    }
    auto result = dyn_cast<OpResult>(next);
    if (!result)
      continue;
    if (auto branch = dyn_cast<scf::IfOp>(result.getOwner())) {
      for (Region &region : branch->getRegions())
        worklist.push_back(region.front().getTerminator()->getOperand(
            result.getResultNumber()));
      continue;
    }
    llvm::append_range(worklist, result.getOwner()->getOperands());
  }
}

void Slots::findLive(Operation *root) {
  root->walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (Value bound :
           {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        markLive(bound);
    } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
      markLive(condition.getCondition());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      markLive(branch.getCondition());
    } else if (isa<scf::WhileOp>(op) ||
               (isa<scf::YieldOp>(op) &&
                isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op->getParentOp()))) {
      // Live where the value is that they become.
    } else if (op->getNumRegions() || !isMemoryEffectFree(op) ||
               op->hasTrait<OpTrait::IsTerminator>()) {
      for (Value operand : op->getOperands())
        markLive(operand);
    }
  });
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// What an iteration makes of the slot is of no use: it stays as it starts.
static void keepStart(Slot &slot) {
  if (slot.sources.size() == 2)
    slot.sources[1]->set(slot.sources[0]->get());
}

void Slots::merge() {
  for (Slot &slot : slots) {
    Slot &leader = getLeader(slot);
    if (&leader == &slot)
      continue;
    slot.argument.replaceAllUsesWith(leader.argument);
    if (slot.result)
      slot.result.replaceAllUsesWith(leader.result);
    keepStart(slot);
  }
}

void Slots::dropDead() {
  for (Slot &slot : slots)
    if (!live.contains(slot.argument) && !live.contains(slot.result))
      keepStart(slot);
}
