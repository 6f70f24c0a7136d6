//===- MatmulChoice.cpp - the fastest configuration of a matmul -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the fields that are left open.
//
//===----------------------------------------------------------------------===//

#include "tc/Schedule/MatmulModel.h"

#include "Completion.h"
#include "ConfigFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <tuple>

using namespace tc;
using namespace tc::schedule;

/// The widest epilogue subtile that divides the tile, of those that the unit
/// finds worth their registers.
static int64_t chooseSubtile(const MatmulConfig &config,
                             const MatmulProblem &problem) {
  int64_t columns = getUnit(config)->getWidestSubtile(problem);
  while (*config.tileN % columns != 0)
    columns /= 2;
  return columns;
}

/// Rows of clusters in a band, 8 or 16 as in DeepGEMM: those with which the
/// resident clusters of `config` read the fewest rows of A and columns of B.
static int64_t chooseRaster(const MatmulConfig &config,
                            const Machine &machine) {
  int64_t m = *config.clusterM / *config.ctaGroup, n = *config.clusterN;
  int64_t clusters = machine.getResidentClusters(*config.ctaGroup * m * n);
  auto read = [&](int64_t rows) {
    return rows * m * *config.tileM +
           llvm::divideCeilSigned(clusters, rows) * n * *config.tileN;
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
  int64_t clusters = machine.getResidentClusters(ctas);
  // Those that are done early take tiles of the others, and how many tiles
  // there are may not be known.
  if (problem.isRagged || !problem.m || !problem.n || !problem.batch ||
      config.scheduler == TileScheduler::counter)
    return clusters * ctas;
  int64_t rows = *config.tileM / *config.ctaGroup * *config.clusterM;
  int64_t tiles =
      *problem.batch * llvm::divideCeilSigned(*problem.m, rows) *
      llvm::divideCeilSigned(*problem.n, *config.tileN * *config.clusterN);
  if (tiles <= clusters)
    return clusters * ctas;
  return llvm::divideCeilSigned(tiles,
                                llvm::divideCeilSigned(tiles, clusters)) *
         ctas;
}

/// Slots of the ring of store buffers: one is filled while TMA reads the other.
constexpr int64_t kStoreStages = 2;

/// Chooses how D is stored, for the tile and the stages of `config` that are
/// set: through store buffers where TMA can address D without asking more of
/// the sizes than the loads do. Stages that were asked for come first: where
/// they leave no room, one buffer, or none. None, too, where its addresses take
/// registers that the accumulator needs.
static void chooseEpilogue(MatmulConfig &config, const MatmulProblem &problem,
                           const Machine &machine) {
  bool isOpen = !config.epilogue && !config.storeStages;
  bool isLowered = llvm::is_contained(getUnit(config)->getFacts().epilogues,
                                      Epilogue::tma_store);
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
  MatmulConfig least = config;
  auto isRoomFor = [&](int64_t stages, std::optional<int64_t> buffers) {
    least.stages = stages;
    least.epilogue = buffers ? Epilogue::tma_store : Epilogue::direct;
    least.storeStages = buffers;
    return getSmemBudget(least, problem).total <= machine.smemBytes;
  };
  // One slot would neither load ahead nor overlap anything: where two fit, they
  // come before store buffers.
  int64_t stages =
      config.stages.value_or(isRoomFor(/*stages=*/2, std::nullopt) ? 2 : 1);
  config.storeStages = kStoreStages;
  auto fits = [&] { return isRoomFor(stages, config.storeStages); };
  while (*config.storeStages > 1 && !fits())
    --*config.storeStages;
  if (!isOpen || (fits() && !findThreadRegisterError(config, problem, machine)))
    return;
  config.epilogue = Epilogue::direct;
  config.storeStages = std::nullopt;
}

/// Chooses what is open of the depths for the tile of `config`: accumulators,
/// store buffers, and as many slots as shared memory has room for.
static void chooseDepths(MatmulConfig &config, const MatmulProblem &problem,
                         const Machine &machine) {
  getUnit(config)->chooseStages(config, problem, machine);
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
                                        const MatmulProblem &whole,
                                        const Machine &machine) {
  const MatmulProblem problem = getKernelProblem(config, whole);
  auto set = [](auto &field, auto value) {
    if (!field)
      field = value;
  };
  set(config.unit, machine.getUnit(problem));
  set(config.clusterM, *config.ctaGroup);
  set(config.clusterN, 1);
  set(config.swizzle, std::min(kDefaultSwizzle, problem.rowsA.swizzle));
  set(config.loadA, getLoadA(config, problem));
  set(config.loadB, getLoadB(config, problem));
  set(config.scheduler, TileScheduler::static_tiles);
  set(config.roles, Roles::specialized);
  chooseDepths(config, problem, machine);
  // While an instance that takes turns waits, no other one multiplies. A slot
  // that several CTAs share comes back later, which a deep ring hides.
  const bool isShared = *config.clusterM * *config.clusterN > *config.ctaGroup;
  const bool pays = getTurns(config.roles) > 1 ? *config.stages > 1
                                               : isShared && *config.stages > 3;
  if (getUnit(config)->getFacts().releasesLate &&
      (pays || getTurns(config.roles) > 1))
    set(config.lateRelease, pays && !problem.promotedK);
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
/// smallest first, until it returns false; of a unit that waits for each with
/// K-blocks of two swizzle rows, too. The rows are those of the unit, or
/// half of them where D has no more, and more where the unit has a use for
/// them; others only where these are not legal.
static void walkTiles(const MatmulConfig &config, MatmulConfig open,
                      const MatmulProblem &problem,
                      llvm::function_ref<bool(const MatmulConfig &)> take) {
  std::vector<int64_t> rows = getTileM(problem, open);
  int64_t first = 0, most = 0;
  if (config.tileM) {
    rows = {*config.tileM};
  } else {
    first = getUnit(open)->getUsualTileM(open, problem);
    most = getUnit(open)->getMostTileM(open, problem);
    std::rotate(rows.begin(), std::find(rows.begin(), rows.end(), first),
                rows.end());
  }
  bool isFound = false;
  for (int64_t m : rows) {
    if (isFound && (m < first || m > most))
      return;
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
      if (config.tileK || !getUnit(open)->getFacts().waitsForBlocks)
        continue;
      open.tileK = 2 * *open.tileK;
      if (!findFieldError(open, problem) && !take(open))
        return;
    }
  }
}

/// Calls `take` for each legal tile of `config`, with one CTA and pairs.
static void walkTiles(const MatmulConfig &config, const MatmulProblem &problem,
                      const Machine &machine,
                      llvm::function_ref<bool(const MatmulConfig &)> take) {
  MatmulConfig open = config;
  if (!open.unit)
    open.unit = machine.getUnit(problem);
  // Of a pair that no field asks for, both CTAs have rows.
  MatmulConfig single = open;
  single.ctaGroup = config.ctaGroup.value_or(1);
  bool skipsPairs = !findFieldError(single, problem) &&
                    problem.m.value_or(kTypicalSize) <= 2 * kHalfTileM;
  const MatmulConfig chosen = open;
  for (int64_t group = 1; group <= getUnit(open)->getFacts().maxCtaGroup;
       group *= 2) {
    open = chosen;
    if (open.ctaGroup.value_or(group) != group)
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
    // Two CTAs, one below the other, which share B.
    const bool isShared = getUnit(tile)->getConstants().sharesLoads &&
                          !config.clusterM &&
                          problem.m.value_or(kTypicalSize) > *tile.tileM;
    MatmulConfig pair = tile;
    pair.clusterM = 2 * *tile.ctaGroup;
    pair.clusterN = 1;
    if (isShared && !findFieldError(pair, problem))
      completions.push_back(completeTile(pair, problem, machine));
    return true;
  });
  return completions;
}

