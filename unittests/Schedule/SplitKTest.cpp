//===- SplitKTest.cpp - parts of K ------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problems.h"

#include "tc/Schedule/MatmulModel.h"
#include "tc/Schedule/MatmulVariants.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace tc;
using namespace tc::schedule;

static MatmulConfig parts(int64_t number) {
  MatmulConfig config;
  config.splitK = number;
  return config;
}

// A batch of parts with sums of 32 bits; the same again of its own.
TEST(SplitK, PartsAreABatch) {
  MatmulProblem problem = sizes(128, 4096, 7168);
  problem.batch = 3;
  problem.scaleBlockD = 1;
  MatmulProblem kernel = getKernelProblem(parts(4), problem);
  EXPECT_EQ(kernel.batch, 12);
  EXPECT_EQ(kernel.k, 1792);
  EXPECT_EQ(kernel.m, 128);
  EXPECT_EQ(kernel.outputBits, 32);
  EXPECT_EQ(kernel.finalBits, 16);
  EXPECT_EQ(kernel.splitK, 4);
  EXPECT_EQ(getKernelProblem(parts(4), kernel).batch, 12);
  EXPECT_EQ(getKernelProblem({}, problem).batch, 3);
  MatmulProblem same = getKernelProblem({}, kernel);
  EXPECT_EQ(same.batch, 12);
  EXPECT_EQ(same.splitK, 4);
  EXPECT_EQ(same.finalBits, 16);
  // Of an open K there are none.
  problem.k = std::nullopt;
  EXPECT_EQ(getKernelProblem(parts(4), problem).batch, 3);
  EXPECT_EQ(estimate(completeConfig({}, problem, machine()), problem, machine())
                .batch,
            3);
}

// TMA stores rows of 16 bytes, which rows of sums may be where those of D are
// not, and without TMA none.
TEST(SplitK, StoresOfSums) {
  auto store = [](int64_t n, bool hasTma = true) {
    MatmulProblem problem = sizes(128, n, 1024);
    problem.hasTma = hasTma;
    problem.tmaStore = TmaStore::Impossible;
    return getKernelProblem(parts(2), problem).tmaStore;
  };
  EXPECT_EQ(store(100), TmaStore::Possible);
  EXPECT_EQ(store(102), TmaStore::Impossible);
  EXPECT_EQ(store(100, /*hasTma=*/false), TmaStore::Impossible);
  MatmulProblem open = sizes(128, 100, 1024);
  open.n = std::nullopt;
  EXPECT_EQ(getKernelProblem(parts(2), open).tmaStore, TmaStore::Checked);
}

// Whole K-blocks, as many in each part, of the K-block that is given.
TEST(SplitK, PartsAreWholeBlocks) {
  MatmulProblem problem = sizes(128, 256, 768);
  for (int64_t legal : {1, 2, 3, 4, 6, 12})
    EXPECT_FALSE(findSplitError(parts(legal), problem)) << legal;
  EXPECT_EQ(findSplitError(parts(8), problem),
            "split-k of 8: expected at most 32 parts of K, 768, each with as "
            "many whole K-blocks of 64, nearest 6");
  MatmulConfig wide = parts(4);
  wide.tileK = 128;
  EXPECT_EQ(findSplitError(wide, problem),
            "split-k of 4: expected at most 32 parts of K, 768, each with as "
            "many whole K-blocks of 128, nearest 3");
  EXPECT_TRUE(findSplitError(parts(64), sizes(128, 256, 8192)));
  problem.k = std::nullopt;
  EXPECT_EQ(findSplitError(parts(2), problem),
            "split-k of 2: expected 1, K is not known when compiling");
  problem.splitObstacle = "A is sparse";
  EXPECT_EQ(findSplitError(parts(2), problem),
            "split-k of 2: expected 1, A is sparse");
  EXPECT_EQ(findConfigError(parts(0), sizes(8, 16, 64), machine()),
            "split-k: expected a positive number, got 0");
}

// The second kernel reads four sums of 4 bytes for each element of 2, 128 x
// 4096 of them, which takes longer than its instructions.
TEST(SplitK, CyclesOfTheSum) {
  MatmulConfig config =
      completeConfig(parts(4), sizes(128, 4096, 7168), machine());
  Estimate both = estimate(config, sizes(128, 4096, 7168), machine());
  EXPECT_NEAR(both.sum, 9000 + 128 * 4096 * (4 * 4 + 2) / 3695.0, 1);
  EXPECT_EQ(both.batch, 4);
  EXPECT_EQ(both.blocks * *config.tileK, 7168 / 4);
  EXPECT_GT(both.cycles, both.sum + both.setup);
  config.splitK = 1;
  EXPECT_EQ(estimate(config, sizes(128, 4096, 7168), machine()).sum, 0);
}

// Chosen where few tiles have a long K, sizes are known, and no tile is given.
TEST(SplitK, Choice) {
  auto choose = [](const MatmulProblem &problem, MatmulConfig given = {}) {
    return completeConfig(given, problem, machine()).splitK.value_or(1);
  };
  MatmulProblem few = sizes(128, 512, 16384);
  EXPECT_GT(choose(few), 1);
  EXPECT_EQ(choose(few, parts(1)), 1);
  EXPECT_EQ(choose(few, parts(2)), 2);
  MatmulConfig given;
  given.tileM = 128;
  given.tileN = 64;
  given.tileK = 64;
  EXPECT_EQ(choose(few, given), 1);
  few.splitObstacle = "A is sparse";
  EXPECT_EQ(choose(few), 1);
  MatmulProblem open = sizes(128, 512, 16384);
  open.m = std::nullopt;
  EXPECT_EQ(choose(open), 1);
  EXPECT_EQ(choose(sizes(8192, 8192, 8192)), 1);
  EXPECT_EQ(choose(sizes(128, 512, 512)), 1);
  // By 10 % at least.
  std::vector<Candidate> candidates =
      rankCandidates({}, sizes(128, 512, 16384), machine());
  std::vector<Candidate> whole =
      rankCandidates(parts(1), sizes(128, 512, 16384), machine());
  EXPECT_LE(candidates.front().estimate.cycles,
            0.9 * whole.front().estimate.cycles);
  EXPECT_GT(candidates.size(), whole.size());
}

// Tuning tries 2, 4 and 8 parts where D has one wave of tiles.
TEST(SplitK, Variants) {
  auto count = [](const std::vector<Candidate> &variants, int64_t number) {
    return std::count_if(variants.begin(), variants.end(),
                         [&](const Candidate &c) {
                           return c.config.splitK.value_or(1) == number;
                         });
  };
  MatmulConfig given;
  given.raster = 8;
  given.roles = Roles::specialized;
  std::vector<Candidate> few =
      listVariants(given, sizes(128, 512, 4096), machine());
  for (int64_t number : {2, 4, 8})
    EXPECT_GT(count(few, number), 0) << number;
  // The best of each come first, those without parts among them.
  few.erase(few.begin() + 4, few.end());
  EXPECT_EQ(count(few, 1), 1);
  EXPECT_EQ(count(few, 2), 1);
  EXPECT_EQ(count(listVariants(given, sizes(4096, 4096, 1024), machine()), 2),
            0);
  given.splitK = 2;
  std::vector<Candidate> two =
      listVariants(given, sizes(128, 512, 4096), machine());
  EXPECT_EQ(count(two, 2), int64_t(two.size()));
}
