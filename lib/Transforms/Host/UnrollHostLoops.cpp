//===- UnrollHostLoops.cpp - launches are a list ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel descriptions have no loops, so those around products are unrolled.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tc {
#define GEN_PASS_DEF_UNROLLHOSTLOOPSPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

/// Operations that one loop may become: what that many kernels take to compile
/// is a minute.
static constexpr uint64_t kMaxOperations = 1024;

namespace {

struct UnrollHostLoopsPass
    : tc::impl::UnrollHostLoopsPassBase<UnrollHostLoopsPass> {
  void runOnOperation() override;
};

} // namespace

/// Whether `op` becomes a kernel.
static bool isWork(Operation *op) {
  if (isa<linalg::LinalgOp, tmm::KernelFamilyOpInterface>(op))
    return true;
  return OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

/// How often `loop` runs its body, where that is known.
static std::optional<APInt> countIterations(LoopLikeOpInterface loop) {
  if (auto one = dyn_cast<scf::ForOp>(*loop))
    return one.getStaticTripCount();
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       step = loop.getLoopSteps();
  if (!lower || !upper || !step)
    return std::nullopt;
  APInt all(/*numBits=*/128, 1);
  for (auto [from, to, by] : llvm::zip_equal(*lower, *upper, *step)) {
    std::optional<int64_t> first = getConstantIntValue(from),
                           end = getConstantIntValue(to),
                           distance = getConstantIntValue(by);
    if (!first || !end || !distance || *distance < 1)
      return std::nullopt;
    int64_t trips =
        *end > *first ? llvm::divideCeil(*end - *first, *distance) : 0;
    // More than are unrolled anyway, and no overflow.
    all *= std::min<int64_t>(trips, kMaxOperations + 1);
    all = llvm::APIntOps::umin(all, APInt(128, uint64_t(1) << 62));
  }
  return all;
}

/// Calls `body` with each combination of the numbers of `loop`, the last one
/// the fastest.
static void forEachIteration(LoopLikeOpInterface loop,
                             function_ref<void(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> lower, upper, step;
  auto read = [](ArrayRef<OpFoldResult> from, SmallVector<int64_t> &into) {
    for (OpFoldResult value : from)
      into.push_back(*getConstantIntValue(value));
  };
  read(*loop.getLoopLowerBounds(), lower);
  read(*loop.getLoopUpperBounds(), upper);
  read(*loop.getLoopSteps(), step);
  SmallVector<int64_t> at = lower;
  for (;;) {
    body(at);
    unsigned dim = at.size();
    while (dim-- > 0) {
      at[dim] += step[dim];
      if (at[dim] < upper[dim])
        break;
      at[dim] = lower[dim];
    }
    if (dim == ~0u)
      return;
  }
}

/// Replaces `loop`, an scf.forall or an scf.parallel without reductions, by its
/// iterations, one after the other: none of them may read what another writes.
static void unrollParallel(RewriterBase &rewriter, LoopLikeOpInterface loop,
                           bool isEmpty) {
  rewriter.setInsertionPoint(loop);
  auto forall = dyn_cast<scf::ForallOp>(*loop);
  SmallVector<Value> outputs;
  if (forall)
    llvm::append_range(outputs, forall.getOutputs());
  Block *body = &loop.getLoopRegions().front()->front();
  auto runOnce = [&](ArrayRef<int64_t> indices) {
    IRMapping mapping;
    for (auto [number, index] :
         llvm::zip_equal(*loop.getLoopInductionVars(), indices))
      mapping.map(number, arith::ConstantIndexOp::create(rewriter,
                                                         loop->getLoc(), index)
                              .getResult());
    if (forall)
      mapping.map(forall.getRegionOutArgs(), outputs);
    for (Operation &op : body->without_terminator())
      rewriter.clone(op, mapping);
    if (!forall)
      return;
    auto outer = [&](Value value) { return mapping.lookupOrDefault(value); };
    for (Operation &op : forall.getTerminator().getYieldingOps()) {
      auto insert = cast<tensor::ParallelInsertSliceOp>(op);
      Value &output =
          outputs[cast<BlockArgument>(insert.getDest()).getArgNumber() -
                  forall.getRank()];
      auto numbers = [&](ArrayRef<OpFoldResult> values) {
        return llvm::map_to_vector(values, [&](OpFoldResult value) {
          auto dynamic = dyn_cast<Value>(value);
          return dynamic ? OpFoldResult(outer(dynamic)) : value;
        });
      };
      output = tensor::InsertSliceOp::create(
          rewriter, insert.getLoc(), outer(insert.getSource()), output,
          numbers(insert.getMixedOffsets()), numbers(insert.getMixedSizes()),
          numbers(insert.getMixedStrides()));
    }
  };
  if (!isEmpty)
    forEachIteration(loop, runOnce);
  rewriter.replaceOp(loop, outputs);
}

/// Whether iterations of `loop` can be written one after the other.
static bool canUnroll(LoopLikeOpInterface loop) {
  if (auto parallel = dyn_cast<scf::ParallelOp>(*loop))
    return parallel.getNumReductions() == 0;
  if (auto forall = dyn_cast<scf::ForallOp>(*loop))
    return llvm::all_of(forall.getTerminator().getYieldingOps(),
                        llvm::IsaPred<tensor::ParallelInsertSliceOp>);
  return isa<scf::ForOp>(*loop);
}

void UnrollHostLoopsPass::runOnOperation() {
  SmallVector<LoopLikeOpInterface> loops;
  // Innermost first: copies of an outer one have nothing to unroll.
  getOperation()->walk([&](LoopLikeOpInterface loop) {
    if (!canUnroll(loop) || loop->getParentOfType<gpu::GPUModuleOp>())
      return;
    WalkResult work = loop->walk([](Operation *op) {
      return isWork(op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (work.wasInterrupted())
      loops.push_back(loop);
  });
  IRRewriter rewriter(&getContext());
  for (LoopLikeOpInterface loop : loops) {
    std::optional<APInt> trips = countIterations(loop);
    uint64_t inside = 0;
    loop->walk([&](Operation *op) { inside += isWork(op); });
    if (!trips || trips->ugt(kMaxOperations / std::max<uint64_t>(inside, 1)))
      continue;
    auto one = dyn_cast<scf::ForOp>(*loop);
    if (!one) {
      unrollParallel(rewriter, loop, trips->isZero());
    } else if (trips->isZero()) {
      one.replaceAllUsesWith(one.getInitArgs());
      one.erase();
    } else {
      (void)loopUnrollFull(one);
    }
  }
}
