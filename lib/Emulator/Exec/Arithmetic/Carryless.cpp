//===- Carryless.cpp - clmad ----------------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.4, "Integer Arithmetic Instructions: clmad", 9.7.1.5: one half of
// the product of two polynomials over two elements, and a third added.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/BitRules.h"
#include "Exec/Decode/Targets.h"

namespace tc::emu {

namespace {
struct Halves {
  uint64_t lo = 0, hi = 0;
};

/// The product without carries; OR in place of XOR gives the bits that a set
/// bit of a factor may reach.
template <bool Reach>
Halves carryless(uint64_t a, uint64_t b) {
  Halves product;
  for (; a; a &= a - 1) {
    const unsigned i = unsigned(__builtin_ctzll(a));
    const uint64_t lo = b << i, hi = i ? b >> (64 - i) : 0;
    product.lo = Reach ? product.lo | lo : product.lo ^ lo;
    product.hi = Reach ? product.hi | hi : product.hi ^ hi;
  }
  return product;
}

template <bool Hi>
uint64_t carrylessMad(uint64_t a, uint64_t b, uint64_t c) {
  const Halves product = carryless<false>(a, b);
  return (Hi ? product.hi : product.lo) ^ c;
}

/// A bit depends on the products that are added to it: without a value where
/// one factor has none and the other one is not known to be 0.
template <bool Hi>
uint64_t carrylessBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  uint64_t unknown[3], set[2];
  for (unsigned k = 0; k < 3; ++k)
    unknown[k] = undefinedIn<uint64_t>(w, i.s[k], lane);
  for (unsigned k = 0; k < 2; ++k)
    set[k] = valueIn<uint64_t>(w, i.s[k], lane) | unknown[k];
  const Halves first = carryless<true>(unknown[0], set[1]),
               second = carryless<true>(set[0], unknown[1]);
  return marksOf(
      (Hi ? first.hi | second.hi : first.lo | second.lo) | unknown[2], 64);
}
} // namespace

static void decodeCarryless(DecodeContext &c) {
  using Word = uint64_t;
  const std::string_view half = c.takeOneOf({"lo", "hi"});
  if (half.empty() || c.takeType() != Type::U64)
    return c.fail("expected clmad.lo.u64 or clmad.hi.u64");
  expectTarget(c, "clmad", Targets::From80, {9, 3});
  decodeSimple(c, 3, Type::U64);
  const bool isHigh = half == "hi";
  c.inst.bitRule = isHigh ? carrylessBits<true> : carrylessBits<false>;
  c.inst.fn = isHigh ? execTernary<Word, Word, Word, Word, carrylessMad<true>>
                     : execTernary<Word, Word, Word, Word, carrylessMad<false>>;
}

void registerCarrylessInstructions(InstructionTable &table) {
  table.add("clmad", decodeCarryless);
}

} // namespace tc::emu
