//===- MatmulConfigTest.cpp - configurations of a matmul --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Budgets against figures computed by hand, choices against their properties.
//
//===----------------------------------------------------------------------===//

#include "Problems.h"

#include "tc/Schedule/MatmulModel.h"

#include "gtest/gtest.h"

using namespace tc;
using namespace tc::schedule;

static MatmulConfig complete(MatmulConfig config, MatmulProblem problem) {
  return completeConfig(config, problem, machine());
}

TEST(MatmulConfig, MachineIsThatOfTheTarget) {
  EXPECT_EQ(machine().smemBytes, 232448);
  EXPECT_EQ(machine().tmemColumns, 512);
}

TEST(MatmulConfig, SmemBudget) {
  MatmulConfig config = tcgen05Config();
  config.tileM = 128;
  config.tileN = 256;
  config.tileK = 64;
  config.stages = 4;
  config.accumulatorStages = 2;
  config.swizzle = 128;
  SmemBudget budget = getSmemBudget(config, MatmulProblem());
  // (128 + 256) rows of 128 bytes; two 8-byte barriers for each of 4 + 2 slots;
  // 1024 - 16 bytes to align a base that is a multiple of 16.
  EXPECT_EQ(budget.stageA, 16384);
  EXPECT_EQ(budget.stageB, 32768);
  EXPECT_EQ(budget.barriers, 96);
  EXPECT_EQ(budget.alignment, 1008);
  EXPECT_EQ(budget.nextStage, 49152 + 16);
  // The word for the address of Tensor Memory moves dynamic shared memory to
  // the next multiple of 16.
  EXPECT_EQ(budget.tmemSlot, 16);
  EXPECT_EQ(budget.total, 4 * 49152 + 96 + 1008 + 16);
  // Each CTA of a pair holds half of the rows of A and of the columns of B.
  config.tileM = 256;
  config.ctaGroup = 2;
  EXPECT_EQ(getSmemBudget(config, MatmulProblem()).stage(), 32768);
}

// Two buffers of 128 rows of 32 columns; the swizzle of their rows counts for
// the alignment where that of the operands is narrower.
TEST(MatmulConfig, SmemBudgetOfTheStoreRing) {
  MatmulConfig config = tcgen05Config();
  config.tileM = 128;
  config.tileN = 256;
  config.tileK = 64;
  config.stages = 4;
  config.accumulatorStages = 2;
  config.swizzle = 32;
  config.epilogue = Epilogue::tma_store;
  config.epilogueSubtile = 32;
  config.storeStages = 2;
  MatmulProblem problem;
  problem.outputBits = 32;
  SmemBudget budget = getSmemBudget(config, problem);
  EXPECT_EQ(budget.storeRing, 2 * 16384);
  EXPECT_EQ(budget.alignment, 1008);
  EXPECT_EQ(budget.total, 4 * 49152 + 2 * 16384 + 96 + 1008 + 16);
  problem.outputBits = 16;
  config.ctaGroup = 2;
  config.tileM = 256;
  budget = getSmemBudget(config, problem);
  EXPECT_EQ(budget.storeRing, 2 * 8192);
  EXPECT_EQ(budget.alignment, 512 - 16);
  config.epilogue = Epilogue::direct;
  EXPECT_EQ(getSmemBudget(config, problem).storeRing, 0);
}

// A ring of answers, two barriers for each of its slots; those that take turns
// are one more tile behind.
TEST(MatmulConfig, SmemBudgetOfRequestsForWork) {
  MatmulConfig config;
  config.unit = MatrixUnit(getWGMMAModel());
  config.tileM = 128;
  config.tileN = 128;
  config.tileK = 64;
  config.stages = 4;
  config.accumulatorStages = 1;
  config.swizzle = 128;
  config.epilogue = Epilogue::direct;
  const MatmulProblem problem;
  const SmemBudget computed = getSmemBudget(config, problem);
  EXPECT_EQ(getAnswerSlots(config), 0);
  EXPECT_EQ(computed.answers, 0);
  config.scheduler = TileScheduler::counter;
  SmemBudget counted = getSmemBudget(config, problem);
  EXPECT_EQ(getAnswerSlots(config), 2);
  EXPECT_EQ(counted.answers, 2 * 16);
  EXPECT_EQ(counted.barriers, computed.barriers + 2 * 16);
  config.roles = Roles::ping_pong;
  EXPECT_EQ(getAnswerSlots(config), 3);
  config.roles = Roles::specialized;
  config.scheduler = TileScheduler::clc;
  config.accumulatorStages = 2;
  EXPECT_EQ(getAnswerSlots(config), 3);
}

