//===- Targets.cpp - which chips and versions have a form -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of Targets.h: names where a form belongs to some, else the first
// chip.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/Targets.h"
#include "Exec/Decode/FunctionDecoder.h"

#include <cstdlib>

namespace tc::emu {

namespace {
struct TargetRow {
  unsigned from;       ///< of any suffix; 0: the names alone
  const char *names;   ///< separated by spaces
  const char *inWords; ///< for messages; null: the names
};
} // namespace

/// In the order of enum Targets.
static constexpr TargetRow kTargetRows[] = {
    {80, "", "sm_80 or later"},
    {90, "", "sm_90 or later"},
    {100, "", "sm_100 or later"},
    {0, "sm_107a sm_107f", nullptr},
    {0, "sm_107a", nullptr},
    {0, "sm_107a sm_107f sm_120a sm_120f sm_121a sm_121f", nullptr},
    {0, "sm_100a sm_103a sm_107a", nullptr},
    {0, "sm_100a sm_103a sm_107a sm_110a sm_120a sm_121a", nullptr},
    {0,
     "sm_90a sm_100f sm_100a sm_103f sm_103a sm_107f sm_107a sm_110f sm_110a",
     "sm_90a and those of sm_100 to sm_110 with an a or f"},
    {0,
     "sm_90a sm_100f sm_100a sm_103f sm_103a sm_107f sm_107a sm_110f sm_110a "
     "sm_120f sm_120a sm_121f sm_121a",
     "sm_90a and those of later chips with an a or f"},
    {0,
     "sm_100f sm_100a sm_103f sm_103a sm_107f sm_107a sm_110f sm_110a sm_120f "
     "sm_120a sm_121f sm_121a",
     "those of sm_100 or later with an a or f"},
    {0, "sm_100a sm_110a", nullptr},
};
static_assert(std::size(kTargetRows) == size_t(Targets::IntegerMma) + 1);

static bool hasTarget(const TargetRow &row, std::string_view target) {
  if (row.from)
    return target.substr(0, 3) == "sm_" &&
           unsigned(std::atoi(std::string(target.substr(3)).c_str())) >=
               row.from;
  const std::string names = " " + std::string(row.names) + " ";
  return names.find(" " + std::string(target) + " ") != names.npos;
}

std::string missingTarget(const ast::Module &module, std::string_view form,
                          Targets targets, PtxVersion version) {
  const TargetRow &row = kTargetRows[size_t(targets)];
  if (!hasTarget(row, module.target)) {
    std::string names = row.inWords ? row.inWords : row.names;
    for (size_t at = names.find(" sm_"); !row.inWords && at != names.npos;
         at = names.find(" sm_", at + 2))
      names.insert(at, ",");
    return "expected a target that has " + std::string(form) + " (" + names +
           "), got " + std::string(module.target);
  }
  const PtxVersion got{module.versionMajor, module.versionMinor};
  auto text = [](PtxVersion v) {
    return std::to_string(v.first) + "." + std::to_string(v.second);
  };
  if (got < version)
    return "expected .version " + text(version) + " or later for " +
           std::string(form) + ", got " + text(got);
  return "";
}

void expectTarget(DecodeContext &context, std::string_view form,
                  Targets targets, PtxVersion version) {
  const std::string why =
      missingTarget(*context.decoder.module.source, form, targets, version);
  if (!why.empty())
    context.fail(why);
}

} // namespace tc::emu
