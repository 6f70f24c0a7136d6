//===- MatmulVariants.cpp - what tuning tries -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the product of the values that open fields may have. What is illegal,
// or does not fit, is left to the checks that every configuration passes.
//
//===----------------------------------------------------------------------===//

#include "tc/Schedule/MatmulVariants.h"

#include "Completion.h"

#include "tc/Schedule/UnitModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <tuple>

using namespace tc;
using namespace tc::schedule;

namespace {

/// A configuration with some fields open, and how many of the others are not
/// what would be chosen.
struct Variant {
  MatmulConfig config;
  unsigned changes = 0;
};

using Variants = std::vector<Variant>;

} // namespace

/// Each of `variants`, and after them what `change` makes of each.
static void
addChanges(Variants &variants,
           llvm::function_ref<void(const MatmulConfig &,
                                   llvm::function_ref<void(MatmulConfig)>)>
               change) {
  for (size_t i = 0, end = variants.size(); i < end; ++i) {
    const Variant from = variants[i];
    change(from.config, [&](MatmulConfig config) {
      variants.push_back({std::move(config), from.changes + 1});
    });
  }
}

/// Every tile with the fields of `config` that are set.
static Variants listTiles(const MatmulConfig &config,
                          const MatmulProblem &problem,
                          const Machine &machine) {
  Variants tiles;
  MatmulConfig open = config;
  if (!open.unit)
    open.unit = machine.getUnit(problem);
  for (int64_t group = 1; group <= (*open.unit)->getFacts().maxCtaGroup;
       ++group) {
    if (config.ctaGroup.value_or(group) != group)
      continue;
    open.ctaGroup = group;
    open.tileM = config.tileM;
    for (int64_t m : getTileM(problem, open)) {
      if (config.tileM.value_or(m) != m)
        continue;
      open.tileM = m;
      open.tileN = config.tileN;
      ExtentRange range = getTileN(problem, open);
      for (int64_t n = range.first; n <= range.last; n += range.step) {
        if (config.tileN.value_or(n) != n)
          continue;
        open.tileN = n;
        open.tileK = config.tileK;
        if (!setTileK(open, problem))
          continue;
        tiles.push_back({open});
        if (config.tileK)
          continue;
        open.tileK = 2 * *open.tileK;
        if (!findFieldError(open, problem))
          tiles.push_back({open});
      }
    }
  }
  return tiles;
}

/// `tile`, and variants of it whose open fields are not as they are chosen.
static Variants vary(const Variant &tile, const MatmulConfig &given,
                     const MatmulProblem &problem, const Machine &machine) {
  Variants variants = {tile};
  const UnitFacts &facts = (*tile.config.unit)->getFacts();
  using Take = llvm::function_ref<void(MatmulConfig)>;
  auto complete = [&](const MatmulConfig &config) {
    return completeTile(config, problem, machine);
  };
  if (!given.clusterM)
    addChanges(variants, [&](const MatmulConfig &config, Take take) {
      const int64_t group = *config.ctaGroup;
      for (auto [m, n] : {std::pair(2, 1), std::pair(1, 2)}) {
        MatmulConfig changed = config;
        changed.clusterM = m * group;
        changed.clusterN = n;
        if (m * n * group <= facts.maxClusterCtas)
          take(changed);
      }
    });
  if (!given.roles)
    addChanges(variants, [&](const MatmulConfig &config, Take take) {
      for (Roles roles : facts.roles) {
        MatmulConfig changed = config;
        changed.roles = roles;
        if (getTurns(roles) > 1)
          take(changed);
      }
    });
  if (!given.lateRelease && facts.releasesLate)
    addChanges(variants, [&](const MatmulConfig &config, Take take) {
      MatmulConfig changed = config;
      changed.lateRelease = !complete(config).lateRelease.value_or(false);
      take(changed);
    });
  if (!given.scheduler)
    addChanges(variants, [&](const MatmulConfig &config, Take take) {
      for (TileScheduler scheduler : facts.schedulers) {
        MatmulConfig changed = config;
        changed.scheduler = scheduler;
        // With a tile for each CTA a counter has none to hand out.
        bool isIdle = scheduler == TileScheduler::counter &&
                      estimate(complete(changed), problem, machine).waves <= 1;
        if (scheduler != TileScheduler::static_tiles && !isIdle)
          take(changed);
      }
    });
  if (!given.raster)
    addChanges(variants, [&](const MatmulConfig &config, Take take) {
      const int64_t chosen = *complete(config).raster;
      for (int64_t rows : {4, 8, 16}) {
        MatmulConfig changed = config;
        changed.raster = rows;
        if (rows != chosen)
          take(changed);
      }
    });
  if (!given.epilogue && !given.storeStages)
    addChanges(variants, [&](const MatmulConfig &config, Take take) {
      MatmulConfig changed = config;
      const MatmulConfig chosen = complete(config);
      if (chosen.epilogue == Epilogue::direct)
        return;
      changed.epilogue = Epilogue::direct;
      take(changed);
      // What the other buffer takes, a slot of the ring may have.
      changed.epilogue = Epilogue::tma_store;
      changed.storeStages = 1;
      if (chosen.storeStages != 1)
        take(changed);
    });
  if (!given.stages)
    addChanges(variants, [&](const MatmulConfig &config, Take take) {
      MatmulConfig changed = config;
      for (int64_t stages = *complete(config).stages - 1; stages > 1;
           --stages) {
        changed.stages = stages;
        take(changed);
      }
    });
  return variants;
}

