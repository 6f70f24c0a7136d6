//===- Preconditions.cpp - what must hold before the conversion -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that no operation can check alone: the region allocation has run, a
// kernel uses one cta_group (ptxas refuses others, without a source location),
// the target has the instructions.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/ISA.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

/// Whether all operations of `function` that have a cta_group have the same.
static LogicalResult verifyOneGroup(FunctionOpInterface function) {
  Operation *first = nullptr;
  IntegerAttr group;
  WalkResult result = function->walk([&](Operation *op) {
    if (!isa<TCGen05Dialect>(op->getDialect()))
      return WalkResult::advance();
    auto attribute = dyn_cast_or_null<IntegerAttr>(
        op->getInherentAttr("cta_group").value_or(Attribute()));
    if (!attribute)
      return WalkResult::advance();
    if (!first) {
      first = op;
      group = attribute;
      return WalkResult::advance();
    }
    if (attribute == group)
      return WalkResult::advance();
    InFlightDiagnostic diagnostic =
        op->emitError() << "expected cta_group " << group.getInt()
                        << ", one for all tcgen05 operations of a kernel, got "
                        << attribute.getInt() << " "
                        << cite(ISASection::CtaGroup);
    diagnostic.attachNote(first->getLoc())
        << "cta_group " << group.getInt() << " is used here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Whether the targets of `module`, where it names any, have what it uses.
static LogicalResult verifyTargets(gpu::GPUModuleOp module) {
  std::optional<ArrayAttr> targets = module.getTargets();
  if (!targets)
    return success();
  // A module without tcgen05 may be for any target.
  Operation *user = nullptr;
  module.walk([&](Operation *op) {
    if (isa<TCGen05Dialect>(op->getDialect())) {
      user = op;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (!user)
    return success();
  for (Attribute attribute : *targets) {
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
    if (!target)
      continue;
    const TargetFacts *facts = getTarget(target.getChip());
    if (facts && facts->hasTcgen05 && facts->nvvmAcceptsTcgen05)
      continue;
    SmallVector<StringRef> legal;
    for (const TargetFacts &other : getTargets())
      if (other.hasTcgen05 && other.nvvmAcceptsTcgen05)
        legal.push_back(other.chip);
    InFlightDiagnostic diagnostic =
        user->emitOpError()
        << "expected a target that has tcgen05 instructions and that NVVM "
           "accepts them for ("
        << llvm::join(legal, ", ") << "), got " << target.getChip() << " "
        << cite(ISASection::Mma);
    diagnostic.attachNote(module.getLoc()) << "the target is named here";
    return diagnostic;
  }
  return success();
}

LogicalResult tc::verifyPreconditions(Operation *root) {
  bool failed = false;
  root->walk([&](ReserveOp op) {
    op.emitError() << "expected no tcgen05.reserve, which "
                      "tcgen05-allocate-tmem replaces";
    failed = true;
  });
  root->walk([&](FunctionOpInterface function) {
    failed |= mlir::failed(verifyOneGroup(function));
  });
  root->walk([&](gpu::GPUModuleOp module) {
    failed |= mlir::failed(verifyTargets(module));
  });
  return failure(failed);
}
