//===- UnitModel.cpp - a matrix unit to a configuration ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What units have in common where they do not say otherwise.
//
//===----------------------------------------------------------------------===//

#include "tc/Schedule/UnitModel.h"

#include "tc/Schedule/MatmulModel.h"
#include "tc/Support/Units.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace tc;
using namespace tc::schedule;

//===----------------------------------------------------------------------===//
// MatrixUnit
//===----------------------------------------------------------------------===//

llvm::StringRef MatrixUnit::getName() const { return model->getFacts().name; }

std::optional<MatrixUnit> UnitRegistry::find(llvm::StringRef name) const {
  const MatrixUnit *found = llvm::find_if(
      units, [&](MatrixUnit unit) { return unit.getName() == name; });
  if (found == units.end())
    return std::nullopt;
  return *found;
}

llvm::SmallVector<std::string> UnitRegistry::getNames() const {
  return llvm::map_to_vector(
      units, [](MatrixUnit unit) { return unit.getName().str(); });
}

llvm::SmallVector<MatrixUnit, 2>
UnitRegistry::getUnitsOf(const TargetFacts &target) const {
  llvm::SmallVector<MatrixUnit, 2> result;
  llvm::copy_if(units, std::back_inserter(result),
                [&](MatrixUnit unit) { return unit->isOn(target); });
  return result;
}

//===----------------------------------------------------------------------===//
// UnitModel
//===----------------------------------------------------------------------===//

UnitModel::~UnitModel() = default;

int64_t UnitModel::getSumFractionBits(MmaKindFacts) const {
  return kSumFractionBits;
}

int64_t UnitModel::getMinRead(const MatmulConfig &,
                              const MatmulProblem &problem) const {
  return getInstructionN(problem.kind, /*ctaGroup=*/1).first;
}

UnitModel::Error UnitModel::findOperandError(const MatmulProblem &,
                                             const Machine &) const {
  return std::nullopt;
}

int64_t UnitModel::getWarpRows(int64_t, int64_t) const { return kMmaSyncM; }

int64_t UnitModel::getInstructionK(const MatmulConfig &,
                                   const MatmulProblem &problem) const {
  return getMmaK(problem.kind) * (problem.isSparse ? 2 : 1);
}

TmemBudget UnitModel::getTmemBudget(const MatmulConfig &,
                                    const MatmulProblem &) const {
  return {0, 0, 0, 0};
}

int64_t UnitModel::getBarriers(const MatmulConfig &,
                               const MatmulProblem &) const {
  return 0;
}

UnitModel::Error UnitModel::findMemoryError(const MatmulConfig &,
                                            const MatmulProblem &,
                                            const Machine &) const {
  return std::nullopt;
}

int64_t UnitModel::getUsualTileM(const MatmulConfig &config,
                                 const MatmulProblem &problem) const {
  const int64_t group = config.ctaGroup.value_or(1);
  // Rows beyond those of D cost slots of the ring and registers.
  bool isSkinny = group == 1 && hasHalfTile(problem, config) &&
                  problem.m.value_or(kTypicalSize) <= kHalfTileM;
  return isSkinny ? kHalfTileM : 2 * kHalfTileM * group;
}
