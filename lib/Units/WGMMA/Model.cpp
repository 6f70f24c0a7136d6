//===- Model.cpp - wgmma to configurations ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a configuration may be whose products wgmma computes, and how long it
// takes:
//   [D]      derived by arithmetic
//   [H]      benchmarks/device on an H200, November 2026
//
//===----------------------------------------------------------------------===//

#include "tc/Units/WGMMA.h"

#include "tc/Schedule/UnitModel.h"
#include "tc/Support/Units.h"

using namespace tc;
using namespace tc::schedule;

namespace {

class WGMMAModel : public RegisterUnitModel {
public:
  const UnitFacts &getFacts() const override;
  const ModelConstants &getConstants() const override;
  bool isOn(const TargetFacts &target) const override {
    return target.hasWgmma;
  }
  int64_t getSumFractionBits(MmaKindFacts kind) const override {
    // Measured on an H200: it is not in the PTX ISA.
    return kind == MmaKindFacts::F8F6F4 ? 13 : kSumFractionBits;
  }
  ExtentRange getInstructionN(MmaKindFacts kind, int64_t) const override {
    return kind == MmaKindFacts::I8 ? kWgmmaIntegerN : kWgmmaN;
  }

protected:
  int64_t getInstructionM() const override { return kWgmmaM; }
  int64_t getReaders(const MatmulConfig &config) const override {
    return *config.tileM / kWgmmaM;
  }
  int64_t getOperandRegisters(const MatmulConfig &config,
                              const MatmulProblem &problem) const override {
    // Instances that take turns have addresses of two rings and of their
    // barriers: beside a subtile that is stored without stmatrix ptxas spilled
    // 4 bytes of 168.
    return getTurns(config.roles) > 1 &&
                   config.epilogue == Epilogue::tma_store &&
                   problem.outputBits == 32
               ? 16
               : 0;
  }
};

} // namespace

const UnitModel &tc::getWGMMAModel() {
  static const WGMMAModel model;
  return model;
}

const UnitFacts &WGMMAModel::getFacts() const {
  static constexpr TileScheduler schedulers[] = {TileScheduler::static_tiles,
                                                 TileScheduler::counter};
  static constexpr Epilogue epilogues[] = {Epilogue::direct,
                                           Epilogue::tma_store};
  static constexpr Roles roles[] = {Roles::specialized, Roles::ping_pong};
  static constexpr MmaKindFacts kinds[] = {
      MmaKindFacts::F16, MmaKindFacts::TF32, MmaKindFacts::F8F6F4,
      MmaKindFacts::I8};
  static const UnitFacts facts = [] {
    UnitFacts facts{"wgmma", schedulers, epilogues, roles, kinds};
    facts.maxClusterCtas = kPortableClusterCtas;
    // PTX ISA, "wgmma.mma_async": imm-trans of 16-bit types alone.
    facts.transposedBits = 16;
    facts.waitsForBlocks = true;
    facts.releasesLate = true;
    return facts;
  }();
  return facts;
}

static constexpr double kNoLimit = ModelConstants::kNoLimit;

/// Fitted by scripts/calibrate.
static constexpr ModelConstants kConstants = {
    // [H]: tiles of 8 columns more than a multiple of 16 take the time of the
    // next one.
    /*cyclesPerColumn=*/0.546, /*columnStep=*/16, /*loneWait=*/113,
    /*fillWait=*/0,
    // [D]: the width of shared memory.
    /*smemBytes=*/128, /*smemWrites=*/0.478,
    /*fillBytes=*/103, /*outsideBytes=*/1450,
    /*loadLatency=*/1070, /*fillLag=*/0, /*releaseWait=*/288,
    /*l2Bytes=*/8330, /*l2Capacity=*/21e6, /*missBytes=*/1830,
    /*counterMisses=*/0.402,
    /*shareLatency=*/255, /*shareWait=*/35, /*turn=*/611,
    /*dramBytes=*/2460, /*reread=*/0.361,
    /*trafficBytes=*/79.7, /*nearCapacity=*/25e3,
    /*launch=*/8600, /*pairLaunch=*/778,
    /*epilogueLatency=*/0, /*epiloguePerColumn=*/0, /*storeBytes=*/kNoLimit,
    /*directPerColumn=*/35.3, /*perStore=*/304, /*oneStoreBuffer=*/0.401,
    /*blockNorm=*/6.49, /*launchNorm=*/1.87,
    /*tolerance=*/0.01, /*fillTolerance=*/0.05, /*sharesLoads=*/true,
    /*source=*/"fitted on an NVIDIA H200, 2026-11-26"};

const ModelConstants &WGMMAModel::getConstants() const { return kConstants; }
