//===- MatmulModelTest.cpp - the time of a configuration --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates against figures computed by hand, choices against those of
// libraries that were tuned on a B200.
//
//===----------------------------------------------------------------------===//

#include "Problems.h"

#include "tc/Schedule/ConfigFields.h"
#include "tc/Schedule/MatmulModel.h"

#include "gtest/gtest.h"

using namespace tc;
using namespace tc::schedule;

static MatmulConfig choose(MatmulProblem problem, MatmulConfig given = {}) {
  return completeConfig(given, problem, machine());
}

static std::string tileOf(const MatmulConfig &config) {
  return std::to_string(*config.tileM) + "x" + std::to_string(*config.tileN) +
         (*config.ctaGroup == 2 ? " pair" : "");
}

// The tiles that tuned libraries take: cuBLAS 128x256 for each CTA of a pair at
// 4096 and 8192; DeepGEMM 128x256 of a pair with 6 stages at 8192 and 64 wide
// tiles for 128x7168x2048. For 4096x7168x2048 it takes 128x224 of a pair with 7
// stages, which is 144 bytes too much here, where the base of shared memory is
// aligned by hand; with 6 the model sees no use in the narrower tile.
TEST(MatmulModel, ChoicesOfTunedLibraries) {
  EXPECT_EQ(tileOf(choose(sizes(4096, 4096, 4096))), "256x256 pair");
  EXPECT_EQ(tileOf(choose(sizes(8192, 8192, 8192))), "256x256 pair");
  EXPECT_EQ(tileOf(choose(sizes(16384, 16384, 16384))), "256x256 pair");
  EXPECT_EQ(tileOf(choose(sizes(4096, 7168, 2048))), "256x256 pair");
  EXPECT_EQ(*choose(sizes(8192, 8192, 8192)).stages, 6);
  EXPECT_EQ(tileOf(choose(sizes(128, 7168, 2048))), "128x64");
}

TEST(MatmulModel, SmallProblemsTakeOneCta) {
  for (auto [m, n, k] : {std::tuple(8, 16, 8),
                         {128, 128, 64},
                         {256, 256, 128},
                         {200, 136, 72},
                         {512, 512, 512},
                         {64, 64, 65536}})
    EXPECT_EQ(choose(sizes(m, n, k)).ctaGroup, 1) << m << " " << n << " " << k;
}

// Whatever fields are given, if they are legal there is a legal choice.
TEST(MatmulModel, LegalFieldsAreCompleted) {
  using Field = std::optional<int64_t>;
  int completed = 0;
  for (int64_t m : {1, 64, 65, 128, 129, 4096})
    for (Field group : {Field(), Field(1), Field(2)})
      for (Field clusterM : {Field(), Field(1), Field(2)})
        for (Field sms : {Field(), Field(1), Field(2), Field(3)})
          for (Field tileM : {Field(), Field(64), Field(128), Field(256)}) {
            MatmulProblem problem = sizes(m, 136, 72);
            MatmulConfig given = tcgen05Config();
            given.ctaGroup = group;
            given.clusterM = clusterM;
            given.sms = sms;
            given.tileM = tileM;
            if (findFieldError(given, problem))
              continue;
            MatmulConfig chosen = choose(problem, given);
            EXPECT_FALSE(findFieldError(chosen, problem));
            EXPECT_FALSE(findResourceError(chosen, problem, machine()));
            EXPECT_EQ(*chosen.clusterM, clusterM.value_or(*chosen.ctaGroup));
            EXPECT_EQ(*chosen.clusterM % *chosen.ctaGroup, 0);
            ++completed;
          }
  EXPECT_GT(completed, 200);
}

// Unknown sizes count as 4096.
TEST(MatmulModel, UnknownSizes) {
  MatmulConfig unknown = choose({}), known = choose(sizes(4096, 4096, 4096));
  EXPECT_EQ(tileOf(unknown), tileOf(known));
  // The grid depends on the sizes when it runs.
  EXPECT_EQ(*unknown.sms, 148);
  EXPECT_EQ(*known.sms, 128);
}

