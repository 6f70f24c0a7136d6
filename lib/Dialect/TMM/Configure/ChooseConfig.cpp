//===- ChooseConfig.cpp - complete configurations ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each family of kernels chooses for its ops.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/Passes.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::tmm {
#define GEN_PASS_DEF_CHOOSECONFIGPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;

namespace {

struct ChooseConfigPass
    : tc::tmm::impl::ChooseConfigPassBase<ChooseConfigPass> {
  using ChooseConfigPassBase::ChooseConfigPassBase;

  void runOnOperation() override {
    FailureOr<schedule::MatmulConfig> option =
        parseConfig(&getContext(), config);
    if (failed(option) || failed(checkFamilies(getOperation())) ||
        failed(checkUse()))
      return signalPassFailure();
    ConfigRequest request{getOperation(), chip, *option, tuned};
    for (auto &[name, ops] : collectFamilies(getOperation())) {
      FailureOr<unsigned> chosen = cast<KernelFamilyOpInterface>(ops.front())
                                       .chooseConfigs(ops, request);
      if (failed(chosen))
        return signalPassFailure();
      numChosen += *chosen;
    }
  }

private:
  /// Whether the option can have an effect: not on kernels alone, which do not
  /// say any more what they are tiles of.
  LogicalResult checkUse() {
    gpu::GPUFuncOp kernel;
    bool isTaken = false;
    getOperation()->walk([&](Operation *op) {
      if (auto family = dyn_cast<KernelFamilyOpInterface>(op))
        isTaken |= family.takesConfig();
      if (auto function = dyn_cast<gpu::GPUFuncOp>(op); function && !kernel)
        kernel = function;
    });
    if (config.empty() || isTaken || !kernel)
      return success();
    InFlightDiagnostic diag =
        emitError(FileLineColLoc::get(&getContext(), kConfigOption, 1, 1))
        << "expected a tmm.matmul to configure, got kernels, which are tiled "
           "already";
    diag.attachNote(kernel.getLoc()) << "kernel here";
    return diag;
  }
};

} // namespace
