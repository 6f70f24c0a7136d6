//===- MatmulConfig.cpp - legal configurations of a matmul ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowering can do, field by field, and what the machine can hold.
//
//===----------------------------------------------------------------------===//

#include "tc/Schedule/MatmulConfig.h"

#include <algorithm>

using namespace tc;
using namespace tc::schedule;

/// Rows of an accumulator in one CTA: a tcgen05.mma fills all lanes.
static constexpr int64_t kTileM = 128;
/// The swizzle where none is chosen: the pattern that reads without conflicts.
static constexpr int64_t kDefaultSwizzle = 128;
/// A row of an operand tile without swizzle: one TMA granule.
static constexpr int64_t kPlainRowBytes = 16;
/// A TMA box is at most this long in each dimension, the K rows of an MN-major
/// tile included.
static constexpr int64_t kMaxTileK = kTmaMaxBox;
/// Columns that the epilogue reads with one tcgen05.ld: powers of two.
static constexpr int64_t kMinSubtile = 16;
static constexpr int64_t kMaxSubtile = 128;

Machine Machine::get(const TargetFacts &target) {
  // 148 multiprocessors: B200 and B300.
  // Registers: the table of compute capabilities of the CUDA C++ programming
  // guide, 64 K for each multiprocessor and 255 for each thread.
  return Machine{/*sms=*/148, target.maxDynamicSmem, kTmemColumns,
                 /*registers=*/65536, /*threadRegisters=*/255};
}

/// Bytes after which the pattern of a swizzle of `bytes` bytes repeats.
static int64_t getPatternBytes(int64_t bytes) {
  return std::max<int64_t>(8 * bytes, kTmaSmemAlignment);
}

int64_t tc::schedule::getStoreSwizzle(int64_t columns, int64_t elementBits) {
  for (int64_t bytes : {128, 64, 32})
    if (columns * elementBits / 8 % bytes == 0)
      return bytes;
  return 0;
}

SmemBudget tc::schedule::getSmemBudget(const MatmulConfig &config,
                                       const MatmulProblem &problem) {
  auto alignUp = [](int64_t bytes, int64_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
  };
  auto tile = [&](int64_t rows, int64_t columns, int64_t bits,
                  int64_t swizzle) {
    return alignUp(rows * columns * bits / 8, getPatternBytes(swizzle));
  };
  auto operand = [&](int64_t rows) {
    return tile(rows, *config.tileK, problem.inputBits, *config.swizzle);
  };
  SmemBudget budget;
  int64_t group = config.ctaGroup.value_or(1);
  int64_t alignment = getPatternBytes(*config.swizzle);
  budget.stageA = operand(*config.tileM / group);
  budget.stageB = operand(*config.tileN / group);
  budget.nextStage = budget.stage() + 2 * kMBarrierBytes;
  budget.storeRing = 0;
  if (config.epilogue == Epilogue::TmaStore) {
    int64_t swizzle =
        getStoreSwizzle(*config.epilogueSubtile, problem.outputBits);
    budget.storeRing = *config.storeStages * tile(*config.tileM / group,
                                                  *config.epilogueSubtile,
                                                  problem.outputBits, swizzle);
    alignment = std::max(alignment, getPatternBytes(swizzle));
  }
  budget.barriers =
      2 * kMBarrierBytes * (*config.stages + *config.accumulatorStages);
  int64_t bytes =
      budget.stage() * *config.stages + budget.storeRing + budget.barriers;
  int64_t dynamic = getDynamicSmemBytes(bytes, alignment);
  budget.alignment = dynamic - bytes;
  budget.tmemSlot = kTmemSlotBytes;
  budget.total = dynamic + budget.tmemSlot;
  return budget;
}

int64_t tc::schedule::getTmemColumns(const MatmulConfig &config) {
  int64_t columns = kTmemMinAllocation;
  while (columns < *config.tileN * *config.accumulatorStages)
    columns *= 2;
  return columns;
}

int64_t tc::schedule::getRegisterEstimate(const MatmulConfig &config,
                                          const MatmulProblem &problem) {
  constexpr int64_t kAddresses = 24;
  int64_t columns = *config.epilogueSubtile;
  return columns + columns * problem.outputBits / 32 + kAddresses;
}

constexpr int64_t kEpilogueThreads = kTmemLanes, kRoleThreads = 64;

int64_t tc::schedule::getLaunchRegisters(int64_t epilogueRegisters) {
  // Registers are given to threads in steps of 8.
  constexpr int64_t threads = kEpilogueThreads + kRoleThreads;
  int64_t pool =
      kEpilogueThreads * epilogueRegisters + kRoleThreads * kRoleRegisters;
  return (pool + 8 * threads - 1) / (8 * threads) * 8;
}

int64_t tc::schedule::getThreads(const MatmulConfig &config) {
  return kEpilogueThreads + (*config.specialized ? kRoleThreads : 0);
}

