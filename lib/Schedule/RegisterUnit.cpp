//===- RegisterUnit.cpp - accumulators in registers -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What units have in common whose accumulator is in the registers of the warps
// that multiply.
//
//===----------------------------------------------------------------------===//

#include "ConfigFacts.h"

#include "tc/Schedule/UnitModel.h"

#include "llvm/ADT/STLExtras.h"

using namespace tc;
using namespace tc::schedule;

/// The least rows of a tile: those of a warpgroup with 16 for each warp.
static constexpr int64_t kLeastRows = 64;

std::vector<int64_t>
RegisterUnitModel::getTileM(const MatmulConfig &,
                            const MatmulProblem &problem) const {
  std::vector<int64_t> rows = {kLeastRows, 2 * kLeastRows, 3 * kLeastRows,
                               4 * kLeastRows};
  // Tiles start where blocks of scale factors do.
  if (isBlockScaled(problem.kind))
    llvm::erase_if(rows, [](int64_t m) { return m % kScaleRows != 0; });
  return rows;
}

std::string
RegisterUnitModel::explainTileM(const MatmulConfig &,
                                const MatmulProblem &problem) const {
  return isBlockScaled(problem.kind) ? "rows of blocks of scale factors"
                                     : "64 rows for each warpgroup";
}

UnitModel::Error
RegisterUnitModel::findFieldError(const MatmulConfig &config,
                                  const MatmulProblem &problem) const {
  if (Error error =
          findFixedError("accumulator-stages", config.accumulatorStages, 1,
                         "as the accumulator is in the registers of the MMA "
                         "warps"))
    return error;
  if (config.scaleStages && (isBlockScaled(problem.kind) || problem.isSparse))
    return mismatch("scale-stages", std::to_string(*config.scaleStages),
                    "none, unit " + spellKey(getFacts().name) +
                        " reads scale factors where they arrive");
  return std::nullopt;
}

int64_t RegisterUnitModel::getHeldRows(const MatmulConfig &config) const {
  int64_t rows = config.tileM.value_or(kLeastRows);
  // A warpgroup holds the whole tile of its turn.
  if (getTurns(config.roles) > 1)
    return rows * kWarpThreads / kWarpgroupThreads;
  return getWarpRows(rows, config.tileN.value_or(kLeastRows));
}

int64_t
RegisterUnitModel::getAccumulatorThreads(const MatmulConfig &config) const {
  return getTurns(config.roles) * config.tileM.value_or(kLeastRows) /
         getHeldRows(config) * kWarpThreads;
}

int64_t RegisterUnitModel::getOperandRegisters(const MatmulConfig &,
                                               const MatmulProblem &) const {
  return 0;
}

int64_t
RegisterUnitModel::getRegisterEstimate(const MatmulConfig &config,
                                       const MatmulProblem &problem) const {
  int64_t columns = config.epilogueSubtile.value_or(0);
  int64_t carried = problem.carriesSubtile ? columns : 0;
  // Of 64 rows of a warpgroup a thread has half a row. Beside sums of K-blocks
  // the subtile is a second accumulator.
  int64_t rows = getHeldRows(config);
  if (problem.promotedK)
    return (2 * *config.tileN + carried + columns * problem.outputBits / 32) *
               rows / kWarpThreads +
           kAddressRegisters;
  // Counted in what ptxas 13.0 takes: what is stored takes the registers of the
  // sums that it is made of.
  constexpr int64_t kOthers = 27;
  return (*config.tileN + carried) * rows / kWarpThreads +
         getOperandRegisters(config, problem) + kOthers;
}

UnitModel::Error RegisterUnitModel::findRegisterError(
    const MatmulConfig &config, const MatmulProblem &problem,
    const Machine &machine, int64_t most) const {
  int64_t estimate = getRegisterEstimate(config, problem);
  if (estimate <= most)
    return std::nullopt;
  MatmulConfig direct = config, together = config;
  direct.epilogue = Epilogue::direct;
  together.roles = Roles::specialized;
  bool isInTurns = getTurns(config.roles) > 1;
  return "expected at most " + std::to_string(most) +
         " registers for each of " +
         std::to_string(getThreads(config, problem)) + " threads, got about " +
         std::to_string(estimate) + " (" +
         std::to_string(*config.tileN * getHeldRows(config) / kWarpThreads) +
         " of them for the accumulator" +
         (isInTurns ? ", of which each of those that take turns has one" : "") +
         "); choose " +
         (getRegisterEstimate(direct, problem) <= most ? "epilogue=direct"
          : isInTurns && !findThreadRegisterError(together, problem, machine)
              ? "roles=specialized, or a smaller tile M or tile N"
              : "a smaller tile M or tile N");
}

void RegisterUnitModel::chooseStages(MatmulConfig &config,
                                     const MatmulProblem &,
                                     const Machine &) const {
  if (!config.accumulatorStages)
    config.accumulatorStages = 1;
}

int64_t
RegisterUnitModel::getWidestSubtile(const MatmulProblem &problem) const {
  // It takes no more registers: as many columns as a row of a swizzled store
  // buffer has.
  return 8 * kDefaultSwizzle / problem.outputBits;
}

BlockWork RegisterUnitModel::getBlockWork(const MatmulConfig &config) const {
  // Of those that take turns one multiplies.
  return {double(*config.tileM / getInstructionM()),
          getTurns(config.roles) > 1 ? 1 : *config.tileM / kLeastRows,
          getReaders(config)};
}

int64_t RegisterUnitModel::getEpilogueRows(const MatmulConfig &config) const {
  return *config.tileM;
}
