//===- UnitConfigTest.cpp - configurations of each unit ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the units and chips allow, and choices for accumulators in registers.
//
//===----------------------------------------------------------------------===//

#include "Problems.h"

#include "tc/Schedule/MatmulModel.h"

#include "gtest/gtest.h"

using namespace tc;
using namespace tc::schedule;

// What a chip has comes from its facts, what is lowered from the unit's row.
TEST(MatmulConfig, UnitsAndChips) {
  MatmulProblem problem = sizes(4096, 4096, 4096);
  Machine hopper = machine("sm_90a");
  EXPECT_EQ(machine().sms, 148);
  EXPECT_EQ(hopper.sms, 132);
  EXPECT_EQ(hopper.tmemColumns, 0);
  MatmulConfig config;
  EXPECT_EQ(findConfigError(config, problem, machine()), std::nullopt);
  config.unit = MatrixUnit(getWGMMAModel());
  EXPECT_EQ(findConfigError(config, problem, machine()),
            "unit of wgmma: expected tcgen05 or mma-sync, what the chip has");
  for (const TargetFacts &target : getTargets())
    for (MatrixUnit unit : units().getUnitsOf(target))
      EXPECT_EQ(units().find(unit.getName()), unit);
  problem.kind = MmaKindFacts::TF32;
  problem.inputBits = 32;
  EXPECT_EQ(findConfigError(MatmulConfig(), problem, machine()), std::nullopt);
  // wgmma reads elements of 32 bits adjacent along K alone, which threads turn,
  // and none unpacked.
  MatmulConfig turned;
  turned.unit = MatrixUnit(getWGMMAModel());
  problem.transposeB = false;
  EXPECT_EQ(getLoadA(turned, problem), LoadEngine::tma);
  EXPECT_EQ(getLoadB(turned, problem), LoadEngine::cp_async);
  EXPECT_EQ(getLoadB(tcgen05Config(), problem), LoadEngine::tma);
  turned.loadB = LoadEngine::tma;
  EXPECT_EQ(findConfigError(turned, problem, hopper),
            "load-b of tma: expected cp-async or threads, unit wgmma reads "
            "elements of 32 bits adjacent along K, and TMA keeps the order");
  turned.loadB = std::nullopt;
  problem.transposeB = true;
  EXPECT_EQ(getLoadB(turned, problem), LoadEngine::tma);
  problem.transposeA = true;
  EXPECT_EQ(getLoadA(turned, problem), LoadEngine::cp_async);
  problem.kind = MmaKindFacts::F8F6F4;
  problem.inputBits = 8;
  EXPECT_EQ(getLoadA(turned, problem), LoadEngine::threads);
  turned.loadA = LoadEngine::tma;
  EXPECT_EQ(findConfigError(turned, problem, hopper),
            "load-a of tma: expected threads, unit wgmma reads elements of 8 "
            "bits adjacent along K, and TMA keeps the order");
  turned.loadA = LoadEngine::cp_async;
  EXPECT_EQ(findConfigError(turned, problem, hopper),
            "load-a of cp-async: expected threads, the copies of cp.async are "
            "4 bytes or more, and unit wgmma reads single elements of 1");
  problem.transposeA = false;
  EXPECT_EQ(findConfigError(MatmulConfig(), problem, hopper), std::nullopt);
  problem.isUnpacked = true;
  EXPECT_TRUE(findConfigError(MatmulConfig(), problem, hopper));
  MatmulConfig stealing;
  stealing.scheduler = TileScheduler::clc;
  EXPECT_TRUE(findConfigError(stealing, sizes(64, 64, 64), hopper));
}

// An accumulator in registers: no Tensor Memory, one for each role, rows by
// warpgroups, and as many columns as the registers of a thread can hold.
TEST(MatmulConfig, AccumulatorsInRegisters) {
  Machine hopper = machine("sm_90a");
  MatmulProblem problem = sizes(4096, 4096, 4096);
  auto complete = [&](MatmulConfig given) {
    EXPECT_EQ(findConfigError(given, problem, hopper), std::nullopt);
    return completeConfig(given, problem, hopper);
  };
  MatmulConfig chosen = complete({});
  EXPECT_EQ(chosen.unit, MatrixUnit(getWGMMAModel()));
  EXPECT_EQ(chosen.ctaGroup, 1);
  EXPECT_EQ(chosen.accumulatorStages, 1);
  // As many columns as a row of a store buffer has.
  EXPECT_EQ(chosen.epilogue, Epilogue::tma_store);
  EXPECT_EQ(*chosen.epilogueSubtile * problem.outputBits, 128 * 8);
  EXPECT_EQ(findResourceError(chosen, problem, hopper), std::nullopt);
  SmemBudget budget = getSmemBudget(chosen, problem);
  EXPECT_EQ(budget.tmemSlot, 0);
  EXPECT_EQ(budget.barriers, 16 * *chosen.stages);
  EXPECT_EQ(getTmemBudget(chosen, problem).allocated, 0);

  MatmulConfig given;
  for (int64_t rows : {64, 128, 192, 256}) {
    given.tileM = rows;
    given.tileN = 64;
    chosen = complete(given);
    EXPECT_EQ(getThreads(chosen, problem), 2 * rows + 32);
    EXPECT_EQ(findResourceError(chosen, problem, hopper), std::nullopt);
  }
  given.unit = MatrixUnit(getWGMMAModel());
  given.tileM = 100;
  EXPECT_EQ(findConfigError(given, problem, hopper),
            "tile M of 100: expected 64, 128, 192 or 256, 64 rows for each "
            "warpgroup, nearest 128");
  given.tileM = 256;
  given.tileN = 256;
  EXPECT_EQ(findResourceError(completeConfig(given, problem, hopper), problem,
                              hopper),
            "expected at most 96 registers for each of 544 threads, got about "
            "155 (128 of them for the accumulator); choose a smaller tile M or "
            "tile N");
  MatmulConfig moved;
  moved.epilogueRegisters = 160;
  // Three warps without work complete the warpgroup of the one that loads.
  EXPECT_EQ(findConfigError(moved, problem, hopper), std::nullopt);
  EXPECT_EQ(getThreads(complete(moved), problem) % kWarpgroupThreads, 0);
  MatmulConfig pair;
  pair.ctaGroup = 2;
  EXPECT_EQ(findConfigError(pair, problem, hopper),
            "cta-group of 2: expected 1, no instruction of wgmma spans more "
            "CTAs");
  MatmulConfig two;
  two.accumulatorStages = 2;
  EXPECT_EQ(findConfigError(two, problem, hopper),
            "accumulator-stages of 2: expected 1, as the accumulator is in the "
            "registers of the MMA warps");
  MatmulConfig alone;
  alone.roles = Roles::none;
  EXPECT_EQ(
      findConfigError(alone, problem, hopper),
      "roles of none: expected specialized or ping-pong, nothing lowers it "
      "for wgmma");
}