// On every chip with st.async, with all CTAs that it holds: nobody knows in how
// many waves they compute the tiles.
TEST(MatmulConfig, CountedTiles) {
  MatmulConfig given;
  given.scheduler = TileScheduler::counter;
  const MatmulProblem problem = sizes(4096, 4096, 4096);
  for (const char *chip : {"sm_90a", "sm_100a", "sm_120a"}) {
    const Machine gpu = machine(chip);
    ASSERT_EQ(findConfigError(given, problem, gpu), std::nullopt) << chip;
    const MatmulConfig config = completeConfig(given, problem, gpu);
    EXPECT_EQ(findResourceError(config, problem, gpu), std::nullopt) << chip;
    EXPECT_EQ(*config.sms, gpu.sms / *config.ctaGroup * *config.ctaGroup)
        << chip;
  }
  MatmulProblem old = problem;
  const Machine ampere = machine("sm_80");
  limitToMachine(old, ampere);
  EXPECT_EQ(findConfigError(given, old, ampere),
            "scheduler of counter: expected static, the chip has no st.async, "
            "which hands out what is counted");
}

TEST(MatmulConfig, StoreSwizzleIsTheWidestThatARowFills) {
  EXPECT_EQ(getStoreSwizzle(16, 8), 0);
  EXPECT_EQ(getStoreSwizzle(16, 16), 32);
  EXPECT_EQ(getStoreSwizzle(32, 16), 64);
  EXPECT_EQ(getStoreSwizzle(64, 16), 128);
  EXPECT_EQ(getStoreSwizzle(128, 32), 128);
}

// Stages that were asked for come first: two buffers, one, or none.
TEST(MatmulConfig, StoreRingTakesWhatIsLeft) {
  auto choose = [](int64_t tileN, int64_t stages, TmaStore store) {
    MatmulConfig given = tcgen05Config();
    given.ctaGroup = 1;
    given.tileN = tileN;
    given.stages = stages;
    MatmulProblem problem = sizes(4096, 4096, 4096);
    problem.outputBits = 32;
    problem.tmaStore = store;
    MatmulConfig config = complete(given, problem);
    EXPECT_EQ(findResourceError(config, problem, machine()), std::nullopt);
    EXPECT_EQ(config.epilogue == Epilogue::tma_store,
              config.storeStages.has_value());
    return config.storeStages.value_or(0);
  };
  EXPECT_EQ(choose(256, 4, TmaStore::Possible), 2);
  EXPECT_EQ(choose(128, 6, TmaStore::Possible), 2);
  EXPECT_EQ(choose(240, 4, TmaStore::Possible), 2);
  EXPECT_EQ(choose(192, 5, TmaStore::Possible), 1);
  EXPECT_EQ(choose(64, 9, TmaStore::Possible), 0);
  EXPECT_EQ(choose(256, 4, TmaStore::Checked), 0);
  EXPECT_EQ(choose(256, 4, TmaStore::Impossible), 0);
}

TEST(MatmulConfig, TmemColumnsArePowersOfTwo) {
  MatmulConfig config = tcgen05Config();
  config.accumulatorStages = 1;
  config.tileN = 16;
  EXPECT_EQ(getTmemBudget(config, MatmulProblem()).allocated, 32);
  config.tileN = 144;
  EXPECT_EQ(getTmemBudget(config, MatmulProblem()).allocated, 256);
  config.accumulatorStages = 2;
  config.tileN = 256;
  EXPECT_EQ(getTmemBudget(config, MatmulProblem()).allocated, 512);
}

