//===- WarpSpecialize.cpp - cut a kernel into warp roles --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts the one thread of control at pipeline boundaries. Each role gets a copy
// of the kernel's loops, from which everything that belongs to other engines is
// removed: the ops of the other engines, and the ends of pipelines that they
// hold. What is left of another engine's work in a role has no effects and
// folds away; the states of ends that a role does not hold pass through its
// loops unchanged and fold away too.
//
// That is correct because of what the pipelined form guarantees: data that one
// engine hands to another goes through a pipeline, and everything else that
// roles share (sizes, the scheduler) is pure.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace tc::tmm {
#define GEN_PASS_DEF_WARPSPECIALIZEPASS
#include "tc/Dialect/TMM/Transforms/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;

namespace {

/// A role, in the order of its warps. The threads come first: the warp that
/// reads a window of accumulator lanes is chosen by its number mod 4.
struct Role {
  Engine engine;
  int64_t warps;
};
constexpr Role kRoles[] = {
    {Engine::threads, 4}, {Engine::tma, 1}, {Engine::tensor_core, 1}};
constexpr int64_t kWarpSize = 32;

/// The engines that drive both ends of each pipeline.
using Ends = DenseMap<Value, std::pair<Engine, Engine>>;

struct WarpSpecializePass
    : tc::tmm::impl::WarpSpecializePassBase<WarpSpecializePass> {
  void runOnOperation() override;
  LogicalResult specialize(gpu::GPUFuncOp kernel);
};

} // namespace

/// Whether `op` belongs to a role other than that of `engine`.
static bool isForeign(Operation *op, Engine engine, const Ends &ends) {
  if (auto engineOp = dyn_cast<EngineOpInterface>(op))
    return getDriver(engineOp.getEngine()) != engine;
  auto end = [&](Value pipeline) { return ends.find(pipeline)->second; };
  if (auto acquire = dyn_cast<ProducerAcquireOp>(op))
    return end(acquire.getPipeline()).first != engine;
  if (auto commit = dyn_cast<ProducerCommitOp>(op))
    return end(commit.getPipeline()).first != engine;
  if (auto tail = dyn_cast<ProducerTailOp>(op))
    return end(tail.getPipeline()).first != engine;
  if (auto wait = dyn_cast<ConsumerWaitOp>(op))
    return end(wait.getPipeline()).second != engine;
  if (auto release = dyn_cast<ConsumerReleaseOp>(op))
    return end(release.getPipeline()).second != engine;
  return false;
}

/// Removes from `role` what belongs to other engines.
static LogicalResult prune(Region &role, Engine engine, const Ends &ends) {
  SmallVector<Operation *> foreign;
  role.walk([&](Operation *op) {
    if (isForeign(op, engine, ends))
      foreign.push_back(op);
  });
  // Users first. A foreign state does not advance in this role; whatever else a
  // foreign op defines is used by foreign ops, or by pure ops that only they
  // use.
  for (Operation *op : llvm::reverse(foreign)) {
    if (auto commit = dyn_cast<ProducerCommitOp>(op))
      commit.getNext().replaceAllUsesWith(commit.getState());
    else if (auto release = dyn_cast<ConsumerReleaseOp>(op))
      release.getNext().replaceAllUsesWith(release.getState());
    SmallVector<Operation *> dead(op->getUsers());
    while (!dead.empty()) {
      Operation *user = dead.pop_back_val();
      if (!user->use_empty()) {
        llvm::append_range(dead, user->getUsers());
        dead.insert(dead.begin(), user);
        continue;
      }
      if (!isPure(user)) {
        InFlightDiagnostic diag = op->emitOpError()
                                  << "expected values to cross from "
                                  << stringifyEngine(engine)
                                  << " roles through pipelines only";
        diag.attachNote(user->getLoc()) << "used here";
        return failure();
      }
      llvm::erase(dead, user);
      user->erase();
    }
    op->erase();
  }
  return success();
}

/// Adapts the number of threads of `kernel` and of its launch.
static void setThreads(gpu::GPUFuncOp kernel, gpu::LaunchFuncOp launch,
                       int64_t threads) {
  OpBuilder b(kernel);
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  if (!launch)
    return;
  b.setInsertionPoint(launch);
  launch.getBlockSizeXMutable().assign(
      arith::ConstantIndexOp::create(b, launch.getLoc(), threads));
}

LogicalResult WarpSpecializePass::specialize(gpu::GPUFuncOp kernel) {
  Ends ends;
  WalkResult walk = kernel.walk([&](PipelineOp op) {
    FailureOr<Engine> producer = op.deriveProducerEngine();
    FailureOr<Engine> consumer = op.deriveConsumerEngine();
    if (failed(producer) || failed(consumer))
      return WalkResult::interrupt();
    ends[op.getPipeline()] = {getDriver(*producer), getDriver(*consumer)};
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();

  // What roles share stays in front of them: pipelines and pure ops. The rest,
  // loops and tails, is the body of every role.
  Block &entry = kernel.getBody().front();
  SmallVector<Operation *> body;
  for (Operation &op : entry.without_terminator())
    if (!isa<PipelineOp>(op) && !isPure(&op))
      body.push_back(&op);
  for (Operation *op : body)
    for (Operation *user : op->getUsers())
      if (user->getBlock() == &entry && isPure(user))
        return op->emitOpError()
               << "expected loops and tails at the end of the kernel";

  OpBuilder b(entry.getTerminator());
  SmallVector<int32_t> engines;
  SmallVector<int64_t> warps;
  for (const Role &role : kRoles) {
    engines.push_back(static_cast<int32_t>(role.engine));
    warps.push_back(role.warps);
  }
  auto op = WarpSpecializeOp::create(b, kernel.getLoc(), engines, warps,
                                     std::size(kRoles));
  for (auto [index, role] : llvm::enumerate(kRoles)) {
    Region &region = op.getRoles()[index];
    OpBuilder inner = OpBuilder::atBlockBegin(&region.emplaceBlock());
    IRMapping mapping;
    for (Operation *original : body)
      inner.clone(*original, mapping);
    if (failed(prune(region, role.engine, ends)))
      return failure();
  }
  for (Operation *original : llvm::reverse(body))
    original->erase();
  return success();
}

void WarpSpecializePass::runOnOperation() {
  ModuleOp module = getOperation();
  DenseMap<Operation *, gpu::LaunchFuncOp> launches;
  SymbolTableCollection symbols;
  module.walk([&](gpu::LaunchFuncOp launch) {
    launches[symbols.lookupNearestSymbolFrom(launch, launch.getKernel())] =
        launch;
  });
  WalkResult result = module.walk([&](gpu::GPUFuncOp kernel) {
    auto config = kernel->getAttrOfType<ConfigAttr>("tmm.config");
    if (!config || config.getRoles() != Roles::specialized)
      return WalkResult::advance();
    if (failed(specialize(kernel)))
      return WalkResult::interrupt();
    int64_t warps = 0;
    for (const Role &role : kRoles)
      warps += role.warps;
    setThreads(kernel, launches.lookup(kernel), warps * kWarpSize);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