// 256 x 256 of a pair, 64 elements along K: four instructions of 128 cycles;
// 128 + 128 rows of 128 bytes are read at 128 bytes per cycle and filled at 64.
TEST(MatmulModel, BlockOfAPair) {
  MatmulConfig config = choose(sizes(8192, 8192, 8192));
  Estimate e = estimate(config, sizes(8192, 8192, 8192), machine());
  EXPECT_EQ(e.block.mma, 512);
  EXPECT_EQ(e.block.smemRead, 256);
  EXPECT_EQ(e.block.fill, 512);
  EXPECT_EQ(e.block.loadLatency, (2000 + 512 + 512) / 6.0);
  EXPECT_EQ(e.block.bound, Bound::MatrixUnit);
  EXPECT_EQ(e.blocks, 128);
  // 1024 tiles on 74 pairs.
  EXPECT_EQ(e.tiles(), 1024);
  EXPECT_EQ(e.waves, 14);
  EXPECT_NEAR(e.busy, 0.988, 0.001);
  // Launch, load and cluster; the waves; the last epilogue of 256 columns: 4
  // cycles to read and convert and 4 to store 128 rows of bf16.
  EXPECT_EQ(e.cycles, 3000 + 14 * 128 * 512 + (500 + 256 * 8));
}

// Instructions narrower than 128 columns wait for their operands: 128x64 reads
// 128 + 64 rows of 32 bytes, 48 cycles instead of 32 (measured: 48.6).
TEST(MatmulModel, NarrowInstructionsWaitForOperands) {
  MatmulConfig given;
  given.tileN = 64;
  given.ctaGroup = 1;
  Estimate e = estimate(choose(sizes(4096, 4096, 4096), given),
                        sizes(4096, 4096, 4096), machine());
  EXPECT_EQ(e.block.smemRead, 4 * 48);
  EXPECT_EQ(e.block.mma, 4 * 32);
}

// Rows outside of A are filled with zeros, not loaded.
TEST(MatmulModel, OutsideIsNotLoaded) {
  MatmulConfig given;
  given.tileN = 64;
  given.ctaGroup = 1;
  MatmulProblem few = sizes(8, 4096, 4096);
  Estimate e = estimate(choose(few, given), few, machine());
  EXPECT_EQ(e.block.fill, (8 + 64) * 128 / 64);
}

static Estimate estimateWgmma(llvm::StringRef config,
                              const MatmulProblem &problem) {
  TextError error;
  std::optional<MatmulConfig> given = parseConfig(config, units(), error);
  EXPECT_TRUE(given) << error.message;
  Machine hopper = machine("sm_90a");
  return estimate(completeConfig(*given, problem, hopper), problem, hopper);
}

// Of clusters of four, 30 are resident on an H200: the grid has no more, and
// CTAs beyond them wait for a wave of their own.
TEST(MatmulModel, ResidentClusters) {
  MatmulProblem problem = sizes(8192, 8192, 8192);
  Machine hopper = machine("sm_90a");
  EXPECT_EQ(hopper.getResidentClusters(1), 132);
  EXPECT_EQ(hopper.getResidentClusters(2), 66);
  EXPECT_EQ(hopper.getResidentClusters(4), 30);
  EXPECT_EQ(hopper.getResidentClusters(6), 20);
  EXPECT_EQ(hopper.getResidentClusters(16), 7);
  EXPECT_EQ(machine().getResidentClusters(4), 37);
  MatmulConfig given;
  given.tileM = 128;
  given.tileN = 256;
  given.clusterM = given.clusterN = 2;
  // 512 clusters in 18 waves of 29.
  EXPECT_EQ(*completeConfig(given, problem, hopper).sms, 4 * 29);
  Estimate more = estimateWgmma("tile=128x256x64 cluster=2x2 sms=128", problem);
  EXPECT_EQ(more.launched, 120);
  EXPECT_EQ(more.waves, 18);
  given.clusterN = 1;
  EXPECT_EQ(*completeConfig(given, problem, hopper).sms, 128);
}

