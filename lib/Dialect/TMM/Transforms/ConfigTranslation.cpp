//===- ConfigTranslation.cpp - to tc::schedule and back ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Field by field; nothing is decided here.
//
//===----------------------------------------------------------------------===//

#include "ConfigTranslation.h"

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;

FailureOr<schedule::Machine>
tc::tmm::getMachine(StringRef chip,
                    function_ref<InFlightDiagnostic()> emitError) {
  const tc::TargetFacts *target = tc::getTarget(chip);
  if (!target || !target->hasTcgen05)
    return emitError() << "expected a chip with tcgen05, got '" << chip << "'";
  return schedule::Machine::get(*target);
}

/// The size, or nothing if it is dynamic.
static std::optional<int64_t> known(int64_t size) {
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  return size;
}

schedule::MatmulProblem tc::tmm::getProblem(MatmulOp op) {
  schedule::MatmulProblem problem;
  problem.m = known(op.getStaticM());
  problem.n = known(op.getStaticN());
  problem.k = known(op.getStaticK());
  for (unsigned dim = 0; dim < op.getBatchRank(); ++dim) {
    std::optional<int64_t> size = known(op.getStaticBatch(dim));
    if (!size || !problem.batch)
      problem.batch = std::nullopt;
    else
      problem.batch = *problem.batch * *size;
  }
  problem.inputBits =
      getElementTypeOrSelf(op.getA().getType()).getIntOrFloatBitWidth();
  problem.outputBits =
      getElementTypeOrSelf(op.getD().getType()).getIntOrFloatBitWidth();
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

static_assert(static_cast<int>(CacheHint::none) ==
                  static_cast<int>(schedule::CacheHint::None) &&
              static_cast<int>(CacheHint::evict_normal) ==
                  static_cast<int>(schedule::CacheHint::EvictNormal) &&
              static_cast<int>(CacheHint::evict_first) ==
                  static_cast<int>(schedule::CacheHint::EvictFirst) &&
              static_cast<int>(CacheHint::evict_last) ==
                  static_cast<int>(schedule::CacheHint::EvictLast));

/// The enumerator of `To` with the number of `value`.
template <typename To, typename From>
static std::optional<To> convertEnum(std::optional<From> value) {
  if (!value)
    return std::nullopt;
  return static_cast<To>(static_cast<int>(*value));
}

schedule::MatmulConfig tc::tmm::fromAttr(ConfigAttr attr) {
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
  config.scheduler = convertEnum<schedule::TileScheduler>(attr.getScheduler());
  config.epilogueSubtile = attr.getEpilogueSubtile();
  if (attr.getRoles())
    config.specialized = *attr.getRoles() == Roles::specialized;
  config.raster = attr.getRaster();
  config.sms = attr.getSms();
  config.cacheHintA = convertEnum<schedule::CacheHint>(attr.getCacheHintA());
  config.cacheHintB = convertEnum<schedule::CacheHint>(attr.getCacheHintB());
  if (attr.getPdl())
    config.pdl = *attr.getPdl() == Switch::on;
  return config;
}

ConfigAttr tc::tmm::toAttr(MLIRContext *context,
                           const schedule::MatmulConfig &config) {
  return ConfigAttr::get(
      context, {*config.tileM, *config.tileN, *config.tileK}, config.ctaGroup,
      {*config.clusterM, *config.clusterN}, config.stages,
      config.accumulatorStages, config.swizzle,
      convertEnum<Scheduler>(config.scheduler), config.epilogueSubtile,
      *config.specialized ? Roles::specialized : Roles::none, config.raster,
      config.sms, convertEnum<CacheHint>(config.cacheHintA),
      convertEnum<CacheHint>(config.cacheHintB),
      *config.pdl ? Switch::on : Switch::off);
}
