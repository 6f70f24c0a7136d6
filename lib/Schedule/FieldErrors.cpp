//===- FieldErrors.cpp - legal fields of a configuration --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which fields of a configuration the lowering can do, and the nearest legal
// values of those that it cannot.
//
//===----------------------------------------------------------------------===//

#include "ConfigFacts.h"

#include "tc/Schedule/MatmulModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cstdlib>

using namespace tc;
using namespace tc::schedule;

using Error = std::optional<std::string>;

std::string tc::schedule::mismatch(const std::string &field,
                                   const std::string &value,
                                   const std::string &expected) {
  return field + " of " + spellKey(value) + ": expected " + expected;
}

Error tc::schedule::findFixedError(const std::string &field,
                                   std::optional<int64_t> value, int64_t legal,
                                   const std::string &reason) {
  if (!value || *value == legal)
    return std::nullopt;
  return mismatch(field, std::to_string(*value),
                  std::to_string(legal) + ", " + reason);
}

namespace {

Error findRangeError(const std::string &field, int64_t value,
                     const ExtentRange &range, const std::string &reason) {
  if (range.contains(value))
    return std::nullopt;
  return mismatch(field, std::to_string(value),
                  "a multiple of " + std::to_string(range.step) + " up to " +
                      std::to_string(range.last) + reason + ", nearest " +
                      std::to_string(range.nearest(value)));
}

/// The rows of a tile.
Error findRowsError(const MatmulConfig &config, const MatmulProblem &problem) {
  std::vector<int64_t> rows = getTileM(problem, config);
  std::string reason = getUnit(config)->explainTileM(config, problem);
  if (rows.size() == 1)
    return findFixedError("tile M", config.tileM, rows.front(), reason);
  if (!config.tileM || llvm::is_contained(rows, *config.tileM))
    return std::nullopt;
  int64_t nearest =
      *std::min_element(rows.begin(), rows.end(), [&](int64_t a, int64_t b) {
        return std::abs(a - *config.tileM) < std::abs(b - *config.tileM);
      });
  return mismatch("tile M", std::to_string(*config.tileM),
                  listNumbers(rows) + ", " + reason + ", nearest " +
                      std::to_string(nearest));
}

/// The CTA group, and the rules of the unit.
Error findUnitError(const MatmulConfig &config, const MatmulProblem &problem) {
  const UnitFacts &facts = getUnit(config)->getFacts();
  if (*config.ctaGroup > facts.maxCtaGroup)
    return mismatch("cta-group", std::to_string(*config.ctaGroup),
                    std::to_string(facts.maxCtaGroup) + ", no instruction of " +
                        spellKey(facts.name) + " spans more CTAs");
  return getUnit(config)->findFieldError(config, problem);
}

/// Why no fewer than so many columns of D are stored at a time; nothing where
/// `columns` are as many.
std::string explainStored(const MatmulConfig &config,
                          const MatmulProblem &problem, int64_t columns) {
  int64_t least = getMinStored(config, problem);
  if (columns % least == 0)
    return "";
  return least == problem.scaleBlockD
             ? " (" + std::to_string(least) +
                   " elements of D share a scale factor)"
             : " (TMA stores multiples of " + std::to_string(kTmaGranularity) +
                   " bytes)";
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
  if (problem.promotedK)
    reason += " (threads hold the sums of K-blocks of their rows)";
  if (config.tileN)
    reason += explainStored(config, problem, *config.tileN);
  if (config.tileN)
    if (Error error = findRangeError("tile N", *config.tileN,
                                     getTileN(problem, config), reason))
      return error;
  if (problem.promotedK)
    return findFixedError("tile K", config.tileK, problem.promotedK,
                          "the elements that share a scale factor");
  if (config.tileK)
    return findRangeError("tile K", *config.tileK, getTileK(problem, config),
                          isBlockScaled(problem.kind)
                              ? " (swizzle rows, and blocks of scale factors)"
                          : problem.isSparse
                              ? " (swizzle rows of a sparse A, and blocks of "
                                "metadata)"
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
  llvm::SmallVector<int64_t> widths;
  for (int64_t width = least; width <= kMaxSubtile; width *= 2)
    widths.push_back(width);
  if (!isPower || columns < least || columns > kMaxSubtile)
    return mismatch(
        "epilogue-subtile", std::to_string(columns),
        listNumbers(widths) + " columns" +
            explainStored(config, problem, columns) + ", nearest " +
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

/// What loads an operand: what its rows permit, and the order in which
/// `turned`, the unit of its elements, reads it; null: the one that it has.
Error findLoadError(const std::string &operand, std::optional<LoadEngine> load,
                    std::optional<CacheHint> hint, const OperandRows &rows,
                    const UnitFacts *turned, int64_t bits, LoadEngine chosen) {
  auto refuse = [&](const std::string &expected) {
    return mismatch("load-" + operand, stringifyLoadEngine(*load).str(),
                    expected);
  };
  int64_t alignment = rows.alignment;
  if (turned)
    alignment = std::min(alignment, bits / 8);
  // Neither TMA nor threads.
  if (!rows.tmaObstacle.empty() && !rows.threadObstacle.empty())
    return "operand " + std::string(operand == "a" ? "A" : "B") +
           ": expected rows that can be loaded, but " + rows.tmaObstacle +
           ", and " + rows.threadObstacle;
  if (load == LoadEngine::tma && turned)
    return refuse((alignment >= kMinCopyBytes ? "cp-async or threads, unit "
                                              : "threads, unit ") +
                  turned->name.str() + " reads elements of " +
                  std::to_string(bits) +
                  " bits adjacent along K, and TMA keeps the order");
  if (load == LoadEngine::tma && !rows.tmaObstacle.empty())
    return refuse((rows.alignment >= kMinCopyBytes ? "cp-async or threads, "
                                                   : "threads, ") +
                  rows.tmaObstacle);
  if (load && *load != LoadEngine::tma && !rows.threadObstacle.empty())
    return refuse("tma, " + rows.threadObstacle);
  if (load == LoadEngine::cp_async && alignment < kMinCopyBytes)
    return refuse("threads, the copies of cp.async are " +
                  std::to_string(kMinCopyBytes) + " bytes or more, and " +
                  (turned ? "unit " + spellKey(turned->name) +
                                " reads single elements of "
                          : "rows start at multiples of ") +
                  std::to_string(alignment));
  if (hint && *hint != CacheHint::none && chosen != LoadEngine::tma)
    return mismatch("cache-hint-" + operand, stringifyCacheHint(*hint).str(),
                    "none, TMA alone takes hints, and load-" + operand +
                        " is " + spellKey(stringifyLoadEngine(chosen)));
  return std::nullopt;
}

/// Both operands, and what CTAs cannot share where threads load.
Error findLoadError(const MatmulConfig &config, const MatmulProblem &problem) {
  LoadEngine a = getLoadA(config, problem), b = getLoadB(config, problem);
  const UnitFacts &facts = getUnit(config)->getFacts();
  if (Error error = findLoadError(
          "a", config.loadA, config.cacheHintA, problem.rowsA,
          turnsA(config, problem) ? &facts : nullptr, problem.inputBits, a))
    return error;
  if (Error error = findLoadError(
          "b", config.loadB, config.cacheHintB, problem.rowsB,
          turnsB(config, problem) ? &facts : nullptr, problem.inputBits, b))
    return error;
  LoadEngine gathers = a == LoadEngine::tma ? b : a;
  if (gathers == LoadEngine::tma)
    return std::nullopt;
  std::string because =
      std::string(a == LoadEngine::tma ? "load-b" : "load-a") + " is " +
      spellKey(stringifyLoadEngine(gathers));
  if (config.ctaGroup.value_or(1) != 1)
    return mismatch("cta-group", std::to_string(*config.ctaGroup),
                    "1, the CTAs of a pair wait for loads by TMA alone, and " +
                        because);
  // Addresses and elements on their way take more than the other roles keep.
  return findFixedError("epilogue-registers", config.epilogueRegisters, 0,
                        "threads that load keep theirs, and " + because);
}

/// What a late release needs.
Error findLateError(const MatmulConfig &config, const MatmulProblem &problem) {
  if (!config.lateRelease.value_or(false))
    return std::nullopt;
  const UnitFacts &facts = getUnit(config)->getFacts();
  auto refuse = [](const std::string &reason) {
    return mismatch("late-release", std::string("on"), "off, " + reason);
  };
  if (!facts.releasesLate)
    return refuse("no warp waits for products of " + spellKey(facts.name) +
                  " before it releases a slot");
  if (problem.promotedK)
    return refuse("threads add up the products of each K-block");
  if (config.stages == 1)
    return refuse("with one stage the next K-block waits for that slot");
  return std::nullopt;
}

/// What a ring for A alone needs.
Error findSplitRingError(const MatmulConfig &config,
                         const MatmulProblem &problem) {
  if (!config.splitRing.value_or(false))
    return std::nullopt;
  auto refuse = [](const std::string &reason) {
    return mismatch("split-ring", std::string("on"), "off, " + reason);
  };
  const UnitFacts &facts = getUnit(config)->getFacts();
  if (!facts.completesReads)
    return refuse("no instruction of " + spellKey(facts.name) +
                  " says when it has read A");
  if (!problem.completesReads)
    return refuse("nothing says when A has been read (sm_107 does)");
  if (config.stages == 1)
    return refuse("with one stage the next K-block waits for that slot of B");
  return std::nullopt;
}

/// What setmaxnreg takes (PTX ISA, "setmaxnreg": multiples of 8 from 24 to
/// 256), as far as it is more than what the kernel is launched with.
Error findRegistersError(const MatmulConfig &config, const MatmulProblem &) {
  int64_t registers = config.epilogueRegisters.value_or(0);
  if (registers == 0)
    return std::nullopt;
  constexpr ExtentRange range{64, 240, 8};
  return findRangeError("epilogue-registers", registers, range,
                        ", from 64 on, or 0");
}

/// Each field by itself.
Error findValueErrors(const MatmulConfig &config, const MatmulProblem &) {
  for (const ConfigField &field : getConfigFields())
    if (FieldValue value = field.get(config); !value.empty())
      if (Error error = findValueError(field, value))
        return spellKey(field.key) + ": " + *error;
  return std::nullopt;
}

Error findPartErrors(const MatmulConfig &config, const MatmulProblem &) {
  for (unsigned part = 0; part < getConfigParts().size(); ++part)
    if (Error error = findPartError(part, config))
      return error;
  return std::nullopt;
}

/// The multiprocessors hold whole clusters.
Error findSmsError(const MatmulConfig &config, const MatmulProblem &) {
  int64_t ctas =
      config.clusterM.value_or(*config.ctaGroup) * config.clusterN.value_or(1);
  if (!config.sms || *config.sms % ctas == 0)
    return std::nullopt;
  return mismatch("sms", std::to_string(*config.sms),
                  "a multiple of " + std::to_string(ctas) +
                      ", the CTAs of a cluster, nearest " +
                      std::to_string((*config.sms / ctas + 1) * ctas));
}

/// The swizzle of the operands: what instructions read, and rows permit.
Error findSwizzleError(const MatmulConfig &config,
                       const MatmulProblem &problem) {
  if (!config.swizzle)
    return std::nullopt;
  auto refuse = [&](const std::string &expected) {
    return mismatch("swizzle",
                    *config.swizzle ? std::to_string(*config.swizzle) + "B"
                                    : "none",
                    expected);
  };
  if (problem.kind == MmaKindFacts::TF32 && *config.swizzle != 128 &&
      (problem.transposeA || !problem.transposeB))
    return refuse("128B, the only one in which elements of 32 bits are read "
                  "along M or N");
  if (problem.isUnpacked && *config.swizzle != 128)
    return refuse("128B, in which TMA unpacks elements of 4 and 6 bits");
  if (*config.swizzle > problem.rowsA.swizzle)
    return refuse(
        (problem.rowsA.swizzle
             ? "at most " + std::to_string(problem.rowsA.swizzle) + "B"
             : std::string("none")) +
        ", " + problem.rowsA.swizzleReason);
  // 64 bytes of a row of B are one span of the swizzle.
  if (problem.isSparse && problem.transposeB && *config.swizzle == 32)
    return refuse("none, 64B or 128B, as an instruction reads 64 bytes of a "
                  "row of B where A is sparse");
  return std::nullopt;
}

Error findScaleStagesError(const MatmulConfig &config,
                           const MatmulProblem &problem) {
  if (!config.scaleStages || isBlockScaled(problem.kind) || problem.isSparse)
    return std::nullopt;
  return mismatch("scale-stages", std::to_string(*config.scaleStages),
                  "none, the operands have no scale factors or metadata");
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

/// A value that is not lowered for the unit.
template <typename E, typename Stringify>
static Error findSupportError(const std::string &field, std::optional<E> value,
                              llvm::ArrayRef<E> supported, MatrixUnit unit,
                              Stringify stringify) {
  if (!value ||
      std::find(supported.begin(), supported.end(), *value) != supported.end())
    return std::nullopt;
  return mismatch(field, stringify(*value).str(),
                  listValues(supported, stringify) +
                      ", nothing lowers it for " + spellKey(unit.getName()));
}

/// Choices that are lowered for the unit.
static Error findSupportErrors(const MatmulConfig &config,
                               const MatmulProblem &) {
  const MatrixUnit unit = getUnit(config);
  const UnitFacts &facts = unit->getFacts();
  if (Error error =
          findSupportError("scheduler", config.scheduler, facts.schedulers,
                           unit, stringifyTileScheduler))
    return error;
  if (Error error = findSupportError("epilogue", config.epilogue,
                                     facts.epilogues, unit, stringifyEpilogue))
    return error;
  return findSupportError("roles", config.roles, facts.roles, unit,
                          stringifyRoles);
}

static llvm::StringRef getKindName(MmaKindFacts kind) { return getName(kind); }

/// Operands that `unit` cannot read although it multiplies their kind.
static Error findOperandError(const MatmulProblem &problem, MatrixUnit unit,
                              const Machine &machine) {
  if (problem.isUnpacked && !unit->getFacts().takesUnpacked)
    return "operands: expected elements of 8 bits, the fewest that unit " +
           spellKey(unit.getName()) + " multiplies, got fewer";
  if (problem.isSparse && !unit->getFacts().takesSparse)
    return "operands: expected A without metadata, unit " +
           spellKey(unit.getName()) + " multiplies no sparse one";
  return unit->findOperandError(problem, machine);
}

MatrixUnit Machine::getUnit(const MatmulProblem &problem) const {
  const auto *found = llvm::find_if(units, [&](MatrixUnit unit) {
    return llvm::is_contained(unit->getFacts().kinds, problem.kind) &&
           !findOperandError(problem, unit, *this);
  });
  return found == units.end() ? units.front() : *found;
}

std::optional<std::string>
tc::schedule::findMachineError(const MatmulConfig &config,
                               const MatmulProblem &problem,
                               const Machine &machine) {
  MatrixUnit unit = config.unit.value_or(machine.getUnit(problem));
  if (std::find(machine.units.begin(), machine.units.end(), unit) ==
      machine.units.end())
    return mismatch("unit", unit.getName().str(),
                    listValues<MatrixUnit>(machine.units, [](MatrixUnit u) {
                      return u.getName();
                    }) + ", what the chip has");
  const UnitFacts &facts = unit->getFacts();
  if (config.scheduler == TileScheduler::clc &&
      !machine.hasClusterLaunchControl)
    return mismatch("scheduler", "clc",
                    "static, the chip has no cluster launch control");
  if (config.scheduler == TileScheduler::counter && !machine.hasTma)
    return mismatch("scheduler", "counter",
                    "static, the chip has no st.async, which hands out what "
                    "is counted");
  if (config.pdl.value_or(false) && !machine.hasTma)
    return mismatch("pdl", "on", "off, the chip has no griddepcontrol");
  if (config.epilogueRegisters.value_or(0) && !machine.hasTma)
    return mismatch("epilogue-registers",
                    std::to_string(*config.epilogueRegisters),
                    "0, the chip has no setmaxnreg");
  if (problem.convertsFloat8 && !machine.hasFloat8)
    return "expected D and the values of the epilogue to have 16 bits or more, "
           "the chip has no conversions from and to floats of 8 bits";
  if (problem.kind == MmaKindFacts::F8F6F4 && !machine.hasFloat8)
    return "operands: expected elements of 16 bits, tf32 or integers, which "
           "the chip multiplies, got those of kind " +
           getName(problem.kind).str();
  if (!llvm::is_contained(facts.kinds, problem.kind))
    return "operands: expected element types of kind " +
           listValues(facts.kinds, getKindName) + ", which unit " +
           spellKey(facts.name) + " multiplies, got those of kind " +
           getName(problem.kind).str();
  return findOperandError(problem, unit, machine);
}

/// An open group is one that the other fields allow; errors are those of one
/// CTA.
static Error findOpenGroupError(const MatmulConfig &config,
                                const MatmulProblem &problem) {
  MatmulConfig grouped = config;
  Error error;
  for (int64_t group = getUnit(config)->getFacts().maxCtaGroup; group >= 1;
       group /= 2) {
    grouped.ctaGroup = group;
    error = findFieldError(grouped, problem);
    if (!error)
      break;
  }
  return error;
}

std::optional<std::string>
tc::schedule::findFieldError(const MatmulConfig &config,
                             const MatmulProblem &problem) {
  if (problem.splitK == 1)
    if (Error error = findSplitError(config, problem))
      return error;
  if (cutsK(config, problem))
    return findFieldError(config, getKernelProblem(config, problem));
  if (!config.ctaGroup)
    return findOpenGroupError(config, problem);
  using Check = Error (*)(const MatmulConfig &, const MatmulProblem &);
  static constexpr Check checks[] = {
      findValueErrors,      findUnitError,     findLoadError,
      findClusterError,     findPartErrors,    findSmsError,
      findTileError,        findShareError,    findSwizzleError,
      findScaleStagesError, findSupportErrors, findLateError,
      findSplitRingError,   findEpilogueError, findRegistersError,
      findSubtileError};
  for (Check check : checks)
    if (Error error = check(config, problem))
      return error;
  return std::nullopt;
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
    open.unit = machine.getUnit(problem);
  if (Error error = findFieldError(open, problem))
    return error;
  if (hasLegalTile(open, problem, machine))
    return std::nullopt;
  return "expected fields that are legal with some tile, got " +
         formatConfig(config);
}