// A cluster of two shares the columns of B: fewer bytes are loaded, and a slot
// comes back later. Large products choose it, and then release slots late;
// those with one row of tiles do not.
TEST(MatmulModel, SharedLoads) {
  MatmulProblem problem = sizes(4096, 4096, 4096);
  const ModelConstants &constants = getWGMMAModel().getConstants();
  Estimate alone = estimateWgmma("tile=128x256x64 cluster=1x1", problem);
  Estimate shared =
      estimateWgmma("tile=128x256x64 cluster=2x1 late-release=off", problem);
  EXPECT_EQ(shared.loadedBytes * 3, alone.loadedBytes * 2);
  EXPECT_NEAR(shared.block.mma - alone.block.mma, constants.shareWait, 1e-6);
  EXPECT_NEAR(shared.block.loadLatency * 4 - alone.block.loadLatency * 4,
              constants.shareLatency + constants.shareWait +
                  constants.fillLag * (shared.block.fill - alone.block.fill),
              1e-6);
  Estimate late =
      estimateWgmma("tile=128x256x64 cluster=2x1 late-release=on", problem);
  EXPECT_EQ(late.block.mma, alone.block.mma);
  EXPECT_EQ(shared.setup - alone.setup, constants.pairLaunch);
  MatmulConfig large = completeConfig({}, problem, machine("sm_90a"));
  EXPECT_EQ(*large.clusterM, 2);
  EXPECT_TRUE(*large.lateRelease);
  EXPECT_EQ(
      *completeConfig({}, sizes(128, 4096, 7168), machine("sm_90a")).clusterM,
      1);
  MatmulConfig given;
  given.clusterM = given.clusterN = 1;
  EXPECT_EQ(*completeConfig(given, problem, machine("sm_90a")).clusterM, 1);
}

// Of two tiles one is stored while the other is multiplied: as many cycles as
// the longer of both multiplications, and one with its epilogue.
TEST(MatmulModel, TurnsOverlapTheEpilogue) {
  const ModelConstants &constants = getWGMMAModel().getConstants();
  for (int64_t k : {256, 4096}) {
    MatmulProblem problem = sizes(4096, 4096, k);
    Estimate e = estimateWgmma(
        "tile=128x128x64 cluster=1x1 epilogue=direct roles=ping-pong", problem);
    double compute =
        e.waves * std::max(e.mainloop, (e.mainloop + e.epilogue) / 2) +
        e.epilogue;
    EXPECT_EQ(e.epilogue > e.mainloop, k == 256);
    EXPECT_GE(e.cycles, e.setup + compute);
    Estimate together =
        estimateWgmma("tile=128x128x64 cluster=1x1 epilogue=direct", problem);
    EXPECT_EQ(e.block.smemRead, together.block.smemRead);
    EXPECT_EQ(e.block.mma, together.block.mma);
    Estimate waiting =
        estimateWgmma("tile=128x128x64 cluster=1x1 stages=4 roles=ping-pong "
                      "late-release=off",
                      problem);
    EXPECT_EQ(waiting.block.mma, together.block.mma + constants.loneWait);
    // A slot more is multiplied, and nobody waits before it is released.
    Estimate late = estimateWgmma(
        "tile=128x128x64 cluster=1x1 stages=4 roles=ping-pong", problem);
    Estimate shorter =
        estimateWgmma("tile=128x128x64 cluster=1x1 stages=3", problem);
    EXPECT_NEAR(shorter.block.loadLatency - late.block.loadLatency,
                constants.releaseWait / 3, 1e-6);
  }
}

// Loads of a tile run beside the epilogue of the one before, as many as there
// are slots: these K-blocks take the time of their products.
TEST(MatmulModel, LoadsOverlapTheEpilogue) {
  auto saved = [](const Estimate &e) {
    return e.blocks * e.block.total - e.mainloop;
  };
  MatmulProblem problem = sizes(4096, 4096, 1024);
  Estimate deep =
               estimateWgmma("tile=128x128x64 cluster=1x1 stages=4", problem),
           flat =
               estimateWgmma("tile=128x128x64 cluster=1x1 stages=2", problem);
  EXPECT_GT(saved(deep), 0);
  EXPECT_LT(saved(flat), 2 * flat.block.total);
  // The first wave has none before it.
  EXPECT_EQ(saved(estimateWgmma("tile=128x128x64 cluster=1x1 stages=4",
                                sizes(1024, 1024, 1024))),
            0);
}

