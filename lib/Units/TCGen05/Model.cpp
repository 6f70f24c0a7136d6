//===- Model.cpp - tcgen05 to configurations --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a configuration may be whose products tcgen05 computes, and what it
// takes: accumulators, scale factors and metadata are in Tensor Memory, which
// one thread has filled and four warps read.
//
//===----------------------------------------------------------------------===//

#include "tc/Units/TCGen05.h"

#include "tc/Schedule/UnitModel.h"
#include "tc/Support/MmaShapes.h"
#include "tc/Support/TCGen05Forms.h"
#include "tc/Support/Units.h"

#include "llvm/ADT/StringExtras.h"

using namespace tc;
using namespace tc::schedule;

namespace {

/// The fewest columns that the epilogue reads of 128 rows.
constexpr int64_t kMinColumns = 16;

/// Slots of the ring of scale columns: one is filled while the matrix unit
/// reads the other.
constexpr int64_t kScaleStages = 2;

/// Accumulators that the rows of a tile in one CTA fill.
int64_t countAccumulators(const MatmulConfig &config) {
  int64_t rows = config.tileM.value_or(0) / config.ctaGroup.value_or(1);
  return std::max<int64_t>(rows / kTmemLanes, 1);
}

class TCGen05Model : public UnitModel {
public:
  const UnitFacts &getFacts() const override;
  const ModelConstants &getConstants() const override {
    return getPublishedConstants();
  }
  bool isOn(const TargetFacts &target) const override {
    return target.hasTcgen05;
  }

  ExtentRange getInstructionN(MmaKindFacts kind,
                              int64_t ctaGroup) const override {
    return getMmaN(kind, ctaGroup);
  }
  int64_t getInstructionK(const MatmulConfig &config,
                          const MatmulProblem &problem) const override;
  Error findOperandError(const MatmulProblem &problem,
                         const Machine &machine) const override;
  std::vector<int64_t> getTileM(const MatmulConfig &config,
                                const MatmulProblem &problem) const override;
  std::string explainTileM(const MatmulConfig &config,
                           const MatmulProblem &problem) const override;
  int64_t getMinRead(const MatmulConfig &config,
                     const MatmulProblem &problem) const override;
  Error findFieldError(const MatmulConfig &,
                       const MatmulProblem &) const override {
    return std::nullopt;
  }

  int64_t getAccumulatorThreads(const MatmulConfig &config) const override {
    return kTmemLanes * countAccumulators(config);
  }
  int64_t getIssueThreads() const override { return kWarpThreads; }
  int64_t getRegisterEstimate(const MatmulConfig &config,
                              const MatmulProblem &problem) const override;
  Error findRegisterError(const MatmulConfig &config,
                          const MatmulProblem &problem, const Machine &machine,
                          int64_t most) const override;

  int64_t getTmemColumns(const TargetFacts &target) const override {
    return target.tmemColumns;
  }
  TmemBudget getTmemBudget(const MatmulConfig &config,
                           const MatmulProblem &problem) const override;
  int64_t getBarriers(const MatmulConfig &config,
                      const MatmulProblem &problem) const override;
  int64_t getStaticSmem() const override { return kTmemSlotBytes; }
  Error findMemoryError(const MatmulConfig &config,
                        const MatmulProblem &problem,
                        const Machine &machine) const override;

  void chooseStages(MatmulConfig &config, const MatmulProblem &problem,
                    const Machine &machine) const override;
  int64_t getWidestSubtile(const MatmulProblem &) const override {
    // Enough to hide the latency of the read, few enough registers to store
    // from.
    return 32;
  }

  // The second accumulator takes B from where the first one's instruction kept
  // it.
  BlockWork getBlockWork(const MatmulConfig &config) const override {
    return {/*instructions=*/double(countAccumulators(config)),
            /*warpgroups=*/1, /*readers=*/1};
  }
  int64_t getEpilogueRows(const MatmulConfig &config) const override {
    return kTmemLanes * countAccumulators(config);
  }
  int64_t getMostTileM(const MatmulConfig &config,
                       const MatmulProblem &problem) const override;
};

} // namespace

