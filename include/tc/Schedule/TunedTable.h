//===- TunedTable.h - measured configurations -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of the fastest configurations that `tc-run --tune` has measured.
// Plain text: a line for each problem, chip and version, its fields between
// tabs.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEDULE_TUNEDTABLE_H
#define TC_SCHEDULE_TUNEDTABLE_H

#include "tc/Schedule/ConfigFields.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tc::schedule {

/// A line of a table, in the order of its fields.
struct TunedLine {
  std::string problem, chip, version, device, date;
  /// Microseconds that were measured, and cycles that were predicted.
  double microseconds = 0, cycles = 0;
  /// How much more the model's choice took, in times of this; nothing where it
  /// was not measured.
  std::optional<double> regret;
  /// In the command line form, of the compiler of `version`.
  std::string config;
  /// In the file, from 1.
  unsigned line = 0;
};

/// The lines of a table; where one is wrong, says what in `error`.
std::optional<std::vector<TunedLine>> parseTunedTable(llvm::StringRef text,
                                                      std::string &error);

struct TunedEntry {
  TunedLine line;
  MatmulConfig config; ///< empty for another version of the compiler
};

/// The table in the file `path`. Where it cannot be read, says why in `error`;
/// of other versions that is the fields before the configuration alone, as
/// those may have other configurations.
std::optional<std::vector<TunedEntry>> readTunedTable(llvm::StringRef path,
                                                      const UnitRegistry &units,
                                                      std::string &error);

} // namespace tc::schedule

#endif // TC_SCHEDULE_TUNEDTABLE_H
