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

#include "tc/Support/ISA.h"

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

/// Strides and offset of `matrix`, in elements; a tensor becomes a dense
/// memref.
static bool getLayout(Value matrix, SmallVector<int64_t> &strides,
                      int64_t &offset) {
  auto type = cast<ShapedType>(matrix.getType());
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    memref = MemRefType::get(type.getShape(), type.getElementType());
  return succeeded(memref.getStridesAndOffset(strides, offset));
}

/// Whether the rows of `matrix` lie next to each other, so that their number of
/// columns is their distance.
static bool isDense(Value matrix) {
  auto memref = dyn_cast<MemRefType>(matrix.getType());
  return !memref || memref.getLayout().isIdentity();
}

/// Finds out whether TMA can store D of `op`.
static void findTmaStore(MatmulOp op, schedule::MatmulProblem &problem) {
  auto impossible = [&](const Twine &reason) {
    problem.tmaStore = schedule::TmaStore::Impossible;
    problem.storeObstacle = reason.str();
  };
  // Its threads would read, and TMA write, the same elements.
  if (op.getAccumulate() || llvm::is_contained(op.getExtras(), op.getD()))
    return impossible("D is read where it is written");
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!getLayout(op.getD(), strides, offset))
    return impossible("D has no strides");
  // The rows, the matrices of a batch, and where the first of them starts.
  SmallVector<std::pair<int64_t, StringRef>> distances = {
      {offset, "offset of D"}, {*std::next(strides.rbegin()), "rows of D"}};
  for (unsigned dim = 0; dim < op.getBatchRank(); ++dim)
    if (op.getStaticBatch(dim) != 1)
      distances.push_back({strides[dim], "matrices of D"});
  for (auto [value, what] : distances) {
    if (ShapedType::isDynamic(value))
      continue;
    int64_t bytes = value * problem.outputBits / 8;
    if (bytes % tc::kTmaGranularity != 0)
      return impossible("TMA needs a multiple of " +
                        Twine(tc::kTmaGranularity) + " bytes for the " + what +
                        ", got " + Twine(bytes) + "; " +
                        tc::cite(tc::ISASection::TensorMapLimits));
  }
  if (llvm::none_of(distances, [](auto distance) {
        return ShapedType::isDynamic(distance.first);
      }))
    return;
  // Dense rows of B with at least as many elements in 16 bytes: what its loads
  // ask of N is enough.
  bool implied = !ShapedType::isDynamic(offset) && isDense(op.getD()) &&
                 isDense(op.getB()) && !op.getTransposeB() &&
                 problem.outputBits % problem.inputBits == 0;
  if (!implied)
    problem.tmaStore = schedule::TmaStore::Checked;
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
  findTmaStore(op, problem);
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

/// Epilogues of the two enumerations, in the same order.
static_assert(static_cast<int>(Epilogue::direct) ==
                  static_cast<int>(schedule::Epilogue::Direct) &&
              static_cast<int>(Epilogue::tma_store) ==
                  static_cast<int>(schedule::Epilogue::TmaStore));

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
  config.epilogue = convertEnum<schedule::Epilogue>(attr.getEpilogue());
  config.epilogueSubtile = attr.getEpilogueSubtile();
  config.storeStages = attr.getStoreStages();
  if (attr.getRoles())
    config.specialized = *attr.getRoles() == Roles::specialized;
  config.raster = attr.getRaster();
  config.sms = attr.getSms();
  config.cacheHintA = convertEnum<schedule::CacheHint>(attr.getCacheHintA());
  config.cacheHintB = convertEnum<schedule::CacheHint>(attr.getCacheHintB());
  if (attr.getPdl())
    config.pdl = *attr.getPdl() == Switch::on;
  config.epilogueRegisters = attr.getEpilogueRegisters();
  return config;
}

ConfigAttr tc::tmm::toAttr(MLIRContext *context,
                           const schedule::MatmulConfig &config) {
  return ConfigAttr::get(
      context, {*config.tileM, *config.tileN, *config.tileK}, config.ctaGroup,
      {*config.clusterM, *config.clusterN}, config.stages,
      config.accumulatorStages, config.swizzle,
      convertEnum<Scheduler>(config.scheduler),
      convertEnum<Epilogue>(config.epilogue), config.epilogueSubtile,
      config.storeStages,
      *config.specialized ? Roles::specialized : Roles::none, config.raster,
      config.sms, convertEnum<CacheHint>(config.cacheHintA),
      convertEnum<CacheHint>(config.cacheHintB),
      *config.pdl ? Switch::on : Switch::off, config.epilogueRegisters);
}