// A warpgroup for each of two tiles, which has all of its rows, its own store
// buffers, and a slot in the order of turns.
TEST(MatmulConfig, PingPong) {
  Machine hopper = machine("sm_90a");
  MatmulProblem problem = sizes(4096, 4096, 4096);
  auto complete = [&](llvm::StringRef fields) {
    TextError error;
    std::optional<MatmulConfig> given = parseConfig(fields, units(), error);
    EXPECT_TRUE(given) << error.message;
    return completeConfig(*given, problem, hopper);
  };
  MatmulConfig together = complete("tile=128x128x64 stages=4");
  MatmulConfig turns = complete("tile=128x128x64 stages=4 roles=ping-pong");
  EXPECT_EQ(getThreads(together, problem), 288);
  EXPECT_EQ(getThreads(turns, problem), 288);
  EXPECT_EQ(getRegisterEstimate(together, problem), 64 + 27);
  EXPECT_EQ(getRegisterEstimate(turns, problem), 128 + 27);
  SmemBudget one = getSmemBudget(together, problem);
  SmemBudget two = getSmemBudget(turns, problem);
  EXPECT_EQ(two.storeRing, 2 * one.storeRing);
  EXPECT_EQ(two.barriers, one.barriers + 32);
  EXPECT_EQ(two.stage(), one.stage());
  for (int64_t rows : {64, 128, 192, 256}) {
    MatmulConfig tile =
        complete("tile=" + std::to_string(rows) + "x32x64 roles=ping-pong");
    EXPECT_EQ(getThreads(tile, problem), 288);
    EXPECT_EQ(findResourceError(tile, problem, hopper), std::nullopt);
  }
  EXPECT_EQ(
      findResourceError(complete("tile=128x256x64 roles=ping-pong"), problem,
                        hopper),
      "expected at most 168 registers for each of 288 threads, got about 283 "
      "(256 of them for the accumulator, of which each of those that take "
      "turns "
      "has one); choose roles=specialized, or a smaller tile M or tile N");
  EXPECT_EQ(
      findResourceError(complete("tile=256x256x64 roles=ping-pong"), problem,
                        hopper),
      "expected at most 168 registers for each of 288 threads, got about 539 "
      "(512 of them for the accumulator, of which each of those that take "
      "turns "
      "has one); choose a smaller tile M or tile N");
  EXPECT_EQ(
      findResourceError(complete("tile=128x128x64 stages=6 store-stages=2 "
                                 "roles=ping-pong"),
                        problem, hopper),
      "expected at most 232448 bytes of shared memory, got 263280 (6 "
      "stages of 32768, 65536 of store buffers, 128 of barriers, 1008 of "
      "alignment); at most 5 stages fit this tile");
  // The slot of a K-block is released when the next one is multiplied, if there
  // is another slot.
  EXPECT_EQ(turns.lateRelease, true);
  EXPECT_EQ(complete("tile=128x128x64 cluster=1x1").lateRelease, std::nullopt);
  EXPECT_EQ(complete("tile=128x128x64 cluster=2x1 stages=3").lateRelease,
            std::nullopt);
  EXPECT_EQ(complete("tile=128x128x64 cluster=2x1 stages=4").lateRelease, true);
  EXPECT_EQ(complete("tile=128x128x64 stages=1 roles=ping-pong").lateRelease,
            false);
  MatmulConfig other;
  other.roles = Roles::ping_pong;
  EXPECT_EQ(findConfigError(other, problem, machine()),
            "roles of ping-pong: expected none or specialized, nothing lowers "
            "it for tcgen05");
  EXPECT_EQ(findConfigError(other, problem, machine("sm_120a")),
            "roles of ping-pong: expected specialized, nothing lowers it for "
            "mma-sync");
}