int64_t tc::schedule::countBusyCtas(const Candidate &candidate) {
  return candidate.estimate.launched * *candidate.config.ctaGroup;
}

/// The same for the parts of K that `config` says.
static std::vector<Candidate> rankWhole(const MatmulConfig &config,
                                        const MatmulProblem &whole,
                                        const Machine &machine) {
  const MatmulProblem problem = getKernelProblem(config, whole);
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
  const ModelConstants &constants =
      getUnit(candidates.front().config)->getConstants();
  auto endOf = [&](const Candidate &fastest, double tolerance) {
    return std::partition_point(candidates.begin(), candidates.end(),
                                [limit = fastest.estimate.cycles *
                                         (1 + tolerance)](const Candidate &c) {
                                  return c.estimate.cycles <= limit;
                                });
  };
  auto hasFewerCtas = [](const Candidate &a, const Candidate &b) {
    return countBusyCtas(a) < countBusyCtas(b);
  };
  // Of one wave of tiles, whose loads are all on their way at first, the first
  // of those with the most, which is the fastest of them.
  const bool countsCtas =
      constants.fillTolerance > 0 && candidates.front().estimate.waves == 1;
  auto fullest =
      countsCtas
          ? std::max_element(candidates.begin(),
                             endOf(candidates.front(), constants.fillTolerance),
                             hasFewerCtas)
          : candidates.begin();
  auto choice =
      std::min_element(fullest, endOf(*fullest, constants.tolerance),
                       [&](const Candidate &a, const Candidate &b) {
                         if (countsCtas && countBusyCtas(a) != countBusyCtas(b))
                           return hasFewerCtas(b, a);
                         return a.estimate.loadedBytes < b.estimate.loadedBytes;
                       });
  std::rotate(candidates.begin(), choice, choice + 1);
  return candidates;
}

