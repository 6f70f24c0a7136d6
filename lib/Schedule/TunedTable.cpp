//===- TunedTable.cpp - measured configurations -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lib/Runtime/Tuning.cpp writes what is read here; a unit test ties the two.
//
//===----------------------------------------------------------------------===//

#include "tc/Schedule/TunedTable.h"

#include "tc/Support/Version.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tc;
using namespace tc::schedule;
using llvm::StringRef;

std::optional<std::vector<TunedLine>>
tc::schedule::parseTunedTable(StringRef text, std::string &error) {
  std::vector<TunedLine> lines;
  unsigned number = 0;
  for (StringRef line : llvm::split(text, '\n')) {
    ++number;
    if (line.trim().empty() || line.starts_with("#"))
      continue;
    auto fail = [&](const std::string &message) {
      error = "line " + std::to_string(number) + ": " + message;
      return std::nullopt;
    };
    llvm::SmallVector<StringRef> fields;
    line.split(fields, '\t');
    if (fields.size() != 9)
      return fail("expected 9 fields with tabs between them, got " +
                  std::to_string(fields.size()));
    TunedLine entry;
    // The last may be unknown.
    double regret = 0;
    const bool hasRegret = fields[7] != "-";
    std::pair<const char *, double *> numbers[] = {
        {"microseconds", &entry.microseconds},
        {"cycles", &entry.cycles},
        {"regret", &regret}};
    for (auto [index, figure] :
         llvm::enumerate(llvm::ArrayRef(numbers).take_front(2 + hasRegret)))
      if (StringRef got = fields[5 + index]; got.getAsDouble(*figure.second))
        return fail(std::string("expected ") + figure.first + " in field " +
                    std::to_string(6 + index) + ", got '" + got.str() + "'");
    if (hasRegret)
      entry.regret = regret;
    entry.problem = fields[0].str();
    entry.chip = fields[1].str();
    entry.version = fields[2].str();
    entry.device = fields[3].str();
    entry.date = fields[4].str();
    entry.config = fields[8].str();
    entry.line = number;
    lines.push_back(std::move(entry));
  }
  return lines;
}

std::optional<std::vector<TunedEntry>>
tc::schedule::readTunedTable(StringRef path, const UnitRegistry &units,
                             std::string &error) {
  // A device may never end.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      !llvm::sys::fs::is_regular_file(status)) {
    error = "cannot read '" + path.str() + "': expected a regular file";
    return std::nullopt;
  }
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (std::error_code code = file.getError()) {
    error = "cannot read '" + path.str() + "': " + code.message();
    return std::nullopt;
  }
  auto lines = parseTunedTable((*file)->getBuffer(), error);
  if (!lines) {
    error = "'" + path.str() + "', " + error;
    return std::nullopt;
  }
  std::vector<TunedEntry> entries;
  for (TunedLine &line : *lines) {
    TunedEntry entry;
    TextError wrong;
    if (line.version == kProjectVersion) {
      std::optional<MatmulConfig> config =
          parseConfig(line.config, units, wrong);
      if (!config) {
        error = "'" + path.str() + "', line " + std::to_string(line.line) +
                ": " + wrong.message;
        return std::nullopt;
      }
      entry.config = std::move(*config);
    }
    entry.line = std::move(line);
    entries.push_back(std::move(entry));
  }
  return entries;
}
