//===- VerifyLowered.cpp - close the sm90 level -----------------*- C++ -*-===//
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
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/SM90/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::sm90 {
#define GEN_PASS_DEF_VERIFYLOWEREDPASS
#include "tc/Dialect/SM90/Transforms/Passes.h.inc"
} // namespace tc::sm90

using namespace mlir;
using namespace tc::sm90;

namespace {
struct VerifyLoweredPass
    : public tc::sm90::impl::VerifyLoweredPassBase<VerifyLoweredPass> {
  void runOnOperation() override {
    bool failed = false;
    getOperation()->walk([&](gpu::GPUModuleOp module) {
      failed |= mlir::failed(tc::verifyLowered(
          module, SM90Dialect::getDialectNamespace(), "convert-sm90-to-nvvm"));
    });
    if (failed)
      signalPassFailure();
  }
};
} // namespace
