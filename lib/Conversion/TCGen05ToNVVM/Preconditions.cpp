//===- Preconditions.cpp - what must hold before the conversion -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that no operation can check alone: the region allocation has run, the
// target has the instructions.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/ISA.h"
#include "tc/Support/MmaTypes.h"
#include "tc/Support/Requirements.h"
#include "tc/Support/TCGen05Forms.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

/// The forms of instructions that `op` becomes.
static SmallVector<TCGen05Form> getForms(Operation *op) {
  if (isa<ShiftOp>(op))
    return {TCGen05Form::Shift};
  if (isa<LdRedOp>(op))
    return {TCGen05Form::LdReduce};
  if (isa<LdCompressOp>(op))
    return {TCGen05Form::LdCompress};
  if (auto mma = dyn_cast<MmaBlockScaleOp>(op)) {
    SmallVector<TCGen05Form> forms =
        getMmaForms(mma.getForm(), mma.getScaleBlock(), mma.getScaleVec());
    auto scales = cast<TmemType>(mma.getScalesA().getType());
    if (findMmaScales(mma.getForm().kind, scales.getElementType(),
                      mma.getScaleBlock())
            ->needsSm107)
      forms.push_back(TCGen05Form::MmaSm107Scales);
    if (mma.hasLaneScales())
      forms.push_back(TCGen05Form::MmaLaneScales);
    if (mma.getCollectorB() != Collector::Discard)
      forms.push_back(TCGen05Form::MmaCollectorB);
    return forms;
  }
  if (auto mma = dyn_cast<MmaWsOp>(op))
    return getMmaForms(mma.getForm());
  if (auto mma = dyn_cast<MmaOp>(op)) {
    SmallVector<TCGen05Form> forms = getMmaForms(mma.getForm());
    if (mma.getScaleD())
      forms.push_back(TCGen05Form::MmaScaleInputD);
    if (mma.getCollectorB() != Collector::Discard)
      forms.push_back(TCGen05Form::MmaCollectorB);
    return forms;
  }
  auto alloc = dyn_cast<AllocOp>(op);
  auto dealloc = dyn_cast<DeallocOp>(op);
  if ((alloc && alloc.getExclusive()) || (dealloc && dealloc.getExclusive()))
    return {TCGen05Form::AllocExclusive};
  if (auto commit = dyn_cast<CommitOp>(op)) {
    SmallVector<TCGen05Form> forms{TCGen05Form::Memory};
    if (commit.getReadsOfA())
      forms.push_back(TCGen05Form::CommitReadsOfA);
    if (commit.getMulticast32())
      forms.push_back(TCGen05Form::CommitMulticast32);
    return forms;
  }
  return {TCGen05Form::Memory};
}

/// Whether `target` has what `op` needs.
static LogicalResult verifyForms(Operation *op, NVVM::NVVMTargetAttr target,
                                 gpu::GPUModuleOp module) {
  const TargetFacts *facts = getTarget(target.getChip());
  for (TCGen05Form form : getForms(op)) {
    const TCGen05FormFacts &needed = tc::getFacts(form);
    if (facts && needed.exists(*facts)) {
      // LLVM refuses older ones of its own; what is inline PTX it does not
      // read.
      unsigned version = needed.getPtxVersion(*facts);
      if (version <= kLLVMPtxVersion ||
          version <= getPtxVersion(target.getFeatures(), facts->ptxVersion))
        continue;
      return op->emitOpError()
             << "expected the feature '+ptx" << version
             << "' or a later one for " << needed.name << ", got '"
             << target.getFeatures() << "' " << cite(needed.section);
    }
    InFlightDiagnostic diagnostic =
        op->emitOpError() << "expected a target that has " << needed.name
                          << " (" << llvm::join(needed.targets, ", ")
                          << "), got " << target.getChip() << " "
                          << cite(needed.section);
    diagnostic.attachNote(module.getLoc()) << "the target is named here";
    return diagnostic;
  }
  return success();
}

/// Whether the targets of `module`, where it names any, have what `scope`, it
/// or a part of it, uses. One operation says what is missing.
static LogicalResult verifyTargets(gpu::GPUModuleOp module, Operation *scope) {
  std::optional<ArrayAttr> targets = module.getTargets();
  if (!targets)
    return success();
  WalkResult result = scope->walk([&](Operation *op) {
    if (isa<TCGen05Dialect>(op->getDialect()))
      for (auto target : targets->getAsRange<Attribute>())
        if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target);
            nvvm && failed(verifyForms(op, nvvm, module)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Whether NVVM refuses tcgen05 for `attribute`, a target that has it.
static bool isGated(Attribute attribute) {
  auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
  const TargetFacts *facts = target ? getTarget(target.getChip()) : nullptr;
  return facts && facts->hasTcgen05 && !facts->nvvmAcceptsTcgen05 &&
         target.getVerifyTarget();
}

/// What holds of a part of a module: its targets have what the part uses, and
/// need not be changed, as a pass may not change what is around its operation.
static LogicalResult verifyPart(gpu::GPUModuleOp module, Operation *part) {
  if (failed(verifyTargets(module, part)))
    return failure();
  auto isOurs = [](Operation *op) {
    return isa<TCGen05Dialect>(op->getDialect()) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
  };
  std::optional<ArrayAttr> targets = module.getTargets();
  if (!targets || !llvm::any_of(*targets, isGated) ||
      !part->walk(isOurs).wasInterrupted())
    return success();
  InFlightDiagnostic diagnostic =
      part->emitOpError() << "expected convert-tcgen05-to-nvvm on a gpu.module "
                             "or above it, whose target it marks as one with "
                             "tcgen05, got it on "
                          << part->getName();
  diagnostic.attachNote(module.getLoc()) << "the target is named here";
  return diagnostic;
}

LogicalResult tc::verifyPreconditions(Operation *root) {
  bool failed = false;
  root->walk([&](ReserveOp op) {
    op.emitError() << "expected no tcgen05.reserve, which "
                      "tcgen05-allocate-tmem replaces";
    failed = true;
  });
  root->walk([&](gpu::GPUModuleOp module) {
    failed |= mlir::failed(verifyTargets(module, module));
  });
  if (auto module = root->getParentOfType<gpu::GPUModuleOp>())
    failed |= mlir::failed(verifyPart(module, root));
  return failure(failed);
}

void tc::passTargetGate(Operation *root) {
  root->walk([](gpu::GPUModuleOp module) {
    std::optional<ArrayAttr> targets = module.getTargets();
    if (!targets)
      return;
    SmallVector<Attribute> passed(targets->begin(), targets->end());
    for (Attribute &attribute : passed) {
      if (!isGated(attribute))
        continue;
      auto target = cast<NVVM::NVVMTargetAttr>(attribute);
      attribute = NVVM::NVVMTargetAttr::get(
          target.getContext(), target.getO(), target.getTriple(),
          target.getChip(), target.getFeatures(), target.getFlags(),
          target.getLink(), /*verifyTarget=*/false);
    }
    module.setTargetsAttr(ArrayAttr::get(module.getContext(), passed));
  });
}
