//===- Integer.cpp - integer arithmetic -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Integer Arithmetic Instructions": add, sub, mul, mad, div, rem,
// abs, neg, min, max, and the carry forms in IntegerCarry.cpp. 16-bit packed
// forms are here too. Wrap-around arithmetic is done in unsigned types.
//
//===----------------------------------------------------------------------===//

#include "Exec/Arithmetic/Integer.h"

#include "Exec/Decode/BitRules.h"

#include <limits>

namespace tc::emu {

namespace {
template <class T>
using U = std::make_unsigned_t<T>;
/// Unsigned arithmetic wide enough that C++ promotes it to nothing signed.
template <class T>
using Calc = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

template <class T>
T add(T a, T b) {
  return T(Calc<T>(a) + Calc<T>(b));
}
template <class T>
T sub(T a, T b) {
  return T(Calc<T>(a) - Calc<T>(b));
}
template <class T>
T mulLo(T a, T b) {
  return T(Calc<T>(a) * Calc<T>(b));
}
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 8,
    std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<
        sizeof(T) == 4,
        std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
        std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>>;
template <class T>
T mulHi(T a, T b) {
  return T((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
}
template <class T>
Wide<T> mulWide(T a, T b) {
  return Wide<T>(a) * Wide<T>(b);
}
template <class T>
T madLo(T a, T b, T c) {
  return T(Calc<T>(a) * Calc<T>(b) + Calc<T>(c));
}
template <class T>
T madHi(T a, T b, T c) {
  return T(Calc<T>(mulHi(a, b)) + Calc<T>(c));
}
template <class T>
Wide<T> madWide(T a, T b, Wide<T> c) {
  using UW = std::make_unsigned_t<Wide<T>>;
  return Wide<T>(UW(Wide<T>(a) * Wide<T>(b)) + UW(c));
}
/// Division by zero gives an unspecified value: all ones, quotient and
/// remainder, as on an H200.
template <class T>
T divide(T a, T b) {
  if (b == 0)
    return T(~T(0));
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return T(0 - Calc<T>(a));
  return T(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0)
    return T(~T(0));
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return 0;
  return T(a % b);
}
template <class T>
T minimum(T a, T b) {
  return a < b ? a : b;
}
template <class T>
T maximum(T a, T b) {
  return a > b ? a : b;
}
template <class T>
T minimumRelu(T a, T b) {
  return maximum<T>(minimum(a, b), 0);
}
template <class T>
T maximumRelu(T a, T b) {
  return maximum<T>(maximum(a, b), 0);
}
template <class T>
T absolute(T a) {
  return a < 0 ? T(0 - Calc<T>(a)) : a;
}
template <class T>
T negate(T a) {
  return T(0 - Calc<T>(a));
}
int32_t addSat(int32_t a, int32_t b) {
  int64_t sum = int64_t(a) + b;
  return sum > INT32_MAX   ? INT32_MAX
         : sum < INT32_MIN ? INT32_MIN
                           : int32_t(sum);
}
int32_t madHiSat(int32_t a, int32_t b, int32_t c) {
  return addSat(mulHi(a, b), c);
}
int32_t subSat(int32_t a, int32_t b) {
  int64_t difference = int64_t(a) - b;
  return difference > INT32_MAX   ? INT32_MAX
         : difference < INT32_MIN ? INT32_MIN
                                  : int32_t(difference);
}
/// Two 16-bit halves.
template <class T, T (*F)(T, T)>
uint32_t packed(uint32_t a, uint32_t b) {
  uint32_t lo = uint16_t(F(T(a), T(b)));
  uint32_t hi = uint16_t(F(T(a >> 16), T(b >> 16)));
  return lo | hi << 16;
}

template <class T, T (*F)(T, T)>
constexpr ExecFn binary() {
  return execBinary<T, T, T, F>;
}
} // namespace

/// Picks the instance for an integer type.
#define TC_PICK(F, TYPE)                                                       \
  ([&]() -> ExecFn {                                                           \
    switch (TYPE) {                                                            \
    case Type::S16:                                                            \
      return binary<int16_t, F<int16_t>>();                                    \
    case Type::U16:                                                            \
      return binary<uint16_t, F<uint16_t>>();                                  \
    case Type::S32:                                                            \
      return binary<int32_t, F<int32_t>>();                                    \
    case Type::U32:                                                            \
      return binary<uint32_t, F<uint32_t>>();                                  \
    case Type::S64:                                                            \
      return binary<int64_t, F<int64_t>>();                                    \
    case Type::U64:                                                            \
      return binary<uint64_t, F<uint64_t>>();                                  \
    case Type::S16x2:                                                          \
      return execBinary<uint32_t, uint32_t, uint32_t,                          \
                        packed<int16_t, F<int16_t>>>;                          \
    case Type::U16x2:                                                          \
      return execBinary<uint32_t, uint32_t, uint32_t,                          \
                        packed<uint16_t, F<uint16_t>>>;                        \
    default:                                                                   \
      return nullptr;                                                          \
    }                                                                          \
  }())

/// Picks the rule for what F leaves without a value, `bits` of one type.
#define TC_PICK_RULE(bits, F, TYPE)                                            \
  ([&]() -> BitRule {                                                          \
    switch (TYPE) {                                                            \
    case Type::S16:                                                            \
      return bits<int16_t, F<int16_t>>;                                        \
    case Type::U16:                                                            \
      return bits<uint16_t, F<uint16_t>>;                                      \
    case Type::S32:                                                            \
      return bits<int32_t, F<int32_t>>;                                        \
    case Type::U32:                                                            \
      return bits<uint32_t, F<uint32_t>>;                                      \
    case Type::S64:                                                            \
      return bits<int64_t, F<int64_t>>;                                        \
    case Type::U64:                                                            \
      return bits<uint64_t, F<uint64_t>>;                                      \
    case Type::S16x2:                                                          \
    case Type::U16x2:                                                          \
      return pairBits;                                                         \
    default:                                                                   \
      return nullptr;                                                          \
    }                                                                          \
  }())

/// What a sum of the type leaves without a value.
static void setSumRule(DecodeContext &c, Type type) {
  c.inst.bitRule =
      type == Type::S16x2 || type == Type::U16x2 ? pairBits : sumBits;
  c.inst.ruleBits = uint8_t(bitsOf(type));
}

static void badType(DecodeContext &c, Type type) {
  c.fail(std::string("type .") + toString(type) + " is not legal here");
}

void decodeIntegerAddSub(DecodeContext &c, bool subtract) {
  bool sat = c.take("sat");
  Type type = c.takeType();
  decodeSimple(c, 2, type);
  c.inst.fn = subtract ? TC_PICK(sub, type) : TC_PICK(add, type);
  if (!subtract && !sat)
    c.inst.sum = Sum::Add;
  setSumRule(c, type);
  if (sat) {
    c.inst.bitRule = subtract ? quotientBits<int32_t, subSat>
                              : monotoneBits<int32_t, addSat>;
    if (type != Type::S32)
      return c.fail("expected .s32 with .sat");
    c.inst.fn =
        subtract ? binary<int32_t, subSat>() : binary<int32_t, addSat>();
  }
  if (!c.inst.fn)
    badType(c, type);
}

static void setProductRule(DecodeContext &c, std::string_view part, Type type) {
  c.inst.bitRule = part == "lo"     ? productBits
                   : part == "wide" ? wideProductBits
                                    : nullptr;
  c.inst.ruleBits = uint8_t(bitsOf(type));
}

void decodeIntegerMul(DecodeContext &c) {
  std::string_view part = c.takeOneOf({"lo", "hi", "wide"});
  Type type = c.takeType();
  setProductRule(c, part, type);
  if (part == "wide") {
    Type to = type == Type::S16   ? Type::S32
              : type == Type::U16 ? Type::U32
              : type == Type::S32 ? Type::S64
                                  : Type::U64;
    if (!c.expectOperands(3, 3))
      return;
    c.inst.d[0] = c.dst(0, to);
    c.inst.s[0] = c.src(1, type);
    c.inst.s[1] = c.src(2, type);
    switch (type) {
    case Type::S16:
      c.inst.fn = execBinary<int32_t, int16_t, int16_t, mulWide<int16_t>>;
      return;
    case Type::U16:
      c.inst.fn = execBinary<uint32_t, uint16_t, uint16_t, mulWide<uint16_t>>;
      return;
    case Type::S32:
      c.inst.fn = execBinary<int64_t, int32_t, int32_t, mulWide<int32_t>>;
      return;
    case Type::U32:
      c.inst.fn = execBinary<uint64_t, uint32_t, uint32_t, mulWide<uint32_t>>;
      return;
    default:
      return badType(c, type);
    }
  }
  decodeSimple(c, 2, type);
  if (type == Type::S16x2 || type == Type::U16x2 || part.empty())
    return badType(c, type);
  if (part == "hi" && !isSigned(type))
    c.inst.bitRule = TC_PICK_RULE(monotoneBits, mulHi, type);
  c.inst.fn = part == "hi" ? TC_PICK(mulHi, type) : TC_PICK(mulLo, type);
  if (!c.inst.fn)
    badType(c, type);
}

template <class T>
static ExecFn pickMad(bool hi) {
  return hi ? execTernary<T, T, T, T, madHi<T>>
            : execTernary<T, T, T, T, madLo<T>>;
}

void decodeIntegerMad(DecodeContext &c) {
  std::string_view part = c.takeOneOf({"lo", "hi", "wide"});
  const bool sat = c.take("sat");
  Type type = c.takeType();
  setProductRule(c, part, type);
  if (!c.expectOperands(4, 4))
    return;
  if (sat && (part != "hi" || type != Type::S32))
    return c.fail("expected mad.hi.sat.s32, the only mad with .sat");
  if (part == "wide") {
    Type to = type == Type::S16   ? Type::S32
              : type == Type::U16 ? Type::U32
              : type == Type::S32 ? Type::S64
                                  : Type::U64;
    c.inst.d[0] = c.dst(0, to);
    c.inst.s[0] = c.src(1, type);
    c.inst.s[1] = c.src(2, type);
    c.inst.s[2] = c.src(3, to);
    switch (type) {
    case Type::S16:
      c.inst.fn =
          execTernary<int32_t, int16_t, int16_t, int32_t, madWide<int16_t>>;
      return;
    case Type::U16:
      c.inst.fn = execTernary<uint32_t, uint16_t, uint16_t, uint32_t,
                              madWide<uint16_t>>;
      return;
    case Type::S32:
      c.inst.fn =
          execTernary<int64_t, int32_t, int32_t, int64_t, madWide<int32_t>>;
      return;
    case Type::U32:
      c.inst.fn = execTernary<uint64_t, uint32_t, uint32_t, uint64_t,
                              madWide<uint32_t>>;
      return;
    default:
      return badType(c, type);
    }
  }
  decodeSimple(c, 3, type);
  if (sat) {
    c.inst.fn = execTernary<int32_t, int32_t, int32_t, int32_t, madHiSat>;
    return;
  }
  bool hi = part == "hi";
  if (!hi)
    c.inst.sum = Sum::Add; // of the third source
  switch (part.empty() ? Type::None : type) {
  case Type::S16:
    c.inst.fn = pickMad<int16_t>(hi);
    return;
  case Type::U16:
    c.inst.fn = pickMad<uint16_t>(hi);
    return;
  case Type::S32:
    c.inst.fn = pickMad<int32_t>(hi);
    return;
  case Type::U32:
    c.inst.fn = pickMad<uint32_t>(hi);
    return;
  case Type::S64:
    c.inst.fn = pickMad<int64_t>(hi);
    return;
  case Type::U64:
    c.inst.fn = pickMad<uint64_t>(hi);
    return;
  default:
    return badType(c, type);
  }
}

void decodeIntegerDivRem(DecodeContext &c, bool isRem) {
  Type type = c.takeType();
  decodeSimple(c, 2, type);
  if (type == Type::S16x2 || type == Type::U16x2)
    return badType(c, type);
  if (!isRem && !isSigned(type))
    c.inst.bitRule = TC_PICK_RULE(quotientBits, divide, type);
  c.inst.fn = isRem ? TC_PICK(remainder, type) : TC_PICK(divide, type);
  if (!c.inst.fn)
    badType(c, type);
}

void decodeIntegerMinMax(DecodeContext &c, bool isMax) {
  bool relu = c.take("relu");
  Type type = c.takeType();
  decodeSimple(c, 2, type);
  if (relu && type != Type::S32 && type != Type::S16x2)
    return c.fail("expected .s32 or .s16x2 with .relu");
  c.inst.bitRule = isMax  ? relu ? TC_PICK_RULE(monotoneBits, maximumRelu, type)
                                 : TC_PICK_RULE(monotoneBits, maximum, type)
                   : relu ? TC_PICK_RULE(monotoneBits, minimumRelu, type)
                          : TC_PICK_RULE(monotoneBits, minimum, type);
  c.inst.fn = isMax ? relu ? TC_PICK(maximumRelu, type) : TC_PICK(maximum, type)
              : relu ? TC_PICK(minimumRelu, type)
                     : TC_PICK(minimum, type);
  if (!c.inst.fn)
    badType(c, type);
}

void decodeIntegerAbsNeg(DecodeContext &c, bool isNeg) {
  Type type = c.takeType();
  decodeSimple(c, 1, type);
  if (isNeg)
    setSumRule(c, type);
  switch (type) {
  case Type::S16:
    c.inst.fn = isNeg ? execUnary<int16_t, int16_t, negate<int16_t>>
                      : execUnary<int16_t, int16_t, absolute<int16_t>>;
    return;
  case Type::S32:
    c.inst.fn = isNeg ? execUnary<int32_t, int32_t, negate<int32_t>>
                      : execUnary<int32_t, int32_t, absolute<int32_t>>;
    return;
  case Type::S64:
    c.inst.fn = isNeg ? execUnary<int64_t, int64_t, negate<int64_t>>
                      : execUnary<int64_t, int64_t, absolute<int64_t>>;
    return;
  default:
    return badType(c, type);
  }
}

} // namespace tc::emu