/// Whether parts of K are worth a prediction: where all sizes are known and
/// `choice` has no more tiles than multiprocessors.
static bool isOneWave(const Candidate &choice, const MatmulProblem &problem) {
  return problem.m && problem.n && problem.k && problem.batch &&
         problem.splitObstacle.empty() && problem.splitK == 1 &&
         choice.estimate.tiles() > 0 && choice.estimate.waves == 1;
}

std::vector<Candidate>
tc::schedule::rankCandidates(const MatmulConfig &config,
                             const MatmulProblem &problem,
                             const Machine &machine) {
  std::vector<Candidate> candidates = rankWhole(config, problem, machine);
  // A given tile decides how D is cut.
  if (config.splitK || config.tileM || candidates.empty() ||
      !isOneWave(candidates.front(), problem))
    return candidates;
  double limit = candidates.front().estimate.cycles * (1 - kSplitGain);
  std::vector<Candidate> split;
  for (int64_t parts = 2; parts <= kMaxSplitK; parts *= 2) {
    MatmulConfig open = config;
    open.splitK = parts;
    if (findConfigError(open, problem, machine))
      continue;
    std::vector<Candidate> ranked = rankWhole(open, problem, machine);
    if (ranked.empty() || ranked.front().estimate.cycles > limit)
      continue;
    limit = ranked.front().estimate.cycles;
    split = std::move(ranked);
  }
  if (split.empty())
    return candidates;
  // Those without parts are listed, too.
  split.insert(split.end(), candidates.begin(), candidates.end());
  std::stable_sort(std::next(split.begin()), split.end(),
                   [](const Candidate &a, const Candidate &b) {
                     return a.estimate.cycles < b.estimate.cycles;
                   });
  return split;
}

MatmulConfig tc::schedule::completeConfig(const MatmulConfig &config,
                                          const MatmulProblem &problem,
                                          const Machine &machine) {
  std::vector<Candidate> candidates = rankCandidates(config, problem, machine);
  if (!candidates.empty())
    return candidates.front().config;
  return getCompletions(config, problem, machine).front();
}
