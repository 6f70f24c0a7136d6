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
  getOperation()->walk([](PipelineOp op) {
    PipelineType type = op.getPipeline().getType();
    op.getPipeline().setType(type.withDepth(op.getStages()));
  });
}
