//===- Tuning.h - Candidates of a product and their times -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tc-tune left in a folder, how good its predictions turned out to be, and
// the table of what was fastest, which tc-compile reads.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_TUNING_H
#define TC_RUNTIME_TUNING_H

#include "tc/Runtime/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tc::runtime {

/// One configuration of a product: what was predicted, and what was measured.
struct TuneCandidate {
  unsigned number = 0;
  std::string config;
  /// In the folder, without suffix; empty: it did not compile.
  std::string file;
  double cycles = 0; ///< predicted
  /// Why it has no time; empty: it has one.
  std::string error;
  std::vector<double> seconds; ///< samples in ascending order
  unsigned clockMHz = 0;
  double watts = 0;

  bool isMeasured() const { return !seconds.empty(); }
  double median() const { return seconds[seconds.size() / 2]; }
};

/// One product; the candidate that the model chooses comes first.
struct TuneProblem {
  std::string key;
  std::vector<TuneCandidate> candidates;
};

/// The index of a folder.
struct TuneFolder {
  std::string path, chip, compiler;
  std::vector<TuneProblem> problems;

  static Expected<TuneFolder> read(const std::string &path);
};

/// Rank correlation of Spearman, equal values with the mean of their ranks. 0
/// where there are less than two values, or one of the lists is constant.
double rankCorrelation(const std::vector<double> &a,
                       const std::vector<double> &b);

/// How good the predictions for a product are, by its measured candidates.
struct TuneVerdict {
  size_t measured = 0;
  /// The fastest, in `candidates`.
  size_t best = 0;
  /// How much longer the model's choice takes, in times of the fastest; nothing
  /// (below 0) where the choice was not measured.
  double regret = -1;
  double correlation = 0;
};
TuneVerdict judge(const TuneProblem &problem);

/// What is the same for all measurements of one run.
struct TuneRun {
  std::string device, date; ///< "2026-11-23"
  unsigned samples = 0;
};

/// All measurements, as JSON.
std::string describeTuning(const TuneFolder &folder, const TuneRun &run);

/// `table`, the text of a table or nothing, with the fastest candidate of each
/// product. A line of the same matmul, chip and version is replaced.
Expected<std::string> updateTable(const std::string &table,
                                  const std::string &tableName,
                                  const TuneFolder &folder, const TuneRun &run);

} // namespace tc::runtime

#endif // TC_RUNTIME_TUNING_H
