//===- VerifyLowered.cpp - close the tcgen05 level --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step below the dialect rejects what the conversion should have taken.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/VerifyLowered.h"
#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Dialect/TCGen05/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::tcgen05 {
#define GEN_PASS_DEF_VERIFYLOWEREDPASS
#include "tc/Dialect/TCGen05/Transforms/Passes.h.inc"
} // namespace tc::tcgen05

using namespace mlir;
using namespace tc::tcgen05;

namespace {
struct VerifyLoweredPass
    : public tc::tcgen05::impl::VerifyLoweredPassBase<VerifyLoweredPass> {
  void runOnOperation() override {
    bool failed = false;
    getOperation()->walk([&](gpu::GPUModuleOp module) {
      failed |= mlir::failed(
          tc::verifyLowered(module, TCGen05Dialect::getDialectNamespace(),
                            "convert-tcgen05-to-nvvm"));
    });
    if (failed)
      signalPassFailure();
  }
};
} // namespace