// Every choice is legal, fits, and keeps what was given.
TEST(MatmulConfig, ChoicesAreLegal) {
  for (bool transposeB : {false, true})
    for (int64_t m : {0, 1, 128, 200, 4096})
      for (int64_t n : {0, 8, 16, 136, 264, 4096})
        for (int64_t k : {0, 8, 72, 4096})
          for (int64_t stages : {1, 2, 4, 8}) {
            MatmulProblem problem = sizes(m, n, k);
            problem.transposeB = transposeB;
            MatmulConfig given = tcgen05Config();
            given.stages = stages;
            MatmulConfig config = complete(given, problem);
            EXPECT_EQ(findFieldError(config, problem), std::nullopt);
            EXPECT_EQ(findResourceError(config, problem, machine()),
                      std::nullopt);
            EXPECT_EQ(config.stages, stages);
            EXPECT_TRUE(getTileN(problem, config).contains(*config.tileN));
          }
}

TEST(MatmulConfig, GroupsOfMoreThanTwoAreRefused) {
  MatmulConfig given = tcgen05Config();
  given.ctaGroup = 3;
  EXPECT_EQ(findFieldError(given, sizes(8, 16, 8)),
            "cta-group: expected 1 or 2, got 3");
}

TEST(MatmulConfig, ChoicesForPairsAreLegal) {
  for (bool transposeB : {false, true})
    for (int64_t n : {8, 136, 264, 4096}) {
      MatmulProblem problem = sizes(4096, n, 4096);
      problem.transposeB = transposeB;
      MatmulConfig given = tcgen05Config();
      given.ctaGroup = 2;
      MatmulConfig config = complete(given, problem);
      EXPECT_EQ(findFieldError(config, problem), std::nullopt);
      EXPECT_EQ(findResourceError(config, problem, machine()), std::nullopt);
      EXPECT_EQ(config.tileM, 256);
      EXPECT_EQ(config.clusterM, 2);
      EXPECT_TRUE(getTileN(problem, config).contains(*config.tileN));
    }
}

TEST(MatmulConfig, GivenSubtileDividesTheTile) {
  for (int64_t columns : {16, 32, 64, 128}) {
    MatmulConfig given = tcgen05Config();
    given.epilogueSubtile = columns;
    MatmulConfig config = complete(given, sizes(8, 16, 8));
    EXPECT_EQ(*config.tileN % columns, 0);
  }
}

// What the epilogue gets and what the other roles keep comes out of the launch.
TEST(MatmulConfig, LaunchRegisters) {
  MatmulConfig config = tcgen05Config();
  config.epilogueRegisters = 168;
  EXPECT_EQ(getLaunchRegisters(config, sizes(8, 16, 8)), 112);
  for (int64_t registers = 64; registers <= 240; registers += 8) {
    config.epilogueRegisters = registers;
    int64_t launched = getLaunchRegisters(config, sizes(8, 16, 8));
    EXPECT_LE(128 * registers + 128 * kRoleRegisters, 256 * launched);
    EXPECT_LE(launched, registers);
    EXPECT_GE(launched, kRoleRegisters);
    EXPECT_EQ(launched % 8, 0);
  }
}

// With many stages the ring leaves no room for the widest tile.
TEST(MatmulConfig, TileShrinksForStages) {
  MatmulConfig given = tcgen05Config();
  given.stages = 8;
  MatmulConfig config = complete(given, sizes(4096, 4096, 4096));
  EXPECT_LT(*config.tileN, 256);
  EXPECT_EQ(findResourceError(config, sizes(4096, 4096, 4096), machine()),
            std::nullopt);
}

// The ring is as deep as shared memory allows. Roles overlap main loop and
// epilogue, so they have two accumulators.
TEST(MatmulConfig, DepthsFollowTheRoles) {
  MatmulConfig given = tcgen05Config();
  given.tileN = 256;
  given.ctaGroup = 1;
  MatmulConfig config = complete(given, sizes(4096, 4096, 4096));
  EXPECT_EQ(config.roles, Roles::specialized);
  EXPECT_EQ(*config.stages, 4);
  EXPECT_EQ(*config.accumulatorStages, 2);
  given.roles = Roles::none;
  config = complete(given, sizes(4096, 4096, 4096));
  EXPECT_EQ(*config.stages, 4);
  EXPECT_EQ(*config.accumulatorStages, 1);
}

