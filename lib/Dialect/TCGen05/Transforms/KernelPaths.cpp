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
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace tc::tcgen05;

/// Iterations of a loop of blocks after which the search stops.
constexpr unsigned kBlockTurns = 4;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// Whether all threads of a CTA are known to have the same `value`, from at
/// most so many operations in a row.
static bool isUniform(Value value, unsigned depth = 8) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()) &&
           argument.getOwner()->isEntryBlock();
  Operation *op = value.getDefiningOp();
  if (isa<gpu::BlockIdOp, gpu::GridDimOp, gpu::BlockDimOp, gpu::ClusterIdOp,
          gpu::ClusterDimOp, gpu::ClusterBlockIdOp>(op))
    return true;
  return depth > 0 && isa<arith::ArithDialect>(op->getDialect()) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isUniform(operand, depth - 1);
         });
}

bool Choice::isUniform() const {
  if (condition)
    return ::isUniform(condition);
  return chooser && llvm::all_of(chooser->getOperands(), [](Value operand) {
           return ::isUniform(operand);
         });
}

/// Where the executed region is known to be one of several; a region is null
/// where none is.
static SmallVector<std::pair<Choice, Region *>> getAlternatives(Operation *op);

Block *Choice::getBlock() const {
  if (condition)
    return Value(condition).getParentBlock();
  return chooser ? chooser->getBlock() : nullptr;
}

unsigned Choice::count() const {
  if (condition)
    return 2;
  if (unsigned blocks = chooser->getNumSuccessors())
    return blocks;
  return getAlternatives(chooser).size();
}

/// Of the two choices of a condition the first or second one: `!p` is the other
/// choice of p.
static Choice getChoice(Value condition, unsigned index) {
  while (auto negated = condition.getDefiningOp<arith::XOrIOp>()) {
    if (!matchPattern(negated.getRhs(), m_One()))
      break;
    condition = negated.getLhs();
    index ^= 1;
  }
  return {condition, nullptr, index};
}

static SmallVector<std::pair<Choice, Region *>> getAlternatives(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {{getChoice(branch.getCondition(), 0), &branch.getThenRegion()},
            {getChoice(branch.getCondition(), 1), &branch.getElseRegion()}};
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch || isa<LoopLikeOpInterface>(op))
    return {};
  SmallVector<RegionSuccessor> entries;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), entries);
  if (entries.size() < 2)
    return {};
  SmallVector<std::pair<Choice, Region *>> alternatives;
  for (const RegionSuccessor &entry : entries)
    alternatives.push_back(
        {{Value(), op, static_cast<unsigned>(alternatives.size())},
         entry.isParent() ? nullptr : entry.getSuccessor()});
  return alternatives;
}

/// The choice that goes from block `from` to block `to`, if there is another.
static std::optional<Choice> getChoice(Block *from, Block *to) {
  Operation *end = from->getTerminator();
  if (end->getNumSuccessors() < 2 || llvm::count(end->getSuccessors(), to) != 1)
    return std::nullopt;
  unsigned index = llvm::find(end->getSuccessors(), to).getIndex();
  if (auto branch = dyn_cast<cf::CondBranchOp>(end))
    return getChoice(branch.getCondition(), index);
  return Choice{Value(), end, index};
}

static bool excludes(ArrayRef<Choice> path, const Choice &choice) {
  return llvm::any_of(
      path, [&](const Choice &other) { return other.excludes(choice); });
}

