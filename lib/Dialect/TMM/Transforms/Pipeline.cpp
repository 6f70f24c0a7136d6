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

void PipelinePass::runOnOperation() {
  getOperation()->walk([](gpu::GPUFuncOp kernel) {
    auto config = kernel->getAttrOfType<ConfigAttr>("tmm.config");
    if (!config)
      return;
    kernel.walk([&](PipelineOp op) {
      PipelineType type = op.getPipeline().getType();
      bool accumulator =
          type.getBuffers().front().getSpace() == MemorySpace::tmem;
      std::optional<int64_t> depth =
          accumulator ? config.getAccumulatorStages() : config.getStages();
      if (depth)
        op.getPipeline().setType(type.withDepth(*depth));
    });
  });
}
