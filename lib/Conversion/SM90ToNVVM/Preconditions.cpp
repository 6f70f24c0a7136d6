//===- Preconditions.cpp - what the target must have ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some operations of the dialect exist on some targets only. The back end would
// end the process on them ("cannot select"); here they are refused by name.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/InFlight.h"
#include "tc/Support/Requirements.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

bool tc::hasSM90Instructions(Operation *op) {
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  ArrayAttr targets = module ? module.getTargetsAttr() : ArrayAttr();
  if (!targets)
    return true;
  return llvm::all_of(targets, [](Attribute attribute) {
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
    const TargetFacts *facts = target ? getTarget(target.getChip()) : nullptr;
    return !facts || facts->hasTma;
  });
}

/// What `op` needs of a target beyond sm_80; none for most.
static std::optional<Requirement> getRequirement(Operation *op) {
  // Forms of sm_107; the layouts of mbarriers are those of all chips.
  constexpr unsigned kReports = 93, kOverrides = 94;
  auto of107 = [](StringRef what, ISASection section) {
    return Requirement{&TargetFacts::hasTmaOverrides, what, section,
                       kOverrides};
  };
  auto load = dyn_cast<TmaLoadOp>(op);
  auto store = dyn_cast<TmaStoreOp>(op);
  if ((load && load.getAddress()) || (store && store.getAddress()))
    return of107("TMA with .override::global_address", ISASection::TmaOverride);
  if (load && load.getReport())
    return of107("TMA with .mbarrier::report", ISASection::TmaReport);
  if (load && load.getMulticast32())
    return of107("TMA with .multicast::cluster::32b", ISASection::TmaCopy);
  auto arrive = dyn_cast<MBarrierArriveOp>(op);
  auto expect = dyn_cast<MBarrierArriveExpectTxOp>(op);
  if ((arrive && arrive.getMulticast32()) ||
      (expect && expect.getMulticast32()))
    return of107("mbarrier.arrive with .multicast::cluster::32b",
                 ISASection::MBarrierMulticast);
  auto init = dyn_cast<MBarrierInitOp>(op);
  auto wait = dyn_cast<MBarrierWaitParityOp>(op);
  if ((init && init.getReports()) || (wait && wait.getConditional()) ||
      isa<MBarrierReportedOp>(op))
    return Requirement{&TargetFacts::hasTma, "mbarriers of layout v1",
                       ISASection::MBarrierLayout, kReports};
  if (isa<TmaLoadOp, TmaStoreOp, BulkCommitGroupOp, BulkWaitGroupOp,
          PrefetchTensorMapOp, MBarrierArriveExpectTxOp>(op))
    return Requirement{&TargetFacts::hasTma, "TMA", ISASection::TmaCopy};
  if (isa<FenceProxyAsyncOp, FenceSyncRestrictOp, ClusterArriveOp,
          ClusterWaitOp, MBarrierMapOp, GriddepcontrolOp, SetMaxRegistersOp>(
          op))
    return Requirement{&TargetFacts::hasTma, "the instructions of sm_90",
                       ISASection::TmaCopy};
  if (isa<StAsyncOp>(op))
    return Requirement{&TargetFacts::hasTma, "st.async", ISASection::StAsync};
  if (isa<StMatrixOp>(op))
    return Requirement{&TargetFacts::hasTma, "stmatrix", ISASection::StMatrix};
  if (isa<WgmmaFenceOp, WgmmaMmaAsyncOp, WgmmaCommitGroupOp, WgmmaWaitGroupOp>(
          op))
    return Requirement{&TargetFacts::hasWgmma, "wgmma", ISASection::Wgmma};
  if (isa<ClusterLaunchControlTryCancelOp, ClusterLaunchControlQueryOp>(op))
    return Requirement{&TargetFacts::hasClusterLaunchControl,
                       "clusterlaunchcontrol",
                       ISASection::ClusterLaunchTryCancel};
  return std::nullopt;
}

/// Checks that no accumulator which `mma` writes is copied before it is there:
/// wait_group takes it from the only value that has it.
static LogicalResult verifyAwaited(WgmmaMmaAsyncOp mma) {
  SmallVector<Value> work = {mma.getResult()};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (failed(verifyAwaitedOnce(value, llvm::IsaPred<WgmmaWaitGroupOp>)))
      return failure();
    for (OpOperand &use : value.getUses()) {
      llvm::append_range(work, getCarried(use));
      if (auto wait = dyn_cast<WgmmaWaitGroupOp>(use.getOwner());
          wait && wait.getPending() != 0)
        work.push_back(wait.getResult(use.getOperandNumber()));
    }
  }
  return success();
}

LogicalResult tc::verifySM90Preconditions(Operation *root) {
  if (failed(verifyRequirements(root, getRequirement)))
    return failure();
  WalkResult result = root->walk(
      [](WgmmaMmaAsyncOp mma) { return WalkResult(verifyAwaited(mma)); });
  return failure(result.wasInterrupted());
}