bool tc::tcgen05::isPartOf(ArrayRef<Choice> path, ArrayRef<Choice> other) {
  return llvm::all_of(other, [&](const Choice &choice) {
    return llvm::is_contained(path, choice);
  });
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

bool Fact::isExcludedBy(const Choice &choice) const {
  for (auto [index, other] : llvm::enumerate(path))
    if (other.excludes(choice) &&
        (kind != FactKind::Live || index >= around || other.isUniform()))
      return true;
  return false;
}

bool KernelPaths::isPossible(const Fact &fact) const {
  return llvm::none_of(
      fact.path, [&](const Choice &choice) { return excludes(path, choice); });
}

bool KernelPaths::isPossibleInCta(const Fact &fact) const {
  return llvm::none_of(
      path, [&](const Choice &choice) { return fact.isExcludedBy(choice); });
}

bool KernelPaths::isSure(const Fact &fact) const {
  return isPossible(fact) &&
         (isPartOf(path, fact.path) || isPartOf(fact.path, path));
}

bool KernelPaths::isOfEarlierTurn(const Fact &fact, Block *block) const {
  return fact.turn && dominance.dominates(fact.turn, block) &&
         llvm::any_of(fact.path,
                      [](const Choice &choice) { return !choice.isKnown(); });
}

static void insert(Facts &facts, Fact fact) {
  if (!llvm::is_contained(facts, fact))
    facts.push_back(std::move(fact));
}

void KernelPaths::add(Facts &facts, FactKind kind, Operation *op,
                      Value about) const {
  insert(facts, {kind, op, about, path, static_cast<unsigned>(path.size())});
}

/// Whether one warp frees what another one allocates: `live` in a branch and
/// `freed` in another that some warps take.
static bool isFreedElsewhere(const Fact &live, const Fact &freed) {
  return live.kind == FactKind::Live && freed.kind == FactKind::Freed &&
         live.about == freed.about &&
         llvm::any_of(live.path, [&](const Choice &choice) {
           return excludes(freed.path, choice) && !choice.isUniform();
         });
}

/// Whether `choice` is made again in each turn of a loop of which `fact` is
/// from an earlier turn: the loop may end what the turn before began.
bool KernelPaths::isOfOtherTurn(const Fact &fact, const Choice &choice) {
  Block *block = choice.getBlock();
  return fact.turn && block && dominance.dominates(fact.turn, block);
}

/// What holds where `ends` meet, which parted with the facts `before` and have
/// the choices `common`.
Facts KernelPaths::meet(ArrayRef<End> ends, ArrayRef<Choice> common,
                        const Facts &before) {
  if (ends.size() == 1)
    return ends.front().facts;
  Facts facts;
  for (const End &end : ends) {
    for (const Fact &fact : end.facts) {
      bool isOld = llvm::is_contained(before, fact);
      bool isEverywhere = llvm::all_of(ends, [&](const End &other) {
        return llvm::is_contained(other.facts, fact) ||
               llvm::any_of(other.path, [&](const Choice &choice) {
                 return fact.isExcludedBy(choice);
               });
      });
      if (isOld && isEverywhere) {
        insert(facts, fact);
        continue;
      }
      // Nothing is known about unrelated conditions.
      if (isOld && !isPartOf(common, fact.path))
        continue;
      if (!isOld && llvm::any_of(ends, [&](const End &other) {
            return llvm::any_of(other.facts, [&](const Fact &freed) {
              return !llvm::is_contained(before, freed) &&
                     isFreedElsewhere(fact, freed);
            });
          }))
        continue;
      Fact partial = fact;
      bool isKnown = isEverywhere, isOther = false;
      for (const Choice &choice : end.path) {
        if (llvm::is_contained(common, choice))
          continue;
        isKnown = true;
        if (isEverywhere || llvm::is_contained(partial.path, choice))
          continue;
        isOther |= isOfOtherTurn(fact, choice);
        partial.path.push_back(choice);
      }
      if (isOther)
        continue;
      if (!isKnown)
        partial.path.push_back(Choice());
      insert(facts, std::move(partial));
    }
  }
  return facts;
}

/// Makes of `facts` what is known after a turn of a loop: values of its body
/// are others in the next one.
void KernelPaths::leaveTurn(Block *start,
                            llvm::function_ref<bool(Block *)> isInside,
                            Facts &facts) {
  Facts before = std::move(facts);
  facts.clear();
  for (Fact &fact : before) {
    bool isKnown = !fact.about || !isInside(fact.about.getParentBlock());
    bool isChosen = false;
    for (Choice &choice : fact.path) {
      Block *block = choice.getBlock();
      if (!block || !isInside(block))
        continue;
      isChosen = true;
      choice = Choice();
    }
    if (!fact.turn || !dominance.dominates(fact.turn, start))
      fact.turn = start;
    // What was allocated in a turn is not freed, whatever the condition was,
    // unless the next turn frees it. Of what was allocated before a turn may
    // have freed it.
    bool isKept = isKnown && !isChosen;
    if (fact.kind == FactKind::Live)
      isKept = !isChosen ||
               (isInside(fact.op->getBlock()) && !endedLater.contains(fact.op));
    if (isKept)
      insert(facts, std::move(fact));
  }
}

//===----------------------------------------------------------------------===//
// Structured control flow
//===----------------------------------------------------------------------===//

LogicalResult
KernelPaths::visitChoice(ArrayRef<std::pair<Choice, Region *>> alternatives,
                         Facts &facts) {
  SmallVector<End, 2> ends;
  for (const auto &alternative : alternatives) {
    const Choice &choice = alternative.first;
    if (excludes(path, choice))
      continue;
    Facts inside = llvm::filter_to_vector<4>(
        facts, [&](const Fact &fact) { return !fact.isExcludedBy(choice); });
    path.push_back(choice);
    if (alternative.second && failed(visitRegion(*alternative.second, inside)))
      return failure();
    ends.push_back({path, std::move(inside)});
    path.pop_back();
  }
  if (!ends.empty())
    facts = meet(ends, path, facts);
  return success();
}

LogicalResult KernelPaths::visitLoop(Operation *loop, Facts &facts) {
  auto isInside = [&](Block *block) {
    return loop->isAncestor(block->getParentOp());
  };
  unsigned turns = 2;
  if (auto counted = dyn_cast<scf::ForOp>(loop))
    if (std::optional<APInt> trips = counted.getStaticTripCount())
      turns = trips->ult(2) ? trips->getZExtValue() : 2;
  for (unsigned turn = 0; turn < turns; ++turn) {
    for (Region &region : loop->getRegions())
      if (failed(visitAgain(region, facts)))
        return failure();
    leaveTurn(&loop->getRegion(0).front(), isInside, facts);
  }
  // A while loop ends with its condition.
  if (isa<scf::WhileOp>(loop)) {
    if (failed(visitAgain(loop->getRegion(0), facts)))
      return failure();
    leaveTurn(&loop->getRegion(0).front(), isInside, facts);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The choices around the region, and those on all paths from its start to
/// `block`.
Choices KernelPaths::getPath(Block *block) {
  Choices choices = path;
  for (DominanceInfoNode *node = dominance.getNode(block); node->getIDom();
       node = node->getIDom())
    if (Block *before = node->getBlock()->getSinglePredecessor())
      if (std::optional<Choice> choice = getChoice(before, node->getBlock()))
        choices.push_back(*choice);
  return choices;
}

/// What holds at the start of `block`, after what was `left` at the ends of
/// others; nothing where it is not executed.
std::optional<Facts>
KernelPaths::enterBlock(Block *block,
                        llvm::SmallDenseMap<Block *, Facts> &left) {
  SmallVector<End, 2> ends;
  Facts turned;
  bool isExecuted = false;
  llvm::SmallPtrSet<Block *, 4> seen;
  for (Block *before : block->getPredecessors()) {
    auto found = left.find(before);
    if (found == left.end() || !seen.insert(before).second)
      continue;
    End end{getPath(before), {}};
    std::optional<Choice> choice = getChoice(before, block);
    if (choice && excludes(end.path, *choice))
      continue;
    isExecuted = true;
    for (const Fact &fact : found->second)
      if (!choice || !fact.isExcludedBy(*choice))
        end.facts.push_back(fact);
    if (choice)
      end.path.push_back(*choice);
    if (!dominance.dominates(block, before)) {
      ends.push_back(std::move(end));
      continue;
    }
    leaveTurn(
        block,
        [&](Block *inside) {
          Block *ancestor =
              block->getParent()->findAncestorBlockInRegion(*inside);
          return ancestor && dominance.dominates(block, ancestor);
        },
        end.facts);
    for (Fact &fact : end.facts)
      insert(turned, std::move(fact));
  }
  if (!isExecuted)
    return std::nullopt;
  Facts facts;
  if (!ends.empty()) {
    Block *parting = dominance.getNode(block)->getIDom()->getBlock();
    facts = meet(ends, getPath(block), left[parting]);
  }
  for (Fact &fact : turned)
    insert(facts, std::move(fact));
  return facts;
}

LogicalResult KernelPaths::visitBlocks(Region &region, Facts &facts) {
  Choices around = path;
  llvm::SmallDenseMap<Block *, Facts> left;
  llvm::ReversePostOrderTraversal<Region *> order(&region);
  bool isChanged = true;
  for (unsigned turn = 0; turn < kBlockTurns && isChanged; ++turn) {
    isChanged = false;
    for (Block *block : order) {
      std::optional<Facts> current = facts;
      if (!block->isEntryBlock())
        current = enterBlock(block, left);
      if (!current)
        continue;
      path = getPath(block);
      LogicalResult result = visitBlock(*block, *current);
      path = around;
      if (failed(result))
        return failure();
      Facts &before = left[block];
      isChanged |= before != *current;
      before = std::move(*current);
    }
  }
  SmallVector<End, 2> ends;
  Block *parting = nullptr;
  for (Block *block : order) {
    if (block->getNumSuccessors() != 0 || !left.contains(block))
      continue;
    parting =
        parting ? dominance.findNearestCommonDominator(parting, block) : block;
    ends.push_back({getPath(block), left[block]});
  }
  facts = ends.empty() ? Facts() : meet(ends, getPath(parting), left[parting]);
  return success();
}

LogicalResult KernelPaths::visitRegion(Region &region, Facts &facts) {
  if (region.empty())
    return success();
  return region.hasOneBlock() ? visitBlock(region.front(), facts)
                              : visitBlocks(region, facts);
}

/// Visits `region`, unless it was visited with the same facts: each of loops
/// in loops has few, but its turns are the product of all their turns.
LogicalResult KernelPaths::visitAgain(Region &region, Facts &facts) {
  auto isSame = [](const Facts &left, const Facts &right) {
    return llvm::equal(left, right, [](const Fact &fact, const Fact &other) {
      return fact == other && fact.turn == other.turn;
    });
  };
  for (const Visit &visit : visits[&region])
    if (isSame(visit.before, facts)) {
      facts = visit.after;
      return success();
    }
  Facts before = facts;
  if (failed(visitRegion(region, facts)))
    return failure();
  visits[&region].push_back({std::move(before), facts});
  return success();
}

LogicalResult KernelPaths::visitBlock(Block &block, Facts &facts) {
  for (Operation &op : block) {
    if (failed(visit(&op, facts)))
      return failure();
    SmallVector<std::pair<Choice, Region *>> alternatives =
        getAlternatives(&op);
    if (!alternatives.empty()) {
      if (failed(visitChoice(alternatives, facts)))
        return failure();
    } else if (isa<LoopLikeOpInterface>(op)) {
      if (failed(visitLoop(&op, facts)))
        return failure();
    } else {
      for (Region &region : op.getRegions())
        if (failed(visitAgain(region, facts)))
          return failure();
    }
  }
  return success();
}

LogicalResult KernelPaths::follow(Region &body, Facts &facts) {
  return visitRegion(body, facts);
}
