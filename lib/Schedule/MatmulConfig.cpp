//===- MatmulConfig.cpp - legal configurations of a matmul ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowering can do, and what a configuration requires of the machine.
//
//===----------------------------------------------------------------------===//

#include "ConfigFacts.h"

#include "tc/Support/MmaShapes.h"
#include "tc/Support/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tc;
using namespace tc::schedule;

/// A row of an operand tile without swizzle: one TMA granule.
static constexpr int64_t kPlainRowBytes = 16;
/// A TMA box is at most this long in each dimension, the K rows of an MN-major
/// tile included.
static constexpr int64_t kMaxTileK = kTmaMaxBox;
/// What an answer to a request for work takes: slots that are no operands are
/// that far apart.
static constexpr int64_t kAnswerBytes = kTmaGranularity;

Machine Machine::get(const TargetFacts &target) {
  Machine machine;
  machine.units = getMatrixUnits(target);
  machine.hasTma = target.hasTma;
  machine.hasFloat8 = target.hasFloat8;
  machine.hasScaledMmaSync = target.hasScaledMmaSync;
  machine.hasClusterLaunchControl = target.hasClusterLaunchControl;
  machine.sms = target.multiprocessors;
  machine.residentCtas = target.residentCtas;
  machine.smemBytes = target.maxDynamicSmem;
  for (MatrixUnit unit : machine.units)
    if (getFacts(unit).hasTensorMemory)
      machine.tmemColumns = kTmemColumns;
  machine.registers = kRegisters;
  machine.threadRegisters = kMaxThreadRegisters;
  return machine;
}

int64_t Machine::getResidentClusters(int64_t ctas) const {
  int64_t resident = sms;
  for (const ResidentCtas &known : residentCtas)
    if (known.clusterCtas <= ctas)
      resident = std::min(resident, known.ctas);
  return std::max<int64_t>(resident / ctas, 1);
}

void tc::schedule::limitToMachine(MatmulProblem &problem,
                                  const Machine &machine) {
  if (machine.hasTma)
    return;
  constexpr llvm::StringLiteral why = "the chip has no TMA";
  problem.hasTma = false;
  problem.rowsA.tmaObstacle = problem.rowsB.tmaObstacle = why;
  problem.tmaStore = TmaStore::Impossible;
  problem.storeObstacle = why;
}

const UnitSupport &tc::schedule::getUnitSupport(MatrixUnit unit) {
  static constexpr TileScheduler schedulers[] = {
      TileScheduler::static_tiles, TileScheduler::clc, TileScheduler::counter};
  static constexpr TileScheduler persistent[] = {TileScheduler::static_tiles,
                                                 TileScheduler::counter};
  static constexpr Epilogue stores[] = {Epilogue::direct, Epilogue::tma_store};
  static constexpr Roles roles[] = {Roles::none, Roles::specialized};
  static constexpr Roles specialized[] = {Roles::specialized};
  static constexpr Roles inTurns[] = {Roles::specialized, Roles::ping_pong};
  static constexpr MmaKindFacts plain[] = {
      MmaKindFacts::F16, MmaKindFacts::TF32, MmaKindFacts::F8F6F4,
      MmaKindFacts::I8};
  static constexpr MmaKindFacts kinds[] = {
      MmaKindFacts::F16,     MmaKindFacts::TF32,     MmaKindFacts::F8F6F4,
      MmaKindFacts::I8,      MmaKindFacts::MXF8F6F4, MmaKindFacts::MXF4,
      MmaKindFacts::MXF4NVF4};
  // By the numbers of the units.
  static const UnitSupport table[] = {
      // unit, schedulers, epilogues, roles, kinds, CTAs of a cluster, whether
      // slots are released late
      {MatrixUnit::Tcgen05, schedulers, stores, roles, kinds,
       kPortableClusterCtas, /*releasesLate=*/false},
      {MatrixUnit::Wgmma, persistent, stores, inTurns, plain,
       kPortableClusterCtas, /*releasesLate=*/true},
      {MatrixUnit::MmaSync, persistent, stores, specialized, kinds,
       /*maxClusterCtas=*/1, /*releasesLate=*/false},
  };
  return table[static_cast<uint32_t>(unit)];
}

/// Whether `config`'s unit reads operands of `problem` in one order alone.
static bool readsAlongK(const MatmulConfig &config,
                        const MatmulProblem &problem) {
  int64_t bits = getFacts(getUnit(config)).transposedBits;
  return bits && bits != problem.inputBits;
}

