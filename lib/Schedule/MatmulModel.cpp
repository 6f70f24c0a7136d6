//===- MatmulModel.cpp - the time of a configuration ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model of the time of a kernel in cycles of one multiprocessor. It ranks
// configurations. Its constants are those of a unit (ModelConstants.cpp), but
// for what threads copy:
//   [A]      assumed, not measured
//
//===----------------------------------------------------------------------===//

#include "tc/Schedule/MatmulModel.h"

#include "ConfigFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace tc;
using namespace tc::schedule;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// [A] Instructions of a warp for each copy of cp.async, or for each element
/// that it loads and stores, with what their addresses and bounds take. Four
/// warps have a scheduler each, which issues one in a cycle.
static constexpr double kCopyInstructions = 12;
static constexpr double kElementInstructions = 16;
/// [A] Cycles in which threads wait for elements, and how many they wait for at
/// a time: they store what they have before they load more.
static constexpr double kElementLatency = 800;

/// [A] Cycles in which four warps add a column of 128 rows to their sums: one
/// multiplication and addition for each row, and reading it.
static constexpr double kPromotionPerColumn = 1.5;
/// [H] Those that a column takes more in a tile that goes on with the next
/// factor of B: 128x112x128 took 860 cycles for a K-block, 128x128x128 740.
static constexpr double kFactorChangePerColumn = 1.4;

/// [H] Cycles that a second kernel takes beside its work: products in two parts
/// took 4.5 us more than those were predicted to take. [A] Instructions of a
/// plain kernel for each element that it copies; a multiprocessor executes 128
/// in a cycle.
static constexpr double kNextKernel = 9000;
static constexpr double kPlainInstructions = 40;
static constexpr double kPlainThroughput = 128;
/// [A] Instructions for each element of D of a kernel that adds sums of parts
/// of K, and for each of these: its accesses have 16 bytes.
static constexpr double kSumInstructions = 12;
static constexpr double kPartInstructions = 2;

