//===- MatmulModel.cpp - the fastest configuration of a matmul --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model of the time of a kernel in cycles of one multiprocessor. It ranks
// configurations; on a B200 it was compared with nothing, on an H200 with the
// kernels of benchmarks/device alone. Sources of the constants, of a B200 but
// for [H]:
//   [SA]     SemiAnalysisAI/microbench-blackwell, measured
//   [GL]     Triton's Gluon tutorials 8 and 11: rates that kernels reached
//   [D]      derived from these by arithmetic
//   [H]      benchmarks/device on an H200, November 2026
//   [G]      NVIDIA's peak of a GeForce RTX 5090: 209.5 TFLOP/s of bf16 with
//            sums in f32, 170 multiprocessors, 2.41 GHz
//   [A]      assumed, not measured
//
//===----------------------------------------------------------------------===//

#include "tc/Schedule/MatmulModel.h"

#include "Completion.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace tc;
using namespace tc::schedule;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// [SA] Bytes per cycle that the matrix unit reads from shared memory: an
/// instruction with M x N takes max(N / 2, bytes / 128) cycles. wgmma takes N /
/// 2 for 64 rows ([D]: 4096 operations per cycle and multiprocessor, NVIDIA's
/// peak of the H200); the other constants are taken for it, too.
static constexpr double kSmemBytesPerCycle = 128;
/// Cycles of a K step for each column: of 64 rows with wgmma, of those of the
/// tile with tcgen05; of 16 rows with mma.sync ([G]: 1024 operations per cycle
/// and multiprocessor).
static constexpr double kCyclesPerColumn = 0.5;
static constexpr double kMmaSyncCyclesPerColumn = 0.5;
/// [GL] [D] Bytes per cycle from the L2 cache into the shared memory of one
/// multiprocessor: kernels of one CTA with tiles of 128 x 256 end at 62 to 64
/// for three input formats.
static constexpr double kFillBytesPerCycle = 64;
/// [SA] Cycles from the issue of a load to its arrival, with 16 to 32 KiB in
/// flight on every multiprocessor: 1.8 to 2.3 us, at the lower end because the
/// kernel has the loads of several slots on their way.
static constexpr double kLoadLatency = 2000;
/// [SA] Bytes per cycle of global memory, all multiprocessors together: 7.26
/// TB/s at 1965 MHz.
static constexpr double kDramBytesPerCycle = 3695;
/// [D] Cycles of the epilogue for each column of 128 rows, apart from the
/// stores: 4 to read, convert and store; and once for each tile. A tile of
/// 128 x 256 stored as bf16 takes 2548 cycles, published ones 1500 to 3000.
static constexpr double kEpiloguePerColumn = 4;
static constexpr double kEpilogueLatency = 500;
/// [A] Cycles in which four warps add a column of 128 rows to their sums: one
/// multiplication and addition for each row, and reading it.
static constexpr double kPromotionPerColumn = 1.5;
/// [A] Cycles until the first load is issued; a pair of CTAs meets at two
/// barriers of the cluster more.
static constexpr double kLaunch = 500;
static constexpr double kPairLaunch = 500;

/// [H] Cycles of a K-block in which a warpgroup waits for its group of wgmma
/// and the slot is not loaded yet: with M of 64 and 128 on an H200 (November
/// 2026, benchmarks/device), kernels bound by the fill take 55 to 140 cycles
/// more for each K-block, of 64 or 128, than the fill alone.
static constexpr double kRegisterBlock = 80;

/// [A] Instructions of a warp for each copy of cp.async, or for each element
/// that it loads and stores, with what their addresses and bounds take. Four
/// warps have a scheduler each, which issues one in a cycle.
static constexpr double kCopyInstructions = 12;
static constexpr double kElementInstructions = 16;
/// [A] Cycles in which threads wait for elements, and how many they wait for at
/// a time: they store what they have before they load more.
static constexpr double kElementLatency = 800;

