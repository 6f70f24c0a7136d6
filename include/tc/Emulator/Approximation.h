//===- Approximation.h - how .approx instructions round ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX ISA gives `.approx` and `.full` instructions an error bound, not a
// result. Three choices: the correctly rounded result, which no device gives
// everywhere; a result drawn within the bound, which shows code that relies on
// more than the bound; the results that a device was seen to give, for bit
// comparisons with that device.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_APPROXIMATION_H
#define TC_EMULATOR_APPROXIMATION_H

#include "tc/Emulator/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tc::emu {

class ApproxTable; // private to lib/Emulator

struct Approximation {
  enum class Mode : uint8_t { Rounded, Random, Recorded };
  Mode mode = Mode::Rounded;
  /// Random: equal operands give equal results under one seed.
  uint64_t seed = 0;
  /// Recorded: operands that are not in it stop the run.
  std::shared_ptr<const ApproxTable> table;
};

/// Reads a table of results: lines "opcode operand[,operand] result" with bits
/// in hexadecimal (`ex2.approx.ftz.f32 3f800000 40000000`); empty lines and
/// lines that start with # are skipped. Errors name the line and say what was
/// expected: a known opcode, operands, one result per operands.
Expected<std::shared_ptr<const ApproxTable>>
readApproxTable(std::string_view text);

} // namespace tc::emu

#endif // TC_EMULATOR_APPROXIMATION_H