bool tc::schedule::turnsA(const MatmulConfig &config,
                          const MatmulProblem &problem) {
  return problem.transposeA && readsAlongK(config, problem);
}

bool tc::schedule::turnsB(const MatmulConfig &config,
                          const MatmulProblem &problem) {
  return !problem.transposeB && readsAlongK(config, problem);
}

static LoadEngine getLoad(std::optional<LoadEngine> given,
                          const OperandRows &rows, int64_t elementBytes,
                          bool isTurned) {
  if (given)
    return *given;
  bool hasTma = rows.tmaObstacle.empty() && !isTurned;
  if (hasTma || !rows.threadObstacle.empty())
    return LoadEngine::tma;
  bool hasCopies = getCopyBytes(rows, elementBytes, isTurned) >= kMinCopyBytes;
  // What is not known might be anything, of whole elements.
  if (!rows.isKnown)
    hasCopies &= elementBytes >= kMinCopyBytes;
  return hasCopies ? LoadEngine::cp_async : LoadEngine::threads;
}

LoadEngine tc::schedule::getLoadA(const MatmulConfig &config,
                                  const MatmulProblem &problem) {
  return getLoad(config.loadA, problem.rowsA, problem.inputBits / 8,
                 turnsA(config, problem));
}

LoadEngine tc::schedule::getLoadB(const MatmulConfig &config,
                                  const MatmulProblem &problem) {
  return getLoad(config.loadB, problem.rowsB, problem.inputBits / 8,
                 turnsB(config, problem));
}

int64_t tc::schedule::getCopyBytes(const OperandRows &rows,
                                   int64_t elementBytes, bool isTurned) {
  if (isTurned)
    return std::min(elementBytes, rows.alignment);
  return rows.isKnown ? rows.alignment
                      : std::min(rows.alignment, kMinCopyBytes);
}

/// Bytes after which the pattern of a swizzle of `bytes` bytes repeats.
static int64_t getPatternBytes(int64_t bytes) {
  return std::max<int64_t>(8 * bytes, kTmaSmemAlignment);
}

int64_t tc::schedule::getStoreSwizzle(int64_t columns, int64_t elementBits) {
  for (int64_t bytes : {128, 64, 32})
    if (columns * elementBits / 8 % bytes == 0)
      return bytes;
  return 0;
}

/// Bytes of the scale factors of one slot: those of the CTA's rows of A, and of
/// all columns of B, which both CTAs of a pair read, in whole blocks of 128
/// rows and 4 factors (PTX ISA, "Scale Factor A ID / Scale Factor B ID").
static int64_t getScaleBytes(const MatmulConfig &config,
                             const MatmulProblem &problem) {
  int64_t block = getScaleBlock(problem.kind);
  if (!block)
    return 0;
  auto roundUp = [](int64_t value, int64_t step) {
    return (value + step - 1) / step * step;
  };
  int64_t rows =
      roundUp(*config.tileM / config.ctaGroup.value_or(1), kScaleRows) +
      roundUp(*config.tileN, kScaleRows);
  return rows * roundUp(*config.tileK / block, kScaleBlocks);
}

/// Bytes of the metadata of one slot: that of the CTA's rows, in whole blocks.
static int64_t getMetadataBytes(const MatmulConfig &config,
                                const MatmulProblem &problem) {
  if (!problem.isSparse)
    return 0;
  return *config.tileK / getMetadataTileK(problem.kind) * kMetadataTileBytes;
}