llvm::StringRef tc::schedule::getBoundName(Bound bound) {
  switch (bound) {
  case Bound::MatrixUnit:
    return "matrix unit";
  case Bound::SmemRead:
    return "shared memory reads";
  case Bound::Fill:
    return "fill of shared memory";
  case Bound::LoadLatency:
    return "latency of loads";
  case Bound::L2:
    return "L2 cache";
  case Bound::Promotion:
    return "sums of K-blocks";
  case Bound::Epilogue:
    return "epilogue";
  case Bound::Dram:
    return "global memory";
  case Bound::Traffic:
    return "bytes loaded";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

/// Bytes of `rows` rows of A and `columns` columns of B in one K-block.
static double getBlockBytes(const MatmulConfig &config,
                            const MatmulProblem &problem, double rows,
                            double columns) {
  double ofA = problem.isSparse ? 0.5 : 1;
  return (ofA * rows + columns) * *config.tileK * problem.inputBits / 8;
}

/// Of `tile` rows or columns, those that `size` has.
static double countLoaded(std::optional<int64_t> size, int64_t tile) {
  return double(std::min(tile, size.value_or(kTypicalSize)));
}

/// The rows of A and columns of B of a K-block that `ctas` CTAs of a group, 1
/// or all, load: what is outside of A and B is filled with zeros. Of the rows
/// and the columns, a CTA of a pair loads half; CTAs of a cluster share what
/// they multicast.
static std::pair<double, double> getLoadedRows(const MatmulConfig &config,
                                               const MatmulProblem &problem,
                                               int64_t ctas) {
  double rows = countLoaded(problem.m, *config.tileM * ctas / *config.ctaGroup);
  double columns =
      countLoaded(problem.n, *config.tileN * ctas / *config.ctaGroup);
  if (getLoadA(config, problem) == LoadEngine::tma)
    rows /= *config.clusterN;
  if (getLoadB(config, problem) == LoadEngine::tma)
    columns /= double(*config.clusterM) / *config.ctaGroup;
  return {rows, columns};
}

/// Bytes of them that come from the L2 cache into shared memory.
static double getLoadedBytes(const MatmulConfig &config,
                             const MatmulProblem &problem, int64_t ctas) {
  auto [rows, columns] = getLoadedRows(config, problem, ctas);
  // Scale factors and metadata come in whole blocks, those of B for each CTA.
  SmemBudget budget = getSmemBudget(config, problem);
  return getBlockBytes(config, problem, rows, columns) +
         double(ctas * (budget.stageScales + budget.stageMetadata));
}

double tc::schedule::estimateCopy(int64_t elements, int64_t bits,
                                  const Machine &machine) {
  double instructions = double(elements) * kPlainInstructions;
  // Each is read and written.
  double bytes = 2 * double(elements) * bits / 8;
  return kNextKernel +
         std::max(instructions / (kPlainThroughput * machine.sms),
                  bytes / machine.units.front()->getConstants().dramBytes);
}

/// Cycles of the kernel that adds the sums of the parts of `problem`, and until
/// it starts.
static double estimateSum(const MatmulProblem &problem, double elements,
                          const Machine &machine,
                          const ModelConstants &constants) {
  const double instructions =
      elements * (kSumInstructions + kPartInstructions * problem.splitK);
  const double bytes =
      elements *
      double(problem.splitK * problem.outputBits + problem.finalBits) / 8;
  return kNextKernel + std::max(instructions / (kPlainThroughput * machine.sms),
                                bytes / constants.dramBytes);
}

/// Cycles beyond those of TMA that threads take to load the `bytes` bytes of an
/// operand in a K-block: they compute addresses, of what is outside, too, and
/// wait for elements.
static double getGatherCycles(const MatmulProblem &problem, double bytes,
                              LoadEngine load, const OperandRows &placed,
                              bool isTurned) {
  if (load == LoadEngine::tma)
    return 0;
  double threads = kGatherWarps * kWarpThreads;
  if (load == LoadEngine::cp_async)
    return bytes / getCopyBytes(placed, problem.inputBits / 8, isTurned) /
           threads * kCopyInstructions;
  double elements = bytes * 8 / problem.inputBits / threads;
  return elements * kElementInstructions +
         std::ceil(elements / kElementsInFlight) * kElementLatency;
}

/// The norm of `parts` with exponent `norm`: between their sum (1) and the
/// largest (infinity).
static double combine(llvm::ArrayRef<double> parts, double norm) {
  const double largest = *llvm::max_element(parts);
  if (std::isinf(norm) || largest == 0)
    return largest;
  double sum = 0;
  for (double part : parts)
    sum += std::pow(part / largest, norm);
  return largest * std::pow(sum, 1 / norm);
}

/// Bytes that the launch reads from global memory: A and B once, and what waves
/// of tiles read again because the cache does not hold it.
static double getMissedBytes(const Estimate &launch, const MatmulConfig &config,
                             const MatmulProblem &problem, double inputs,
                             const ModelConstants &constants) {
  const double missed = 1 - constants.l2Capacity / inputs;
  const double once = launch.batch * inputs;
  if (!(missed > 0) || !launch.launched)
    return once;
  // The tiles of a wave: columns of a band of clusters, or of several bands.
  int64_t rows = launch.tilesM; // all of them: raster=0
  if (*config.raster)
    rows =
        std::min(*config.raster * (*config.clusterM / *config.ctaGroup), rows);
  int64_t columns = llvm::divideCeilSigned(launch.launched, rows);
  rows = std::min(rows * llvm::divideCeilSigned(columns, launch.tilesN),
                  launch.tilesM);
  columns = std::min(columns, launch.tilesN);
  const double wave = getBlockBytes(config, problem, rows * *config.tileM,
                                    columns * *config.tileN) *
                      launch.blocks;
  const double again = missed * std::max(launch.waves * wave - once, 0.0);
  return once + (config.scheduler == TileScheduler::counter
                     ? again * constants.counterMisses
                     : again);
}

/// Bytes that the launch loads into shared memory, those of a small operand for
/// less: both halves of the cache have it.
static double getTraffic(const Estimate &launch, const MatmulConfig &config,
                         const MatmulProblem &problem, double bytesA,
                         double bytesB, const ModelConstants &constants) {
  auto [rows, columns] =
      getLoadedRows(config, problem, /*ctas=*/*config.ctaGroup);
  auto far = [&](double bytes) {
    return bytes ? bytes / (bytes + constants.nearCapacity) : 0;
  };
  return (getBlockBytes(config, problem, rows, 0) * far(bytesA) +
          getBlockBytes(config, problem, 0, columns) * far(bytesB)) *
         launch.blocks * launch.tiles();
}

/// Cycles of a K-block in which TMA fills with zeros what is outside of A and
/// B. All CTAs share the path.
static double estimateOutside(const MatmulConfig &config,
                              const MatmulProblem &problem,
                              const Estimate &launch,
                              const ModelConstants &constants) {
  // In the mean over the tiles of one dimension, whole clusters of them.
  auto getMean = [](std::optional<int64_t> size, int64_t tiles,
                    int64_t ofCluster, int64_t tile, LoadEngine load) {
    const auto taken = int64_t(llvm::alignTo(tiles, ofCluster));
    return size && taken && load == LoadEngine::tma
               ? double(taken * tile - *size) / taken
               : 0;
  };
  const double rows =
      getMean(problem.m, launch.tilesM, *config.clusterM / *config.ctaGroup,
              *config.tileM, getLoadA(config, problem));
  const double columns = getMean(problem.n, launch.tilesN, *config.clusterN,
                                 *config.tileN, getLoadB(config, problem));
  return getBlockBytes(config, problem, rows, columns) * launch.launched /
         constants.outsideBytes;
}

/// Cycles of a K-block of `launch`, of which the waves and the K-blocks are
/// known. `missed` bytes of the launch are read from global memory again.
static BlockCycles estimateBlock(const MatmulConfig &config,
                                 const MatmulProblem &problem,
                                 const Estimate &launch, double missed,
                                 const ModelConstants &constants) {
  double instructions =
      double(*config.tileK) / getUnit(config)->getInstructionK(config, problem);
  BlockCycles block;
  const BlockWork work = getUnit(config)->getBlockWork(config);
  const double multiply =
      work.instructions * instructions *
      double(llvm::alignTo(*config.tileN, constants.columnStep)) *
      constants.cyclesPerColumn;
  // Other warpgroups multiply while one waits, or it has issued what comes
  // next.
  const bool isLate = config.lateRelease.value_or(false);
  block.mma =
      multiply + (work.warpgroups == 1 && !isLate ? constants.loneWait : 0);
  if (!isLate && *config.clusterM * *config.clusterN > *config.ctaGroup)
    block.mma += constants.shareWait;
  // What has arrived is written beside it.
  const double written =
      getBlockBytes(config, problem, countLoaded(problem.m, *config.tileM),
                    countLoaded(problem.n, *config.tileN));
  block.smemRead = (getBlockBytes(config, problem, *config.tileM,
                                  work.readers * *config.tileN) +
                    constants.smemWrites * written) /
                   *config.ctaGroup / constants.smemBytes;
  const double loaded = getLoadedBytes(config, problem, /*ctas=*/1);
  block.fill = loaded / constants.fillBytes;
  block.fill += estimateOutside(config, problem, launch, constants);
  // One role's threads load both operands, one after the other.
  double gather =
      getGatherCycles(
          problem,
          getBlockBytes(config, problem, *config.tileM / *config.ctaGroup, 0),
          getLoadA(config, problem), problem.rowsA, turnsA(config, problem)) +
      getGatherCycles(
          problem,
          getBlockBytes(config, problem, 0, *config.tileN / *config.ctaGroup),
          getLoadB(config, problem), problem.rowsB, turnsB(config, problem));
  block.fill = std::max(block.fill, gather) + constants.fillWait;
  // All CTAs load at a time.
  block.l2 = loaded * launch.working * *config.ctaGroup / constants.l2Bytes;
  if (missed > 0)
    block.l2 +=
        missed / (double(launch.waves) * launch.blocks) / constants.missBytes;

  double multiplication = std::max(block.mma, block.smemRead);
  // The way through the ring: a slot is loaded, multiplied, released.
  double lap = constants.loadLatency + constants.fillLag * block.fill +
               multiplication + (isLate ? 0 : constants.releaseWait);
  if (*config.clusterM * *config.clusterN > *config.ctaGroup)
    lap += constants.shareLatency;
  // One thread of control loads ahead into all slots but the one that it
  // multiplies; of those that are released late one more is multiplied.
  int64_t slots = *config.stages;
  if (*config.roles == Roles::none || isLate)
    slots = std::max<int64_t>(slots - 1, 1);
  block.loadLatency = lap / slots;

  // Threads add up a K-block while the unit multiplies the next one, or after
  // it.
  bool changesFactor =
      problem.factorColumns && problem.factorColumns % *config.tileN != 0;
  double perColumn =
      kPromotionPerColumn + (changesFactor ? kFactorChangePerColumn : 0);
  block.promotion = problem.promotedK ? perColumn * *config.tileN : 0;
  if (block.promotion &&
      (*config.roles == Roles::none || *config.accumulatorStages == 1))
    block.promotion += multiplication;
  std::pair<double, Bound> parts[] = {
      {block.mma, Bound::MatrixUnit}, {block.smemRead, Bound::SmemRead},
      {block.fill, Bound::Fill},      {block.loadLatency, Bound::LoadLatency},
      {block.l2, Bound::L2},          {block.promotion, Bound::Promotion}};
  // The first of equal ones.
  block.bound = llvm::max_element(parts, llvm::less_first())->second;
  block.total = combine({multiplication, block.fill, block.loadLatency,
                         block.l2, block.promotion},
                        constants.blockNorm);
  return block;
}

/// K-blocks of a tile that are loaded while threads store the one before, in
/// the mean over the waves: the first one has none. The warp that loads has the
/// free slots of the ring for them.
static double getBlocksAhead(const MatmulConfig &config,
                             const Estimate &launch) {
  if (config.roles != Roles::specialized || !launch.waves)
    return 0;
  const double load = std::max(launch.block.fill, launch.block.l2);
  const auto slots = double(std::min(*config.stages, launch.blocks));
  return (load ? std::min(slots, launch.epilogue / load) : slots) *
         double(launch.waves - 1) / double(launch.waves);
}

/// Cycles of the main loop of a tile. Of a K-block that is there already only
/// its products take time.
static double estimateMainloop(const MatmulConfig &config,
                               const Estimate &launch,
                               const ModelConstants &constants) {
  const BlockCycles &block = launch.block;
  const double ahead = getBlocksAhead(config, launch);
  const double products =
      combine({std::max(block.mma, block.smemRead), block.promotion},
              constants.blockNorm);
  return (double(launch.blocks) - ahead) * block.total + ahead * products;
}

/// Cycles of the epilogue of a tile.
static double estimateEpilogue(const MatmulConfig &config,
                               const MatmulProblem &problem,
                               const ModelConstants &constants) {
  int64_t rows = getUnit(config)->getEpilogueRows(config);
  double ofColumn = constants.epiloguePerColumn +
                    rows * problem.outputBits / 8.0 / constants.storeBytes;
  double stores = 0;
  if (config.epilogue == Epilogue::direct)
    ofColumn += constants.directPerColumn * rows / 128;
  else
    stores = double(*config.tileN) / *config.epilogueSubtile *
             constants.perStore *
             (1 + (config.storeStages == 1 ? constants.oneStoreBuffer : 0));
  return constants.epilogueLatency + ofColumn * *config.tileN + stores;
}

std::string tc::schedule::formatCycles(double cycles) {
  constexpr double kMost = 9e18;
  return cycles < kMost ? llvm::formatv("{0:N}", int64_t(cycles)).str()
                        : llvm::formatv("{0:e3}", cycles).str();
}

Estimate tc::schedule::estimate(const MatmulConfig &config,
                                const MatmulProblem &problem,
                                const Machine &machine) {
  return estimate(config, problem, machine, getUnit(config)->getConstants());
}

/// Rows of tiles that clusters take for a problem of `m` rows, of `tilesM` rows
/// of tiles; `clusterTiles` of them are neighbours. Where only the device knows
/// the rows, the last cluster of a problem is half full in the mean.
static double getTakenRows(const MatmulProblem &problem, int64_t m,
                           int64_t tilesM, int64_t tileM,
                           int64_t clusterTiles) {
  if (!problem.isRagged)
    return double(llvm::alignTo(tilesM, clusterTiles));
  double clusters = double(m) / double(tileM * clusterTiles) + 0.5;
  return double(clusterTiles) * std::max(clusters, 1.0);
}

/// The grid: tiles, and the CTAs that take them.
static Estimate estimateGrid(const MatmulConfig &config,
                             const MatmulProblem &problem,
                             const Machine &machine) {
  using llvm::divideCeilSigned;
  int64_t m = problem.m.value_or(kTypicalSize);
  int64_t n = problem.n.value_or(kTypicalSize);
  int64_t k = problem.k.value_or(kTypicalSize);
  int64_t group = *config.ctaGroup;
  Estimate result;
  result.tilesM = divideCeilSigned(m, *config.tileM);
  result.tilesN = divideCeilSigned(n, *config.tileN);
  result.blocks = divideCeilSigned(k, *config.tileK);
  result.batch = problem.batch.value_or(1);
  int64_t tiles = result.tiles();
  result.groups = machine.sms / group;
  // A cluster takes tiles that are neighbours, of which some may be outside.
  const int64_t taken =
      std::llround(double(result.batch) *
                   getTakenRows(problem, m, result.tilesM, *config.tileM,
                                *config.clusterM / group)) *
      int64_t(llvm::alignTo(result.tilesN, *config.clusterN));
  // What does not fit beside the others waits: it is no faster.
  const int64_t ctas = *config.clusterM * *config.clusterN;
  const int64_t resident = machine.getResidentClusters(ctas) * (ctas / group);
  result.launched = std::min({taken, *config.sms / group, resident});
  result.waves = tiles ? divideCeilSigned(taken, result.launched) : 0;
  result.working = tiles ? double(taken) / result.waves : 0;
  result.busy = tiles ? double(tiles) / (result.waves * result.groups) : 0;
  result.inside = tiles ? double(m) * n * result.batch /
                              (double(tiles) * *config.tileM * *config.tileN)
                        : 0;
  return result;
}

Estimate tc::schedule::estimate(const MatmulConfig &config,
                                const MatmulProblem &problem,
                                const Machine &machine,
                                const ModelConstants &constants) {
  if (cutsK(config, problem))
    return estimate(config, getKernelProblem(config, problem), machine,
                    constants);
  const int64_t m = problem.m.value_or(kTypicalSize);
  const int64_t n = problem.n.value_or(kTypicalSize);
  const int64_t k = problem.k.value_or(kTypicalSize);
  const int64_t group = *config.ctaGroup;
  Estimate result = estimateGrid(config, problem, machine);
  const int64_t tiles = result.tiles();
  double ofA = problem.isSparse ? 0.5 : 1;
  const double bytesA = ofA * double(m) * k * problem.inputBits / 8;
  const double bytesB = double(k) * n * problem.inputBits / 8;
  const double outputs = double(m) * n * problem.outputBits / 8;
  const double missed =
      getMissedBytes(result, config, problem, bytesA + bytesB, constants);
  // Matrices that the whole batch shares count for each problem: an upper
  // bound.
  const double again =
      (result.tilesM > 1 ? bytesB : 0) + (result.tilesN > 1 ? bytesA : 0);
  result.dram = (missed + result.batch * (outputs + constants.reread * again)) /
                constants.dramBytes;
  result.loadedBytes =
      getLoadedBytes(config, problem, group) * result.blocks * tiles;
  result.traffic =
      getTraffic(result, config, problem, bytesA, bytesB, constants) /
      (constants.trafficBytes * machine.sms);

  result.block =
      estimateBlock(config, problem, result,
                    missed - result.batch * (bytesA + bytesB), constants);
  result.setup =
      constants.launch + constants.loadLatency +
      (*config.clusterM * *config.clusterN > 1 ? constants.pairLaunch : 0);
  result.epilogue = estimateEpilogue(config, problem, constants);

  // With a second accumulator the epilogue of a tile runs beside the main loop
  // of the next one; the last one is never hidden. Each of those that take
  // turns has an accumulator and an epilogue of its own: of the main loops one
  // runs at a time.
  int64_t turns = getTurns(config.roles);
  bool overlaps = turns > 1 || (*config.roles == Roles::specialized &&
                                *config.accumulatorStages > 1);
  // Where they do not overlap, loads do.
  result.mainloop = overlaps ? result.blocks * result.block.total
                             : estimateMainloop(config, result, constants);
  double perTile = result.mainloop + result.epilogue;
  if (turns > 1)
    perTile = std::max(result.mainloop + constants.turn, perTile / turns);
  else if (overlaps)
    perTile = std::max(result.mainloop, result.epilogue);
  double compute = result.waves * perTile + (overlaps ? result.epilogue : 0);
  if (!tiles)
    compute = 0;
  result.bound =
      result.epilogue > result.mainloop ? Bound::Epilogue : result.block.bound;
  if (result.dram > compute)
    result.bound = Bound::Dram;
  if (result.traffic > std::max(compute, result.dram))
    result.bound = Bound::Traffic;
  result.cycles = result.setup + combine({compute, result.dram, result.traffic},
                                         constants.launchNorm);
  if (problem.splitK > 1 && tiles)
    result.sum = estimateSum(
        problem, double(m) * n * (double(result.batch) / problem.splitK),
        machine, constants);
  result.cycles += result.sum;
  return result;
}
