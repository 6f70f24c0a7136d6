//===- MatmulVariantsTest.cpp - what tuning tries ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problems.h"

#include "tc/Schedule/MatmulVariants.h"
#include "tc/Schedule/TunedTable.h"

#include "tc/Runtime/Tuning.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace tc;
using namespace tc::schedule;

// All are legal, fit and differ; the choice comes first.
TEST(MatmulVariants, AreLegalAndDiffer) {
  for (const char *chip : {"sm_90a", "sm_100a", "sm_80"}) {
    const Machine gpu = machine(chip);
    const MatmulProblem problem = [&] {
      MatmulProblem problem = sizes(512, 512, 512);
      limitToMachine(problem, gpu);
      return problem;
    }();
    std::vector<Candidate> variants = listVariants({}, problem, gpu);
    ASSERT_GT(variants.size(), 60u) << chip;
    std::set<std::string> seen;
    for (const Candidate &c : variants) {
      EXPECT_FALSE(findConfigError(c.config, problem, gpu));
      EXPECT_FALSE(findResourceError(c.config, problem, gpu));
      EXPECT_TRUE(seen.insert(formatConfig(c.config)).second);
    }
    EXPECT_EQ(formatConfig(variants.front().config),
              formatConfig(completeConfig({}, problem, gpu)));
  }
}

// A counter is tried where there are more tiles than CTAs, and the chip can
// hand out what it counts.
TEST(MatmulVariants, CountedTiles) {
  auto countWith = [](const char *chip, int64_t size) {
    const Machine gpu = machine(chip);
    MatmulProblem problem = sizes(size, size, 512);
    limitToMachine(problem, gpu);
    MatmulConfig given;
    given.tileM = given.tileN = 128;
    given.tileK = 64;
    return llvm::count_if(listVariants(given, problem, gpu),
                          [](const Candidate &c) {
                            return c.config.scheduler == TileScheduler::counter;
                          });
  };
  EXPECT_GT(countWith("sm_90a", 4096), 0);
  EXPECT_EQ(countWith("sm_90a", 512), 0);
  EXPECT_EQ(countWith("sm_80", 4096), 0);
}

// A given field is the same in all, and others still differ.
TEST(MatmulVariants, GivenFieldsStay) {
  const Machine gpu = machine("sm_90a");
  MatmulConfig given;
  given.stages = 3;
  given.tileM = 128;
  given.tileN = 128;
  given.tileK = 64;
  std::vector<Candidate> variants =
      listVariants(given, sizes(512, 512, 512), gpu);
  EXPECT_GT(variants.size(), 10u);
  for (const Candidate &c : variants) {
    EXPECT_EQ(*c.config.stages, 3);
    EXPECT_EQ(*c.config.tileN, 128);
  }
}

TEST(MatmulVariants, Chosen) {
  const Machine gpu = machine("sm_90a");
  const MatmulProblem problem = sizes(4096, 4096, 4096);
  std::vector<Candidate> all = listVariants({}, problem, gpu);
  const std::string choice = formatConfig(all.front().config);
  auto first = chooseVariants(all, {5, Draw::None, 1, 0});
  ASSERT_EQ(first.size(), 5u);
  EXPECT_EQ(formatConfig(first[4].config), formatConfig(all[4].config));
  auto drawn = chooseVariants(all, {70, Draw::Uniform, 1, 2});
  ASSERT_EQ(drawn.size(), 70u);
  EXPECT_EQ(formatConfig(drawn.front().config), choice);
  double fastest = all.front().estimate.cycles;
  for (const Candidate &c : all)
    fastest = std::min(fastest, c.estimate.cycles);
  std::set<std::string> seen;
  for (const Candidate &c : drawn) {
    EXPECT_LE(c.estimate.cycles, 2 * fastest);
    EXPECT_TRUE(seen.insert(formatConfig(c.config)).second);
  }
  auto other = chooseVariants(all, {70, Draw::Uniform, 2, 2});
  EXPECT_NE(formatConfig(other[1].config), formatConfig(drawn[1].config));
  EXPECT_EQ(chooseVariants(all, {1000000, Draw::Uniform, 1, 0}).size(),
            all.size());
  // One of each of 11 parts of the range of times; most variants are slow.
  auto getPart = [](const Candidate &c, double least, double most) {
    const double place =
        std::log(c.estimate.cycles / least) / std::log(most / least);
    return std::min(int64_t(place * 11), int64_t(10));
  };
  auto even = chooseVariants(all, {12, Draw::Even, 3, 2});
  auto legal = chooseVariants(all, {1000000, Draw::Uniform, 3, 2});
  auto [least, most] = std::minmax_element(
      legal.begin() + 1, legal.end(), [](const auto &a, const auto &b) {
        return a.estimate.cycles < b.estimate.cycles;
      });
  std::set<int64_t> parts;
  for (const Candidate &c : llvm::drop_begin(even))
    parts.insert(getPart(c, least->estimate.cycles, most->estimate.cycles));
  EXPECT_EQ(parts.size(), 11u);
  EXPECT_TRUE(chooseVariants({}, {5, Draw::Even, 1, 2}).empty());
}

// What the runtime writes is what is read here.
TEST(TunedTable, IsWhatTheRuntimeWrites) {
  runtime::TuneFolder folder;
  folder.chip = "sm_90a";
  folder.compiler = "0.1.0";
  runtime::TuneCandidate candidate;
  candidate.file = "k/0";
  candidate.config = "tile=128x256x64 stages=4";
  candidate.cycles = 274836;
  candidate.seconds = {1.5e-4};
  folder.problems = {{"k", {candidate}}};
  auto text =
      runtime::updateTable("", "t", folder, {"NVIDIA H200", "2026-11-23", 1});
  ASSERT_TRUE(text);
  std::string error;
  auto lines = parseTunedTable(*text, error);
  ASSERT_TRUE(lines) << error;
  ASSERT_EQ(lines->size(), 1u);
  const TunedLine &line = lines->front();
  EXPECT_EQ(line.problem, "k");
  EXPECT_EQ(line.chip, "sm_90a");
  EXPECT_EQ(line.version, "0.1.0");
  EXPECT_EQ(line.device, "NVIDIA H200");
  EXPECT_EQ(line.date, "2026-11-23");
  EXPECT_EQ(line.microseconds, 150);
  EXPECT_EQ(line.cycles, 274836);
  EXPECT_EQ(line.regret, 0.0);
  EXPECT_EQ(line.config, candidate.config);
  EXPECT_EQ(line.line, 2u);

  // Where the model's choice has no time, what it took is not known.
  runtime::TuneCandidate failed = candidate;
  failed.seconds.clear();
  failed.error = "too large";
  folder.problems = {{"k", {failed, candidate}}};
  text =
      runtime::updateTable("", "t", folder, {"NVIDIA H200", "2026-11-23", 1});
  ASSERT_TRUE(text);
  lines = parseTunedTable(*text, error);
  ASSERT_TRUE(lines) << error;
  EXPECT_FALSE(lines->front().regret);
}

TEST(TunedTable, Errors) {
  std::string error;
  EXPECT_FALSE(parseTunedTable("# x\n\na\tb\n", error));
  EXPECT_EQ(error, "line 3: expected 9 fields with tabs between them, got 2");
  EXPECT_FALSE(parseTunedTable("k\tc\tv\td\t1\tfast\t1\t0\ts\n", error));
  EXPECT_EQ(error, "line 1: expected microseconds in field 6, got 'fast'");
  EXPECT_TRUE(parseTunedTable("", error)->empty());
}
