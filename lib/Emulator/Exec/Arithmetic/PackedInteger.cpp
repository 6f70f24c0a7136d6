//===- PackedInteger.cpp - four bytes, and sums that saturate -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.4, "Integer Arithmetic Instructions", 9.7.1: add, sub, min, max and
// neg of .u8x4 and .s8x4, and of 9.2, too, add.sat of .u16x2, .s16x2 and .u32.
// Each element is computed by itself.
//
//===----------------------------------------------------------------------===//

#include "Exec/Arithmetic/Integer.h"
#include "Exec/Decode/BitRules.h"
#include "Exec/Decode/Targets.h"

#include <algorithm>
#include <limits>

namespace tc::emu {

namespace {
/// T is the type of an element; 64 bits hold every result exactly.
template <class T>
int64_t sumOf(T a, T b) {
  return int64_t(a) + b;
}
template <class T>
int64_t differenceOf(T a, T b) {
  return int64_t(a) - b;
}
template <class T>
int64_t lesserOf(T a, T b) {
  return std::min(a, b);
}
template <class T>
int64_t greaterOf(T a, T b) {
  return std::max(a, b);
}
/// neg: its second source is not there.
template <class T>
int64_t oppositeOf(T a, T) {
  return -int64_t(a);
}

enum class Limit : uint8_t { Wrap, Saturate, Relu };

/// d = F(a, b) of each element.
template <class T, int64_t (*F)(T, T), Limit L>
Step execElements(Warp &w, const DecodedInst &i, uint32_t active) {
  using Bits = std::make_unsigned_t<T>;
  constexpr unsigned width = 8 * sizeof(T);
  const uint32_t *a = w.r32(i.s[0]),
                 *b = i.s[1].valid ? w.r32(i.s[1]) : w.r32(i.s[0]);
  uint32_t *d = w.w32(i.d[0]);
  forLanes(active, [=](unsigned l) {
    uint32_t result = 0;
    for (unsigned at = 0; at < 32; at += width) {
      int64_t value = F(T(Bits(a[l] >> at)), T(Bits(b[l] >> at)));
      if (L == Limit::Saturate)
        value = std::clamp<int64_t>(value, std::numeric_limits<T>::min(),
                                    std::numeric_limits<T>::max());
      if (L == Limit::Relu)
        value = std::max<int64_t>(value, 0);
      result |= uint32_t(Bits(value)) << at;
    }
    d[l] = result;
  });
  w.define(i.d[0], active);
  return Step::Next;
}

template <class T>
ExecFn pickElements(std::string_view base, bool sat, bool relu) {
  if (base == "add")
    return sat ? execElements<T, sumOf<T>, Limit::Saturate>
               : execElements<T, sumOf<T>, Limit::Wrap>;
  if (base == "sub")
    return sat ? execElements<T, differenceOf<T>, Limit::Saturate>
               : execElements<T, differenceOf<T>, Limit::Wrap>;
  if (base == "min")
    return relu ? execElements<T, lesserOf<T>, Limit::Relu>
                : execElements<T, lesserOf<T>, Limit::Wrap>;
  if (base == "max")
    return relu ? execElements<T, greaterOf<T>, Limit::Relu>
                : execElements<T, greaterOf<T>, Limit::Wrap>;
  return execElements<T, oppositeOf<T>, Limit::Wrap>;
}
} // namespace

bool isPackedInteger(const DecodeContext &c) {
  std::string_view opcode = c.source.opcode;
  // An example of the ISA has add.s8x4.sat (9.4, 9.7.1.1).
  const size_t sat = opcode.rfind(".sat");
  const bool isLast = sat != opcode.npos && sat + 4 == opcode.size();
  if (isLast)
    opcode.remove_suffix(4);
  const Type type = parseType(opcode.substr(opcode.rfind('.') + 1));
  const bool saturates =
      c.base == "add" && (isLast || opcode.find(".sat.") != opcode.npos);
  return type == Type::U8x4 || type == Type::S8x4 ||
         (saturates &&
          (type == Type::U16x2 || type == Type::S16x2 || type == Type::U32));
}

void decodePackedInteger(DecodeContext &c) {
  const bool isSum = c.base == "add" || c.base == "sub",
             isOrder = c.base == "min" || c.base == "max";
  const bool sat = isSum && c.take("sat"), relu = isOrder && c.take("relu");
  const Type type = c.takeType();
  if ((!isSum && !isOrder && c.base != "neg") ||
      (type != Type::S8x4 && (relu || c.base == "neg")))
    return c.fail("expected add, sub, min or max of ." +
                  std::string(toString(type)) +
                  ", or neg, min.relu or max.relu of .s8x4");
  expectTarget(c,
               std::string(c.base) +
                   (sat    ? ".sat."
                    : relu ? ".relu."
                           : ".") +
                   toString(type),
               Targets::PackedBytes, {9, 2});
  decodeSimple(c, c.base == "neg" ? 1 : 2, type);
  switch (type) {
  case Type::U8x4:
    c.inst.fn = pickElements<uint8_t>(c.base, sat, relu);
    break;
  case Type::S8x4:
    c.inst.fn = pickElements<int8_t>(c.base, sat, relu);
    break;
  case Type::U16x2:
    c.inst.fn = execElements<uint16_t, sumOf<uint16_t>, Limit::Saturate>;
    break;
  case Type::S16x2:
    c.inst.fn = execElements<int16_t, sumOf<int16_t>, Limit::Saturate>;
    break;
  default:
    c.inst.fn = execElements<uint32_t, sumOf<uint32_t>, Limit::Saturate>;
    return; // any bit without a value leaves none
  }
  c.inst.bitRule =
      type == Type::U16x2 || type == Type::S16x2 ? pairBits : quadBits;
}

} // namespace tc::emu
