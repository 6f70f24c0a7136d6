//===- BitRules.cpp - bits of results without a value ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that several families share.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/BitRules.h"

#include <algorithm>

namespace tc::emu {

/// All marks of the sources.
static uint64_t anyUndefined(const Warp &w, const DecodedInst &i,
                             unsigned lane) {
  uint64_t undefined = 0;
  for (const Src &source : i.s)
    if (source.valid)
      undefined |= w.undefinedBits(source, lane);
  return undefined;
}

uint64_t pairBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  const uint64_t undefined = anyUndefined(w, i, lane);
  return marksOf((undefined & 0xffff ? 0xffff : 0) |
                     (undefined & 0xffff0000 ? 0xffff0000 : 0),
                 32);
}

uint64_t quadBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  const uint64_t undefined = anyUndefined(w, i, lane);
  uint64_t bytes = 0;
  for (uint64_t byte = 0xff; byte <= 0xff000000; byte <<= 8)
    bytes |= undefined & byte ? byte : 0;
  return marksOf(bytes, 32);
}

uint64_t pairPredicateBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  const uint64_t undefined = anyUndefined(w, i, lane);
  return (undefined & 0xffff ? 1 : 0) | (undefined & 0xffff0000 ? 2 : 0);
}

/// Whether one of the sources settles the result by being `by`.
static bool isSettled(const Warp &w, const DecodedInst &i, unsigned lane,
                      bool by) {
  for (unsigned k = 0; k < 3; ++k)
    if (i.s[k].valid && (i.ruleBits >> k & 1) &&
        !w.undefinedBits(i.s[k], lane) &&
        (w.predicate(i.s[k]) >> lane & 1) == by)
      return true;
  return false;
}

uint64_t allOfBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  return isSettled(w, i, lane, false) ? 0 : ~0ull;
}

uint64_t anyOfBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  return isSettled(w, i, lane, true) ? 0 : ~0ull;
}

/// The position of the lowest bit, 64 if there is none.
static unsigned lowest(uint64_t bits) {
  return bits ? unsigned(__builtin_ctzll(bits)) : 64;
}

/// A result of `width` bits that is unknown from `bit` on.
static uint64_t fromBit(unsigned bit, unsigned width) {
  return bit >= width ? 0 : marksOf(~0ull << bit, width);
}

uint64_t sumBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  return fromBit(lowest(anyUndefined(w, i, lane)), i.ruleBits);
}

/// The lowest unknown bit of a product: that of one factor, moved by the zeros
/// that the other one ends in.
static unsigned lowestOfProduct(const Warp &w, const DecodedInst &i,
                                unsigned lane) {
  unsigned undefined[2], zeros[2];
  for (unsigned k = 0; k < 2; ++k) {
    const uint64_t all = Warp::lowBits(i.ruleBits),
                   marks = w.undefinedBits(i.s[k], lane) & all,
                   value = i.ruleBits == 64
                               ? valueIn<uint64_t>(w, i.s[k], lane)
                               : valueIn<uint32_t>(w, i.s[k], lane);
    undefined[k] = lowest(marks);
    zeros[k] = lowest((value & all) | marks);
  }
  return std::min(undefined[0] + zeros[1], undefined[1] + zeros[0]);
}

static uint64_t productTo(unsigned width, const Warp &w, const DecodedInst &i,
                          unsigned lane) {
  unsigned bit = lowestOfProduct(w, i, lane);
  if (i.s[2].valid)
    bit = std::min(bit, lowest(w.undefinedBits(i.s[2], lane)));
  return fromBit(bit, width);
}

uint64_t productBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  return productTo(i.ruleBits, w, i, lane);
}

uint64_t wideProductBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  return productTo(2 * i.ruleBits, w, i, lane);
}

} // namespace tc::emu
