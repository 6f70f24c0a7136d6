//===- ResourceErrors.cpp - what the machine can hold -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a configuration exceeds the registers, Tensor Memory or shared memory of
// a multiprocessor, and what fits instead.
//
//===----------------------------------------------------------------------===//

#include "ConfigFacts.h"

#include "tc/Support/Target.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tc;
using namespace tc::schedule;

using Error = std::optional<std::string>;

std::string tc::schedule::counted(int64_t number, const std::string &what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

int64_t tc::schedule::getThreadRegisters(const MatmulConfig &config,
                                         const MatmulProblem &problem,
                                         const Machine &machine) {
  // A quarter of the registers is for every fourth warp: a warpgroup that is
  // not complete takes as many as a whole one, for ptxas too.
  int64_t whole = llvm::alignTo(getThreads(config, problem), kWarpgroupThreads);
  return std::min(machine.threadRegisters, machine.registers / whole / 8 * 8);
}

FetchTime tc::schedule::getFetchTime(const MatmulConfig &config,
                                     const MatmulProblem &problem,
                                     const Machine &machine, int64_t bits,
                                     bool hasTails) {
  int64_t rows = getUnit(config)->getWarpRows(*config.tileM, *config.tileN);
  int64_t ahead = *config.epilogueSubtile * rows / kWarpThreads * bits / 32;
  int64_t left = getThreadRegisters(config, problem, machine) -
                 getRegisterEstimate(config, problem);
  // What is stored of the accumulator makes room for what comes later. ptxas
  // 13.0 takes 168 registers of 168 for 128x256x64 and 16 bits of each element,
  // early or not, and spills none; where some may be outside, it spills 40
  // bytes, and with vectors besides 36 if they are early.
  if (hasTails ? ahead > left : ahead / 2 > left)
    return FetchTime::Late;
  return !hasTails && ahead * 3 / 4 <= left ? FetchTime::Early
                                            : FetchTime::Ahead;
}

std::optional<std::string>
tc::schedule::findThreadRegisterError(const MatmulConfig &config,
                                      const MatmulProblem &problem,
                                      const Machine &machine) {
  int64_t threads = getThreads(config, problem);
  int64_t most = getThreadRegisters(config, problem, machine);
  if (int64_t registers = config.epilogueRegisters.value_or(0)) {
    int64_t launched = getLaunchRegisters(config, problem);
    if (launched > most)
      return "expected at most " + std::to_string(most) +
             " registers for each of " + std::to_string(threads) +
             " threads at launch, got " + std::to_string(launched) +
             " (epilogue-registers of " + std::to_string(registers) +
             "); choose fewer rows or fewer epilogue registers";
    most = registers;
  }
  return getUnit(config)->findRegisterError(config, problem, machine, most);
}

std::optional<std::string>
tc::schedule::findResourceError(const MatmulConfig &config,
                                const MatmulProblem &whole,
                                const Machine &machine) {
  const MatmulProblem problem = getKernelProblem(config, whole);
  if (Error error = getUnit(config)->findMemoryError(config, problem, machine))
    return error;

  if (Error error = findThreadRegisterError(config, problem, machine))
    return error;

  SmemBudget budget = getSmemBudget(config, problem);
  if (budget.total <= machine.smemBytes)
    return std::nullopt;
  std::string error =
      "expected at most " + std::to_string(machine.smemBytes) +
      " bytes of shared memory, got " + std::to_string(budget.total) + " (" +
      counted(*config.stages, "stage") + " of " +
      std::to_string(budget.stage()) + ", " +
      (budget.storeRing
           ? std::to_string(budget.storeRing) + " of store buffers, "
           : "") +
      (budget.answers ? std::to_string(budget.answers) + " of answers, " : "") +
      std::to_string(budget.barriers) + " of barriers, " +
      std::to_string(budget.alignment) + " of alignment" +
      (budget.tmemSlot ? ", " + std::to_string(budget.tmemSlot) +
                             " for the address of Tensor Memory"
                       : "") +
      "); ";
  // The nearest configuration that fits: fewer stages, else a narrower tile.
  int64_t excess = budget.total - machine.smemBytes;
  int64_t fit = *config.stages - (excess - 1) / budget.nextStage - 1;
  if (fit >= 1)
    return error + "at most " + counted(fit, "stage") +
           (fit == 1 ? " fits" : " fit") + " this tile";
  MatmulConfig smaller = config;
  smaller.stages = 1;
  ExtentRange range = getTileN(problem, config);
  for (int64_t n = *config.tileN - range.step; n >= range.first;
       n -= range.step) {
    smaller.tileN = n;
    if (getSmemBudget(smaller, problem).total <= machine.smemBytes)
      return error + "with one stage, tile N of at most " + std::to_string(n) +
             " fits";
  }
  return error + "choose a smaller tile K";
}