SmemBudget tc::schedule::getSmemBudget(const MatmulConfig &config,
                                       const MatmulProblem &problem) {
  auto alignUp = [](int64_t bytes, int64_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
  };
  auto tile = [&](int64_t rows, int64_t columns, int64_t bits,
                  int64_t swizzle) {
    return alignUp(rows * columns * bits / 8, getPatternBytes(swizzle));
  };
  auto operand = [&](int64_t rows, int64_t columns) {
    return tile(rows, columns, problem.inputBits, *config.swizzle);
  };
  SmemBudget budget;
  int64_t group = config.ctaGroup.value_or(1);
  int64_t alignment = getPatternBytes(*config.swizzle);
  if (isBlockScaled(problem.kind) || problem.isSparse)
    alignment = std::max(alignment, kTmaSmemAlignment);
  budget.stageA = operand(*config.tileM / group,
                          *config.tileK / (problem.isSparse ? 2 : 1));
  budget.stageB = operand(*config.tileN / group, *config.tileK);
  budget.stageScales = getScaleBytes(config, problem);
  budget.stageMetadata = getMetadataBytes(config, problem);
  // Two engines fill the slots of two rings.
  int64_t rings =
      getLoadA(config, problem) == getLoadB(config, problem) ? 1 : 2;
  if ((budget.stageScales || budget.stageMetadata) &&
      getLoadA(config, problem) != LoadEngine::tma &&
      getLoadB(config, problem) != LoadEngine::tma)
    ++rings;
  budget.nextStage = budget.stage() + rings * 2 * kMBarrierBytes;
  budget.storeRing = 0;
  if (config.epilogue == Epilogue::tma_store) {
    int64_t swizzle =
        getStoreSwizzle(*config.epilogueSubtile, problem.outputBits);
    // Each of those that take turns has its own.
    budget.storeRing = getTurns(config.roles) * *config.storeStages *
                       tile(*config.tileM / group, *config.epilogueSubtile,
                            problem.outputBits, swizzle);
    alignment = std::max(alignment, getPatternBytes(swizzle));
  }
  bool hasTmem = getFacts(getUnit(config)).hasTensorMemory;
  budget.barriers =
      2 * kMBarrierBytes *
      (rings * *config.stages + (hasTmem ? *config.accumulatorStages : 0));
  // One thread fills the scale columns and has them read: it waits only before
  // it fills them again.
  if (hasTmem && (budget.stageScales || budget.stageMetadata))
    budget.barriers += kMBarrierBytes * config.scaleStages.value_or(1);
  // The order of turns is a pipeline with a slot for each.
  if (getTurns(config.roles) > 1)
    budget.barriers += 2 * kMBarrierBytes * getTurns(config.roles);
  int64_t answerSlots = getAnswerSlots(config);
  budget.answers = answerSlots * kAnswerBytes;
  budget.barriers += 2 * kMBarrierBytes * answerSlots;
  int64_t bytes = budget.stage() * *config.stages + budget.storeRing +
                  budget.answers + budget.barriers;
  int64_t dynamic = getDynamicSmemBytes(bytes, alignment);
  budget.alignment = dynamic - bytes;
  budget.tmemSlot = hasTmem ? kTmemSlotBytes : 0;
  budget.total = dynamic + budget.tmemSlot;
  return budget;
}

TmemBudget tc::schedule::getTmemBudget(const MatmulConfig &config,
                                       const MatmulProblem &problem) {
  TmemBudget budget{0, 0, 0, 0};
  if (!getFacts(getUnit(config)).hasTensorMemory)
    return budget;
  budget.accumulators = *config.tileN * *config.accumulatorStages;
  if (int64_t bytes = getScaleBytes(config, problem))
    budget.scales = config.scaleStages.value_or(1) * bytes / kScaleColumnBytes;
  // 4 bytes of each lane.
  budget.metadata = config.scaleStages.value_or(1) *
                    getMetadataBytes(config, problem) / (4 * kTmemLanes);
  budget.allocated = kTmemMinAllocation;
  while (budget.allocated < budget.used())
    budget.allocated *= 2;
  return budget;
}

int64_t tc::schedule::getAnswerSlots(const MatmulConfig &config) {
  if (config.scheduler.value_or(TileScheduler::static_tiles) ==
      TileScheduler::static_tiles)
    return 0;
  // The answer to a request is read when its tile is stored; the loads are that
  // many tiles ahead of it.
  return std::max(config.accumulatorStages.value_or(1),
                  getTurns(config.roles)) +
         1;
}

int64_t tc::schedule::getTurns(std::optional<Roles> roles) {
  return roles == Roles::ping_pong ? 2 : 1;
}

int64_t tc::schedule::getHeldRows(const MatmulConfig &config) {
  int64_t rows = config.tileM.value_or(kWgmmaM);
  // A warpgroup holds the whole tile of its turn.
  if (getTurns(config.roles) > 1)
    return rows * kWarpThreads / kWarpgroupThreads;
  return getWarpRows(getUnit(config), rows, config.tileN.value_or(kWgmmaM));
}

/// Threads that hold the accumulator, one window of lanes for each warp where
/// it is in Tensor Memory, and those that roles add: a warp that loads, and one
/// that multiplies where the former do not.
static int64_t getEpilogueThreads(const MatmulConfig &config) {
  if (getFacts(getUnit(config)).hasTensorMemory)
    return kTmemLanes;
  return getTurns(config.roles) * config.tileM.value_or(kWgmmaM) /
         getHeldRows(config) * kWarpThreads;
}