const UnitModel &tc::getTCGen05Model() {
  static const TCGen05Model model;
  return model;
}

const UnitFacts &TCGen05Model::getFacts() const {
  static constexpr TileScheduler schedulers[] = {
      TileScheduler::static_tiles, TileScheduler::clc, TileScheduler::counter};
  static constexpr Epilogue epilogues[] = {Epilogue::direct,
                                           Epilogue::tma_store};
  static constexpr Roles roles[] = {Roles::none, Roles::specialized};
  static constexpr MmaKindFacts kinds[] = {
      MmaKindFacts::F16,     MmaKindFacts::TF32,     MmaKindFacts::F8F6F4,
      MmaKindFacts::I8,      MmaKindFacts::MXF8F6F4, MmaKindFacts::MXF4,
      MmaKindFacts::MXF4NVF4};
  static const UnitFacts facts = [] {
    UnitFacts facts{"tcgen05", schedulers, epilogues, roles, kinds};
    facts.maxCtaGroup = 2;
    facts.maxClusterCtas = kPortableClusterCtas;
    facts.takesUnpacked = true;
    facts.takesSparse = true;
    facts.completesReads = true;
    return facts;
  }();
  return facts;
}

//===----------------------------------------------------------------------===//
// What is legal
//===----------------------------------------------------------------------===//

/// Whether a tile may have two accumulators, whose instructions share B: where
/// the second can take it from where the first kept it.
static bool mayBeTall(const MatmulProblem &problem) {
  return problem.keepsB && !problem.isSparse && !problem.promotedK;
}

/// Why it may not, where instructions of the chip can share B.
static std::string explainOneAccumulator(const MatmulProblem &problem) {
  if (!problem.keepsB || mayBeTall(problem))
    return "";
  return problem.isSparse ? ", as metadata of a sparse A has 128 lanes"
                          : ", as threads add up the products of each K-block";
}

UnitModel::Error TCGen05Model::findOperandError(const MatmulProblem &problem,
                                                const Machine &machine) const {
  if (!machine.target)
    return std::nullopt;
  const MmaForm form{problem.kind, /*ctaGroup=*/1, problem.isSparse};
  for (TCGen05Form needed : getMmaForms(form)) {
    const TCGen05FormFacts &facts = tc::getFacts(needed);
    if (!facts.exists(*machine.target))
      return "operands: expected a target that has " + facts.name.str() + " (" +
             llvm::join(facts.targets, ", ") + "), got " +
             machine.target->chip.str() + " " + cite(facts.section).str();
  }
  return std::nullopt;
}

// Of D with fewer rows no more than these, as elsewhere.
int64_t TCGen05Model::getMostTileM(const MatmulConfig &config,
                                   const MatmulProblem &problem) const {
  const int64_t usual = getUsualTileM(config, problem),
                group = config.ctaGroup.value_or(1);
  return mayBeTall(problem) && usual == group * kTmemLanes ? group * kTallRows
                                                           : usual;
}

/// Twice that of all chips where 128 rows of A are in each CTA (PTX ISA 9.4,
/// "Matrix Shape"), and elements fill the bytes that they take.
int64_t TCGen05Model::getInstructionK(const MatmulConfig &config,
                                      const MatmulProblem &problem) const {
  int64_t narrow = UnitModel::getInstructionK(config, problem);
  int64_t wide = getWideMmaK(problem.kind);
  bool fits = problem.hasWideK && wide && !problem.isSparse &&
              !problem.isUnpacked && config.tileM && config.tileK &&
              *config.tileM / config.ctaGroup.value_or(1) >= kTmemLanes &&
              *config.tileK % wide == 0 && config.swizzle.value_or(0) != 32;
  return fits ? wide : narrow;
}

