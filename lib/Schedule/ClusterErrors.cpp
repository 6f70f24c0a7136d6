//===- ClusterErrors.cpp - legal clusters of a configuration ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which clusters the lowering can do, and which tiles their CTAs can share.
//
//===----------------------------------------------------------------------===//

#include "ConfigFacts.h"

#include "tc/Schedule/MatmulModel.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdlib>

using namespace tc;
using namespace tc::schedule;

using Error = std::optional<std::string>;

Error tc::schedule::findClusterError(const MatmulConfig &config,
                                     const MatmulProblem &) {
  const UnitFacts &facts = getUnit(config)->getFacts();
  int64_t group = config.ctaGroup.value_or(1);
  int64_t m = config.clusterM.value_or(group), n = config.clusterN.value_or(1);
  if ((m == group && n == 1) ||
      (m % group == 0 && m * n <= facts.maxClusterCtas))
    return std::nullopt;
  // As many CTAs along N as there may be, along M what is left of them.
  int64_t most = std::max(facts.maxClusterCtas, group);
  int64_t nearestN = std::min(n, most / group);
  int64_t nearestM = std::min<int64_t>(llvm::alignTo(m, group),
                                       most / nearestN / group * group);
  auto spell = [](int64_t along, int64_t across) {
    return std::to_string(along) + "x" + std::to_string(across);
  };
  if (most == group)
    return mismatch("cluster", spell(m, n),
                    spell(group, 1) + ", nothing lowers larger ones for " +
                        spellKey(facts.name));
  return mismatch(
      "cluster", spell(m, n),
      "at most " + std::to_string(most) + " CTAs" +
          (group > 1 ? ", a multiple of " + std::to_string(group) + " along M"
                     : "") +
          ", nearest " + spell(nearestM, nearestN));
}

namespace {

/// A tile that CTAs of a cluster receive: each loads a part of its rows, which
/// are whole repetitions of the swizzle (8 rows, PTX ISA, "Swizzling-modes").
struct SharedTile {
  /// The extent along which it is cut, the value of its field, and the legal
  /// ones, as numbers and in words.
  const char *extent;
  std::optional<int64_t> value;
  std::vector<int64_t> legal;
  std::string words;
  /// CTAs that receive it, and rows of all CTAs of an instruction, or elements
  /// of K, for each row that one of them loads.
  int64_t parts, group;
  const char *operand;

  int64_t step(int64_t cut) const { return 8 * cut * group; }
  /// The legal extent next to the value that is cut into `cut` parts.
  std::optional<int64_t> nearest(int64_t cut) const {
    std::optional<int64_t> best;
    int64_t wanted = value.value_or(legal.front());
    for (int64_t extent : legal)
      if (extent % step(cut) == 0 &&
          (!best || std::abs(extent - wanted) < std::abs(*best - wanted)))
        best = extent;
    return best;
  }
};

} // namespace

static std::vector<int64_t> listExtents(const ExtentRange &range) {
  std::vector<int64_t> extents;
  for (int64_t e = range.first; e <= range.last; e += range.step)
    extents.push_back(e);
  return extents;
}

/// The extent of `tile` as a field; where none has whole parts, the cluster,
/// whose CTAs along `dim` share the tile: `spell` writes it with another number
/// of parts.
static Error findPartsError(const SharedTile &tile, const char *dim,
                            llvm::function_ref<std::string(int64_t)> spell) {
  if (tile.parts <= 1)
    return std::nullopt;
  if (std::optional<int64_t> nearest = tile.nearest(tile.parts)) {
    if (!tile.value || *tile.value % tile.step(tile.parts) == 0)
      return std::nullopt;
    return mismatch(
        std::string("tile ") + tile.extent, std::to_string(*tile.value),
        "a multiple of " + std::to_string(tile.step(tile.parts)) +
            ", 8 rows for each of the " + std::to_string(tile.parts) +
            " CTAs that share a tile of " + tile.operand + ", nearest " +
            std::to_string(*nearest));
  }
  int64_t fewer = tile.parts - 1;
  while (fewer > 1 && !tile.nearest(fewer))
    --fewer;
  return mismatch("cluster", spell(tile.parts),
                  std::string("a number of CTAs along ") + dim +
                      " that cuts tile " + tile.extent + ", " + tile.words +
                      ", into multiples of 8 rows of " + tile.operand +
                      ", nearest " + spell(fewer));
}

Error tc::schedule::findShareError(const MatmulConfig &config,
                                   const MatmulProblem &problem) {
  int64_t group = *config.ctaGroup;
  int64_t m = config.clusterM.value_or(group), n = config.clusterN.value_or(1);
  auto words = [](const ExtentRange &range) {
    return "a multiple of " + std::to_string(range.step) + " up to " +
           std::to_string(range.last);
  };
  ExtentRange rangeN = getTileN(problem, config);
  ExtentRange rangeK = getTileK(problem, config);
  SharedTile alongK{"K",           config.tileK, listExtents(rangeK),
                    words(rangeK),
                    /*parts=*/n,
                    /*group=*/1,   "A"};
  SharedTile kOfA = alongK;
  if (problem.isSparse)
    kOfA.group = 2;
  std::vector<int64_t> rows = getTileM(problem, config);
  SharedTile a = problem.transposeA
                     ? kOfA
                     : SharedTile{"M", config.tileM, rows, listNumbers(rows),
                                  n,   group,        "A"};
  // What threads load each CTA loads for itself.
  if (getLoadA(config, problem) != LoadEngine::tma)
    a.parts = 1;
  if (Error error = findPartsError(a, "N", [&](int64_t parts) {
        return std::to_string(m) + "x" + std::to_string(parts);
      }))
    return error;
  alongK.parts = m / group;
  alongK.operand = "B";
  SharedTile b = problem.transposeB ? SharedTile{"N",
                                                 config.tileN,
                                                 listExtents(rangeN),
                                                 words(rangeN),
                                                 m / group,
                                                 group,
                                                 "B"}
                                    : alongK;
  if (getLoadB(config, problem) != LoadEngine::tma)
    b.parts = 1;
  return findPartsError(b, "M", [&](int64_t parts) {
    return std::to_string(parts * group) + "x" + std::to_string(n);
  });
}
