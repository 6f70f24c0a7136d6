//===- Chip.cpp - what chips have that others do not ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of Chip.h.
//
//===----------------------------------------------------------------------===//

#include "State/Chip.h"

namespace tc::emu {

const ChipFacts &chipFacts(std::string_view target) {
  constexpr uint32_t kib = 1024;
  static constexpr ChipFacts table[] = {
      // prefix, TMEM columns, SMEM, static, of the SM, wide MMA
      // sm_107: PTX ISA 9.4 (9.7.18.1.2 and .7: 576 columns, 9.7.18.2.1: K,
      // 9.7.18.4.1: descriptors); CUDA 13.5 (327 KiB in the oversized mode);
      // ptxas 13.5 (static shared memory ends at 227 KiB).
      {"sm_107", 576, 327 * kib, 227 * kib, 328 * kib, true},
      {"", 512, 227 * kib, 227 * kib, 228 * kib, false},
  };
  for (const ChipFacts &chip : table)
    if (target.substr(0, chip.prefix.size()) == chip.prefix)
      return chip;
  return table[0];
}

} // namespace tc::emu