/// Adds `tile` with K in parts, and with other depths, where it is open and D
/// has fewer tiles than there are multiprocessors.
static void listParts(Variants &variants, const Variant &tile,
                      const MatmulConfig &given, const MatmulProblem &problem,
                      const Machine &machine) {
  if (given.splitK || !problem.splitObstacle.empty() || !problem.m ||
      !problem.n || !problem.k || !problem.batch)
    return;
  const Estimate whole =
      estimate(completeTile(tile.config, problem, machine), problem, machine);
  if (whole.waves != 1)
    return;
  for (int64_t parts : {2, 4, 8}) {
    Variant changed = tile;
    changed.config.splitK = parts;
    ++changed.changes;
    if (!findConfigError(changed.config, problem, machine))
      variants.push_back(changed);
  }
}

std::vector<Candidate> tc::schedule::listVariants(const MatmulConfig &config,
                                                  const MatmulProblem &problem,
                                                  const Machine &machine) {
  std::vector<Candidate> chosen = rankCandidates(config, problem, machine);
  if (chosen.empty())
    return {};
  // What is open may be chosen as another variant has it.
  std::set<std::string> seen = {formatConfig(chosen.front().config)};
  std::vector<Candidate> found;
  // What they are ordered by: a total order.
  std::vector<std::tuple<double, double, size_t>> order;
  for (const Variant &tile : listTiles(config, problem, machine)) {
    Variants variants = vary(tile, config, problem, machine);
    listParts(variants, tile, config, problem, machine);
    for (const Variant &variant : variants) {
      MatmulConfig complete = completeTile(variant.config, problem, machine);
      if (findConfigError(complete, problem, machine) ||
          findResourceError(complete, problem, machine) ||
          !seen.insert(formatConfig(complete)).second)
        continue;
      Estimate cost = estimate(complete, problem, machine);
      order.push_back({cost.cycles * (1 + kVariantCost * variant.changes),
                       cost.loadedBytes, found.size()});
      found.push_back({std::move(complete), cost});
    }
  }
  std::sort(order.begin(), order.end());
  // The best of each other number of parts of K come next: how long a second
  // kernel takes, the model knows least.
  const double limit = chosen.front().estimate.cycles * kPartsWithin;
  auto next = order.begin();
  for (int64_t parts : {1, 2, 4, 8}) {
    if (parts == chosen.front().config.splitK.value_or(1))
      continue;
    auto best = std::find_if(next, order.end(), [&](const auto &entry) {
      const Candidate &c = found[std::get<2>(entry)];
      return c.config.splitK.value_or(1) == parts && c.estimate.cycles <= limit;
    });
    if (best != order.end())
      std::rotate(next++, best, std::next(best));
  }
  std::vector<Candidate> variants = {chosen.front()};
  for (const auto &entry : order)
    variants.push_back(std::move(found[std::get<2>(entry)]));
  return variants;
}

/// Orders all but the first at random.
static void shuffle(std::vector<Candidate> &variants, uint64_t seed) {
  // The same on every machine: std::shuffle need not be.
  std::mt19937_64 random(seed);
  for (size_t i = 1; i < variants.size(); ++i)
    std::swap(variants[i], variants[i + random() % (variants.size() - i)]);
}

/// Brings `count` of variants in random order to the front, the first as
/// before: one of each part of the range of predicted times, where parts have
/// equal ratios, and what then is missing.
static void drawEvenly(std::vector<Candidate> &variants, size_t count) {
  if (count < 2)
    return;
  auto [least, most] =
      std::minmax_element(std::next(variants.begin()), variants.end(),
                          [](const Candidate &a, const Candidate &b) {
                            return a.estimate.cycles < b.estimate.cycles;
                          });
  const double low = std::log(least->estimate.cycles);
  const double width = std::log(most->estimate.cycles) - low;
  const size_t parts = count - 1;
  std::vector<bool> taken(parts);
  std::vector<Candidate> drawn = {variants.front()}, others;
  for (Candidate &c : llvm::drop_begin(variants)) {
    const double place =
        width > 0 ? (std::log(c.estimate.cycles) - low) / width : 0;
    const auto part = std::min(size_t(place * double(parts)), parts - 1);
    (taken[part] ? others : drawn).push_back(std::move(c));
    taken[part] = true;
  }
  llvm::move(others, std::back_inserter(drawn));
  variants = std::move(drawn);
}

std::vector<Candidate>
tc::schedule::chooseVariants(std::vector<Candidate> variants,
                             const VariantChoice &choice) {
  if (variants.empty())
    return variants;
  if (choice.within > 0) {
    double fastest =
        llvm::min_element(variants, [](const auto &a, const auto &b) {
          return a.estimate.cycles < b.estimate.cycles;
        })->estimate.cycles;
    variants.erase(std::remove_if(std::next(variants.begin()), variants.end(),
                                  [&](const Candidate &c) {
                                    return c.estimate.cycles >
                                           choice.within * fastest;
                                  }),
                   variants.end());
  }
  const size_t count = std::min(choice.count, variants.size());
  if (choice.draw != Draw::None)
    shuffle(variants, choice.seed);
  if (choice.draw == Draw::Even)
    drawEvenly(variants, count);
  variants.erase(variants.begin() + count, variants.end());
  return variants;
}
