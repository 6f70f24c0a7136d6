//===- Requirements.cpp - what the target must have -------------*- C++ -*-===//
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

#include "tc/Support/Requirements.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tc;

unsigned tc::getPtxVersion(StringRef features, unsigned least) {
  unsigned version = 0, number;
  for (StringRef feature : llvm::split(features, ','))
    if (feature.consume_front("+ptx") && !feature.getAsInteger(10, number))
      version = std::max(version, number);
  return version ? version : least;
}

/// Whether `target` has what `need` names.
static bool hasFamily(const TargetFacts &target, const Requirement &need) {
  return !need.has || target.*need.has;
}

/// Checks `op` against the targets that `module` names.
static LogicalResult verifyTargets(gpu::GPUModuleOp module, Operation *op,
                                   const Requirement &need) {
  for (Attribute attribute : module.getTargets().value_or(ArrayAttr())) {
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
    if (!target)
      continue;
    const TargetFacts *facts = getTarget(target.getChip());
    if (facts && hasFamily(*facts, need)) {
      if (need.ptxVersion <= kLLVMPtxVersion ||
          need.ptxVersion <=
              getPtxVersion(target.getFeatures(), facts->ptxVersion))
        continue;
      return op->emitOpError()
             << "expected the feature '+ptx" << need.ptxVersion
             << "' or a later one for " << need.family << ", got '"
             << target.getFeatures() << "' " << cite(need.section);
    }
    SmallVector<StringRef> legal;
    for (const TargetFacts &other : getTargets())
      if (hasFamily(other, need))
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

LogicalResult tc::verifyRequirements(
    Operation *root,
    function_ref<std::optional<Requirement>(Operation *)> getRequirement) {
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
