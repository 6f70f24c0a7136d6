//===- SpareMultiprocessors.cpp - room for other kernels --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A configuration is an attribute: it is read as plain data, changed, and made
// an attribute again. What is lowered later obeys it.
//
//===----------------------------------------------------------------------===//

#include "Share/Passes.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulConfig.h"

namespace share {
#define GEN_PASS_DEF_SPAREMULTIPROCESSORSPASS
#include "Share/Passes.h.inc"
} // namespace share

using namespace mlir;
using namespace tc;

namespace {
struct SpareMultiprocessorsPass
    : share::impl::SpareMultiprocessorsPassBase<SpareMultiprocessorsPass> {
  using SpareMultiprocessorsPassBase::SpareMultiprocessorsPassBase;
  void runOnOperation() override;
  LogicalResult limit(tmm::MatmulOp matmul);
};
} // namespace

LogicalResult SpareMultiprocessorsPass::limit(tmm::MatmulOp matmul) {
  tmm::ConfigAttr config = matmul.getConfigAttr();
  if (!config || !config.getSms())
    return matmul.emitOpError("has no configuration: expected "
                              "tmm-choose-config before this pass");
  int64_t spared = count;
  if (*config.getSms() <= spared)
    return matmul.emitOpError("runs on ")
           << *config.getSms() << " multiprocessors, expected more than the "
           << spared << " that are spared";
  schedule::MatmulConfig values = config.getValues();
  *values.sms -= spared;
  matmul.setConfigAttr(tmm::ConfigAttr::get(&getContext(), values));
  return success();
}

void SpareMultiprocessorsPass::runOnOperation() {
  WalkResult result = getOperation()->walk([&](tmm::MatmulOp matmul) {
    return failed(limit(matmul)) ? WalkResult::interrupt()
                                 : WalkResult::advance();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
