//===- MatmulConfig.cpp - legal configurations of a matmul ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowering can do, field by field, and what the machine can hold.
//
//===----------------------------------------------------------------------===//

#include "tc/Schedule/MatmulConfig.h"
#include "tc/Schedule/MatmulModel.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

using namespace tc;
using namespace tc::schedule;

/// The swizzle where none is chosen: the pattern that reads without conflicts.
static constexpr int64_t kDefaultSwizzle = 128;
/// A row of an operand tile without swizzle: one TMA granule.
static constexpr int64_t kPlainRowBytes = 16;
/// A TMA box is at most this long in each dimension, the K rows of an MN-major
/// tile included.
static constexpr int64_t kMaxTileK = kTmaMaxBox;
/// Columns that the epilogue reads with one tcgen05.ld: powers of two.
static constexpr int64_t kMinSubtile = 16;
static constexpr int64_t kMaxSubtile = 128;

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

/// The unit of `config`; an open one counts as tcgen05.
static MatrixUnit getUnit(const MatmulConfig &config) {
  return config.unit.value_or(MatrixUnit::Tcgen05);
}

Machine Machine::get(const TargetFacts &target) {
  Machine machine;
  machine.units = getMatrixUnits(target);
  machine.hasClusterLaunchControl = target.hasClusterLaunchControl;
  machine.sms = target.multiprocessors;
  machine.smemBytes = target.maxDynamicSmem;
  for (MatrixUnit unit : machine.units)
    if (getFacts(unit).hasTensorMemory)
      machine.tmemColumns = kTmemColumns;
  machine.registers = kRegisters;
  machine.threadRegisters = kMaxThreadRegisters;
  return machine;
}

