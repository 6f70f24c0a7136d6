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
#include "tc/Dialect/TMM/Passes.h"

namespace tc::tmm {
#define GEN_PASS_DEF_PIPELINEPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;

namespace {
struct PipelinePass : tc::tmm::impl::PipelinePassBase<PipelinePass> {
  void runOnOperation() override;
};
} // namespace

void PipelinePass::runOnOperation() {
  WalkResult result = getOperation()->walk([](PipelineOp op) {
    PipelineType type = op.getPipeline().getType();
    int64_t depth = type.getDepth(), stages = op.getStages();
    if (depth == 1) {
      op.getPipeline().setType(type.withDepth(stages));
      return WalkResult::advance();
    }
    // The kernel was cut with the depth that it has.
    if (stages == 1 || stages == depth)
      return WalkResult::advance();
    op.emitOpError() << "expected a depth of 1 or of the " << stages
                     << " stages, got " << depth;
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
