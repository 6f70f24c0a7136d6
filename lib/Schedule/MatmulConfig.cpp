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
#include "tc/Support/TCGen05Forms.h"
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

Machine Machine::get(const TargetFacts &target, const UnitRegistry &units) {
  Machine machine;
  machine.target = &target;
  machine.units = units.getUnitsOf(target);
  machine.hasTma = target.hasTma;
  machine.hasFloat8 = target.hasFloat8;
  machine.hasScaledMmaSync = target.hasScaledMmaSync;
  machine.hasClusterLaunchControl = target.hasClusterLaunchControl;
  machine.sms = target.multiprocessors;
  machine.residentCtas = target.residentCtas;
  machine.smemBytes = target.maxDynamicSmem;
  for (MatrixUnit unit : machine.units)
    machine.tmemColumns =
        std::max(machine.tmemColumns, unit->getTmemColumns(target));
  machine.hasWideK = getFacts(TCGen05Form::MmaWideK).exists(target);
  machine.keepsB = getFacts(TCGen05Form::MmaCollectorB).exists(target);
  machine.completesReads = getFacts(TCGen05Form::CommitReadsOfA).exists(target);
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
  problem.hasWideK = machine.hasWideK;
  problem.keepsB = machine.keepsB;
  problem.completesReads = machine.completesReads;
  if (machine.hasTma)
    return;
  constexpr llvm::StringLiteral why = "the chip has no TMA";
  problem.hasTma = false;
  problem.rowsA.tmaObstacle = problem.rowsB.tmaObstacle = why;
  problem.tmaStore = TmaStore::Impossible;
  problem.storeObstacle = why;
}

/// Whether `config`'s unit reads operands of `problem` in one order alone.
static bool readsAlongK(const MatmulConfig &config,
                        const MatmulProblem &problem) {
  int64_t bits = getUnit(config)->getFacts().transposedBits;
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
  // An unknown stride may be any number of whole elements.
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

int64_t tc::schedule::getScaleBytes(const MatmulConfig &config,
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

int64_t tc::schedule::getMetadataBytes(const MatmulConfig &config,
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
  // Two engines fill the slots of two rings, or they are free at two times.
  int64_t rings = getLoadA(config, problem) == getLoadB(config, problem) &&
                          !config.splitRing.value_or(false)
                      ? 1
                      : 2;
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
  budget.barriers = 2 * kMBarrierBytes * rings * *config.stages +
                    getUnit(config)->getBarriers(config, problem);
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
  budget.tmemSlot = getUnit(config)->getStaticSmem();
  budget.total = dynamic + budget.tmemSlot;
  return budget;
}

TmemBudget tc::schedule::getTmemBudget(const MatmulConfig &config,
                                       const MatmulProblem &problem) {
  return getUnit(config)->getTmemBudget(config, problem);
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

/// Threads that roles add: those that multiply where others have the
/// accumulator, and those that load.
static int64_t getRoleThreads(const MatmulConfig &config,
                              const MatmulProblem &problem) {
  int64_t threads = getUnit(config)->getIssueThreads();
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
  return getUnit(config)->getRegisterEstimate(config, problem);
}

int64_t tc::schedule::getLaunchRegisters(const MatmulConfig &config,
                                         const MatmulProblem &problem) {
  // Registers are given to threads in steps of 8.
  int64_t epilogue = getUnit(config)->getAccumulatorThreads(config);
  int64_t roles = getRoleThreads(config, problem);
  int64_t threads = epilogue + roles;
  int64_t pool =
      epilogue * config.epilogueRegisters.value_or(0) + roles * kRoleRegisters;
  return (pool + 8 * threads - 1) / (8 * threads) * 8;
}

int64_t tc::schedule::getThreads(const MatmulConfig &config,
                                 const MatmulProblem &problem) {
  return getUnit(config)->getAccumulatorThreads(config) +
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

int64_t tc::schedule::getMinStored(const MatmulConfig &config,
                                   const MatmulProblem &problem) {
  bool hasRing =
      config.epilogue == Epilogue::tma_store || config.storeStages.has_value();
  return std::max(problem.scaleBlockD,
                  hasRing ? kTmaGranularity * 8 / problem.outputBits : 1);
}

int64_t tc::schedule::getMinSubtile(const MatmulConfig &config,
                                    const MatmulProblem &problem) {
  return std::max(getUnit(config)->getMinRead(config, problem),
                  getMinStored(config, problem));
}

ExtentRange tc::schedule::getTileN(const MatmulProblem &problem,
                                   const MatmulConfig &config) {
  // Instructions have N in steps of 8, those of a pair of 16; the epilogue
  // reads as many columns at a time or more.
  int64_t group = config.ctaGroup.value_or(1);
  const MatrixUnit unit = getUnit(config);
  ExtentRange range = unit->getInstructionN(problem.kind, group);
  range.step = group * unit->getMinRead(config, problem);
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
  return getUnit(config)->getTileM(config, problem);
}
