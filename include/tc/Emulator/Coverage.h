//===- Coverage.h - which instructions have run -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts of executions by opcode with all its modifiers, over any number of
// launches: RunOptions::coverage. What the PTX holds and no launch reached is
// listed with its lines.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_COVERAGE_H
#define TC_EMULATOR_COVERAGE_H

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tc::emu {

struct KernelCode;

class Coverage {
public:
  struct Row {
    std::string opcode;        ///< as the PTX spells it, without guard
    uint64_t executions = 0;   ///< by warps, with at least one lane
    unsigned instructions = 0; ///< lines of PTX with it
    std::vector<int> missed;   ///< those that no warp executed
  };
  /// By opcode, in alphabetical order. Kernels that were not launched are not
  /// counted.
  std::vector<Row> rows() const;
  /// The rows as a table for people, opcodes that never ran last.
  std::string table() const;
  /// The rows as {"opcodes": [{"opcode", "executions", "instructions",
  /// "missed"}]}.
  std::string json() const;

  /// For the emulator: executions by instruction of one cluster.
  void add(const KernelCode &kernel, const std::vector<uint64_t> &executions);

private:
  mutable std::mutex lock;
  /// By opcode and line: functions may have been inlined more than once.
  std::map<std::string, std::map<int, uint64_t>> counts;
};

} // namespace tc::emu

#endif // TC_EMULATOR_COVERAGE_H