static int64_t getRoleThreads(const MatmulConfig &config,
                              const MatmulProblem &problem) {
  bool hasTmem = getFacts(getUnit(config)).hasTensorMemory;
  int64_t threads = hasTmem ? kWarpThreads : 0;
  LoadEngine loads[] = {getLoadA(config, problem), getLoadB(config, problem)};
  auto isTma = [](LoadEngine load) { return load == LoadEngine::tma; };
  if (llvm::any_of(loads, isTma) || isBlockScaled(problem.kind) ||
      problem.isSparse || getAnswerSlots(config) != 0)
    threads += kWarpThreads;
  if (!llvm::all_of(loads, isTma))
    threads += kGatherWarps * kWarpThreads;
  // Registers move between whole warpgroups: warps without work complete them.
  if (config.epilogueRegisters.value_or(0))
    threads = llvm::alignTo(threads, kWarpgroupThreads);
  return threads;
}

int64_t tc::schedule::getPromotedColumns(const MatmulConfig &config) {
  return std::min<int64_t>(*config.epilogueSubtile,
                           *config.tileN <= 64 ? 32 : 16);
}

int64_t tc::schedule::getRegisterEstimate(const MatmulConfig &config,
                                          const MatmulProblem &problem) {
  constexpr int64_t kAddresses = 24;
  // Candidates are tried before all fields are chosen: what is open counts as
  // the least, so that no candidate is lost.
  int64_t columns = config.epilogueSubtile.value_or(0);
  int64_t carried = problem.carriesSubtile ? columns : 0;
  if (getFacts(getUnit(config)).hasTensorMemory) {
    int64_t stored = columns * problem.outputBits / 32;
    if (!problem.promotedK)
      return columns + carried + stored + kAddresses;
    // A row of the sums, the parts of the next one that are on their way, the
    // states of the loops; one thread of control that loads ahead has those of
    // all roles. With fewer ptxas 13.0 spills, where there are more it may
    // take them.
    constexpr int64_t kLoops = 92, kAhead = 36;
    int64_t columnFactors = problem.hasColumnFactors ? *config.tileN : 0;
    bool isAhead = config.roles == Roles::none && config.stages.value_or(1) > 1;
    return *config.tileN + columnFactors + carried + kLoops +
           (isAhead ? kAhead : 0);
  }
  // Of 64 rows of a warpgroup a thread has half a row. Beside sums of K-blocks
  // the subtile is a second accumulator.
  int64_t rows = getHeldRows(config);
  if (problem.promotedK)
    return (2 * *config.tileN + carried + columns * problem.outputBits / 32) *
               rows / kWarpThreads +
           kAddresses;
  // Counted in what ptxas 13.0 takes: what is stored takes the registers of the
  // sums that it is made of.
  constexpr int64_t kOthers = 27;
  // Who takes turns has addresses of two rings and of its barriers: beside a
  // subtile that is stored without stmatrix ptxas spilled 4 bytes of 168.
  const int64_t turns = getTurns(config.roles) > 1 &&
                                config.epilogue == Epilogue::tma_store &&
                                problem.outputBits == 32
                            ? 16
                            : 0;
  if (getUnit(config) != MatrixUnit::MmaSync)
    return (*config.tileN + carried) * rows / kWarpThreads + turns + kOthers;
  // Parts of A and B are on their way to registers, too.
  constexpr int64_t kFragments = 24;
  // Factors are read for all columns of B at once, with addresses of their
  // own: ptxas 13.0 takes 152 to 160 registers for 128x128. With addresses of
  // store buffers for f32 beside them it spilled 44 bytes of the 168 there are.
  int64_t factors = 0;
  if (isBlockScaled(problem.kind)) {
    factors = *config.tileN / 8 + 24;
    if (config.epilogue == Epilogue::tma_store)
      factors += columns * problem.outputBits / 64;
  }
  return (*config.tileN + carried) * rows / kWarpThreads + kFragments +
         factors + kOthers;
}

int64_t tc::schedule::getLaunchRegisters(const MatmulConfig &config,
                                         const MatmulProblem &problem) {
  // Registers are given to threads in steps of 8.
  int64_t epilogue = getEpilogueThreads(config);
  int64_t roles = getRoleThreads(config, problem);
  int64_t threads = epilogue + roles;
  int64_t pool =
      epilogue * config.epilogueRegisters.value_or(0) + roles * kRoleRegisters;
  return (pool + 8 * threads - 1) / (8 * threads) * 8;
}