std::vector<int64_t>
TCGen05Model::getTileM(const MatmulConfig &config,
                       const MatmulProblem &problem) const {
  std::vector<int64_t> rows;
  const int64_t group = config.ctaGroup.value_or(1);
  if (group == 1 && hasHalfTile(problem, config))
    rows.push_back(kHalfTileM);
  rows.push_back(group * kTmemLanes);
  if (mayBeTall(problem))
    rows.push_back(group * kTallRows);
  return rows;
}

std::string TCGen05Model::explainTileM(const MatmulConfig &config,
                                       const MatmulProblem &problem) const {
  const std::string twice = mayBeTall(problem)
                                ? ", or of two that share B in each"
                                : explainOneAccumulator(problem);
  if (config.ctaGroup.value_or(1) == 2)
    return "the rows of the accumulators of two CTAs" + twice;
  std::string reason = "the rows of the accumulator of one CTA" + twice;
  if (hasHalfTile(problem, config))
    return reason;
  if (problem.isSparse)
    return reason +
           ", 64 of a sparse A have metadata that the ISA does not state";
  if (problem.transposeA && !isBlockScaled(problem.kind))
    return reason + ", or 64 with a swizzle whose rows, which run along M, "
                    "have no more elements";
  return reason;
}

int64_t TCGen05Model::getMinRead(const MatmulConfig &config,
                                 const MatmulProblem &problem) const {
  if (config.tileM == kHalfTileM)
    return UnitModel::getMinRead(config, problem);
  return kMinColumns;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

int64_t TCGen05Model::getRegisterEstimate(const MatmulConfig &config,
                                          const MatmulProblem &problem) const {
  int64_t columns = config.epilogueSubtile.value_or(0);
  int64_t carried = problem.carriesSubtile ? columns : 0;
  if (!problem.promotedK)
    return columns + carried + columns * problem.outputBits / 32 +
           kAddressRegisters;
  // A row of the sums, the parts of the next one that are on their way, the
  // states of the loops; one thread of control that loads ahead has those of
  // all roles. With fewer ptxas 13.0 spills, where there are more it may take
  // them.
  constexpr int64_t kLoops = 92, kAhead = 36;
  int64_t columnFactors = problem.hasColumnFactors ? *config.tileN : 0;
  bool isAhead = config.roles == Roles::none && config.stages.value_or(1) > 1;
  return *config.tileN + columnFactors + carried + kLoops +
         (isAhead ? kAhead : 0);
}

UnitModel::Error TCGen05Model::findRegisterError(const MatmulConfig &config,
                                                 const MatmulProblem &problem,
                                                 const Machine &,
                                                 int64_t most) const {
  int64_t estimate = getRegisterEstimate(config, problem);
  const bool isTall = countAccumulators(config) > 1;
  if ((!problem.promotedK && !isTall) || estimate <= most)
    return std::nullopt;
  if (isTall)
    return "expected at most " + std::to_string(most) +
           " registers for each of " +
           std::to_string(getThreads(config, problem)) +
           " threads, got about " + std::to_string(estimate) + " (" +
           std::to_string(config.epilogueSubtile.value_or(0)) +
           " columns at a time); choose a smaller epilogue-subtile or tile M";
  return "expected at most " + std::to_string(most) +
         " registers for each of " +
         std::to_string(getThreads(config, problem)) + " threads, got about " +
         std::to_string(estimate) + " (" + std::to_string(*config.tileN) +
         " of them for the sums of a row); choose a smaller tile N";
}

//===----------------------------------------------------------------------===//
// Tensor Memory
//===----------------------------------------------------------------------===//

TmemBudget TCGen05Model::getTmemBudget(const MatmulConfig &config,
                                       const MatmulProblem &problem) const {
  TmemBudget budget{0, 0, 0, 0};
  budget.accumulators =
      *config.tileN * *config.accumulatorStages * countAccumulators(config);
  if (int64_t bytes = getScaleBytes(config, problem))
    budget.scales = config.scaleStages.value_or(1) * bytes / kScaleColumnBytes;
  // 4 bytes of each lane.
  budget.metadata = config.scaleStages.value_or(1) *
                    getMetadataBytes(config, problem) / (4 * kTmemLanes);
  budget.allocated =
      findTmemAllocation(budget.used(), kTmemMostColumns)
          .value_or(TmemAllocation{budget.used(), /*exclusive=*/true})
          .columns;
  return budget;
}

int64_t TCGen05Model::getBarriers(const MatmulConfig &config,
                                  const MatmulProblem &problem) const {
  int64_t barriers = 2 * *config.accumulatorStages;
  // One thread fills the scale columns and has them read: it waits only before
  // it fills them again.
  if (getScaleBytes(config, problem) || getMetadataBytes(config, problem))
    barriers += config.scaleStages.value_or(1);
  return barriers * kMBarrierBytes;
}

/// What fits instead of `config`, which exceeds Tensor Memory by `tmem`.
static std::string getAdvice(const MatmulConfig &config, const TmemBudget &tmem,
                             const Machine &machine) {
  auto most = [](int64_t number, const std::string &what) {
    return "at most " + counted(number, what + " stage") +
           (number == 1 ? " fits" : " fit") + " this tile";
  };
  int64_t ring = tmem.scales + tmem.metadata;
  const int64_t columns = *config.tileN * countAccumulators(config);
  int64_t fit = (machine.tmemColumns - ring) / columns;
  if (fit >= 1 || !ring)
    return most(std::max<int64_t>(fit, 0), "accumulator");
  // Less than one accumulator is none.
  int64_t slot = ring / config.scaleStages.value_or(1);
  return most((machine.tmemColumns - columns) / slot, "scale") +
         " and one accumulator";
}

UnitModel::Error TCGen05Model::findMemoryError(const MatmulConfig &config,
                                               const MatmulProblem &problem,
                                               const Machine &machine) const {
  // The allocation rounds the sum up to a power of two, or where that passes
  // the limit to a multiple of 32, which the limit is.
  TmemBudget tmem = getTmemBudget(config, problem);
  if (tmem.used() <= machine.tmemColumns)
    return std::nullopt;
  return "expected at most " + std::to_string(machine.tmemColumns) +
         " columns of Tensor Memory, got " + std::to_string(tmem.used()) +
         " (" + counted(*config.accumulatorStages, "accumulator") + " of " +
         std::to_string(*config.tileN * countAccumulators(config)) +
         " columns" +
         (tmem.scales ? ", " + std::to_string(tmem.scales) + " of scale factors"
                      : "") +
         (tmem.metadata ? ", " + std::to_string(tmem.metadata) + " of metadata"
                        : "") +
         "); " + getAdvice(config, tmem, machine);
}

void TCGen05Model::chooseStages(MatmulConfig &config,
                                const MatmulProblem &problem,
                                const Machine &machine) const {
  const bool isOpen = !config.scaleStages && isBlockScaled(problem.kind);
  if (isOpen || (!config.scaleStages && problem.isSparse))
    config.scaleStages = kScaleStages;
  if (config.accumulatorStages)
    return;
  auto fits = [&] {
    return getTmemBudget(config, problem).used() <= machine.tmemColumns;
  };
  // Where roles overlap, one is read while the other is filled. Scale factors
  // take columns, too: with the widest tiles they leave room for one, or for
  // two beside factors of one K-block (560 columns of sm_107, as FlashInfer's
  // kernels have them); two accumulators for one tile leave it for those alone.
  config.accumulatorStages = config.roles == Roles::specialized ? 2 : 1;
  if (fits())
    return;
  if (isOpen && config.accumulatorStages == 2) {
    config.scaleStages = 1;
    if (fits())
      return;
    config.scaleStages = kScaleStages;
  }
  config.accumulatorStages = 1;
  if (isOpen && !fits())
    config.scaleStages = 1;
}
