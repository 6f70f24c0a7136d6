//===- TmemProgram.h - kernels on Tensor Memory -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel fills Tensor Memory and shared memory with images, runs one
// instruction, and reads all cells back by tcgen05.ld.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_SUPPORT_TMEMPROGRAM_H
#define TC_UNITTESTS_SUPPORT_TMEMPROGRAM_H

#include "tc/Support/TmemLayouts.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tc {

/// Cells of all lanes of a CTA.
struct Image {
  int64_t columns;
  std::vector<uint32_t> cells;

  Image(int64_t columns, uint32_t fill)
      : columns(columns), cells(kTmemLanes * columns, fill) {}
  uint32_t &at(int64_t lane, int64_t column) {
    return cells[lane * columns + column];
  }
  /// Puts `width` bits at a place, `column` columns from it.
  void put(const TmemPlace &place, int64_t column, unsigned width,
           uint32_t bits) {
    uint32_t &cell = at(place.lane, place.column + column);
    uint32_t mask = (width == 32 ? ~0u : (1u << width) - 1) << place.bit;
    cell = (cell & ~mask) | (bits << place.bit & mask);
  }
};

/// One CTA, or two.
struct Program {
  int ctaGroup = 1;
  std::vector<std::vector<uint8_t>> smem;
  std::vector<Image> tmem;
  /// One thread executes it; %r10 is the first column of `tmem`.
  std::string instruction;
  /// All warps execute it; %r12 is the first lane of the warp there.
  std::string access;
};

inline std::string str(int64_t value) { return std::to_string(value); }

/// "{%v0, %v1}".
std::string registers(int64_t count);

/// Tensor Memory after `run`, or nothing, with a failure. `own`: `words` words
/// of each thread that `access` reads or writes.
std::vector<Image> execute(const Program &run,
                           std::vector<uint32_t> *own = nullptr);

} // namespace tc

#endif // TC_UNITTESTS_SUPPORT_TMEMPROGRAM_H
