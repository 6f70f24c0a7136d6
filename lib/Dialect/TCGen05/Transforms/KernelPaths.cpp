//===- KernelPaths.cpp - what is true on paths of a kernel ------*- C++ -*-===//
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

#include "KernelPaths.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc::tcgen05;

static bool excludes(ArrayRef<Choice> path, const Choice &choice) {
  return llvm::any_of(
      path, [&](const Choice &other) { return other.excludes(choice); });
}

/// Whether `path` makes all choices of `other`.
static bool isPartOf(ArrayRef<Choice> path, ArrayRef<Choice> other) {
  return llvm::all_of(other, [&](const Choice &choice) {
    return llvm::is_contained(path, choice);
  });
}

bool KernelPaths::isPossible(const Fact &fact) const {
  return llvm::none_of(
      fact.path, [&](const Choice &choice) { return excludes(path, choice); });
}

bool KernelPaths::isSure(const Fact &fact) const {
  return isPossible(fact) &&
         (isPartOf(path, fact.path) || isPartOf(fact.path, path));
}

static void insert(Facts &facts, Fact fact) {
  if (!llvm::is_contained(facts, fact))
    facts.push_back(std::move(fact));
}

static void insert(Facts &facts, Fact fact, const Choice &choice) {
  if (!llvm::is_contained(fact.path, choice))
    fact.path.push_back(choice);
  insert(facts, std::move(fact));
}

void KernelPaths::add(Facts &facts, FactKind kind, Operation *op,
                      Value about) const {
  insert(facts, {kind, op, about, path});
}

/// The choices from which the regions of `op` follow; none for other
/// operations.
static SmallVector<Choice> getChoices(Operation *op) {
  SmallVector<Choice> choices;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Value condition = branch.getCondition();
    unsigned first = 0;
    // `!p` is the other choice of p.
    while (auto negated = condition.getDefiningOp<arith::XOrIOp>()) {
      if (!matchPattern(negated.getRhs(), m_One()))
        break;
      condition = negated.getLhs();
      first ^= 1;
    }
    choices = {{condition, nullptr, first}, {condition, nullptr, first ^ 1}};
  } else if (isa<scf::IndexSwitchOp>(op)) {
    for (unsigned region = 0; region < op->getNumRegions(); ++region)
      choices.push_back({Value(), op, region});
  }
  return choices;
}

LogicalResult KernelPaths::visitChoice(Operation *op, ArrayRef<Choice> choices,
                                       Facts &facts) {
  Facts before = facts;
  SmallVector<std::pair<Choice, Facts>, 2> branches;
  for (auto [index, region] : llvm::enumerate(op->getRegions())) {
    const Choice &choice = choices[index];
    if (excludes(path, choice))
      continue;
    Facts inside = llvm::filter_to_vector(
        before, [&](const Fact &fact) { return !excludes(fact.path, choice); });
    path.push_back(choice);
    if (failed(visitRegion(region, inside)))
      return failure();
    path.pop_back();
    branches.emplace_back(choice, std::move(inside));
  }
  facts.clear();
  for (const Fact &fact : before) {
    SmallVector<Choice> kept;
    bool isKept = true;
    for (auto &[choice, after] : branches) {
      if (excludes(fact.path, choice))
        continue;
      if (llvm::is_contained(after, fact))
        kept.push_back(choice);
      else
        isKept = false;
    }
    if (isKept)
      insert(facts, fact);
    else if (isPartOf(path, fact.path))
      for (const Choice &choice : kept)
        insert(facts, fact, choice);
  }
  for (auto &[choice, after] : branches)
    for (const Fact &fact : after)
      if (!llvm::is_contained(before, fact))
        insert(facts, fact, choice);
  return success();
}

/// Makes of `facts` what is known after a turn of `loop`: values of its body
/// are others in the next one.
static void leaveTurn(Operation *loop, Facts &facts) {
  auto isInside = [&](Value value) {
    return value && loop->isAncestor(value.getParentBlock()->getParentOp());
  };
  Facts before = std::move(facts);
  facts.clear();
  for (Fact &fact : before) {
    bool isKnown = !isInside(fact.about);
    for (Choice &choice : fact.path) {
      if (!isInside(choice.condition) &&
          !(choice.chooser && loop->isAncestor(choice.chooser)))
        continue;
      isKnown = false;
      choice = Choice();
    }
    // What is not freed is not freed, whatever the condition was.
    if (isKnown || fact.kind == FactKind::Live)
      insert(facts, std::move(fact));
  }
}

LogicalResult KernelPaths::visitLoop(Operation *loop, Facts &facts) {
  unsigned turns = 2;
  if (auto counted = dyn_cast<scf::ForOp>(loop))
    if (std::optional<APInt> trips = counted.getStaticTripCount())
      turns = trips->ult(2) ? trips->getZExtValue() : 2;
  for (unsigned turn = 0; turn < turns; ++turn) {
    for (Region &region : loop->getRegions())
      if (failed(visitRegion(region, facts)))
        return failure();
    leaveTurn(loop, facts);
  }
  // A while loop ends with its condition.
  if (isa<scf::WhileOp>(loop)) {
    if (failed(visitRegion(loop->getRegion(0), facts)))
      return failure();
    leaveTurn(loop, facts);
  }
  return success();
}

LogicalResult KernelPaths::visitRegion(Region &region, Facts &facts) {
  if (region.empty())
    return success();
  if (region.hasOneBlock())
    return visitBlock(region.front(), facts);
  // What is not freed, and what was allocated, counts on any path to a block;
  // the rest where there is one path alone.
  llvm::SmallDenseMap<Block *, Facts> entries;
  entries[&region.front()] = facts;
  llvm::SmallSetVector<Block *, 8> pending;
  pending.insert(&region.front());
  Facts left;
  while (!pending.empty()) {
    Block *block = pending.front();
    pending.erase(pending.begin());
    Facts current = entries[block];
    if (failed(visitBlock(*block, current)))
      return failure();
    if (block->getNumSuccessors() == 0)
      for (const Fact &fact : current)
        insert(left, fact);
    for (Block *next : block->getSuccessors()) {
      bool isNew = !entries.contains(next);
      Facts &entry = entries[next];
      size_t before = entry.size();
      bool isAlone = next->getSinglePredecessor();
      for (const Fact &fact : current)
        if (isAlone ||
            (fact.kind != FactKind::Freed && fact.kind != FactKind::Pending))
          insert(entry, fact);
      if (isNew || entry.size() != before)
        pending.insert(next);
    }
  }
  facts = std::move(left);
  return success();
}

LogicalResult KernelPaths::visitBlock(Block &block, Facts &facts) {
  for (Operation &op : block) {
    if (failed(visit(&op, facts)))
      return failure();
    SmallVector<Choice> choices = getChoices(&op);
    if (!choices.empty()) {
      if (failed(visitChoice(&op, choices, facts)))
        return failure();
    } else if (isa<LoopLikeOpInterface>(op)) {
      if (failed(visitLoop(&op, facts)))
        return failure();
    } else {
      for (Region &region : op.getRegions())
        if (failed(visitRegion(region, facts)))
          return failure();
    }
  }
  return success();
}

LogicalResult KernelPaths::follow(Region &body) {
  Facts facts;
  return visitRegion(body, facts);
}