/// [A] Cycles between two kernels of a stream, and instructions of a plain
/// kernel for each element that it copies; a multiprocessor executes 128 in a
/// cycle.
static constexpr double kNextKernel = 4000;
static constexpr double kPlainInstructions = 40;
static constexpr double kPlainThroughput = 128;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

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
  case Bound::Promotion:
    return "sums of K-blocks";
  case Bound::Epilogue:
    return "epilogue";
  case Bound::Dram:
    return "global memory";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

/// Bytes of `rows` rows of A and `columns` columns of B in one K-block.
static double getBlockBytes(const MatmulConfig &config,
                            const MatmulProblem &problem, int64_t rows,
                            int64_t columns) {
  double ofA = problem.isSparse ? 0.5 : 1;
  return (ofA * rows + columns) * *config.tileK * problem.inputBits / 8;
}

/// Bytes of a K-block that come from the L2 cache into the shared memory of
/// `ctas` CTAs of a group, 1 or all: what is outside of A and B is filled
/// with zeros. Of the rows of A and the columns of B, a CTA of a pair loads
/// half.
static double getLoadedBytes(const MatmulConfig &config,
                             const MatmulProblem &problem, int64_t ctas) {
  auto extent = [&](std::optional<int64_t> size, int64_t tile) {
    return std::min(tile * ctas / *config.ctaGroup,
                    size.value_or(kTypicalSize));
  };
  // Scale factors and metadata come in whole blocks, those of B for each CTA.
  SmemBudget budget = getSmemBudget(config, problem);
  return getBlockBytes(config, problem, extent(problem.m, *config.tileM),
                       extent(problem.n, *config.tileN)) +
         double(ctas * (budget.stageScales + budget.stageMetadata));
}