// An instruction takes the time of a multiple of 16 columns.
TEST(MatmulModel, ColumnsInSteps) {
  MatmulProblem problem = sizes(128, 4096, 7168);
  EXPECT_EQ(estimateWgmma("tile=128x40x64", problem).block.mma,
            estimateWgmma("tile=128x48x64", problem).block.mma);
  EXPECT_LT(estimateWgmma("tile=128x48x64", problem).block.mma,
            estimateWgmma("tile=128x56x64", problem).block.mma);
}

// The last wave of CTAs loads less at a time; a counter keeps tiles in their
// order, so that less is read again.
TEST(MatmulModel, WavesShareTheCache) {
  MatmulProblem problem = sizes(8192, 8192, 8192);
  Estimate waves = estimateWgmma("tile=64x64x64 cluster=1x1", problem),
           counter = estimateWgmma(
               "tile=64x64x64 cluster=1x1 scheduler=counter sms=132", problem);
  EXPECT_LT(counter.dram, waves.dram);
  EXPECT_LT(counter.working, counter.launched);
  EXPECT_EQ(counter.working, double(counter.tiles()) / counter.waves);
}

// Rows below A and columns beside B are filled with zeros, which takes longer
// than loading them; all multiprocessors share the path.
TEST(MatmulModel, OutsideIsFilledSlowly) {
  const ModelConstants &constants = getWGMMAModel().getConstants();
  auto fill = [](llvm::StringRef config, int64_t m, int64_t n) {
    return estimateWgmma(config, sizes(m, n, 4096)).block.fill;
  };
  EXPECT_NEAR(fill("tile=256x64x64 cluster=1x1", 128, 4096),
              (128 + 64) * 128 / constants.fillBytes +
                  64 * 128. * 128 / constants.outsideBytes,
              1e-6);
  // In the mean over its tiles, and of a cluster as a whole.
  EXPECT_NEAR(fill("tile=64x192x64 cluster=1x2", 2048, 2048),
              (32 + 192) * 128 / constants.fillBytes +
                  128 * (12 * 192 - 2048) / 12. * 128 / constants.outsideBytes,
              1e-6);
}

// Operands that the L2 cache holds are not read again.
TEST(MatmulModel, MissesOfTheCache) {
  auto getDram = [](int64_t size) {
    Estimate e = estimateWgmma("tile=64x64x64", sizes(size, size, size));
    return e.dram * getWGMMAModel().getConstants().dramBytes /
           (double(size) * size * 6);
  };
  EXPECT_LT(getDram(2048), 1.4);
  EXPECT_GT(getDram(8192), 3);
}

// As few CTAs as finish in as many waves: 256 tiles on 74 pairs are 4 waves, of
// 64 pairs.
TEST(MatmulModel, EvenGrid) {
  EXPECT_EQ(*choose(sizes(4096, 4096, 4096)).sms, 128);
  EXPECT_EQ(*choose(sizes(8192, 8192, 8192)).sms, 148);
  // One wave is as even as it can be.
  EXPECT_EQ(*choose(sizes(512, 512, 512)).sms, 148);
  MatmulConfig given;
  given.sms = 148;
  EXPECT_EQ(*choose(sizes(4096, 4096, 4096), given).sms, 148);
}

// Bands of tiles near a square: 8 x 10 tiles of 256 x 256, 16 x 10 of 128 x
// 256.
TEST(MatmulModel, Raster) {
  EXPECT_EQ(*choose(sizes(8192, 8192, 8192)).raster, 8);
  MatmulConfig given;
  given.ctaGroup = 1;
  given.tileN = 256;
  EXPECT_EQ(*choose(sizes(8192, 8192, 8192), given).raster, 16);
}

