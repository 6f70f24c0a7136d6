//===- Chip.h - what chips have that others do not --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts of the chip that a module's .target names. Most are those of the whole
// family; a row says what is known of a chip and from where.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_CHIP_H
#define TC_EMULATOR_STATE_CHIP_H

#include <cstdint>
#include <string_view>

namespace tc::emu {

struct ChipFacts {
  /// Of the target: "sm_107".
  std::string_view prefix;
  /// Columns of Tensor Memory.
  unsigned tmemColumns;
  /// Most shared memory that a CTA can have, static and dynamic, and that of
  /// the static one alone.
  uint32_t smemMax, staticSmemMax;
  /// Shared memory of a multiprocessor.
  uint32_t smemOfSm;
  /// Whether tcgen05.mma may read 64 bytes of a row, has a collector buffer of
  /// B, and reads matrix descriptors with addresses of 19 bits.
  bool hasWideMma;
};

/// The facts of `target`: "sm_107f".
const ChipFacts &chipFacts(std::string_view target);

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_CHIP_H
