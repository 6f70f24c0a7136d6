//===- ConfigFacts.h - facts that several checks ask for --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: the unit of a configuration and what follows from it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SCHEDULE_CONFIGFACTS_H
#define TC_LIB_SCHEDULE_CONFIGFACTS_H

#include "tc/Schedule/UnitModel.h"

#include "llvm/ADT/ArrayRef.h"

#include <cassert>
#include <optional>
#include <string>

namespace tc::schedule {

/// The widest epilogue subtile.
constexpr int64_t kMaxSubtile = 128;

/// Columns of a tile of whose rows a thread holds sums of K-blocks: half of its
/// registers.
constexpr int64_t kMaxPromotedN = 128;

/// The unit of `config`, which is set before its fields are judged.
inline MatrixUnit getUnit(const MatmulConfig &config) {
  assert(config.unit && "expected a configuration whose unit is chosen");
  return *config.unit;
}

/// Whether `config` cuts K of `problem`, which is whole yet, into parts.
inline bool cutsK(const MatmulConfig &config, const MatmulProblem &problem) {
  return config.splitK.value_or(1) > 1 && problem.splitK == 1 && problem.k;
}

/// The fewest columns of D that are stored at a time: elements that share a
/// scale factor, and where TMA stores them, 16 bytes.
int64_t getMinStored(const MatmulConfig &config, const MatmulProblem &problem);

/// The narrowest epilogue subtile: what is read and what is stored at a time.
int64_t getMinSubtile(const MatmulConfig &config, const MatmulProblem &problem);

/// "64, 128 or 256".
std::string listNumbers(llvm::ArrayRef<int64_t> numbers);

/// The cluster: whole matrix instructions, and no more CTAs than are lowered.
std::optional<std::string> findClusterError(const MatmulConfig &config,
                                            const MatmulProblem &problem);

/// Both tiles that CTAs of a cluster share.
std::optional<std::string> findShareError(const MatmulConfig &config,
                                          const MatmulProblem &problem);

} // namespace tc::schedule

#endif // TC_LIB_SCHEDULE_CONFIGFACTS_H