TEST(MatmulConfig, NothingFits) {
  MatmulConfig given = tcgen05Config();
  given.stages = 1000;
  MatmulConfig config = complete(given, sizes(4096, 4096, 4096));
  std::optional<std::string> error =
      findResourceError(config, sizes(4096, 4096, 4096), machine());
  ASSERT_TRUE(error);
  EXPECT_NE(error->find("expected at most 232448 bytes of shared memory"),
            std::string::npos);
}

// The error names the widest tile that fits with one stage.
TEST(MatmulConfig, NarrowerTileFits) {
  MatmulConfig given = tcgen05Config();
  given.tileN = 256;
  given.tileK = 256;
  given.ctaGroup = 1;
  given.accumulatorStages = 1;
  MatmulConfig config = complete(given, sizes(4096, 4096, 4096));
  // 128 + 256 rows of 512 bytes are 196,608; 128 more columns do not fit into
  // f32 inputs of the same width.
  EXPECT_EQ(findResourceError(config, sizes(4096, 4096, 4096), machine()),
            std::nullopt);
  MatmulProblem wide = sizes(4096, 4096, 4096);
  wide.inputBits = 32;
  std::optional<std::string> error = findResourceError(config, wide, machine());
  ASSERT_TRUE(error);
  EXPECT_NE(error->find("with one stage, tile N of at most 80 fits"),
            std::string::npos)
      << *error;
}

// A pair needs twice the rows; a group that is open follows the other fields.
TEST(MatmulConfig, OpenGroupFollowsTheFields) {
  MatmulConfig given = tcgen05Config();
  given.tileM = 256;
  EXPECT_EQ(findFieldError(given, sizes(256, 256, 64)), std::nullopt);
  EXPECT_EQ(complete(given, sizes(256, 256, 64)).ctaGroup, 2);
  given.tileM = 128;
  EXPECT_EQ(complete(given, sizes(8192, 8192, 8192)).ctaGroup, 1);
  MatmulConfig odd = tcgen05Config();
  odd.sms = 3;
  EXPECT_EQ(complete(odd, sizes(8192, 8192, 8192)).ctaGroup, 1);
}

// Scale factors of e4m3 operands: a byte for each row and 32 elements of K, in
// shared memory and in columns of Tensor Memory.
TEST(MatmulConfig, ScaleFactorsCount) {
  MatmulProblem problem = sizes(4096, 4096, 4096);
  problem.kind = MmaKindFacts::MXF8F6F4;
  problem.inputBits = 8;
  MatmulConfig config = tcgen05Config();
  config.tileM = 256;
  config.tileN = 256;
  config.tileK = 128;
  config.ctaGroup = 2;
  config.stages = 4;
  config.swizzle = 128;
  config.accumulatorStages = 2;
  config.scaleStages = 2;
  // 128 rows of A and 256 columns of B, 4 factors each.
  SmemBudget smem = getSmemBudget(config, problem);
  EXPECT_EQ(smem.stageScales, 1536);
  EXPECT_EQ(smem.stage(), 2 * 16384 + 1536);
  TmemBudget tmem = getTmemBudget(config, problem);
  EXPECT_EQ(tmem.accumulators, 512);
  EXPECT_EQ(tmem.scales, 2 * 12);
  std::optional<std::string> error =
      findResourceError(config, problem, machine());
  ASSERT_TRUE(error);
  EXPECT_NE(error->find("got 536 (2 accumulators of 256 columns, 24 of scale "
                        "factors); at most 1 accumulator stage fits"),
            std::string::npos)
      << *error;
  // A chip with 576 columns has room for them.
  EXPECT_LE(tmem.used(), machine("sm_107f").tmemColumns);
  EXPECT_EQ(tmem.allocated, 544);
  // What is chosen fits: one accumulator of 256 columns, or two narrower ones.
  for (int64_t tileN : {128, 256}) {
    MatmulConfig given = tcgen05Config();
    given.tileN = tileN;
    MatmulConfig chosen = complete(given, problem);
    EXPECT_EQ(chosen.scaleStages, 2);
    EXPECT_EQ(chosen.tileK, 128);
    EXPECT_EQ(chosen.accumulatorStages, tileN == 256 ? 1 : 2);
    EXPECT_EQ(findResourceError(chosen, problem, machine()), std::nullopt);
  }
  // More scale columns than there is room for beside one accumulator.
  config.scaleStages = 22;
  config.accumulatorStages = 1;
  error = findResourceError(config, problem, machine());
  ASSERT_TRUE(error);
  EXPECT_NE(error->find("at most 21 scale stages fit this tile and one "
                        "accumulator"),
            std::string::npos)
      << *error;
}

