//===- Opcodes.h - one small program per opcode form ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel around a few lines of PTX, run under several schedules and compared
// with expected 64-bit words; and the list of forms that a case exercised.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_EMULATOROPCODES_OPCODES_H
#define TC_UNITTESTS_EMULATOROPCODES_OPCODES_H

#include "tc/Emulator/Emulator.h"
#include "tc/Emulator/TensorMap.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tc::emu::test {

constexpr unsigned bufferWords = 8192;

inline std::string num(uint64_t value) { return std::to_string(value); }
inline bool has(const std::string &form, const char *part) {
  return form.find(part) != form.npos;
}

struct Case {
  std::string body;
  unsigned threads = 1, ctas = 1, cluster = 1;
  bool traps = false;
  /// Address 0 means the buffer.
  std::optional<TensorMapDesc> map;
  std::map<unsigned, uint64_t> expected; ///< by word of the buffer
};

/// Runs under eager, lazy and three random schedules; `name` is for failures.
/// Fails unless every form of `forms` is an opcode of the body.
void runProgram(const std::string &name, const Case &program,
                const std::vector<std::string> &forms);

std::vector<std::string> split(const std::string &text, char at);

// The cases of each family.
void runScalarCases();
void runProgramCases();
void runTensorCopyCases(const std::vector<std::string> &forms);
void runTcgen05Cases(const std::vector<std::string> &forms);

} // namespace tc::emu::test

#endif // TC_UNITTESTS_EMULATOROPCODES_OPCODES_H
