//===- TMMPipelineOps.cpp - pipeline ops of the TMM dialect -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of the pipeline protocol ops: what one op can know. That the
// protocol as a whole is kept is the business of an analysis.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tc::tmm;

/// The results of an acquire or a wait are the buffers of one slot.
static LogicalResult verifySlot(Operation *op, PipelineType pipeline) {
  ArrayRef<BufferType> expected = pipeline.getBuffers();
  if (op->getNumResults() != expected.size())
    return op->emitOpError()
           << "expected " << expected.size()
           << " buffers, one for each of the pipeline's slot, got "
           << op->getNumResults();
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    if (type != expected[index])
      return op->emitOpError() << "expected buffer " << index << " of type "
                               << expected[index] << ", got " << type;
  return success();
}

LogicalResult ProducerAcquireOp::verify() {
  return verifySlot(*this, getPipeline().getType());
}

LogicalResult ConsumerWaitOp::verify() {
  return verifySlot(*this, getPipeline().getType());
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

/// The engine of the ops that use the buffers that `SlotOp` hands out.
template <typename SlotOp>
static FailureOr<Engine> deriveEngine(PipelineOp pipeline, StringRef verb) {
  std::optional<Engine> engine;
  for (Operation *user : pipeline.getPipeline().getUsers()) {
    auto slot = dyn_cast<SlotOp>(user);
    if (!slot)
      continue;
    for (Value buffer : slot.getBuffers())
      for (Operation *access : buffer.getUsers()) {
        auto op = dyn_cast<EngineOpInterface>(access);
        if (!op || (engine && *engine != op.getEngine())) {
          InFlightDiagnostic diag = pipeline.emitOpError()
                                    << "expected one engine to " << verb
                                    << " the slots, got another in "
                                    << access->getName();
          diag.attachNote(access->getLoc()) << "used here";
          return failure();
        }
        engine = op.getEngine();
        if (op.getScope() == Scope::pair &&
            pipeline.getPipeline().getType().getScope() != Scope::pair) {
          InFlightDiagnostic diag = pipeline.emitOpError()
                                    << "expected scope = pair, that of an op "
                                       "that uses the slots, got cta";
          diag.attachNote(access->getLoc()) << "used here";
          return failure();
        }
      }
  }
  if (!engine)
    return pipeline.emitOpError()
           << "expected an op to " << verb << " the slots, got none";
  return *engine;
}

FailureOr<Engine> PipelineOp::deriveProducerEngine() {
  return deriveEngine<ProducerAcquireOp>(*this, "fill");
}

FailureOr<Engine> PipelineOp::deriveConsumerEngine() {
  return deriveEngine<ConsumerWaitOp>(*this, "read");
}

//===----------------------------------------------------------------------===//
// Names of results in printed IR
//===----------------------------------------------------------------------===//

void PipelineOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  bool accumulator = getPipeline().getType().getBuffers().front().getSpace() ==
                     MemorySpace::tmem;
  setName(getPipeline(), accumulator ? "accumulators" : "ring");
}

void PipelineStartOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getState(), "start");
}

void ProducerAcquireOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getBuffers().front(), "free");
}

void ConsumerWaitOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getBuffers().front(), "full");
}

void ProducerCommitOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getNext(), "produced");
}

void ConsumerReleaseOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getNext(), "consumed");
}