double tc::schedule::estimateCopy(int64_t elements, int64_t bits,
                                  const Machine &machine) {
  double instructions = double(elements) * kPlainInstructions;
  // Each is read and written.
  double bytes = 2 * double(elements) * bits / 8;
  return kNextKernel + std::max(instructions / (kPlainThroughput * machine.sms),
                                bytes / kDramBytesPerCycle);
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

static BlockCycles estimateBlock(const MatmulConfig &config,
                                 const MatmulProblem &problem) {
  int64_t step = getMmaK(problem.kind) * (problem.isSparse ? 2 : 1);
  double instructions = double(*config.tileK) / step;
  BlockCycles block;
  // Each warpgroup has instructions of its own, or each warp, which read all of
  // B.
  bool hasTmem = getFacts(*config.unit).hasTensorMemory;
  bool isMmaSync = config.unit == MatrixUnit::MmaSync;
  int64_t warpgroups = hasTmem ? 1 : *config.tileM / kWgmmaM;
  int64_t rowsOfInstruction = isMmaSync ? kMmaSyncM : kWgmmaM;
  block.mma = (hasTmem ? 1 : *config.tileM / rowsOfInstruction) * instructions *
              *config.tileN *
              (isMmaSync ? kMmaSyncCyclesPerColumn : kCyclesPerColumn);
  int64_t readers = warpgroups;
  if (isMmaSync)
    readers =
        *config.tileM / getWarpRows(*config.unit, *config.tileM, *config.tileN);
  block.smemRead =
      getBlockBytes(config, problem, *config.tileM, readers * *config.tileN) /
      *config.ctaGroup / kSmemBytesPerCycle;
  block.fill = getLoadedBytes(config, problem, /*ctas=*/1) / kFillBytesPerCycle;
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
  block.fill = std::max(block.fill, gather);
  if (!hasTmem) {
    // Other warpgroups multiply while one waits.
    block.fill += kRegisterBlock;
    block.mma += warpgroups == 1 ? kRegisterBlock : 0;
  }
  double multiplication = std::max(block.mma, block.smemRead);
  // The way through the ring: a slot is loaded, multiplied, released.
  double lap = kLoadLatency + block.fill + multiplication;
  // One thread of control loads ahead into all slots but the one that it
  // multiplies.
  int64_t slots = *config.stages;
  if (*config.roles == Roles::none)
    slots = std::max<int64_t>(slots - 1, 1);
  block.loadLatency = lap / slots;

  // Threads add up a K-block while the unit multiplies the next one, or after
  // it.
  block.promotion = problem.promotedK ? kPromotionPerColumn * *config.tileN : 0;
  if (block.promotion && (!hasTmem || *config.roles == Roles::none ||
                          *config.accumulatorStages == 1))
    block.promotion += multiplication;
  std::pair<double, Bound> parts[] = {{block.mma, Bound::MatrixUnit},
                                      {block.smemRead, Bound::SmemRead},
                                      {block.fill, Bound::Fill},
                                      {block.loadLatency, Bound::LoadLatency},
                                      {block.promotion, Bound::Promotion}};
  // The first of equal ones.
  auto slowest = std::max_element(
      std::begin(parts), std::end(parts),
      [](const auto &a, const auto &b) { return a.first < b.first; });
  block.total = slowest->first;
  block.bound = slowest->second;
  return block;
}

Estimate tc::schedule::estimate(const MatmulConfig &config,
                                const MatmulProblem &problem,
                                const Machine &machine) {
  int64_t m = problem.m.value_or(kTypicalSize);
  int64_t n = problem.n.value_or(kTypicalSize);
  int64_t k = problem.k.value_or(kTypicalSize);
  int64_t group = *config.ctaGroup;
  Estimate result;
  result.tilesM = ceilDiv(m, *config.tileM);
  result.tilesN = ceilDiv(n, *config.tileN);
  result.blocks = ceilDiv(k, *config.tileK);
  result.batch = problem.batch.value_or(1);
  int64_t tiles = result.tiles();
  result.groups = machine.sms / group;
  // What does not fit beside the others waits: it is no faster.
  result.launched = std::min({tiles, *config.sms / group, result.groups});
  result.waves = tiles ? ceilDiv(tiles, result.launched) : 0;
  result.busy = tiles ? double(tiles) / (result.waves * result.groups) : 0;
  result.inside = tiles ? double(m) * n * result.batch /
                              (double(tiles) * *config.tileM * *config.tileN)
                        : 0;

  result.block = estimateBlock(config, problem);
  result.setup = kLaunch + kLoadLatency + (group == 2 ? kPairLaunch : 0);
  result.mainloop = result.blocks * result.block.total;
  bool hasTmem = getFacts(*config.unit).hasTensorMemory;
  int64_t rows = hasTmem ? kTmemLanes : *config.tileM;
  double stored = rows * problem.outputBits / 8.0 / kFillBytesPerCycle;
  result.epilogue =
      kEpilogueLatency + (kEpiloguePerColumn + stored) * *config.tileN;
  double ofA = problem.isSparse ? 0.5 : 1;
  double inputs = (ofA * double(m) * k + double(k) * n) * problem.inputBits / 8;
  double outputs = double(m) * n * problem.outputBits / 8;
  // Matrices that the whole batch shares count for each problem: an upper
  // bound.
  result.dram = result.batch * (inputs + outputs) / kDramBytesPerCycle;
  result.loadedBytes =
      getLoadedBytes(config, problem, group) * result.blocks * tiles;

  // With a second accumulator the epilogue of a tile runs beside the main loop
  // of the next one; the last one is never hidden.
  bool overlaps =
      *config.roles == Roles::specialized && *config.accumulatorStages > 1;
  double perTile = overlaps ? std::max(result.mainloop, result.epilogue)
                            : result.mainloop + result.epilogue;
  double compute = result.waves * perTile + (overlaps ? result.epilogue : 0);
  if (!tiles)
    compute = 0;
  result.bound =
      result.epilogue > result.mainloop ? Bound::Epilogue : result.block.bound;
  if (result.dram > compute)
    result.bound = Bound::Dram;
  result.cycles = result.setup + std::max(compute, result.dram);
  return result;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// The widest epilogue subtile that divides the tile, up to 32 columns of an
/// accumulator in Tensor Memory: enough to hide the latency of the read, few
/// enough registers to store from. One in registers takes none more: as many
/// columns as a row of a swizzled store buffer has.
static int64_t chooseSubtile(const MatmulConfig &config,
                             const MatmulProblem &problem) {
  int64_t columns = getFacts(*config.unit).hasTensorMemory
                        ? 32
                        : 8 * kDefaultSwizzle / problem.outputBits;
  while (*config.tileN % columns != 0)
    columns /= 2;
  return columns;
}

/// Rows of tiles in a band, 8 or 16 as in DeepGEMM: those with which the
/// resident groups of `config` read the fewest rows of A and columns of B.
static int64_t chooseRaster(const MatmulConfig &config,
                            const Machine &machine) {
  int64_t groups = machine.sms / *config.ctaGroup;
  auto read = [&](int64_t rows) {
    return rows * *config.tileM + ceilDiv(groups, rows) * *config.tileN;
  };
  return read(8) <= read(16) ? 8 : 16;
}

/// CTAs of the grid: where there are several waves, as few as compute the tiles
/// in as many waves. Those left out would only have run beside the others in
/// all waves but the last.
static int64_t chooseSms(const MatmulConfig &config,
                         const MatmulProblem &problem, const Machine &machine) {
  // Clusters get tiles, each of its CTAs a part.
  int64_t ctas = *config.clusterM * *config.clusterN;
  int64_t clusters = machine.sms / ctas;
  if (!problem.m || !problem.n || !problem.batch)
    return clusters * ctas;
  int64_t rows = *config.tileM / *config.ctaGroup * *config.clusterM;
  int64_t tiles = *problem.batch * ceilDiv(*problem.m, rows) *
                  ceilDiv(*problem.n, *config.tileN * *config.clusterN);
  if (tiles <= clusters)
    return clusters * ctas;
  return ceilDiv(tiles, ceilDiv(tiles, clusters)) * ctas;
}

/// Slots of the ring of scale columns: one is filled while the matrix unit
/// reads the other.
constexpr int64_t kScaleStages = 2;

/// Slots of the ring of store buffers: one is filled while TMA reads the other.
constexpr int64_t kStoreStages = 2;

/// Chooses how D is stored, for the tile and the stages of `config` that are
/// set: through store buffers where TMA can address D without asking more of
/// the sizes than the loads do. Stages that were asked for come first: where
/// they leave no room, one buffer, or none.
static void chooseEpilogue(MatmulConfig &config, const MatmulProblem &problem,
                           const Machine &machine) {
  bool isOpen = !config.epilogue && !config.storeStages;
  llvm::ArrayRef<Epilogue> epilogues = getUnitSupport(*config.unit).epilogues;
  bool isLowered = std::find(epilogues.begin(), epilogues.end(),
                             Epilogue::tma_store) != epilogues.end();
  TmaStore store = problem.tmaStore;
  if (problem.storesWithB && getLoadB(config, problem) != LoadEngine::tma)
    store = TmaStore::Checked;
  // TMA stores no less than 16 bytes.
  bool isNarrow =
      *config.epilogueSubtile * problem.outputBits / 8 % kTmaGranularity != 0;
  if (isOpen && (store != TmaStore::Possible || !isLowered || isNarrow))
    config.epilogue = Epilogue::direct;
  if (config.epilogue == Epilogue::direct)
    return;
  config.epilogue = Epilogue::tma_store;
  if (config.storeStages)
    return;
  config.storeStages = kStoreStages;
  MatmulConfig least = config;
  least.stages = config.stages.value_or(1);
  auto fits = [&] {
    least.storeStages = config.storeStages;
    return getSmemBudget(least, problem).total <= machine.smemBytes;
  };
  while (*config.storeStages > 1 && !fits())
    --*config.storeStages;
  if (!isOpen || fits())
    return;
  config.epilogue = Epilogue::direct;
  config.storeStages = std::nullopt;
}

/// Chooses what is open of the depths for the tile of `config`: two
/// accumulators where roles overlap and they fit, store buffers, and as many
/// slots as shared memory has room for.
static void chooseDepths(MatmulConfig &config, const MatmulProblem &problem,
                         const Machine &machine) {
  if (!config.accumulatorStages) {
    bool hasTmem = getFacts(*config.unit).hasTensorMemory;
    config.accumulatorStages =
        hasTmem && *config.roles == Roles::specialized ? 2 : 1;
    // Scale factors take columns, too: with the widest tiles they leave room
    // for one accumulator.
    if (getTmemBudget(config, problem).used() > machine.tmemColumns)
      config.accumulatorStages = 1;
  }
  if (!config.epilogueSubtile)
    config.epilogueSubtile = chooseSubtile(config, problem);
  chooseEpilogue(config, problem, machine);
  if (config.stages)
    return;
  config.stages = 1;
  while (*config.stages < kMaxStages) {
    MatmulConfig deeper = config;
    deeper.stages = *config.stages + 1;
    if (getSmemBudget(deeper, problem).total > machine.smemBytes)
      break;
    config.stages = deeper.stages;
  }
}

/// An operand that is read once need not stay in the L2 cache, one that every
/// tile reads should. Where both are read by many tiles, none is preferred, nor
/// in a batch, whose problems may share an operand.
static void chooseCacheHints(MatmulConfig &config,
                             const MatmulProblem &problem) {
  bool single = problem.batch == 1;
  bool oneRow = single && problem.m && *problem.m <= *config.tileM;
  bool oneColumn = single && problem.n && *problem.n <= *config.tileN;
  auto choose = [&](std::optional<CacheHint> &hint, LoadEngine load, bool once,
                    bool always) {
    if (!hint)
      hint = once == always || load != LoadEngine::tma ? CacheHint::none
             : once                                    ? CacheHint::evict_first
                                                       : CacheHint::evict_last;
  };
  choose(config.cacheHintA, *config.loadA, /*once=*/oneColumn,
         /*always=*/oneRow);
  choose(config.cacheHintB, *config.loadB, /*once=*/oneRow,
         /*always=*/oneColumn);
}

MatmulConfig tc::schedule::completeTile(MatmulConfig config,
                                        const MatmulProblem &problem,
                                        const Machine &machine) {
  auto set = [](auto &field, auto value) {
    if (!field)
      field = value;
  };
  set(config.unit, machine.units.front());
  set(config.clusterM, *config.ctaGroup);
  set(config.clusterN, 1);
  set(config.swizzle, 128);
  set(config.loadA, getLoadA(config, problem));
  set(config.loadB, getLoadB(config, problem));
  set(config.scheduler, TileScheduler::static_tiles);
  set(config.roles, Roles::specialized);
  if (isBlockScaled(problem.kind) || problem.isSparse)
    set(config.scaleStages, kScaleStages);
  chooseDepths(config, problem, machine);
  set(config.raster, chooseRaster(config, machine));
  set(config.sms, chooseSms(config, problem, machine));
  chooseCacheHints(config, problem);
  // Off: what follows a kernel in its stream is not known here.
  set(config.pdl, false);
  // Off: the subtiles that are chosen need fewer than any launch gives.
  set(config.epilogueRegisters, 0);
  return config;
}

bool tc::schedule::setTileK(MatmulConfig &open, const MatmulProblem &problem) {
  if (open.tileK)
    return !findFieldError(open, problem);
  ExtentRange range = getTileK(problem, open);
  for (int64_t k = 128 * 8 / problem.inputBits * (problem.isSparse ? 2 : 1);
       k <= range.last; k += range.step) {
    open.tileK = k;
    if (!findFieldError(open, problem))
      return true;
  }
  return false;
}

/// Calls `take` for each legal tile of `config` with `open.ctaGroup`, the
/// smallest first, until it returns false; for an accumulator in registers with
/// K-blocks of two swizzle rows, too. The rows are those of the unit, or
/// half of them where D has no more; others only where these are not legal.
static void walkTiles(const MatmulConfig &config, MatmulConfig open,
                      const MatmulProblem &problem,
                      llvm::function_ref<bool(const MatmulConfig &)> take) {
  int64_t group = *open.ctaGroup;
  std::vector<int64_t> rows = getTileM(problem, open);
  if (config.tileM) {
    rows = {*config.tileM};
  } else {
    // Rows beyond those of D cost slots of the ring and registers.
    bool isSkinny = group == 1 && hasHalfTile(problem, config) &&
                    problem.m.value_or(kTypicalSize) <= kHalfTileM;
    int64_t first = isSkinny ? kHalfTileM : kTmemLanes * group;
    std::rotate(rows.begin(), std::find(rows.begin(), rows.end(), first),
                rows.end());
  }
  bool isFound = false;
  for (int64_t m : rows) {
    open.tileM = m;
    ExtentRange range = getTileN(problem, open);
    for (int64_t n = range.first; n <= range.last; n += range.step) {
      if (config.tileN && *config.tileN != n)
        continue;
      open.tileN = n;
      open.tileK = config.tileK;
      if (!setTileK(open, problem))
        continue;
      isFound = true;
      if (!take(open))
        return;
      // Half as many K-blocks pay where each of them costs a wait.
      if (config.tileK || getFacts(*open.unit).hasTensorMemory)
        continue;
      open.tileK = 2 * *open.tileK;
      if (!findFieldError(open, problem) && !take(open))
        return;
    }
    if (isFound)
      return;
  }
}

/// Calls `take` for each legal tile of `config`, with one CTA and pairs.
static void walkTiles(const MatmulConfig &config, const MatmulProblem &problem,
                      const Machine &machine,
                      llvm::function_ref<bool(const MatmulConfig &)> take) {
  // Of a pair that no field asks for, both CTAs have rows.
  MatmulConfig single = config;
  single.ctaGroup = config.ctaGroup.value_or(1);
  bool skipsPairs = !findFieldError(single, problem) &&
                    problem.m.value_or(kTypicalSize) <= kTmemLanes;
  for (int64_t group : {1, 2}) {
    MatmulConfig open = config;
    if (!open.unit)
      open.unit = machine.units.front();
    if (open.ctaGroup.value_or(group) != group ||
        group > getFacts(*open.unit).maxCtaGroup)
      continue;
    if (!open.ctaGroup && group > 1 && skipsPairs)
      continue;
    open.ctaGroup = group;
    walkTiles(config, open, problem, take);
  }
}

bool tc::schedule::hasLegalTile(const MatmulConfig &config,
                                const MatmulProblem &problem,
                                const Machine &machine) {
  bool isFound = false;
  walkTiles(config, problem, machine, [&](const MatmulConfig &) {
    isFound = true;
    return false;
  });
  return isFound;
}

/// The completions of `config`, legal ones, whether they fit or not: the
/// smallest first.
static std::vector<MatmulConfig> getCompletions(const MatmulConfig &config,
                                                const MatmulProblem &problem,
                                                const Machine &machine) {
  std::vector<MatmulConfig> completions;
  walkTiles(config, problem, machine, [&](const MatmulConfig &tile) {
    completions.push_back(completeTile(tile, problem, machine));
    return true;
  });
  return completions;
}

std::vector<Candidate>
tc::schedule::rankCandidates(const MatmulConfig &config,
                             const MatmulProblem &problem,
                             const Machine &machine) {
  std::vector<Candidate> candidates;
  for (const MatmulConfig &complete : getCompletions(config, problem, machine))
    if (!findResourceError(complete, problem, machine))
      candidates.push_back({complete, estimate(complete, problem, machine)});
  // A total order: the result depends on the arguments alone.
  auto key = [](const Candidate &c) {
    return std::tuple(c.estimate.cycles, c.estimate.loadedBytes,
                      *c.config.ctaGroup, *c.config.tileN);
  };
  std::sort(
      candidates.begin(), candidates.end(),
      [&](const Candidate &a, const Candidate &b) { return key(a) < key(b); });
  if (candidates.empty())
    return candidates;
  double limit = candidates.front().estimate.cycles * (1 + kTolerance);
  auto end = std::find_if(
      candidates.begin(), candidates.end(),
      [&](const Candidate &c) { return c.estimate.cycles > limit; });
  auto choice = std::min_element(
      candidates.begin(), end, [](const Candidate &a, const Candidate &b) {
        return a.estimate.loadedBytes < b.estimate.loadedBytes;
      });
  std::rotate(candidates.begin(), choice, choice + 1);
  return candidates;
}

MatmulConfig tc::schedule::completeConfig(const MatmulConfig &config,
                                          const MatmulProblem &problem,
                                          const Machine &machine) {
  std::vector<Candidate> candidates = rankCandidates(config, problem, machine);
  if (!candidates.empty())
    return candidates.front().config;
  return getCompletions(config, problem, machine).front();
}
