//===- ChooseConfig.cpp - complete configurations ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is legal and what is fast is decided in tc::schedule.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/Passes.h"

#include "tc/Dialect/TMM/Configure/ConfigTranslation.h"

#include "TunedConfigs.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulModel.h"

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
    if (failed(option) || failed(checkUse()))
      return signalPassFailure();
    FailureOr<schedule::Machine> machine =
        getMachine(getOperation(), chip, *option, [&] {
          return getOperation()->emitError() << "chip option: ";
        });
    if (failed(machine))
      return signalPassFailure();
    FailureOr<TunedConfigs> table = TunedConfigs::read(tuned, chip, [&] {
      return getOperation()->emitError() << "tuned option: ";
    });
    if (failed(table))
      return signalPassFailure();
    WalkResult result = getOperation()->walk(
        [&](MatmulOp op) { return choose(op, *option, *machine, *table); });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  /// Whether the option can have an effect: not on kernels alone, which do not
  /// say any more what they are tiles of.
  LogicalResult checkUse() {
    gpu::GPUFuncOp kernel;
    bool hasMatmul = false;
    getOperation()->walk([&](Operation *op) {
      hasMatmul |= isa<MatmulOp>(op);
      if (auto function = dyn_cast<gpu::GPUFuncOp>(op); function && !kernel)
        kernel = function;
    });
    if (config.empty() || hasMatmul || !kernel)
      return success();
    InFlightDiagnostic diag =
        emitError(FileLineColLoc::get(&getContext(), kConfigOption, 1, 1))
        << "expected a tmm.matmul to configure, got kernels, which are tiled "
           "already";
    diag.attachNote(kernel.getLoc()) << "kernel here";
    return diag;
  }
  WalkResult choose(MatmulOp op, const schedule::MatmulConfig &option,
                    const schedule::Machine &machine,
                    const TunedConfigs &table) {
    schedule::MatmulConfig given = schedule::merge(getConfig(op), option);
    schedule::MatmulProblem problem = getProblem(op, machine);
    if (std::optional<std::string> error =
            schedule::findConfigError(given, problem, machine)) {
      op.emitOpError() << "configuration: " << *error;
      return WalkResult::interrupt();
    }
    if (TunedConfig found = table.find(op, given, problem, machine);
        found.config)
      given = *found.config;
    schedule::MatmulConfig complete =
        schedule::completeConfig(given, problem, machine);
    if (std::optional<std::string> error =
            schedule::findResourceError(complete, problem, machine)) {
      op.emitOpError() << "configuration: " << *error;
      return WalkResult::interrupt();
    }
    op.setConfigAttr(ConfigAttr::get(&getContext(), complete));
    ++numChosen;
    return WalkResult::advance();
  }
};

} // namespace
