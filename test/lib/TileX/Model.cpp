//===- Model.cpp - tile engine X to configurations --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One tile M, steps of N of its own, no kinds but f16 and bf16, and constants
// that are made up.
//
//===----------------------------------------------------------------------===//

#include "TileX.h"

#include "tc/Schedule/UnitModel.h"

using namespace tc;
using namespace tc::schedule;

namespace {

class TileXModel : public RegisterUnitModel {
public:
  const UnitFacts &getFacts() const override;
  const ModelConstants &getConstants() const override;
  bool isOn(const TargetFacts &target) const override {
    return target.chip == "sm_121a";
  }

  ExtentRange getInstructionN(MmaKindFacts, int64_t) const override {
    return {32, 96, 32};
  }
  std::vector<int64_t> getTileM(const MatmulConfig &,
                                const MatmulProblem &) const override {
    return {4 * tile_x::kWarpRows};
  }
  std::string explainTileM(const MatmulConfig &,
                           const MatmulProblem &) const override {
    return "the rows of the four warps of tile engine X";
  }
  int64_t getWarpRows(int64_t, int64_t) const override {
    return tile_x::kWarpRows;
  }

protected:
  int64_t getInstructionM() const override { return tile_x::kWarpRows; }
  int64_t getReaders(const MatmulConfig &config) const override {
    return *config.tileM / tile_x::kWarpRows;
  }
  int64_t getOperandRegisters(const MatmulConfig &,
                              const MatmulProblem &) const override {
    return 24;
  }
};

} // namespace

const UnitModel &tile_x::getModel() {
  static const TileXModel model;
  return model;
}

const UnitFacts &TileXModel::getFacts() const {
  static constexpr TileScheduler schedulers[] = {TileScheduler::static_tiles};
  static constexpr Epilogue epilogues[] = {Epilogue::direct,
                                           Epilogue::tma_store};
  static constexpr Roles roles[] = {Roles::specialized};
  static constexpr MmaKindFacts kinds[] = {MmaKindFacts::F16};
  static const UnitFacts facts{"tile_x", schedulers, epilogues, roles, kinds};
  return facts;
}

const ModelConstants &TileXModel::getConstants() const {
  static const ModelConstants constants = [] {
    ModelConstants constants = getPublishedConstants();
    constants.cyclesPerColumn = 2;
    constants.loneWait = 40;
    constants.source = "made up";
    return constants;
  }();
  return constants;
}
