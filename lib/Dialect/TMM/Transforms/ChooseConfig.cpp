//===- ChooseConfig.cpp - complete configurations ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates the operation to the plain data of tc::schedule and back. What is
// legal and what is fast is decided there.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/Transforms/Passes.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulConfig.h"

namespace tc::tmm {
#define GEN_PASS_DEF_CHOOSECONFIGPASS
#include "tc/Dialect/TMM/Transforms/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;

/// The size, or nothing if it is dynamic.
static std::optional<int64_t> known(int64_t size) {
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  return size;
}

static schedule::MatmulProblem getProblem(MatmulOp op) {
  schedule::MatmulProblem problem;
  problem.m = known(op.getStaticM());
  problem.n = known(op.getStaticN());
  problem.k = known(op.getStaticK());
  problem.inputBits =
      getElementTypeOrSelf(op.getA().getType()).getIntOrFloatBitWidth();
  problem.transposeA = op.getTransposeA();
  problem.transposeB = op.getTransposeB();
  return problem;
}

/// Schedulers of the two enumerations, in the same order.
static_assert(static_cast<int>(Scheduler::static_tiles) ==
                  static_cast<int>(schedule::TileScheduler::Static) &&
              static_cast<int>(Scheduler::clc) ==
                  static_cast<int>(schedule::TileScheduler::Clc) &&
              static_cast<int>(Scheduler::stream_k) ==
                  static_cast<int>(schedule::TileScheduler::StreamK));

/// The fields of `attr`, which may be null.
static schedule::MatmulConfig fromAttr(ConfigAttr attr) {
  schedule::MatmulConfig config;
  if (!attr)
    return config;
  if (ArrayRef<int64_t> tile = attr.getTile(); !tile.empty()) {
    config.tileM = tile[0];
    config.tileN = tile[1];
    config.tileK = tile[2];
  }
  if (ArrayRef<int64_t> cluster = attr.getCluster(); !cluster.empty()) {
    config.clusterM = cluster[0];
    config.clusterN = cluster[1];
  }
  config.ctaGroup = attr.getCtaGroup();
  config.stages = attr.getStages();
  config.accumulatorStages = attr.getAccumulatorStages();
  config.swizzle = attr.getSwizzle();
  if (attr.getScheduler())
    config.scheduler = static_cast<schedule::TileScheduler>(
        static_cast<int>(*attr.getScheduler()));
  config.epilogueSubtile = attr.getEpilogueSubtile();
  if (attr.getRoles())
    config.specialized = *attr.getRoles() == Roles::specialized;
  config.raster = attr.getRaster();
  config.sms = attr.getSms();
  return config;
}

/// The attribute of a configuration with every field set.
static ConfigAttr toAttr(MLIRContext *context,
                         const schedule::MatmulConfig &config) {
  return ConfigAttr::get(
      context, {*config.tileM, *config.tileN, *config.tileK}, config.ctaGroup,
      {*config.clusterM, *config.clusterN}, config.stages,
      config.accumulatorStages, config.swizzle,
      static_cast<Scheduler>(static_cast<int>(*config.scheduler)),
      config.epilogueSubtile,
      *config.specialized ? Roles::specialized : Roles::none, config.raster,
      config.sms);
}

namespace {

struct ChooseConfigPass
    : tc::tmm::impl::ChooseConfigPassBase<ChooseConfigPass> {
  using ChooseConfigPassBase::ChooseConfigPassBase;

  void runOnOperation() override {
    FailureOr<ConfigAttr> option = parseConfig(config, &getContext(), [&] {
      return getOperation()->emitError() << "configuration option: ";
    });
    if (failed(option))
      return signalPassFailure();
    const tc::TargetFacts *target = tc::getTarget(chip);
    if (!target || !target->hasTcgen05) {
      getOperation()->emitError()
          << "chip option: expected a chip with tcgen05, got '" << chip << "'";
      return signalPassFailure();
    }
    schedule::Machine machine = schedule::Machine::get(*target);
    WalkResult result = getOperation()->walk(
        [&](MatmulOp op) { return choose(op, *option, machine); });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  WalkResult choose(MatmulOp op, ConfigAttr option,
                    const schedule::Machine &machine) {
    schedule::MatmulConfig given =
        fromAttr(ConfigAttr::merge(op.getConfigAttr(), option));
    schedule::MatmulProblem problem = getProblem(op);
    if (std::optional<std::string> error =
            schedule::findFieldError(given, problem)) {
      op.emitOpError() << "configuration: " << *error;
      return WalkResult::interrupt();
    }
    schedule::MatmulConfig complete =
        schedule::completeConfig(given, problem, machine);
    if (std::optional<std::string> error =
            schedule::findResourceError(complete, problem, machine)) {
      op.emitOpError() << "configuration: " << *error;
      return WalkResult::interrupt();
    }
    op.setConfigAttr(toAttr(&getContext(), complete));
    ++numChosen;
    return WalkResult::advance();
  }
};

} // namespace
