//===- Model.cpp - mma.sync to configurations -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a configuration may be whose products mma.sync computes, and how long it
// takes:
//   [H]      benchmarks/device on an H200, November 2026
//   [G]      NVIDIA's peak of a GeForce RTX 5090: 209.5 TFLOP/s of bf16 with
//            sums in f32, 170 multiprocessors, 2.41 GHz
//
//===----------------------------------------------------------------------===//

#include "tc/Units/MMASync.h"

#include "tc/Schedule/UnitModel.h"
#include "tc/Support/Units.h"

#include "llvm/ADT/StringExtras.h"

using namespace tc;
using namespace tc::schedule;

namespace {

class MMASyncModel : public RegisterUnitModel {
public:
  const UnitFacts &getFacts() const override;
  const ModelConstants &getConstants() const override;
  bool isOn(const TargetFacts &) const override { return true; }
  ExtentRange getInstructionN(MmaKindFacts, int64_t) const override {
    // Columns of a tile: one instruction after the other, up to the registers
    // that a thread has for its rows.
    return {kMmaSyncN, 256, kMmaSyncN};
  }
  Error findOperandError(const MatmulProblem &problem,
                         const Machine &machine) const override;
  int64_t getWarpRows(int64_t tileM, int64_t tileN) const override;

protected:
  int64_t getInstructionM() const override { return kMmaSyncM; }
  int64_t getReaders(const MatmulConfig &config) const override {
    return *config.tileM / getHeldRows(config);
  }
  int64_t getOperandRegisters(const MatmulConfig &config,
                              const MatmulProblem &problem) const override;
};

} // namespace

const UnitModel &tc::getMMASyncModel() {
  static const MMASyncModel model;
  return model;
}

const UnitFacts &MMASyncModel::getFacts() const {
  static constexpr TileScheduler schedulers[] = {TileScheduler::static_tiles,
                                                 TileScheduler::counter};
  static constexpr Epilogue epilogues[] = {Epilogue::direct,
                                           Epilogue::tma_store};
  static constexpr Roles roles[] = {Roles::specialized};
  static constexpr MmaKindFacts kinds[] = {
      MmaKindFacts::F16,     MmaKindFacts::TF32,     MmaKindFacts::F8F6F4,
      MmaKindFacts::I8,      MmaKindFacts::MXF8F6F4, MmaKindFacts::MXF4,
      MmaKindFacts::MXF4NVF4};
  static const UnitFacts facts = [] {
    UnitFacts facts{"mma_sync", schedulers, epilogues, roles, kinds};
    // PTX ISA, "ldmatrix": .trans of 16-bit elements alone.
    facts.transposedBits = 16;
    facts.waitsForBlocks = true;
    return facts;
  }();
  return facts;
}

const ModelConstants &MMASyncModel::getConstants() const {
  // What is known of other units but for the unit and its waits.
  static const ModelConstants constants = [] {
    ModelConstants constants = getPublishedConstants();
    // [G]: 1024 operations per cycle and multiprocessor.
    constants.cyclesPerColumn = 0.5;
    // [H]: with wgmma, kernels bound by the fill take 55 to 140 cycles more for
    // each K-block, of 64 or 128 elements, than the fill alone.
    constants.loneWait = 80;
    constants.fillWait = 80;
    constants.source = "the peak of a GeForce RTX 5090, and what is known of "
                       "other units; compared with no device";
    return constants;
  }();
  return constants;
}

UnitModel::Error MMASyncModel::findOperandError(const MatmulProblem &problem,
                                                const Machine &machine) const {
  if (!isBlockScaled(problem.kind) || machine.hasScaledMmaSync)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> chips;
  for (const TargetFacts &target : getTargets())
    if (target.hasScaledMmaSync)
      chips.push_back(target.chip);
  return "operands: expected none with scale factors, which mma.sync of the "
         "chip does not take (that of " +
         llvm::join(chips, " and ") + " does), got those of kind " +
         getName(problem.kind).str();
}

int64_t MMASyncModel::getWarpRows(int64_t tileM, int64_t tileN) const {
  // Two times as many where registers and four warps allow it, as a warp reads
  // all of B for them. Beside more columns ptxas 13.0 spills; warps come in
  // whole warpgroups.
  constexpr int64_t kMostColumns = 96;
  constexpr int64_t kWarps = kWarpgroupThreads / kWarpThreads;
  bool isWide = tileN <= kMostColumns && tileM % (2 * kMmaSyncM * kWarps) == 0;
  return isWide ? 2 * kMmaSyncM : kMmaSyncM;
}

int64_t MMASyncModel::getOperandRegisters(const MatmulConfig &config,
                                          const MatmulProblem &problem) const {
  // Parts of A and B are on their way to registers, too.
  constexpr int64_t kFragments = 24;
  if (!isBlockScaled(problem.kind))
    return kFragments;
  // Factors are read for all columns of B at once, with addresses of their
  // own: ptxas 13.0 takes 152 to 160 registers for 128x128. With addresses of
  // store buffers for f32 beside them it spilled 44 bytes of the 168 there are.
  int64_t factors = *config.tileN / 8 + 24;
  if (config.epilogue == Epilogue::tma_store)
    factors += config.epilogueSubtile.value_or(0) * problem.outputBits / 64;
  return kFragments + factors;
}
