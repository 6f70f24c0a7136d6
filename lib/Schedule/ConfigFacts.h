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

#include "tc/Schedule/MatmulConfig.h"

#include <optional>
#include <string>

namespace tc::schedule {

/// Columns that the epilogue reads with one tcgen05.ld: powers of two.
constexpr int64_t kMinSubtile = 16;
constexpr int64_t kMaxSubtile = 128;

/// Columns of a tile of whose rows a thread holds sums of K-blocks: half of its
/// registers.
constexpr int64_t kMaxPromotedN = 128;

/// The unit of `config`; an open one counts as tcgen05.
inline MatrixUnit getUnit(const MatmulConfig &config) {
  return config.unit.value_or(MatrixUnit::Tcgen05);
}

/// Whether `config` cuts K of `problem`, which is whole yet, into parts.
inline bool cutsK(const MatmulConfig &config, const MatmulProblem &problem) {
  return config.splitK.value_or(1) > 1 && problem.splitK == 1 && problem.k;
}

/// Rows of an accumulator in registers that each warp of `config` holds.
int64_t getHeldRows(const MatmulConfig &config);

/// The fewest columns of D that are stored at a time: elements that share a
/// scale factor, and where TMA stores them, 16 bytes.
int64_t getMinStored(const MatmulConfig &config, const MatmulProblem &problem);

/// The narrowest epilogue subtile: what is read and what is stored at a time.
int64_t getMinSubtile(const MatmulConfig &config, const MatmulProblem &problem);

/// The registers of all threads of `config`, and of those that hold an
/// accumulator, which ptxas could only spill.
std::optional<std::string> findThreadRegisterError(const MatmulConfig &config,
                                                   const MatmulProblem &problem,
                                                   const Machine &machine);

} // namespace tc::schedule

#endif // TC_LIB_SCHEDULE_CONFIGFACTS_H
