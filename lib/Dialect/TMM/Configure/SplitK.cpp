//===- SplitK.cpp - K in parts that are summed afterwards -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family of kernels knows what its parts are.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tc::tmm {
#define GEN_PASS_DEF_SPLITKPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;

namespace {

struct SplitKPass : tc::tmm::impl::SplitKPassBase<SplitKPass> {
  using SplitKPassBase::SplitKPassBase;
  void runOnOperation() override;
};

} // namespace

void SplitKPass::runOnOperation() {
  if (failed(checkFamilies(getOperation())))
    return signalPassFailure();
  SmallVector<KernelFamilyOpInterface> ops;
  getOperation()->walk([&](KernelFamilyOpInterface op) { ops.push_back(op); });
  for (KernelFamilyOpInterface op : ops) {
    FailureOr<bool> isSplit = op.splitWork(chip);
    if (failed(isSplit))
      return signalPassFailure();
    numSplit += *isSplit;
  }
}
