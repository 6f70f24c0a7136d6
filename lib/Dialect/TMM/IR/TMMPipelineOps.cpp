//===- TMMPipelineOps.cpp - pipeline ops of the TMM dialect -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types and names of the pipeline protocol ops, and what acts at the ends of a
// pipeline.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/PipelineEnds.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The results of an acquire or a wait are the buffers of one slot.
static LogicalResult inferSlot(ValueRange operands,
                               SmallVectorImpl<Type> &types) {
  if (operands.empty())
    return failure();
  auto pipeline = dyn_cast<PipelineType>(operands[0].getType());
  if (!pipeline)
    return failure();
  llvm::append_range(types, pipeline.getBuffers());
  return success();
}

LogicalResult ProducerAcquireOp::inferReturnTypes(
    MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  return inferSlot(operands, types);
}

LogicalResult ProducerInspectOp::inferReturnTypes(
    MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  return inferSlot(operands, types);
}

LogicalResult ConsumerWaitOp::inferReturnTypes(
    MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  return inferSlot(operands, types);
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

PipelineOp PipelineOp::getNextOfSlots() {
  for (Operation *user : getPipeline().getUsers())
    if (auto next = dyn_cast<PipelineOp>(user))
      return next;
  PipelineOp first = *this;
  while (Value over = first.getOver())
    first = over.getDefiningOp<PipelineOp>();
  return first;
}

LogicalResult PipelineOp::verify() {
  Value over = getOver();
  if (!over)
    return success();
  // tmm_pipeline_c1
  auto other = over.getDefiningOp<PipelineOp>();
  if (!other || other == *this)
    return emitOpError() << "expected operand over to be the result of another "
                            "tmm.pipeline, got "
                         << (other ? "its own" : "another value");
  auto refuse = [&](const Twine &expected) {
    InFlightDiagnostic diag = emitOpError() << expected;
    diag.attachNote(other.getLoc()) << "shared slots here";
    return diag;
  };
  PipelineType type = getPipeline().getType(), shared = other.getType();
  if (type.getDepth() != shared.getDepth() || getStages() != other.getStages())
    return refuse("expected as many slots in pipelines that share them, got " +
                  Twine(type.getDepth()) + " and " + Twine(shared.getDepth()));
  if (type.getBuffers().size() != 1 || shared.getBuffers().size() != 1)
    return refuse("expected one buffer in slots that are shared, got " +
                  Twine(type.getBuffers().size()) + " and " +
                  Twine(shared.getBuffers().size()));
  for (Operation *user : over.getUsers())
    if (isa<PipelineOp>(user) && user != *this) {
      InFlightDiagnostic diag =
          emitOpError() << "expected to be alone over its slots, got two "
                           "pipelines";
      diag.attachNote(user->getLoc()) << "the other one here";
      return diag;
    }
  // tmm_pipeline_c2
  MemorySpaceAttrInterface space = type.getBuffers().front().getSpace();
  MemorySpaceAttrInterface base = shared.getBuffers().front().getSpace();
  if (base.sharesWith(space))
    return success();
  InFlightDiagnostic diag = refuse("expected slots in one memory, got ");
  diag << space << " over " << base;
  return diag;
}

LogicalResult tc::tmm::detail::verifyUsesPipeline(Operation *op) {
  // tmm_uses_pipeline_c1
  Value pipeline = op->getOperand(0);
  Operation *def = pipeline.getDefiningOp();
  if (isa_and_nonnull<PipelineOp>(def))
    return success();
  InFlightDiagnostic diag =
      op->emitOpError() << "expected operand pipeline to be the result of a "
                           "tmm.pipeline, got ";
  if (def)
    diag << "that of " << def->getName();
  else
    diag << "a block argument";
  diag.attachNote(pipeline.getLoc()) << "defined here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

/// The region of the role that holds `op`; null where none does.
static Region *getRoleRegion(Operation *op) {
  if (auto role = WarpSpecializeOp::findRole(op->getBlock()))
    return &role->first.getRoles()[role->second];
  return nullptr;
}

/// The end of `ends` in the role of `access`, added where it is new.
static PipelineEnd &getEnd(PipelineEnds &ends, EngineOpInterface access) {
  Region *region = getRoleRegion(access);
  StringAttr name = access.getRoleName();
  for (PipelineEnd &end : ends)
    if (end.region == region && end.role == name)
      return end;
  PipelineEnd &end = ends.emplace_back();
  end.region = region;
  end.role = name;
  end.span = access.getSpan();
  return end;
}

/// Notes `access` to buffer `number` of the slots of `pipeline` in `end`.
static LogicalResult addAccess(PipelineOp pipeline, EngineOpInterface access,
                               unsigned number, PipelineEnd &end) {
  auto refuse = [&](const Twine &expected) {
    InFlightDiagnostic diag = pipeline.emitOpError() << expected;
    diag.attachNote(end.accesses.front()->getLoc()) << "first op here";
    diag.attachNote(access->getLoc()) << "second op here";
    return diag;
  };
  EngineAttrInterface engine = access.getEngine();
  end.accesses.push_back(access);
  end.buffers.insert(number);
  if (end.span != access.getSpan())
    return refuse("expected the ops of one role that use a slot to span the "
                  "same CTAs, got others");
  for (EngineAttrInterface known : end.engines)
    if (known != engine && !known.covers(engine))
      return refuse("expected the ops of one role that use a slot to have one "
                    "completion, got two");
  end.engines.insert(engine);
  if (AgentSetAttrInterface targets = access.getTargets())
    end.targets.insert(targets);
  return success();
}

template <typename SlotOp>
static FailureOr<PipelineEnds> deriveEnds(PipelineOp pipeline, StringRef verb) {
  PipelineEnds ends;
  for (Operation *user : pipeline.getPipeline().getUsers()) {
    auto slot = dyn_cast<SlotOp>(user);
    if (!slot)
      continue;
    for (auto [number, buffer] : llvm::enumerate(slot.getBuffers()))
      for (Operation *user : buffer.getUsers()) {
        auto access = dyn_cast<EngineOpInterface>(user);
        if (!access) {
          InFlightDiagnostic diag = pipeline.emitOpError()
                                    << "expected ops on tiles to " << verb
                                    << " the slots, got " << user->getName();
          diag.attachNote(user->getLoc()) << "used here";
          return failure();
        }
        if (failed(addAccess(pipeline, access, number, getEnd(ends, access))))
          return failure();
      }
  }
  if (ends.empty())
    return pipeline.emitOpError()
           << "expected an op to " << verb << " the slots, got none";
  return ends;
}

/// Checks that the bytes of `access`, which fills `buffer` of the slot that
/// `acquire` took, arrive once for each slot: so often its commit expects them.
static LogicalResult verifyCounted(PipelineOp pipeline,
                                   ProducerAcquireOp acquire, Value buffer,
                                   EngineOpInterface access) {
  if (!access.getEngine().getCompletion().countsBytes())
    return success();
  auto refuse = [&](StringRef expected) {
    return access.emitOpError()
           << "expected " << expected
           << " its buffer, whose bytes are counted once for each slot, got ";
  };
  auto note = [&](InFlightDiagnostic &diag) -> LogicalResult {
    diag.attachNote(pipeline.getLoc()) << "buffer here";
    return diag;
  };
  if (access->getBlock() != acquire->getBlock()) {
    InFlightDiagnostic diag = refuse("the block of");
    diag << access->getParentOp()->getName() << " inside of it";
    return note(diag);
  }
  if (!buffer.hasOneUse()) {
    InFlightDiagnostic diag = refuse("to be alone in writing");
    diag << llvm::range_size(buffer.getUsers()) << " writers";
    return note(diag);
  }
  return success();
}

/// Checks that `end` fills the same buffers of each slot that it acquires,
/// where their bytes are expected in one sum.
static LogicalResult verifyFilled(PipelineOp pipeline, const PipelineEnd &end) {
  if (!end.getEngine().getCompletion().countsBytes())
    return success();
  auto isOfEnd = [&](Operation *access) {
    return llvm::is_contained(end.accesses, access);
  };
  for (Operation *user : pipeline.getPipeline().getUsers()) {
    auto acquire = dyn_cast<ProducerAcquireOp>(user);
    if (!acquire || getRoleRegion(acquire) != end.region)
      continue;
    for (unsigned number : end.buffers) {
      if (llvm::any_of(acquire.getBuffers()[number].getUsers(), isOfEnd))
        continue;
      InFlightDiagnostic diag =
          acquire.emitOpError()
          << "expected a role to fill the same buffers of each slot, whose "
             "bytes are counted in one sum, got one without buffer "
          << number;
      diag.attachNote(end.accesses.front()->getLoc()) << "another slot here";
      return diag;
    }
  }
  return success();
}

FailureOr<PipelineEnds> tc::tmm::deriveProducers(PipelineOp op) {
  FailureOr<PipelineEnds> ends = deriveEnds<ProducerAcquireOp>(op, "fill");
  if (failed(ends))
    return failure();
  for (Operation *user : op.getPipeline().getUsers())
    if (auto acquire = dyn_cast<ProducerAcquireOp>(user))
      for (Value buffer : acquire.getBuffers())
        for (Operation *access : buffer.getUsers())
          if (failed(verifyCounted(op, acquire, buffer,
                                   cast<EngineOpInterface>(access))))
            return failure();
  for (const PipelineEnd &end : *ends)
    if (failed(verifyFilled(op, end)))
      return failure();
  return ends;
}

/// Notes which of `ends` modify the slots that they read. Emits an error where
/// another role reads what one modifies.
static LogicalResult deriveModifies(PipelineOp op, PipelineEnds &ends) {
  PipelineEnd *modifying = nullptr;
  for (PipelineEnd &end : ends) {
    end.modifies = llvm::any_of(end.accesses, [&](EngineOpInterface access) {
      auto effects = dyn_cast<MemoryEffectOpInterface>(access.getOperation());
      return effects && llvm::any_of(access->getOperands(), [&](Value slot) {
               auto wait = slot.getDefiningOp<ConsumerWaitOp>();
               return wait && wait.getPipeline() == op.getPipeline() &&
                      effects.getEffectOnValue<MemoryEffects::Write>(slot);
             });
    });
    if (end.modifies)
      modifying = &end;
  }
  if (!modifying)
    return success();
  auto getName = [](const PipelineEnd &end) -> StringRef {
    if (!end.region)
      return end.role ? end.role.getValue() : StringRef();
    auto roles = cast<WarpSpecializeOp>(end.region->getParentOp());
    return roles.getRoleName(end.region->getRegionNumber());
  };
  for (const PipelineEnd &end : ends) {
    // Instances take turns: each has slots of its own.
    if (getName(end) == getName(*modifying))
      continue;
    InFlightDiagnostic diag =
        op.emitOpError() << "expected one role to read slots that it modifies, "
                            "got two";
    diag.attachNote(modifying->accesses.front()->getLoc()) << "modified here";
    diag.attachNote(end.accesses.front()->getLoc()) << "read here";
    return diag;
  }
  return success();
}

bool tc::tmm::isHeld(SkipOp skip) {
  return llvm::any_of(skip.getState().getUsers(), [&](Operation *user) {
    auto hold = dyn_cast<HoldOp>(user);
    return hold && hold.getPipeline() == skip.getPipeline() &&
           hold->getBlock() == skip->getBlock();
  });
}

LogicalResult ReleaseHeldOp::verify() {
  return detail::verifyUsesPipeline(*this);
}

FailureOr<PipelineEnds> tc::tmm::deriveConsumers(PipelineOp op) {
  FailureOr<PipelineEnds> ends = deriveEnds<ConsumerWaitOp>(op, "read");
  if (failed(ends) || failed(deriveModifies(op, *ends)))
    return failure();
  return ends;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void PipelineOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(
      getPipeline(),
      getPipeline().getType().getBuffers().front().getSpace().getRingName());
}
