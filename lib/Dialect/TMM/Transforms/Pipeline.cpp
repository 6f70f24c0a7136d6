//===- Pipeline.cpp - choose the depth of pipelines -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipeline's depth is part of its type and of nothing else, so that choosing
// it changes the type of one value and leaves every loop as it is.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::tmm {
#define GEN_PASS_DEF_PIPELINEPASS
#include "tc/Dialect/TMM/Transforms/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;

namespace {
struct PipelinePass : tc::tmm::impl::PipelinePassBase<PipelinePass> {
  void runOnOperation() override;
};
} // namespace

/// Whether TMA stores the slots of `op`.
static bool isStoreRing(PipelineOp op) {
  for (Operation *user : op.getPipeline().getUsers())
    if (auto wait = dyn_cast<ConsumerWaitOp>(user))
      for (Operation *reader : wait->getUsers())
        if (auto engineOp = dyn_cast<EngineOpInterface>(reader))
          return engineOp.getEngine() == Engine::tma_store;
  return false;
}

/// The depth of `op` in `config`, where it says one.
static std::optional<int64_t> getDepth(PipelineOp op, ConfigAttr config) {
  BufferType buffer = op.getPipeline().getType().getBuffers().front();
  if (buffer.getSpace() == MemorySpace::tmem)
    return config.getAccumulatorStages();
  return isStoreRing(op) ? config.getStoreStages() : config.getStages();
}

void PipelinePass::runOnOperation() {
  getOperation()->walk([](gpu::GPUFuncOp kernel) {
    auto config = kernel->getAttrOfType<ConfigAttr>("tmm.config");
    if (!config)
      return;
    kernel.walk([&](PipelineOp op) {
      PipelineType type = op.getPipeline().getType();
      if (std::optional<int64_t> depth = getDepth(op, config))
        op.getPipeline().setType(type.withDepth(*depth));
    });
  });
}