// Tiles start where blocks of scale factors do; instructions with scale factors
// have no M of 64.
TEST(MatmulConfig, ScaledTiles) {
  MatmulProblem problem = sizes(48, 4096, 4096);
  problem.kind = MmaKindFacts::MXF8F6F4;
  problem.inputBits = 8;
  MatmulConfig chosen = complete(MatmulConfig(), problem);
  EXPECT_EQ(chosen.tileM, 128);
  EXPECT_EQ(*chosen.tileN % 128, 0);
  MatmulConfig given = tcgen05Config();
  given.tileM = 64;
  given.tileN = 128;
  given.tileK = 128;
  given.ctaGroup = 1;
  EXPECT_EQ(findFieldError(given, problem),
            "tile M of 64: expected 128, the rows of the accumulator of one "
            "CTA");
  given.tileM = 128;
  given.tileN = 192;
  EXPECT_EQ(findFieldError(given, problem),
            "tile N of 192: expected a multiple of 128 up to 256 (rows of a "
            "block of scale factors), nearest 256");
  given.tileN = 128;
  given.tileK = 64;
  EXPECT_EQ(findFieldError(given, problem),
            "tile K of 64: expected a multiple of 128 up to 256 (swizzle rows, "
            "and blocks of scale factors), nearest 128");
}

TEST(MatmulConfig, SumsOfBlocks) {
  MatmulProblem problem;
  problem.kind = MmaKindFacts::F8F6F4;
  problem.inputBits = 8;
  problem.transposeB = true;
  problem.promotedK = 128;
  Machine machine = schedule::machine();
  // Every choice has the K of a block, and sums that fit the registers.
  for (int64_t columns : {16, 48, 64, 80, 96, 128})
    for (Roles roles : {Roles::none, Roles::specialized}) {
      MatmulConfig config;
      config.tileN = columns;
      config.roles = roles;
      std::vector<Candidate> found = rankCandidates(config, problem, machine);
      // One thread of control that loads ahead has no registers for 128.
      if (columns == 128 && roles == Roles::none) {
        for (const Candidate &candidate : found)
          EXPECT_EQ(candidate.config.stages, 1);
        continue;
      }
      ASSERT_FALSE(found.empty()) << columns;
      for (const Candidate &candidate : found) {
        EXPECT_EQ(candidate.config.tileK, 128);
        EXPECT_EQ(getPromotedColumns(candidate.config),
                  columns == 64 ? 32 : 16);
        EXPECT_LE(getRegisterEstimate(candidate.config, problem), 255);
      }
    }
  MatmulConfig wide;
  wide.tileN = 256;
  EXPECT_TRUE(findConfigError(wide, problem, machine).has_value());
  // Factors of columns take registers, too.
  MatmulConfig columns;
  columns.tileN = 96;
  EXPECT_FALSE(rankCandidates(columns, problem, machine).empty());
  problem.hasColumnFactors = true;
  EXPECT_TRUE(rankCandidates(columns, problem, machine).empty());
  // Threads that add up a block while the next is multiplied take less time
  // than those that do so after it.
  problem.hasColumnFactors = false;
  MatmulConfig one;
  one.tileN = 128;
  one.ctaGroup = 1;
  one.accumulatorStages = 1;
  MatmulConfig two = one;
  two.accumulatorStages = 2;
  EXPECT_LT(rankCandidates(two, problem, machine).front().estimate.cycles,
            rankCandidates(one, problem, machine).front().estimate.cycles);
}

TEST(MatmulConfig, CoordinatesHave32Bits) {
  constexpr int64_t most = kMaxSize;
  EXPECT_EQ(findConfigError({}, sizes(most, most, most), machine()),
            std::nullopt);
  EXPECT_EQ(findConfigError({}, sizes(64, most + 1, 64), machine()),
            "expected N of at most 2147479552, as coordinates have 32 bits, "
            "got 2147479553");
  MatmulProblem batch = sizes(64, 64, 64);
  batch.batch = most + 1;
  EXPECT_TRUE(findConfigError({}, batch, machine()));
}
