//===- TuningTest.cpp - how good predictions were ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Tuning.h"

#include <gtest/gtest.h>

using namespace tc::runtime;

TEST(Tuning, RankCorrelation) {
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3, 4}, {10, 20, 30, 400}), 1);
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  // 1 - 6 * (0 + 1 + 1 + 0) / (4 * 15).
  EXPECT_DOUBLE_EQ(rankCorrelation({1, 2, 3, 4}, {1, 3, 2, 4}), 0.8);
  // Equal values share the mean of their ranks: 0, 1.5, 1.5, 3 against 0 to 3.
  EXPECT_NEAR(rankCorrelation({1, 2, 2, 3}, {1, 2, 3, 4}), 4.5 / 4.7434165,
              1e-7);
  EXPECT_EQ(rankCorrelation({}, {}), 0);
  EXPECT_EQ(rankCorrelation({1}, {2}), 0);
  EXPECT_EQ(rankCorrelation({1, 1}, {2, 3}), 0);
}

static TuneCandidate measured(unsigned number, double cycles, double seconds) {
  TuneCandidate candidate;
  candidate.number = number;
  candidate.file = "k/" + std::to_string(number);
  candidate.config = "stages=" + std::to_string(number + 1);
  candidate.cycles = cycles;
  candidate.seconds = {seconds / 2, seconds, seconds * 2};
  return candidate;
}

static TuneCandidate failed(unsigned number, double cycles) {
  TuneCandidate candidate;
  candidate.number = number;
  candidate.cycles = cycles;
  candidate.error = "too large";
  return candidate;
}

TEST(Tuning, Verdict) {
  TuneProblem problem = {"k",
                         {measured(0, 100, 1.1e-4), failed(1, 101),
                          measured(2, 120, 1e-4), measured(3, 130, 2e-4)}};
  TuneVerdict verdict = judge(problem);
  EXPECT_EQ(verdict.measured, 3u);
  EXPECT_EQ(verdict.best, 2u);
  EXPECT_NEAR(verdict.regret, 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(verdict.correlation, 0.5);

  problem.candidates.front() = failed(0, 100);
  EXPECT_LT(judge(problem).regret, 0);
  EXPECT_EQ(judge({"k", {failed(0, 1)}}).measured, 0u);
}

// A line gives way to one of the same problem, chip and version alone.
TEST(Tuning, Table) {
  TuneFolder folder;
  folder.chip = "sm_90a";
  folder.compiler = "0.1.0";
  folder.problems = {{"k", {measured(0, 100, 1.1e-4), measured(1, 90, 1e-4)}},
                     {"none", {failed(0, 1)}}};
  TuneRun run = {"NVIDIA H200", "2026-11-23", 3};
  auto first = updateTable("", "t", folder, run);
  ASSERT_TRUE(first);
  const std::string header =
      "# problem\tchip\tversion\tdevice\tdate\tus\tcycles\tregret\tconfig\n";
  EXPECT_EQ(*first, header + "k\tsm_90a\t0.1.0\tNVIDIA H200\t2026-11-23\t"
                             "100.000\t90\t0.1000\tstages=2\n");
  folder.compiler = "0.2.0";
  auto second = updateTable(*first + "# of mine\n", "t", folder, run);
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, *first + "# of mine\n"
                              "k\tsm_90a\t0.2.0\tNVIDIA H200\t2026-11-23\t"
                              "100.000\t90\t0.1000\tstages=2\n");
  run.date = "2026-11-24";
  auto third = updateTable(*second, "t", folder, run);
  ASSERT_TRUE(third);
  EXPECT_EQ(*third, *first + "# of mine\n"
                             "k\tsm_90a\t0.2.0\tNVIDIA H200\t2026-11-24\t"
                             "100.000\t90\t0.1000\tstages=2\n");
  auto bad = updateTable("# x\nk\tsm_90a\n", "t", folder, run);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message,
            "t:2: expected 9 fields with tabs between them, got 2");
}

TEST(Tuning, Description) {
  TuneFolder folder;
  folder.chip = "sm_90a";
  folder.compiler = "0.1.0";
  folder.problems = {{"k", {measured(0, 100, 1e-4), failed(1, 90)}}};
  const std::string text = describeTuning(folder, {"GPU", "2026-11-23", 3});
  EXPECT_NE(text.find("\"device\": \"GPU\""), std::string::npos);
  EXPECT_NE(text.find("\"best\": 0"), std::string::npos);
  EXPECT_NE(text.find("\"regret\": 0.0"), std::string::npos);
  EXPECT_NE(text.find("\"seconds\": 0.0001"), std::string::npos);
  EXPECT_NE(text.find("\"error\": \"too large\""), std::string::npos);
}
