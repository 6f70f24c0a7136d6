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

#include "tc/Support/ISA.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

namespace {
/// An instruction family and the fact of a target that it needs.
struct Requirement {
  bool TargetFacts::*has;
  StringRef family;
  ISASection section;
};
} // namespace

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
  if (auto mma = dyn_cast<MmaSyncOp>(op); mma && mma.getScaleA())
    return Requirement{&TargetFacts::hasScaledMmaSync,
                       "mma.sync with scale factors",
                       ISASection::MmaSyncBlockScaling};
  if (auto mma = dyn_cast<MmaSyncOp>(op);
      mma && isa<Float8E4M3FNType, Float8E5M2Type>(
                 mma.getA().getType().getElementType()))
    return Requirement{&TargetFacts::hasFloat8, "mma.sync of fp8",
                       ISASection::MmaSync};
  if (isa<WgmmaFenceOp, WgmmaMmaAsyncOp, WgmmaCommitGroupOp, WgmmaWaitGroupOp>(
          op))
    return Requirement{&TargetFacts::hasWgmma, "wgmma", ISASection::Wgmma};
  if (isa<ClusterLaunchControlTryCancelOp, ClusterLaunchControlQueryOp>(op))
    return Requirement{&TargetFacts::hasClusterLaunchControl,
                       "clusterlaunchcontrol",
                       ISASection::ClusterLaunchTryCancel};
  return std::nullopt;
}

/// Checks `op` against the targets that `module` names.
static LogicalResult verifyTargets(gpu::GPUModuleOp module, Operation *op,
                                   const Requirement &need) {
  for (Attribute attribute : module.getTargets().value_or(ArrayAttr())) {
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
    if (!target)
      continue;
    const TargetFacts *facts = getTarget(target.getChip());
    if (facts && facts->*need.has)
      continue;
    SmallVector<StringRef> legal;
    for (const TargetFacts &other : getTargets())
      if (other.*need.has)
        legal.push_back(other.chip);
    InFlightDiagnostic diagnostic =
        op->emitOpError() << "expected a target that has " << need.family
                          << " (" << llvm::join(legal, ", ") << "), got "
                          << target.getChip() << " " << cite(need.section);
    diagnostic.attachNote(module.getLoc()) << "the target is named here";
    return diagnostic;
  }
  return success();
}

LogicalResult tc::verifySM90Preconditions(Operation *root) {
  WalkResult result = root->walk([&](Operation *op) {
    std::optional<Requirement> need = getRequirement(op);
    if (!need)
      return WalkResult::advance();
    auto module = op->getParentOfType<gpu::GPUModuleOp>();
    if (module && module.getTargets() &&
        failed(verifyTargets(module, op, *need)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