const UnitSupport &tc::schedule::getUnitSupport(MatrixUnit unit) {
  static constexpr TileScheduler staticTiles[] = {TileScheduler::static_tiles};
  static constexpr TileScheduler schedulers[] = {TileScheduler::static_tiles,
                                                 TileScheduler::clc};
  static constexpr Epilogue direct[] = {Epilogue::direct};
  static constexpr Epilogue stores[] = {Epilogue::direct, Epilogue::tma_store};
  static constexpr Roles roles[] = {Roles::none, Roles::specialized};
  static constexpr Roles specialized[] = {Roles::specialized};
  static constexpr MmaKindFacts halves[] = {MmaKindFacts::F16};
  static constexpr MmaKindFacts scaled[] = {MmaKindFacts::F16,
                                            MmaKindFacts::MXF8F6F4};
  // By the numbers of the units.
  static const UnitSupport table[] = {
      // unit, schedulers, epilogues, roles, kinds, CTAs of a cluster
      {MatrixUnit::Tcgen05, schedulers, stores, roles, scaled,
       kPortableClusterCtas},
      {MatrixUnit::Wgmma, staticTiles, direct, specialized, halves,
       kPortableClusterCtas},
  };
  return table[static_cast<uint32_t>(unit)];
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

SmemBudget tc::schedule::getSmemBudget(const MatmulConfig &config,
                                       const MatmulProblem &problem) {
  auto alignUp = [](int64_t bytes, int64_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
  };
  auto tile = [&](int64_t rows, int64_t columns, int64_t bits,
                  int64_t swizzle) {
    return alignUp(rows * columns * bits / 8, getPatternBytes(swizzle));
  };
  auto operand = [&](int64_t rows) {
    return tile(rows, *config.tileK, problem.inputBits, *config.swizzle);
  };
  SmemBudget budget;
  int64_t group = config.ctaGroup.value_or(1);
  int64_t alignment = getPatternBytes(*config.swizzle);
  if (isBlockScaled(problem.kind))
    alignment = std::max(alignment, kTmaSmemAlignment);
  budget.stageA = operand(*config.tileM / group);
  budget.stageB = operand(*config.tileN / group);
  budget.stageScales = getScaleBytes(config, problem);
  budget.nextStage = budget.stage() + 2 * kMBarrierBytes;
  budget.storeRing = 0;
  if (config.epilogue == Epilogue::tma_store) {
    int64_t swizzle =
        getStoreSwizzle(*config.epilogueSubtile, problem.outputBits);
    budget.storeRing = *config.storeStages * tile(*config.tileM / group,
                                                  *config.epilogueSubtile,
                                                  problem.outputBits, swizzle);
    alignment = std::max(alignment, getPatternBytes(swizzle));
  }
  bool hasTmem = getFacts(getUnit(config)).hasTensorMemory;
  budget.barriers =
      2 * kMBarrierBytes *
      (*config.stages + (hasTmem ? *config.accumulatorStages : 0));
  // One thread fills the scale columns and has them read: it waits only before
  // it fills them again.
  if (budget.stageScales)
    budget.barriers += kMBarrierBytes * config.scaleStages.value_or(1);
  int64_t bytes =
      budget.stage() * *config.stages + budget.storeRing + budget.barriers;
  int64_t dynamic = getDynamicSmemBytes(bytes, alignment);
  budget.alignment = dynamic - bytes;
  budget.tmemSlot = hasTmem ? kTmemSlotBytes : 0;
  budget.total = dynamic + budget.tmemSlot;
  return budget;
}

TmemBudget tc::schedule::getTmemBudget(const MatmulConfig &config,
                                       const MatmulProblem &problem) {
  TmemBudget budget{0, 0, 0};
  if (!getFacts(getUnit(config)).hasTensorMemory)
    return budget;
  budget.accumulators = *config.tileN * *config.accumulatorStages;
  if (int64_t bytes = getScaleBytes(config, problem))
    budget.scales = config.scaleStages.value_or(1) * bytes / kScaleColumnBytes;
  budget.allocated = kTmemMinAllocation;
  while (budget.allocated < budget.used())
    budget.allocated *= 2;
  return budget;
}

int64_t tc::schedule::getTmemColumns(const MatmulConfig &config) {
  return getTmemBudget(config, MatmulProblem()).allocated;
}

/// Threads that hold the accumulator, one window of lanes for each warp where
/// it is in Tensor Memory, and those that roles add: a warp that loads, and one
/// that multiplies where the former do not.
static int64_t getEpilogueThreads(const MatmulConfig &config) {
  if (getFacts(getUnit(config)).hasTensorMemory)
    return kTmemLanes;
  return config.tileM.value_or(kWgmmaM) / kWgmmaM * kWarpgroupThreads;
}

static int64_t getRoleThreads(const MatmulConfig &config) {
  int64_t threads = getFacts(getUnit(config)).hasTensorMemory ? 2 * kWarpThreads
                                                              : kWarpThreads;
  // Registers move between whole warpgroups: warps without work complete them.
  if (config.epilogueRegisters.value_or(0))
    threads = llvm::alignTo(threads, kWarpgroupThreads);
  return threads;
}

int64_t tc::schedule::getRegisterEstimate(const MatmulConfig &config,
                                          const MatmulProblem &problem) {
  constexpr int64_t kAddresses = 24;
  int64_t columns = *config.epilogueSubtile;
  if (getFacts(getUnit(config)).hasTensorMemory)
    return columns + columns * problem.outputBits / 32 + kAddresses;
  // A warpgroup has 64 rows: half a row for each thread. The subtile is part
  // of the accumulator.
  return *config.tileN / 2 + columns * problem.outputBits / 64 + kAddresses;
}

int64_t tc::schedule::getLaunchRegisters(const MatmulConfig &config) {
  // Registers are given to threads in steps of 8.
  int64_t epilogue = getEpilogueThreads(config), roles = getRoleThreads(config);
  int64_t threads = epilogue + roles;
  int64_t pool =
      epilogue * config.epilogueRegisters.value_or(0) + roles * kRoleRegisters;
  return (pool + 8 * threads - 1) / (8 * threads) * 8;
}

int64_t tc::schedule::getThreads(const MatmulConfig &config) {
  return getEpilogueThreads(config) +
         (*config.roles == Roles::specialized ? getRoleThreads(config) : 0);
}

/// Elements of one row of an operand tile in shared memory: the swizzle's.
static int64_t getRowElements(std::optional<int64_t> swizzle,
                              const MatmulProblem &problem) {
  int64_t bytes = swizzle.value_or(kDefaultSwizzle);
  return (bytes ? bytes : kPlainRowBytes) * 8 / problem.inputBits;
}

/// K of the scale factors of one block of them.
static int64_t getScaleTileK(const MatmulProblem &problem) {
  return kScaleBlocks * getScaleBlock(problem.kind);
}

bool tc::schedule::hasHalfTile(const MatmulProblem &problem) {
  llvm::ArrayRef<int64_t> rows = getMmaM(problem.kind, /*ctaGroup=*/1);
  return std::find(rows.begin(), rows.end(), kHalfTileM) != rows.end();
}

/// The narrowest epilogue subtile: with 64 rows, or an accumulator in
/// registers, the narrowest instruction.
static int64_t getMinSubtile(const MatmulConfig &config,
                             const MatmulProblem &problem) {
  if (config.tileM == kHalfTileM || !getFacts(getUnit(config)).hasTensorMemory)
    return getInstructionN(getUnit(config), problem.kind, /*ctaGroup=*/1).first;
  return kMinSubtile;
}

ExtentRange tc::schedule::getTileN(const MatmulProblem &problem,
                                   const MatmulConfig &config) {
  // Instructions have N in steps of 8, those of a pair of 16; the epilogue
  // reads as many columns at a time or more.
  int64_t group = config.ctaGroup.value_or(1);
  ExtentRange range = getInstructionN(getUnit(config), problem.kind, group);
  range.first = range.step = group * getMinSubtile(config, problem);
  if (!problem.transposeB) {
    range.step = group * std::max(getMinSubtile(config, problem),
                                  getRowElements(config.swizzle, problem));
    range.first = range.step;
  }
  // Tiles start where blocks of scale factors do.
  if (isBlockScaled(problem.kind))
    range.first = range.step = std::max(range.step, kScaleRows);
  return range;
}

ExtentRange tc::schedule::getTileK(const MatmulProblem &problem,
                                   const MatmulConfig &config) {
  int64_t step =
      std::max({getMmaK(problem.kind), getRowElements(config.swizzle, problem),
                getScaleTileK(problem)});
  return ExtentRange{step, kMaxTileK, step};
}

std::vector<int64_t> tc::schedule::getTileM(const MatmulProblem &problem,
                                            const MatmulConfig &config) {
  int64_t group = config.ctaGroup.value_or(1);
  llvm::ArrayRef<int64_t> rows = getTileRows(getUnit(config), group);
  if (!getFacts(getUnit(config)).hasTensorMemory)
    return rows.vec();
  if (group == 1 && hasHalfTile(problem))
    return {kHalfTileM, rows.back()};
  return {rows.back()};
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

namespace {

using Error = std::optional<std::string>;

/// "<field> of <value>: expected <expected>, nearest <nearest>".
Error mismatch(const std::string &field, const std::string &value,
               const std::string &expected) {
  return field + " of " + value + ": expected " + expected;
}

/// A field with one legal value, and why.
Error findFixedError(const std::string &field, std::optional<int64_t> value,
                     int64_t legal, const std::string &reason) {
  if (!value || *value == legal)
    return std::nullopt;
  return mismatch(field, std::to_string(*value),
                  std::to_string(legal) + ", " + reason);
}

Error findRangeError(const std::string &field, int64_t value,
                     const ExtentRange &range, const std::string &reason) {
  if (range.contains(value))
    return std::nullopt;
  return mismatch(field, std::to_string(value),
                  "a multiple of " + std::to_string(range.step) + " up to " +
                      std::to_string(range.last) + reason + ", nearest " +
                      std::to_string(range.nearest(value)));
}

/// "64, 128 or 256".
std::string listNumbers(llvm::ArrayRef<int64_t> numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0                    ? ""
             : i + 1 == numbers.size() ? " or "
                                       : ", ") +
            std::to_string(numbers[i]);
  return text;
}

/// The rows of a tile.
Error findRowsError(const MatmulConfig &config, const MatmulProblem &problem) {
  MatrixUnit unit = getUnit(config);
  int64_t group = config.ctaGroup.value_or(1);
  llvm::ArrayRef<int64_t> rows = getTileRows(unit, group);
  if (getFacts(unit).hasTensorMemory) {
    bool mayBeHalf = group == 1 && hasHalfTile(problem);
    bool isHalf = mayBeHalf && config.tileM == kHalfTileM;
    return findFixedError(
        "tile M", config.tileM, isHalf ? kHalfTileM : rows.back(),
        mayBeHalf    ? "the rows of the accumulator of one CTA, or 64"
        : group == 1 ? "the rows of the accumulator of one CTA"
                     : "the rows of the accumulators of two CTAs");
  }
  if (!config.tileM ||
      std::find(rows.begin(), rows.end(), *config.tileM) != rows.end())
    return std::nullopt;
  int64_t nearest =
      *std::min_element(rows.begin(), rows.end(), [&](int64_t a, int64_t b) {
        return std::abs(a - *config.tileM) < std::abs(b - *config.tileM);
      });
  return mismatch("tile M", std::to_string(*config.tileM),
                  listNumbers(rows) + ", 64 rows for each warpgroup, nearest " +
                      std::to_string(nearest));
}

/// What a unit with its accumulators in registers has one of.
Error findUnitError(const MatmulConfig &config) {
  const MatrixUnitFacts &facts = getFacts(getUnit(config));
  if (*config.ctaGroup > facts.maxCtaGroup)
    return mismatch("cta-group", std::to_string(*config.ctaGroup),
                    std::to_string(facts.maxCtaGroup) + ", no instruction of " +
                        facts.name.str() + " spans more CTAs");
  if (facts.hasTensorMemory)
    return std::nullopt;
  return findFixedError("accumulator-stages", config.accumulatorStages, 1,
                        "as the accumulator is in the registers of those who "
                        "multiply");
}

Error findTileError(const MatmulConfig &config, const MatmulProblem &problem) {
  int64_t group = config.ctaGroup.value_or(1);
  if (Error error = findRowsError(config, problem))
    return error;
  std::string reason = problem.transposeB
                           ? ""
                           : " (rows of B run along N and are cut into "
                             "swizzle rows)";
  if (group == 2)
    reason += " for cta-group 2, where a CTA has half of the columns";
  if (isBlockScaled(problem.kind))
    reason += " (rows of a block of scale factors)";
  if (config.tileN)
    if (Error error = findRangeError("tile N", *config.tileN,
                                     getTileN(problem, config), reason))
      return error;
  if (config.tileK)
    return findRangeError("tile K", *config.tileK, getTileK(problem, config),
                          isBlockScaled(problem.kind)
                              ? " (swizzle rows, and blocks of scale factors)"
                              : " (swizzle rows, and K of an instruction)");
  return std::nullopt;
}

/// The epilogue reads powers of two that divide the tile.
Error findSubtileError(const MatmulConfig &config,
                       const MatmulProblem &problem) {
  if (!config.epilogueSubtile)
    return std::nullopt;
  int64_t columns = *config.epilogueSubtile;
  bool isPower = (columns & (columns - 1)) == 0;
  int64_t least = getMinSubtile(config, problem);
  if (!isPower || columns < least || columns > kMaxSubtile)
    return mismatch(
        "epilogue-subtile", std::to_string(columns),
        (least < kMinSubtile ? std::to_string(least) + ", " : "") +
            "16, 32, 64 or 128 columns, nearest " +
            std::to_string(std::clamp<int64_t>(
                llvm::bit_floor(uint64_t(columns)), least, kMaxSubtile)));
  if (config.tileN && *config.tileN % columns != 0)
    return mismatch("epilogue-subtile", std::to_string(columns),
                    "a divisor of tile N, " + std::to_string(*config.tileN));
  return std::nullopt;
}

/// The store ring: what asks for it, and whether TMA can store D.
Error findEpilogueError(const MatmulConfig &config,
                        const MatmulProblem &problem) {
  if (problem.tmaStore != TmaStore::Impossible)
    return std::nullopt;
  if (config.epilogue == Epilogue::tma_store)
    return mismatch("epilogue", std::string("tma-store"),
                    "direct, " + problem.storeObstacle);
  if (config.storeStages)
    return mismatch("store-stages", std::to_string(*config.storeStages),
                    "none, " + problem.storeObstacle);
  return std::nullopt;
}

/// What setmaxnreg takes (PTX ISA, "setmaxnreg": multiples of 8 from 24 to
/// 256), as far as it is more than what the kernel is launched with.
Error findRegistersError(const MatmulConfig &config) {
  int64_t registers = config.epilogueRegisters.value_or(0);
  if (registers == 0)
    return std::nullopt;
  constexpr ExtentRange range{64, 240, 8};
  return findRangeError("epilogue-registers", registers, range,
                        ", from 64 on, or 0");
}

} // namespace

/// "static", "static or clc": the values of an enumeration.
template <typename E, typename Stringify>
static std::string listValues(llvm::ArrayRef<E> values, Stringify stringify) {
  std::string text;
  for (E value : values)
    text += (text.empty() ? "" : " or ") + spellKey(stringify(value));
  return text;
}

/// A value that nobody lowers for the unit.
template <typename E, typename Stringify>
static Error findSupportError(const std::string &field, std::optional<E> value,
                              llvm::ArrayRef<E> supported, MatrixUnit unit,
                              Stringify stringify) {
  if (!value ||
      std::find(supported.begin(), supported.end(), *value) != supported.end())
    return std::nullopt;
  return mismatch(field, spellKey(stringify(*value)),
                  listValues(supported, stringify) +
                      ", nothing lowers it for " + getFacts(unit).name.str());
}

/// The cluster: whole matrix instructions, and no more CTAs than are lowered.
static Error findClusterError(const MatmulConfig &config,
                              const UnitSupport &support) {
  int64_t group = config.ctaGroup.value_or(1);
  int64_t m = config.clusterM.value_or(group), n = config.clusterN.value_or(1);
  if ((m == group && n == 1) ||
      (m % group == 0 && m * n <= support.maxClusterCtas))
    return std::nullopt;
  std::string expected =
      std::to_string(group) + "x1, the CTAs of a matrix instruction";
  if (support.maxClusterCtas)
    expected =
        "at most " + std::to_string(support.maxClusterCtas) + " CTAs" +
        (group > 1 ? ", a multiple of " + std::to_string(group) + " along M"
                   : "");
  return mismatch("cluster", std::to_string(m) + "x" + std::to_string(n),
                  expected);
}

namespace {

/// A tile that CTAs of a cluster receive: each loads a part of its rows, which
/// are whole repetitions of the swizzle (8 rows, PTX ISA, "Swizzling-modes").
struct SharedTile {
  /// The extent along which it is cut, the value of its field, and the legal
  /// ones, as numbers and in words.
  const char *extent;
  std::optional<int64_t> value;
  std::vector<int64_t> legal;
  std::string words;
  /// CTAs that receive it, and rows of all CTAs of an instruction for each row
  /// that one of them loads.
  int64_t parts, group;
  const char *operand;

  int64_t step(int64_t cut) const { return 8 * cut * group; }
  /// The legal extent next to the value that is cut into `cut` parts.
  std::optional<int64_t> nearest(int64_t cut) const {
    std::optional<int64_t> best;
    int64_t wanted = value.value_or(legal.front());
    for (int64_t extent : legal)
      if (extent % step(cut) == 0 &&
          (!best || std::abs(extent - wanted) < std::abs(*best - wanted)))
        best = extent;
    return best;
  }
};

} // namespace

static std::vector<int64_t> listExtents(const ExtentRange &range) {
  std::vector<int64_t> extents;
  for (int64_t e = range.first; e <= range.last; e += range.step)
    extents.push_back(e);
  return extents;
}

/// The extent of `tile` as a field; where none has whole parts, the cluster,
/// whose CTAs along `dim` share the tile: `spell` writes it with another number
/// of parts.
static Error findPartsError(const SharedTile &tile, const char *dim,
                            llvm::function_ref<std::string(int64_t)> spell) {
  if (tile.parts <= 1)
    return std::nullopt;
  if (std::optional<int64_t> nearest = tile.nearest(tile.parts)) {
    if (!tile.value || *tile.value % tile.step(tile.parts) == 0)
      return std::nullopt;
    return mismatch(
        std::string("tile ") + tile.extent, std::to_string(*tile.value),
        "a multiple of " + std::to_string(tile.step(tile.parts)) +
            ", 8 rows for each of the " + std::to_string(tile.parts) +
            " CTAs that share a tile of " + tile.operand + ", nearest " +
            std::to_string(*nearest));
  }
  int64_t fewer = tile.parts - 1;
  while (fewer > 1 && !tile.nearest(fewer))
    --fewer;
  return mismatch("cluster", spell(tile.parts),
                  std::string("a number of CTAs along ") + dim +
                      " that cuts tile " + tile.extent + ", " + tile.words +
                      ", into multiples of 8 rows of " + tile.operand +
                      ", nearest " + spell(fewer));
}

/// Both tiles that CTAs of a cluster share.
static Error findShareError(const MatmulConfig &config,
                            const MatmulProblem &problem) {
  int64_t group = *config.ctaGroup;
  int64_t m = config.clusterM.value_or(group), n = config.clusterN.value_or(1);
  auto words = [](const ExtentRange &range) {
    return "a multiple of " + std::to_string(range.step) + " up to " +
           std::to_string(range.last);
  };
  ExtentRange rangeN = getTileN(problem, config);
  ExtentRange rangeK = getTileK(problem, config);
  SharedTile alongK{"K",           config.tileK, listExtents(rangeK),
                    words(rangeK),
                    /*parts=*/n,
                    /*group=*/1,   "A"};
  std::vector<int64_t> rows = getTileM(problem, config);
  SharedTile a = problem.transposeA
                     ? alongK
                     : SharedTile{"M", config.tileM, rows, listNumbers(rows),
                                  n,   group,        "A"};
  if (Error error = findPartsError(a, "N", [&](int64_t parts) {
        return std::to_string(m) + "x" + std::to_string(parts);
      }))
    return error;
  alongK.parts = m / group;
  alongK.operand = "B";
  SharedTile b = problem.transposeB ? SharedTile{"N",
                                                 config.tileN,
                                                 listExtents(rangeN),
                                                 words(rangeN),
                                                 m / group,
                                                 group,
                                                 "B"}
                                    : alongK;
  return findPartsError(b, "M", [&](int64_t parts) {
    return std::to_string(parts * group) + "x" + std::to_string(n);
  });
}

std::optional<std::string>
tc::schedule::findMachineError(const MatmulConfig &config,
                               const MatmulProblem &problem,
                               const Machine &machine) {
  MatrixUnit unit = config.unit.value_or(machine.units.front());
  if (std::find(machine.units.begin(), machine.units.end(), unit) ==
      machine.units.end())
    return mismatch("unit", getFacts(unit).name.str(),
                    listValues<MatrixUnit>(machine.units, [](MatrixUnit u) {
                      return getFacts(u).name;
                    }) + ", what the chip has");
  const UnitSupport &support = getUnitSupport(unit);
  if (config.scheduler == TileScheduler::clc &&
      !machine.hasClusterLaunchControl)
    return mismatch("scheduler", "clc",
                    "static, the chip has no cluster launch control");
  if (std::find(support.kinds.begin(), support.kinds.end(), problem.kind) ==
      support.kinds.end())
    return std::string("operands: expected element types that kernels are "
                       "lowered for, bf16 or f16") +
           (support.kinds.size() > 1 ? ", or f8 with scale factors" : "");
  return std::nullopt;
}

std::optional<std::string>
tc::schedule::findFieldError(const MatmulConfig &config,
                             const MatmulProblem &problem) {
  // An open group is one that the other fields allow; errors are those of one
  // CTA.
  if (!config.ctaGroup) {
    MatmulConfig grouped = config;
    Error error;
    for (int64_t group : {2, 1}) {
      grouped.ctaGroup = group;
      error = findFieldError(grouped, problem);
      if (!error)
        break;
    }
    return error;
  }
  for (const ConfigField &field : getConfigFields())
    if (FieldValue value = field.get(config); !value.empty())
      if (Error error = findValueError(field, value))
        return spellKey(field.key) + ": " + *error;
  if (Error error = findUnitError(config))
    return error;
  const UnitSupport &support = getUnitSupport(getUnit(config));
  if (Error error = findClusterError(config, support))
    return error;
  for (unsigned part = 0; part < getConfigParts().size(); ++part)
    if (Error error = findPartError(part, config))
      return error;
  int64_t ctas =
      config.clusterM.value_or(*config.ctaGroup) * config.clusterN.value_or(1);
  if (config.sms && *config.sms % ctas != 0)
    return mismatch("sms", std::to_string(*config.sms),
                    "a multiple of " + std::to_string(ctas) +
                        ", the CTAs of a cluster, nearest " +
                        std::to_string((*config.sms / ctas + 1) * ctas));
  if (Error error = findTileError(config, problem))
    return error;
  if (Error error = findShareError(config, problem))
    return error;
  if (config.storeStages &&
      !llvm::is_contained(support.epilogues, Epilogue::tma_store))
    return mismatch("store-stages", std::to_string(*config.storeStages),
                    "none, nothing lowers epilogue tma-store for " +
                        getFacts(support.unit).name.str());
  if (config.scaleStages && !isBlockScaled(problem.kind))
    return mismatch("scale-stages", std::to_string(*config.scaleStages),
                    "none, the operands have no scale factors");
  if (Error error =
          findSupportError("scheduler", config.scheduler, support.schedulers,
                           support.unit, stringifyTileScheduler))
    return error;
  if (Error error =
          findSupportError("epilogue", config.epilogue, support.epilogues,
                           support.unit, stringifyEpilogue))
    return error;
  if (Error error = findSupportError("roles", config.roles, support.roles,
                                     support.unit, stringifyRoles))
    return error;
  if (Error error = findEpilogueError(config, problem))
    return error;
  if (Error error = findRegistersError(config))
    return error;
  return findSubtileError(config, problem);
}

/// Coordinates of TMA and of the tiles of D are numbers of 32 bits with a sign.
static Error findSizeError(const MatmulProblem &problem) {
  std::pair<const char *, std::optional<int64_t>> sizes[] = {
      {"M", problem.m},
      {"N", problem.n},
      {"K", problem.k},
      {"the batch", problem.batch}};
  for (auto [name, size] : sizes)
    if (size && *size > kMaxSize)
      return std::string("expected ") + name + " of at most " +
             std::to_string(kMaxSize) + ", as coordinates have 32 bits, got " +
             std::to_string(*size);
  return std::nullopt;
}

std::optional<std::string>
tc::schedule::findConfigError(const MatmulConfig &config,
                              const MatmulProblem &problem,
                              const Machine &machine) {
  if (Error error = findSizeError(problem))
    return error;
  if (Error error = findMachineError(config, problem, machine))
    return error;
  MatmulConfig open = config;
  if (!open.unit)
    open.unit = machine.units.front();
  if (Error error = findFieldError(open, problem))
    return error;
  if (hasLegalTile(open, problem, machine))
    return std::nullopt;
  return "expected fields that are legal with some tile, got " +
         formatConfig(config);
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

/// What fits instead of `config`, which exceeds Tensor Memory by `tmem`.
static std::string getTmemAdvice(const MatmulConfig &config,
                                 const TmemBudget &tmem,
                                 const Machine &machine) {
  auto most = [](int64_t number, const std::string &what) {
    return "at most " + std::to_string(number) + " " + what +
           (number == 1 ? " stage fits" : " stages fit") + " this tile";
  };
  int64_t fit = (machine.tmemColumns - tmem.scales) / *config.tileN;
  if (fit >= 1 || !tmem.scales)
    return most(std::max<int64_t>(fit, 0), "accumulator");
  // Less than one accumulator is none.
  int64_t slot = tmem.scales / config.scaleStages.value_or(1);
  return most((machine.tmemColumns - *config.tileN) / slot, "scale") +
         " and one accumulator";
}

/// The registers of all threads, and of those that hold an accumulator.
static Error findRegisterUse(const MatmulConfig &config,
                             const MatmulProblem &problem,
                             const Machine &machine) {
  int64_t threads = getThreads(config);
  int64_t most =
      std::min(machine.threadRegisters, machine.registers / threads / 8 * 8);
  if (int64_t registers = config.epilogueRegisters.value_or(0)) {
    int64_t launched = getLaunchRegisters(config);
    if (launched > most)
      return "expected at most " + std::to_string(most) +
             " registers for each of " + std::to_string(threads) +
             " threads at launch, got " + std::to_string(launched) +
             " (epilogue-registers of " + std::to_string(registers) +
             "); choose fewer rows or fewer epilogue registers";
    most = registers;
  }
  if (getFacts(getUnit(config)).hasTensorMemory)
    return std::nullopt;
  int64_t estimate = getRegisterEstimate(config, problem);
  if (estimate <= most)
    return std::nullopt;
  return "expected at most " + std::to_string(most) +
         " registers for each of " + std::to_string(threads) +
         " threads, got about " + std::to_string(estimate) + " (" +
         std::to_string(*config.tileN / 2) +
         " of them for the accumulator); choose a smaller tile M or tile N";
}

std::optional<std::string>
tc::schedule::findResourceError(const MatmulConfig &config,
                                const MatmulProblem &problem,
                                const Machine &machine) {
  // The allocation rounds the sum up to a power of two, which never passes the
  // limit, itself a power of two.
  TmemBudget tmem = getTmemBudget(config, problem);
  if (tmem.used() > machine.tmemColumns)
    return "expected at most " + std::to_string(machine.tmemColumns) +
           " columns of Tensor Memory, got " + std::to_string(tmem.used()) +
           " (" + std::to_string(*config.accumulatorStages) +
           " accumulators of " + std::to_string(*config.tileN) + " columns" +
           (tmem.scales
                ? ", " + std::to_string(tmem.scales) + " of scale factors"
                : "") +
           "); " + getTmemAdvice(config, tmem, machine);

  if (Error error = findRegisterUse(config, problem, machine))
    return error;

  SmemBudget budget = getSmemBudget(config, problem);
  if (budget.total <= machine.smemBytes)
    return std::nullopt;
  std::string error =
      "expected at most " + std::to_string(machine.smemBytes) +
      " bytes of shared memory, got " + std::to_string(budget.total) + " (" +
      std::to_string(*config.stages) + " stages of " +
      std::to_string(budget.stage()) + ", " +
      (budget.storeRing
           ? std::to_string(budget.storeRing) + " of store buffers, "
           : "") +
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
    return error + "at most " + std::to_string(fit) +
           (fit == 1 ? " stage fits this tile" : " stages fit this tile");
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
