//===- MatmulModel.cpp - the fastest configuration of a matmul --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model of the time of a kernel, in cycles of one multiprocessor. Measured
// numbers it rests on, all of a B200: a tcgen05.mma of kind f16 takes N/2
// cycles or the time to read its operands from shared memory at 128 bytes per
// cycle; loads of tiles reach about 64 bytes per cycle and multiprocessor and
// take about 2000 cycles from issue to arrival under load; the epilogue of a
// 128 x 256 tile takes about 2000 cycles. It ranks configurations; it does not
// predict time.
//
//===----------------------------------------------------------------------===//

#include "tc/Schedule/MatmulConfig.h"

#include <algorithm>

using namespace tc;
using namespace tc::schedule;

/// Bytes per cycle that the matrix unit reads from shared memory.
static constexpr double kSmemBytesPerCycle = 128;
/// Bytes per cycle that reach the shared memory of one multiprocessor.
static constexpr double kFillBytesPerCycle = 64;
/// Cycles from the issue of a load to its arrival.
static constexpr double kLoadLatency = 2000;
/// Cycles of the epilogue for each column of the accumulator, and once.
static constexpr double kEpiloguePerColumn = 8;
static constexpr double kEpilogueLatency = 500;
/// What an unknown size counts as.
static constexpr int64_t kTypicalSize = 4096;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Cycles of one K-block: the slowest of matrix unit, loads, and the way
/// through the ring (a slot is loaded, computed on, released) shared by its
/// slots.
static double blockCycles(const MatmulConfig &config, int64_t inputBits) {
  double inputBytes = inputBits / 8.0;
  // Of the rows of A and the columns of B, a CTA of a pair loads half.
  double rows = double(*config.tileM + *config.tileN) / *config.ctaGroup;
  double instructionK = getMmaK(MmaKindFacts::F16);
  double instruction =
      std::max(*config.tileN / 2.0,
               rows * instructionK * inputBytes / kSmemBytesPerCycle);
  double mma = instruction * *config.tileK / instructionK;
  double fill = rows * *config.tileK * inputBytes / kFillBytesPerCycle;
  return std::max({mma, fill, (kLoadLatency + fill + mma) / *config.stages});
}

double tc::schedule::estimateCycles(const MatmulConfig &config,
                                    const MatmulProblem &problem,
                                    const Machine &machine) {
  int64_t m = problem.m.value_or(kTypicalSize);
  int64_t n = problem.n.value_or(kTypicalSize);
  int64_t k = problem.k.value_or(kTypicalSize);
  int64_t tiles = ceilDiv(m, *config.tileM) * ceilDiv(n, *config.tileN);
  // The busiest CTA: tiles do not divide evenly.
  int64_t groups = std::min(*config.sms, machine.sms) / *config.ctaGroup;
  int64_t rounds = ceilDiv(tiles, groups);
  double mainloop =
      ceilDiv(k, *config.tileK) * blockCycles(config, problem.inputBits);
  double epilogue = kEpilogueLatency + kEpiloguePerColumn * *config.tileN;
  // With a second accumulator the epilogue of a tile runs beside the main loop
  // of the next one; the last one is never hidden.
  if (*config.accumulatorStages > 1)
    return rounds * std::max(mainloop, epilogue) + epilogue;
  return rounds * (mainloop + epilogue);
}

/// Rows of tiles in a band: with 128 to 256 rows each, what the resident CTAs
/// read of A and B stays near a square, which is the least for the L2 cache.
/// DeepGEMM and Triton use 8 to 16.
constexpr int64_t kRaster = 8;

/// Slots beyond these hide no more latency: 8 slots of the smallest tile are
/// some 2000 cycles of fill.
constexpr int64_t kMaxStages = 8;

/// The widest epilogue subtile up to 32 columns that divides the tile: enough
/// to hide the latency of the read, few enough registers to store from.
static int64_t chooseSubtile(int64_t tileN) {
  int64_t columns = 32;
  while (tileN % columns != 0)
    columns /= 2;
  return columns;
}

/// Chooses the depths that are open for the tile of `config`: two accumulators
/// where roles overlap and they fit, and as many slots as shared memory has
/// room for. Without roles nothing overlaps, and one of each is enough.
static void chooseDepths(MatmulConfig &config, const MatmulProblem &problem,
                         const Machine &machine) {
  bool overlaps = *config.specialized;
  if (!config.accumulatorStages) {
    config.accumulatorStages = overlaps ? 2 : 1;
    if (*config.tileN * 2 > machine.tmemColumns)
      config.accumulatorStages = 1;
  }
  if (config.stages)
    return;
  config.stages = 1;
  while (overlaps && *config.stages < kMaxStages) {
    MatmulConfig deeper = config;
    deeper.stages = *config.stages + 1;
    if (getSmemBudget(deeper, problem.inputBits).total > machine.smemBytes)
      break;
    config.stages = deeper.stages;
  }
}

MatmulConfig tc::schedule::completeConfig(const MatmulConfig &config,
                                          const MatmulProblem &problem,
                                          const Machine &machine) {
  MatmulConfig base = config;
  auto set = [](auto &field, auto value) {
    if (!field)
      field = value;
  };
  set(base.ctaGroup, 1);
  set(base.tileM, 128 * *base.ctaGroup);
  // One swizzle row; more would only make the steps of the ring coarser.
  set(base.tileK, 128 * 8 / problem.inputBits);
  set(base.clusterM, *base.ctaGroup);
  set(base.clusterN, 1);
  set(base.swizzle, 128);
  set(base.scheduler, TileScheduler::Static);
  set(base.specialized, true);
  set(base.sms, machine.sms);
  set(base.raster, kRaster);

  // The width of the tile trades reuse against tiles that stick out of D and
  // multiprocessors without a tile. On a tie the wider tile moves fewer bytes.
  if (!base.tileN) {
    ExtentRange range = getTileN(problem, base);
    std::optional<double> best;
    MatmulConfig candidate = base;
    base.tileN = range.first;
    for (int64_t n = range.first; n <= range.last; n += range.step) {
      if (config.epilogueSubtile && n % *config.epilogueSubtile != 0)
        continue;
      candidate.tileN = n;
      candidate.stages = config.stages;
      candidate.accumulatorStages = config.accumulatorStages;
      chooseDepths(candidate, problem, machine);
      if (findResourceError(candidate, problem, machine))
        continue;
      double cycles = estimateCycles(candidate, problem, machine);
      if (!best || cycles <= *best) {
        best = cycles;
        base.tileN = n;
      }
    }
    // Nothing fits: the narrowest legal tile shows by how much.
    if (!best && config.epilogueSubtile)
      base.tileN = std::max(range.first, *config.epilogueSubtile);
  }
  chooseDepths(base, problem, machine);
  set(base.epilogueSubtile, chooseSubtile(*base.tileN));
  return base;
}
