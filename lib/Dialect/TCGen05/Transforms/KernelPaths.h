//===- KernelPaths.h - what is true on paths of a kernel --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the passes: follows facts through the control flow of a kernel.
//
// A fact carries the choices of structured control flow on its path: that an
// `scf.if` took its first region, say. Conditions that are the same value are
// the same choice. Of two others nothing is known: both may hold, or either
// alone, as where one warp allocates and another one frees. So a fact ends on
// all paths where a branch ends it that is not known to be on its own path, and
// is of no account in such a branch.
//
// A condition that all warps of a CTA have in common excludes its other choice.
// Of any other, what one warp allocates in one branch another one may free in
// the other.
//
// Blocks have the choices of the branches that dominate them.
//
// Operations that are loops are executed once at least, and their edges back
// are taken, unless the bounds are constants that say otherwise. Of blocks
// every edge is taken.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TCGEN05_TRANSFORMS_KERNELPATHS_H
#define TC_LIB_DIALECT_TCGEN05_TRANSFORMS_KERNELPATHS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/SmallVector.h"

namespace tc::tcgen05 {

/// That a region is executed of those from which `condition` chooses, or a
/// block. Where it is no single value, `chooser` is the operation; with
/// neither, the choice is not known, as one of another turn of a loop.
struct Choice {
  mlir::Value condition;
  mlir::Operation *chooser = nullptr;
  unsigned region = 0;

  bool operator==(const Choice &other) const {
    return condition == other.condition && chooser == other.chooser &&
           region == other.region;
  }
  bool excludes(const Choice &other) const {
    return (condition || chooser) && condition == other.condition &&
           chooser == other.chooser && region != other.region;
  }
  bool isKnown() const { return condition || chooser; }
  /// Whether all threads of a CTA are known to choose the same.
  bool isUniform() const;
  /// Where it is made; null where that is not known.
  mlir::Block *getBlock() const;
  /// From how many regions or blocks.
  unsigned count() const;
};
using Choices = llvm::SmallVector<Choice, 2>;

enum class FactKind {
  /// An allocation is not freed yet, and was freed.
  Live,
  Freed,
  /// The allocation before.
  Last,
  /// The permit to allocate is given up.
  Relinquished,
  /// A load or store is not waited for.
  Pending
};

/// What `op` made true.
struct Fact {
  FactKind kind;
  mlir::Operation *op;
  /// The value that tells its Tensor Memory from another.
  mlir::Value about;
  /// On which paths: first the choices around `op`, then those of branches that
  /// did not end the fact.
  Choices path;
  /// How many are around `op`.
  unsigned around = 0;
  /// Where the turn of a loop starts that came after it, if one did.
  mlir::Block *turn = nullptr;

  /// Whether it does not hold where `choice` is made. What a warp allocated is
  /// there for the others.
  bool isExcludedBy(const Choice &choice) const;
  bool operator==(const Fact &other) const {
    return kind == other.kind && op == other.op && about == other.about &&
           path == other.path;
  }
};
using Facts = llvm::SmallVector<Fact, 4>;

/// Whether `path` makes all choices of `other`.
bool isPartOf(llvm::ArrayRef<Choice> path, llvm::ArrayRef<Choice> other);

/// Visits the operations of a kernel with the facts that hold before each.
class KernelPaths {
public:
  virtual ~KernelPaths() = default;
  /// Leaves in `facts` what holds at the end.
  llvm::LogicalResult follow(mlir::Region &body, Facts &facts);

protected:
  /// Checks `op`, and makes of `facts` what holds after it, its regions aside.
  virtual llvm::LogicalResult visit(mlir::Operation *op, Facts &facts) = 0;

  /// Whether `fact` can be true where the visited operation is.
  bool isPossible(const Fact &fact) const;
  /// The same, for what another warp made true, too.
  bool isPossibleInCta(const Fact &fact) const;
  /// Whether there is a path on which it is: one of the two is on all paths of
  /// the other.
  bool isSure(const Fact &fact) const;
  void add(Facts &facts, FactKind kind, mlir::Operation *op,
           mlir::Value about) const;

  /// Whether `fact` is from an earlier turn of a loop that has `block`, where
  /// it depended on a choice.
  bool isOfEarlierTurn(const Fact &fact, mlir::Block *block) const;

  /// The choices around the visited operation.
  Choices path;
  /// Operations in branches of loops of which a later turn ends the fact: of
  /// the last turn nothing is known.
  llvm::SmallPtrSet<mlir::Operation *, 4> endedLater;

private:
  /// Where several paths meet: what holds at the end of one.
  struct End {
    Choices path;
    Facts facts;
  };

  /// Of a region that is visited again with the same facts: what held before
  /// and after.
  struct Visit {
    Facts before, after;
  };

  llvm::LogicalResult visitRegion(mlir::Region &region, Facts &facts);
  llvm::LogicalResult visitAgain(mlir::Region &region, Facts &facts);
  llvm::LogicalResult visitBlocks(mlir::Region &region, Facts &facts);
  llvm::LogicalResult visitBlock(mlir::Block &block, Facts &facts);
  llvm::LogicalResult
  visitChoice(llvm::ArrayRef<std::pair<Choice, mlir::Region *>> alternatives,
              Facts &facts);
  llvm::LogicalResult visitLoop(mlir::Operation *loop, Facts &facts);
  std::optional<Facts>
  enterBlock(mlir::Block *block,
             llvm::SmallDenseMap<mlir::Block *, Facts> &left);
  Choices getPath(mlir::Block *block);
  Facts meet(llvm::ArrayRef<End> ends, llvm::ArrayRef<Choice> common,
             const Facts &before);
  bool isOfOtherTurn(const Fact &fact, const Choice &choice);
  void leaveTurn(mlir::Block *start,
                 llvm::function_ref<bool(mlir::Block *)> isInside,
                 Facts &facts);

  mlir::DominanceInfo dominance;
  llvm::DenseMap<mlir::Region *, llvm::SmallVector<Visit, 2>> visits;
};

} // namespace tc::tcgen05

#endif // TC_LIB_DIALECT_TCGEN05_TRANSFORMS_KERNELPATHS_H