// With one row of tiles B is read once and A by every tile; with one column it
// is the other way round.
TEST(MatmulModel, CacheHints) {
  MatmulConfig row = choose(sizes(128, 7168, 2048));
  EXPECT_EQ(row.cacheHintA, CacheHint::evict_last);
  EXPECT_EQ(row.cacheHintB, CacheHint::evict_first);
  MatmulConfig column = choose(sizes(65536, 16, 4096));
  EXPECT_EQ(column.cacheHintA, CacheHint::evict_first);
  EXPECT_EQ(column.cacheHintB, CacheHint::evict_last);
  MatmulProblem batch = sizes(128, 7168, 2048);
  batch.batch = 4;
  for (MatmulProblem problem :
       {sizes(8192, 8192, 8192), sizes(8, 16, 8), batch}) {
    EXPECT_EQ(choose(problem).cacheHintA, CacheHint::none);
    EXPECT_EQ(choose(problem).cacheHintB, CacheHint::none);
  }
}

// With wgmma the most CTAs of those within 5 %, whose loads are on the way
// together, and a band of clusters is as tall as one of tiles.
TEST(MatmulModel, FullestOfHopper) {
  Machine hopper = machine("sm_90a");
  MatmulConfig whole;
  whole.splitK = 1;
  std::vector<Candidate> all =
      rankCandidates(whole, sizes(128, 4096, 7168), hopper);
  ASSERT_GT(all.size(), 2u);
  EXPECT_EQ(countBusyCtas(all[0]), 103);
  EXPECT_EQ(countBusyCtas(all[1]), 86);
  EXPECT_LE(all[0].estimate.cycles, all[1].estimate.cycles * 1.05);
  for (const Candidate &other : all) {
    if (other.estimate.cycles <= all[1].estimate.cycles * 1.05) {
      EXPECT_LE(countBusyCtas(other), countBusyCtas(all[0]));
    }
  }
  auto raster = [&](int64_t m, int64_t n) {
    MatmulConfig given;
    given.clusterM = m;
    given.clusterN = n;
    return *completeConfig(given, sizes(8192, 8192, 8192), hopper).raster;
  };
  EXPECT_EQ(raster(1, 1), 16);
  EXPECT_EQ(raster(1, 2), 16);
  EXPECT_EQ(raster(2, 1), 8);
}

// A matrix times few columns moves A once and computes little.
TEST(MatmulModel, GlobalMemoryBinds) {
  MatmulProblem thin = sizes(65536, 16, 4096);
  Estimate e = estimate(choose(thin), thin, machine());
  EXPECT_EQ(e.bound, Bound::Dram);
  // 512 MiB of A, 128 KiB of B and 2 MiB of D at 3695 bytes per cycle.
  EXPECT_NEAR(e.dram, (536870912.0 + 131072 + 2097152) / 3695, 1);
}

// What is given stays, what is chosen fits, and the first one is the choice.
TEST(MatmulModel, Candidates) {
  MatmulProblem problem = sizes(4096, 4096, 4096);
  std::vector<Candidate> all = rankCandidates({}, problem, machine());
  ASSERT_GT(all.size(), 10u);
  for (const Candidate &candidate : all) {
    EXPECT_EQ(findFieldError(candidate.config, problem), std::nullopt);
    EXPECT_EQ(findResourceError(candidate.config, problem, machine()),
              std::nullopt);
  }
  for (size_t i = 2; i < all.size(); ++i)
    EXPECT_LE(all[i - 1].estimate.cycles, all[i].estimate.cycles);
  // Within 5 % of the fastest, the choice loads the fewest bytes.
  for (const Candidate &other : all) {
    EXPECT_LE(all[0].estimate.cycles, other.estimate.cycles * 1.05);
    if (other.estimate.cycles < all[0].estimate.cycles) {
      EXPECT_LE(all[0].estimate.loadedBytes, other.estimate.loadedBytes);
    }
  }
  MatmulConfig given;
  given.stages = 3;
  given.tileN = 128;
  given.ctaGroup = 1;
  std::vector<Candidate> one = rankCandidates(given, problem, machine());
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].config.stages, 3);
  EXPECT_EQ(tileOf(one[0].config), "128x128");
}