int64_t tc::schedule::getThreads(const MatmulConfig &config,
                                 const MatmulProblem &problem) {
  return getEpilogueThreads(config) +
         (*config.roles == Roles::none ? 0 : getRoleThreads(config, problem));
}

/// Elements of one row of an operand tile in shared memory: the swizzle's.
static int64_t getRowElements(std::optional<int64_t> swizzle,
                              const MatmulProblem &problem) {
  int64_t bytes = swizzle.value_or(kDefaultSwizzle);
  return (bytes ? bytes : kPlainRowBytes) * 8 / problem.inputBits;
}

/// K of the scale factors of one block of them, and of the metadata of one.
static int64_t getBlockedTileK(const MatmulProblem &problem) {
  int64_t metadata = problem.isSparse ? getMetadataTileK(problem.kind) : 0;
  return std::max(metadata, kScaleBlocks * getScaleBlock(problem.kind));
}

bool tc::schedule::hasHalfTile(const MatmulProblem &problem,
                               const MatmulConfig &config) {
  // The ISA has their metadata as a figure alone.
  if (problem.isSparse)
    return false;
  llvm::ArrayRef<int64_t> rows = getMmaM(problem.kind, /*ctaGroup=*/1);
  if (std::find(rows.begin(), rows.end(), kHalfTileM) == rows.end())
    return false;
  return !problem.transposeA ||
         kHalfTileM % getRowElements(config.swizzle, problem) == 0;
}

/// The fewest columns of an accumulator that the epilogue reads at a time: with
/// 64 rows, or an accumulator in registers, those of the narrowest instruction.
static int64_t getMinRead(const MatmulConfig &config,
                          const MatmulProblem &problem) {
  if (config.tileM == kHalfTileM || !getFacts(getUnit(config)).hasTensorMemory)
    return getInstructionN(getUnit(config), problem.kind, /*ctaGroup=*/1).first;
  return kMinSubtile;
}

int64_t tc::schedule::getMinStored(const MatmulConfig &config,
                                   const MatmulProblem &problem) {
  bool hasRing =
      config.epilogue == Epilogue::tma_store || config.storeStages.has_value();
  return std::max(problem.scaleBlockD,
                  hasRing ? kTmaGranularity * 8 / problem.outputBits : 1);
}

int64_t tc::schedule::getMinSubtile(const MatmulConfig &config,
                                    const MatmulProblem &problem) {
  return std::max(getMinRead(config, problem), getMinStored(config, problem));
}

ExtentRange tc::schedule::getTileN(const MatmulProblem &problem,
                                   const MatmulConfig &config) {
  // Instructions have N in steps of 8, those of a pair of 16; the epilogue
  // reads as many columns at a time or more.
  int64_t group = config.ctaGroup.value_or(1);
  ExtentRange range = getInstructionN(getUnit(config), problem.kind, group);
  range.step = group * getMinRead(config, problem);
  if (!problem.transposeB)
    range.step =
        std::max(range.step, group * getRowElements(config.swizzle, problem));
  range.first = range.step =
      std::max(range.step, getMinStored(config, problem));
  // A thread holds the sums of a row.
  if (problem.promotedK)
    range.last = kMaxPromotedN;
  // Tiles start where blocks of scale factors do.
  if (isBlockScaled(problem.kind))
    range.first = range.step = std::max(range.step, kScaleRows);
  return range;
}

ExtentRange tc::schedule::getTileK(const MatmulProblem &problem,
                                   const MatmulConfig &config) {
  int64_t sparsity = problem.isSparse ? 2 : 1;
  int64_t step = std::max({sparsity * getMmaK(problem.kind),
                           sparsity * getRowElements(config.swizzle, problem),
                           getBlockedTileK(problem)});
  if (problem.promotedK)
    return ExtentRange{problem.promotedK, problem.promotedK, problem.promotedK};
  return ExtentRange{step, kMaxTileK, step};
}

std::vector<int64_t> tc::schedule::getTileM(const MatmulProblem &problem,
                                            const MatmulConfig &config) {
  int64_t group = config.ctaGroup.value_or(1);
  llvm::ArrayRef<int64_t> rows = getTileRows(getUnit(config), group);
  if (!getFacts(getUnit(config)).hasTensorMemory) {
    std::vector<int64_t> result = rows.vec();
    // Tiles start where blocks of scale factors do.
    if (isBlockScaled(problem.kind))
      llvm::erase_if(result, [](int64_t m) { return m % kScaleRows != 0; });
    return result;
  }
  if (group == 1 && hasHalfTile(problem, config))
    return {kHalfTileM, rows.back()};
  return {rows.back()};
}
