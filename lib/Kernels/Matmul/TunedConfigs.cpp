//===- TunedConfigs.cpp - configurations that were measured -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line that does not fit is not an error, as it may be of another compiler or
// another chip; --explain says why it is not used. One that cannot be read is.
//
//===----------------------------------------------------------------------===//

#include "TunedConfigs.h"

#include "ConfigTranslation.h"

#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Schedule/MatmulModel.h"
#include "tc/Support/Version.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;

FailureOr<TunedConfigs>
TunedConfigs::read(MLIRContext *context, StringRef path, StringRef chip,
                   function_ref<InFlightDiagnostic()> emitError) {
  TunedConfigs table;
  table.chip = chip.str();
  if (path.empty())
    return table;
  std::string error;
  auto entries = schedule::readTunedTable(
      path, tc::MatrixUnits::get(context).getRegistry(), error);
  if (!entries)
    return emitError() << error;
  table.entries = std::move(*entries);
  return table;
}

/// The first field that both set, to different values, in words; nothing if
/// there is none.
static std::optional<std::string>
findConflict(const schedule::MatmulConfig &given,
             const schedule::MatmulConfig &tuned) {
  for (const schedule::ConfigField &field : schedule::getConfigFields()) {
    schedule::FieldValue asked = field.get(given), has = field.get(tuned);
    if (asked.empty() || asked == has)
      continue;
    std::string key = schedule::spellKey(field.key);
    return llvm::formatv("{0}={1} is given, and it has {2}", key,
                         schedule::formatValue(field, asked),
                         has.empty() ? "no " + key
                                     : schedule::formatValue(field, has))
        .str();
  }
  return std::nullopt;
}

TunedConfig TunedConfigs::find(MatmulOp op, const schedule::MatmulConfig &given,
                               const schedule::MatmulProblem &problem,
                               const schedule::Machine &machine) const {
  TunedConfig result;
  if (entries.empty())
    return result;
  const std::string key = getProblemKey(op);
  // The last of those that fit best: the chip counts before the version.
  auto fits = [&](const schedule::TunedEntry &entry) {
    return entry.line.chip != chip                 ? 0
           : entry.line.version != kProjectVersion ? 1
                                                   : 2;
  };
  const schedule::TunedEntry *found = nullptr;
  for (const schedule::TunedEntry &entry : entries)
    if (entry.line.problem == key && (!found || fits(entry) >= fits(*found)))
      found = &entry;
  if (!found)
    return result;
  const schedule::TunedLine &line = found->line;
  const schedule::MatmulConfig &tuned = found->config;
  std::string measured =
      llvm::formatv("{0:F2} us on {1}, {2}", line.microseconds, line.device,
                    line.date)
          .str();
  auto ignore = [&](const Twine &why) {
    result.words = (Twine(measured) + ", not used: " + why).str();
    return result;
  };
  if (line.chip != chip)
    return ignore("measured for " + Twine(line.chip) + ", this is " + chip);
  if (line.version != kProjectVersion)
    return ignore("measured with version " + Twine(line.version) +
                  ", this is " + kProjectVersion);
  if (auto conflict = findConflict(given, tuned))
    return ignore(*conflict);
  if (auto bad = schedule::findConfigError(tuned, problem, machine))
    return ignore(*bad);
  if (auto bad = schedule::findResourceError(
          schedule::completeConfig(tuned, problem, machine), problem, machine))
    return ignore(*bad);
  result.config = tuned;
  result.words =
      llvm::formatv("{0}, {1:N} cycles predicted; the model's choice ",
                    measured, int64_t(line.cycles))
          .str();
  result.words += line.regret
                      ? llvm::formatv("took {0:P1} more", *line.regret).str()
                      : "was not measured";
  return result;
}
