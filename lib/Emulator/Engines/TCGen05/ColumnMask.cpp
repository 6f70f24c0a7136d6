//===- ColumnMask.cpp - which columns of B count as zeros -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The descriptor of tcgen05.mma.ws (PTX ISA 9.0, "Zero-Column Mask Descriptor",
// 9.7.16.4.3). A mask is a row of alternating runs: "skip span" + 1 ones, whose
// columns are skipped, and "use span" + 1 zeros. The table of the fields has
// the two spans the other way round; its three examples agree with the names.
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Descriptor.h"

namespace tc::emu {

Expected<ZeroColumnMask> decodeZeroColumnMask(uint64_t bits, unsigned m) {
  auto bad = [](const std::string &what) {
    return Error{"zero-column mask: " + what +
                 " (PTX ISA 9.0, \"Zero-Column Mask Descriptor\", "
                 "9.7.16.4.3)"};
  };
  if (bits >> 36 & 7 || bits >> 62)
    return bad("expected zeros in the reserved bits 36 to 38, 62 and 63");
  ZeroColumnMask mask;
  for (unsigned i = 0; i < 4; ++i) {
    mask.start[i] = bits >> (8 * i) & 0xff;
    mask.first[i] = bits >> (32 + i) & 1;
  }
  mask.nonZero = bits >> 39 & 1;
  mask.skip = (bits >> 40 & 0xff) + 1;
  mask.use = (bits >> 48 & 0xff) + 1;
  mask.shift = bits >> 56 & 63;
  mask.subMasks = m == 32 ? 4 : m == 64 ? 2 : 1;
  const unsigned maxShift = m == 32 ? 16 : 32;
  if (mask.shift > maxShift)
    return bad("expected a column shift of at most " +
               std::to_string(maxShift) + " with M = " + std::to_string(m) +
               ", got " + std::to_string(mask.shift));
  return mask;
}

bool ZeroColumnMask::isZero(unsigned column, unsigned n) const {
  if (!nonZero)
    return false;
  const unsigned width = n / subMasks, i = column / width;
  unsigned at = (column % width + start[i]) % (skip + use);
  // A run of ones comes first if the first span is 1.
  return first[i] ? at < skip : at >= use;
}

} // namespace tc::emu
