//===- Reduction.h - what tcgen05.ld makes of what it loads -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The smallest or largest of the values that a thread loads, and the two of
// each four that it keeps.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_TCGEN05_REDUCTION_H
#define TC_EMULATOR_EXEC_TCGEN05_REDUCTION_H

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tc::emu {

/// PTX ISA 9.0, "tcgen05.ld", 9.7.16.8.3.
struct Reduction {
  enum Type : uint8_t { F32, U32, S32 };
  Type type = F32;
  bool isMin = false, absolute = false, propagatesNaN = false;

  uint32_t combine(uint32_t x, uint32_t y) const {
    if (type == U32)
      return isMin ? std::min(x, y) : std::max(x, y);
    if (type == S32)
      return (int32_t(x) < int32_t(y)) == isMin ? x : y;
    if (isNaN(x) || isNaN(y)) {
      if (propagatesNaN || (isNaN(x) && isNaN(y)))
        return canonicalNaN;
      return isNaN(x) ? y : x;
    }
    // As integers with the order of the floats, -0 below +0.
    return (ordered(x) < ordered(y)) == isMin ? x : y;
  }
  /// A value as it takes part.
  uint32_t prepare(uint32_t x) const {
    if (isNaN(x) && type == F32)
      return canonicalNaN;
    return absolute ? x & 0x7fffffff : x;
  }
  /// The indices, ascending, of the two of four floats that are kept (PTX ISA
  /// 9.4, "spcompress"): NaN first, of equal ones those with the smaller
  /// indices.
  std::pair<unsigned, unsigned> select(const uint32_t (&group)[4]) const {
    unsigned order[4] = {0, 1, 2, 3};
    std::stable_sort(order, order + 4, [&](unsigned x, unsigned y) {
      return isPreferred(group[x], group[y]);
    });
    return std::minmax(order[0], order[1]);
  }

private:
  static constexpr uint32_t canonicalNaN = 0x7fffffff;
  static bool isNaN(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }
  static int64_t ordered(uint32_t x) {
    return x >> 31 ? -int64_t(x & 0x7fffffff) - 1 : int64_t(x);
  }
  bool isPreferred(uint32_t x, uint32_t y) const {
    if (isNaN(x) || isNaN(y))
      return isNaN(x) && !isNaN(y);
    const int64_t first = ordered(prepare(x)), second = ordered(prepare(y));
    return isMin ? first < second : first > second;
  }
};

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_TCGEN05_REDUCTION_H
