//===- ComparePacked.cpp - set of packed integers -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.4, "Comparison and Selection Instructions: set", 9.7.7.1: set.lt
// .u8x4 d, a, b writes ones where an element of a is below that of b, else
// zeros.
//
//===----------------------------------------------------------------------===//

#include "Exec/Logic/ComparePacked.h"
#include "Exec/Decode/BitRules.h"
#include "Exec/Decode/Targets.h"

namespace tc::emu {

namespace {
enum Order : unsigned { Less = 1, Equal = 2, Greater = 4 };

/// aux: the orders that hold.
template <class T>
Step execSetElements(Warp &w, const DecodedInst &i, uint32_t active) {
  using Bits = std::make_unsigned_t<T>;
  constexpr unsigned width = 8 * sizeof(T);
  const uint32_t *a = w.r32(i.s[0]), *b = w.r32(i.s[1]);
  uint32_t *d = w.w32(i.d[0]);
  const uint32_t holds = i.aux;
  forLanes(active, [=](unsigned l) {
    uint32_t result = 0;
    for (unsigned at = 0; at < 32; at += width) {
      const T x = T(Bits(a[l] >> at)), y = T(Bits(b[l] >> at));
      const unsigned order = x < y ? Less : x == y ? Equal : Greater;
      result |= holds & order ? uint32_t(Bits(~Bits(0))) << at : 0;
    }
    d[l] = result;
  });
  w.define(i.d[0], active);
  return Step::Next;
}
} // namespace

bool decodePackedSet(DecodeContext &c) {
  const std::string_view opcode = c.source.opcode;
  const Type type = parseType(opcode.substr(opcode.rfind('.') + 1));
  const bool isBytes = type == Type::U8x4 || type == Type::S8x4;
  if (!isBytes && type != Type::U16x2 && type != Type::S16x2)
    return false;
  static constexpr struct {
    std::string_view name;
    unsigned orders;
    bool isUnsigned; ///< of unsigned integers alone
  } kOrders[] = {{"eq", Equal, false},   {"ne", Less | Greater, false},
                 {"lt", Less, false},    {"le", Less | Equal, false},
                 {"gt", Greater, false}, {"ge", Greater | Equal, false},
                 {"lo", Less, true},     {"ls", Less | Equal, true},
                 {"hi", Greater, true},  {"hs", Greater | Equal, true}};
  const std::string_view name = c.takeNext();
  for (const auto &row : kOrders)
    if (row.name == name && !(row.isUnsigned && isSigned(type)))
      c.inst.aux = row.orders;
  if (!c.inst.aux)
    c.fail("expected a comparison of ." + std::string(toString(type)) +
           ", got ." + std::string(name));
  if (c.takeType() != type)
    c.fail("expected the type of the elements alone");
  expectTarget(c, std::string("set.") + toString(type), Targets::Rubin, {9, 4});
  decodeSimple(c, 2, type);
  c.inst.bitRule = isBytes ? quadBits : pairBits;
  c.inst.fn = type == Type::U8x4    ? execSetElements<uint8_t>
              : type == Type::S8x4  ? execSetElements<int8_t>
              : type == Type::U16x2 ? execSetElements<uint16_t>
                                    : execSetElements<int16_t>;
  return true;
}

} // namespace tc::emu