// More work never costs less; a ring hides the latency of loads, one slot less
// of it without roles; a second accumulator hides the epilogue with roles only.
TEST(MatmulModel, Monotonic) {
  MatmulConfig given;
  given.tileN = 128;
  given.ctaGroup = 1;
  given.stages = 1;
  given.accumulatorStages = 1;
  given.sms = 148;
  MatmulConfig config = choose(sizes(4096, 4096, 4096), given);
  auto cycles = [&](const MatmulConfig &config, MatmulProblem problem) {
    return estimate(config, problem, machine()).cycles;
  };
  MatmulProblem cube = sizes(4096, 4096, 4096);
  double base = cycles(config, cube);
  EXPECT_LT(cycles(config, sizes(4096, 4096, 2048)), base);
  EXPECT_LT(cycles(config, sizes(2048, 4096, 4096)), base);
  MatmulConfig deeper = config;
  deeper.stages = 4;
  EXPECT_LT(cycles(deeper, cube), base);
  MatmulConfig overlapped = deeper;
  overlapped.accumulatorStages = 2;
  EXPECT_LT(cycles(overlapped, cube), cycles(deeper, cube));
  double withRoles = cycles(deeper, cube);
  for (MatmulConfig *serial : {&config, &deeper, &overlapped})
    serial->roles = Roles::none;
  EXPECT_LT(cycles(deeper, cube), cycles(config, cube));
  EXPECT_GT(cycles(deeper, cube), withRoles);
  EXPECT_EQ(cycles(overlapped, cube), cycles(deeper, cube));
}

TEST(MatmulModel, EmptyProblems) {
  for (auto [m, n, k] : {std::tuple(0, 16, 8), {16, 0, 8}, {16, 16, 0}}) {
    MatmulProblem problem = sizes(m, n, k);
    Estimate e = estimate(choose(problem), problem, machine());
    EXPECT_GE(e.cycles, 0);
    EXPECT_EQ(e.tiles() > 0, m && n);
  }
}

// Twice the K for an instruction of the same time (PTX ISA 9.4, "Matrix
// Shape"): half the cycles of the matrix unit for a K-block, and two
// accumulators of 256 columns beside factors of one K-block. Of bf16 nothing
// changes.
TEST(MatmulModel, RubinMultipliesTwiceAsMuch) {
  struct Row {
    MmaKindFacts kind;
    int64_t bits, tileK, narrow, wide;
  };
  for (auto [kind, bits, tileK, narrow, wide] :
       {Row{MmaKindFacts::F16, 16, 64, 16, 16},
        Row{MmaKindFacts::F8F6F4, 8, 128, 32, 64},
        Row{MmaKindFacts::MXF8F6F4, 8, 128, 32, 64},
        Row{MmaKindFacts::MXF4NVF4, 4, 256, 64, 128}}) {
    MatmulProblem problem = sizes(4096, 4096, 4096);
    problem.kind = kind;
    problem.inputBits = bits;
    MatmulConfig config = tcgen05Config();
    config.tileM = 256;
    config.tileN = 256;
    config.tileK = tileK;
    config.ctaGroup = 2;
    config.swizzle = 128;
    config.roles = Roles::specialized;
    limitToMachine(problem, machine());
    EXPECT_EQ((*config.unit)->getInstructionK(config, problem), narrow);
    limitToMachine(problem, machine("sm_107f"));
    EXPECT_EQ((*config.unit)->getInstructionK(config, problem), wide);
    (*config.unit)->chooseStages(config, problem, machine("sm_107f"));
    EXPECT_EQ(config.accumulatorStages, 2);
    if (kind == MmaKindFacts::MXF4NVF4) {
      EXPECT_EQ(config.scaleStages, 1);
      EXPECT_EQ(getTmemBudget(config, problem).used(), 560);
      EXPECT_EQ(getTmemBudget(config, problem).allocated, 576);
    }
    // 64 rows in a CTA multiply as elsewhere.
    config.ctaGroup = 1;
    config.tileM = 64;
    EXPECT_EQ((*config.unit)->getInstructionK(config, problem), narrow);
  }
}