/// Elements of one row of an operand tile in shared memory: the swizzle's.
static int64_t getRowElements(std::optional<int64_t> swizzle,
                              const MatmulProblem &problem) {
  int64_t bytes = swizzle.value_or(kDefaultSwizzle);
  return (bytes ? bytes : kPlainRowBytes) * 8 / problem.inputBits;
}

/// The narrowest epilogue subtile: with 64 rows the narrowest instruction.
static int64_t getMinSubtile(const MatmulConfig &config) {
  if (config.tileM == kHalfTileM)
    return getMmaN(MmaKindFacts::F16, /*ctaGroup=*/1).first;
  return kMinSubtile;
}

ExtentRange tc::schedule::getTileN(const MatmulProblem &problem,
                                   const MatmulConfig &config) {
  // Instructions have N in steps of 8, those of a pair of 16; the epilogue
  // reads as many columns at a time or more.
  int64_t group = config.ctaGroup.value_or(1);
  ExtentRange range = getMmaN(MmaKindFacts::F16, group);
  range.first = range.step = group * getMinSubtile(config);
  if (!problem.transposeB) {
    range.step = group * std::max(getMinSubtile(config),
                                  getRowElements(config.swizzle, problem));
    range.first = range.step;
  }
  return range;
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

namespace {

using Error = std::optional<std::string>;

/// "<field> of <value>: expected <expected>, nearest <nearest>".
Error mismatch(const std::string &field, const std::string &value,
               const std::string &expected) {
  return field + " of " + value + ": expected " + expected;
}

/// A field with one legal value, and why.
Error findFixedError(const std::string &field, std::optional<int64_t> value,
                     int64_t legal, const std::string &reason) {
  if (!value || *value == legal)
    return std::nullopt;
  return mismatch(field, std::to_string(*value),
                  std::to_string(legal) + ", " + reason);
}

Error findRangeError(const std::string &field, int64_t value,
                     const ExtentRange &range, const std::string &reason) {
  if (range.contains(value))
    return std::nullopt;
  return mismatch(field, std::to_string(value),
                  "a multiple of " + std::to_string(range.step) + " up to " +
                      std::to_string(range.last) + reason + ", nearest " +
                      std::to_string(range.nearest(value)));
}

Error findTileError(const MatmulConfig &config, const MatmulProblem &problem) {
  int64_t group = config.ctaGroup.value_or(1);
  bool isHalf = group == 1 && config.tileM == kHalfTileM;
  if (Error error = findFixedError(
          "tile M", config.tileM, isHalf ? kHalfTileM : kTileM * group,
          group == 1 ? "the rows of the accumulator of one CTA, or 64"
                     : "the rows of the accumulators of two CTAs"))
    return error;
  std::string reason = problem.transposeB
                           ? ""
                           : " (rows of B run along N and are cut into "
                             "swizzle rows)";
  if (group == 2)
    reason += " for cta-group 2, where a CTA has half of the columns";
  if (config.tileN)
    if (Error error = findRangeError("tile N", *config.tileN,
                                     getTileN(problem, config), reason))
      return error;
  int64_t step = std::max(getMmaK(MmaKindFacts::F16),
                          getRowElements(config.swizzle, problem));
  if (config.tileK)
    return findRangeError("tile K", *config.tileK,
                          ExtentRange{step, kMaxTileK, step},
                          " (swizzle rows, and K of an instruction)");
  return std::nullopt;
}

/// The epilogue reads powers of two that divide the tile.
Error findSubtileError(const MatmulConfig &config) {
  if (!config.epilogueSubtile)
    return std::nullopt;
  int64_t columns = *config.epilogueSubtile;
  bool isPower = (columns & (columns - 1)) == 0;
  int64_t least = getMinSubtile(config);
  if (!isPower || columns < least || columns > kMaxSubtile)
    return mismatch("epilogue-subtile", std::to_string(columns),
                    (least < kMinSubtile ? std::to_string(least) + ", " : "") +
                        "16, 32, 64 or 128 columns");
  if (config.tileN && *config.tileN % columns != 0)
    return mismatch("epilogue-subtile", std::to_string(columns),
                    "a divisor of tile N, " + std::to_string(*config.tileN));
  return std::nullopt;
}

/// The store ring: what asks for it, and whether TMA can store D.
Error findEpilogueError(const MatmulConfig &config,
                        const MatmulProblem &problem) {
  if (config.storeStages && config.epilogue == Epilogue::Direct)
    return mismatch("store-stages", std::to_string(*config.storeStages),
                    "none with epilogue direct, which has no store buffers");
  if (problem.tmaStore != TmaStore::Impossible)
    return std::nullopt;
  if (config.epilogue == Epilogue::TmaStore)
    return mismatch("epilogue", std::string("tma-store"),
                    "direct, " + problem.storeObstacle);
  if (config.storeStages)
    return mismatch("store-stages", std::to_string(*config.storeStages),
                    "none, " + problem.storeObstacle);
  return std::nullopt;
}

/// What setmaxnreg takes (PTX ISA, "setmaxnreg": multiples of 8 from 24 to
/// 256), as far as it is more than what the kernel is launched with.
Error findRegistersError(const MatmulConfig &config) {
  int64_t registers = config.epilogueRegisters.value_or(0);
  if (registers == 0)
    return std::nullopt;
  if (!config.specialized.value_or(true))
    return mismatch("epilogue-registers", std::to_string(registers),
                    "0, without roles there is nobody to give registers up");
  constexpr ExtentRange range{64, 240, 8};
  return findRangeError("epilogue-registers", registers, range,
                        ", from 64 on, or 0");
}

} // namespace

std::optional<std::string>
tc::schedule::findFieldError(const MatmulConfig &config,
                             const MatmulProblem &problem) {
  // An open group is one that the other fields allow; errors are those of one
  // CTA.
  if (!config.ctaGroup) {
    MatmulConfig grouped = config;
    Error error;
    for (int64_t group : {2, 1}) {
      grouped.ctaGroup = group;
      error = findFieldError(grouped, problem);
      if (!error)
        break;
    }
    return error;
  }
  int64_t group = *config.ctaGroup;
  if (group != 1 && group != 2)
    return mismatch("cta-group", std::to_string(group),
                    "1, or 2 for a pair of CTAs");
  if (config.clusterM.value_or(group) != group ||
      config.clusterN.value_or(1) != 1)
    return mismatch("cluster",
                    std::to_string(config.clusterM.value_or(group)) + "x" +
                        std::to_string(config.clusterN.value_or(1)),
                    std::to_string(group) + "x1, the CTAs of a matrix "
                                            "instruction");
  if (config.sms && *config.sms % group != 0)
    return mismatch("sms", std::to_string(*config.sms),
                    "an even number for cta-group 2, nearest " +
                        std::to_string(*config.sms + 1));
  if (Error error = findTileError(config, problem))
    return error;
  if (config.scheduler && *config.scheduler != TileScheduler::Static)
    return mismatch("scheduler",
                    *config.scheduler == TileScheduler::Clc ? "clc"
                                                            : "stream-k",
                    "static, kernels compute their tiles from the index of "
                    "the CTA");
  if (Error error = findEpilogueError(config, problem))
    return error;
  if (Error error = findRegistersError(config))
    return error;
  return findSubtileError(config);
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

std::optional<std::string>
tc::schedule::findResourceError(const MatmulConfig &config,
                                const MatmulProblem &problem,
                                const Machine &machine) {
  // The sum of the accumulators; the allocation rounds it up to a power of two,
  // which never passes the limit, itself a power of two.
  int64_t columns = *config.tileN * *config.accumulatorStages;
  if (columns > machine.tmemColumns)
    return "expected at most " + std::to_string(machine.tmemColumns) +
           " columns of Tensor Memory, got " + std::to_string(columns) + " (" +
           std::to_string(*config.accumulatorStages) + " accumulators of " +
           std::to_string(*config.tileN) + " columns); at most " +
           std::to_string(machine.tmemColumns / *config.tileN) +
           " accumulator stages fit this tile";

  SmemBudget budget = getSmemBudget(config, problem);
  if (budget.total <= machine.smemBytes)
    return std::nullopt;
  std::string error =
      "expected at most " + std::to_string(machine.smemBytes) +
      " bytes of shared memory, got " + std::to_string(budget.total) + " (" +
      std::to_string(*config.stages) + " stages of " +
      std::to_string(budget.stage()) + ", " +
      (budget.storeRing
           ? std::to_string(budget.storeRing) + " of store buffers, "
           : "") +
      std::to_string(budget.barriers) + " of barriers, " +
      std::to_string(budget.alignment) + " of alignment, " +
      std::to_string(budget.tmemSlot) + " for the address of Tensor Memory); ";
  // The nearest configuration that fits: fewer stages, else a narrower tile.
  int64_t excess = budget.total - machine.smemBytes;
  int64_t fit = *config.stages - (excess - 1) / budget.nextStage - 1;
  if (fit >= 1)
    return error + "at most " + std::to_string(fit) +
           (fit == 1 ? " stage fits this tile" : " stages fit this tile");
  MatmulConfig smaller = config;
  smaller.stages = 1;
  ExtentRange range = getTileN(problem, config);
  for (int64_t n = *config.tileN - range.step; n >= range.first;
       n -= range.step) {
    smaller.tileN = n;
    if (getSmemBudget(smaller, problem).total <= machine.smemBytes)
      return error + "with one stage, tile N of at most " + std::to_string(n) +
             " fits";
  }
  return error + "choose a smaller tile K";
}
