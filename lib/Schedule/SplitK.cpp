//===- SplitK.cpp - parts of K ----------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which parts of K are legal, and what problem a kernel has that multiplies
// them.
//
//===----------------------------------------------------------------------===//

#include "ConfigFacts.h"

#include "tc/Schedule/MatmulConfig.h"
#include "tc/Support/Target.h"

using namespace tc;
using namespace tc::schedule;

MatmulProblem tc::schedule::getKernelProblem(const MatmulConfig &config,
                                             const MatmulProblem &problem) {
  MatmulProblem part = problem;
  if (!cutsK(config, problem))
    return part;
  const int64_t parts = *config.splitK;
  part.splitK = parts;
  part.finalBits = problem.outputBits;
  part.k = *problem.k / parts;
  if (problem.batch)
    part.batch = *problem.batch * parts;
  // The sums of products, which have 32 bits of whatever kind.
  part.outputBits = 32;
  part.convertsFloat8 = false;
  if (!problem.hasTma)
    return part;
  // Rows of the buffer have no gaps.
  part.tmaStore = TmaStore::Possible;
  part.storesWithB = false;
  part.storeObstacle.clear();
  if (!problem.n) {
    part.tmaStore = TmaStore::Checked;
  } else if (int64_t bytes = *problem.n * 4; bytes % kTmaGranularity != 0) {
    part.tmaStore = TmaStore::Impossible;
    part.storeObstacle = "TMA writes " + std::to_string(kTmaGranularity) +
                         " bytes as a whole, and rows of sums of parts of K "
                         "end inside of them, after " +
                         std::to_string(bytes);
  }
  return part;
}

int64_t tc::schedule::countBlocks(const MatmulConfig &config,
                                  const MatmulProblem &problem) {
  const int64_t block =
      config.tileK.value_or(kDefaultSwizzle * 8 / problem.inputBits);
  return problem.k && *problem.k % block == 0 ? *problem.k / block : 0;
}

std::optional<std::string>
tc::schedule::findSplitError(const MatmulConfig &config,
                             const MatmulProblem &problem) {
  const int64_t parts = config.splitK.value_or(1);
  if (parts <= 1)
    return std::nullopt;
  auto refuse = [&](const std::string &expected) {
    return "split-k of " + std::to_string(parts) + ": expected " + expected;
  };
  if (!problem.splitObstacle.empty())
    return refuse("1, " + problem.splitObstacle);
  if (!problem.k)
    return refuse("1, K is not known when compiling");
  const int64_t blocks = countBlocks(config, problem);
  auto isLegal = [&](int64_t number) {
    return number == 1 ||
           (number <= kMaxSplitK && blocks && blocks % number == 0);
  };
  if (isLegal(parts))
    return std::nullopt;
  // Of two that are equally far the smaller one.
  int64_t nearest = std::min(parts, kMaxSplitK);
  for (int64_t away = 0;; ++away) {
    if (nearest - away >= 1 && isLegal(nearest - away)) {
      nearest -= away;
      break;
    }
    if (isLegal(nearest + away)) {
      nearest += away;
      break;
    }
  }
  return refuse("at most " + std::to_string(kMaxSplitK) + " parts of K, " +
                std::to_string(*problem.k) +
                ", each with as many whole K-blocks of " +
                std::to_string(config.tileK.value_or(kDefaultSwizzle * 8 /
                                                     problem.inputBits)) +
                ", nearest " + std::to_string(nearest));
}
