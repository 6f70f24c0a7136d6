//===- IntegerCarry.cpp - arithmetic with the carry flag ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Extended-Precision Integer Arithmetic Instructions": add.cc,
// addc, sub.cc, subc, mad.cc, madc; and the dot products dp4a and dp2a, mul24,
// mad24 and sad of the integer section. The carry flag is one bit per lane in
// the warp.
//
//===----------------------------------------------------------------------===//

#include "Exec/Arithmetic/Integer.h"

#include "Exec/Decode/BitRules.h"
#include "Exec/Decode/Lanes.h"

namespace tc::emu {

/// aux: bit 0 subtract, bit 1 reads the flag, bit 2 writes it. For a
/// subtraction the flag is the borrow.
template <class T>
static Step execCarry(Warp &w, const DecodedInst &i, uint32_t active) {
  const T *a = Slot<T>::src(w, i.s[0]);
  const T *b = Slot<T>::src(w, i.s[1]);
  T *d = Slot<T>::dst(w, i.d[0]);
  uint32_t flag = 0;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    T in = i.aux & 2 ? T((w.carry >> l) & 1) : T(0);
    T x = a[l], y = b[l], r, part;
    bool out;
    if (i.aux & 1) {
      out = __builtin_sub_overflow(x, y, &part);
      out |= __builtin_sub_overflow(part, in, &r);
    } else {
      out = __builtin_add_overflow(x, y, &part);
      out |= __builtin_add_overflow(part, in, &r);
    }
    d[l] = r;
    flag |= uint32_t(out) << l;
  }
  if (i.aux & 4)
    w.carry = (w.carry & ~active) | flag;
  w.define(i.d[0], active);
  return Step::Next;
}

static void decodeCarry(DecodeContext &c) {
  bool subtract = c.base.substr(0, 3) == "sub";
  bool reads = c.base == "addc" || c.base == "subc";
  bool writes = !reads || c.take("cc");
  Type type = c.takeType();
  decodeSimple(c, 2, type);
  c.inst.aux = (subtract ? 1 : 0) | (reads ? 2 : 0) | (writes ? 4 : 0);
  if (!isInteger(type) || (bitsOf(type) != 32 && bitsOf(type) != 64))
    return c.fail("expected .u32, .s32, .u64 or .s64");
  c.inst.fn = bitsOf(type) == 64 ? execCarry<uint64_t> : execCarry<uint32_t>;
}

/// mad.cc and madc: one half of the product, plus c, plus the flag. aux: bit 0
/// the upper half, bit 1 reads the flag, bit 2 writes it.
template <class T>
static Step execMadCarry(Warp &w, const DecodedInst &i, uint32_t active) {
  using Wide = std::conditional_t<
      sizeof(T) == 8,
      std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
      std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  using Bits = std::make_unsigned_t<T>;
  const Bits *a = Slot<T>::src(w, i.s[0]), *b = Slot<T>::src(w, i.s[1]);
  const Bits *c = Slot<T>::src(w, i.s[2]);
  Bits *d = Slot<T>::dst(w, i.d[0]);
  uint32_t flag = 0;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    Wide product = Wide(T(a[l])) * Wide(T(b[l]));
    Bits part = Bits(i.aux & 1 ? product >> (8 * sizeof(T)) : product);
    Bits in = i.aux & 2 ? Bits((w.carry >> l) & 1) : Bits(0);
    Bits sum, result;
    bool out = __builtin_add_overflow(part, c[l], &sum);
    out |= __builtin_add_overflow(sum, in, &result);
    d[l] = result;
    flag |= uint32_t(out) << l;
  }
  if (i.aux & 4)
    w.carry = (w.carry & ~active) | flag;
  w.define(i.d[0], active);
  return Step::Next;
}

static void decodeMadCarry(DecodeContext &c) {
  bool reads = c.base == "madc";
  bool high = c.base == "mad.hi.cc" || (reads && c.take("hi"));
  if (reads && !high && !c.take("lo"))
    return c.fail("expected .lo or .hi");
  bool writes = !reads || c.take("cc");
  Type type = c.takeType();
  decodeSimple(c, 3, type);
  c.inst.aux = (high ? 1 : 0) | (reads ? 2 : 0) | (writes ? 4 : 0);
  switch (type) {
  case Type::U32:
    c.inst.fn = execMadCarry<uint32_t>;
    return;
  case Type::S32:
    c.inst.fn = execMadCarry<int32_t>;
    return;
  case Type::U64:
    c.inst.fn = execMadCarry<uint64_t>;
    return;
  case Type::S64:
    c.inst.fn = execMadCarry<int64_t>;
    return;
  default:
    c.fail("expected .u32, .s32, .u64 or .s64");
  }
}

namespace {
/// The product of the lower 24 bits: bits 0 to 31, or 16 to 47.
template <bool High>
int32_t mul24Signed(int32_t a, int32_t b) {
  auto low = [](int32_t x) { return int64_t(int32_t(uint32_t(x) << 8) >> 8); };
  return int32_t((low(a) * low(b)) >> (High ? 16 : 0));
}
template <bool High>
uint32_t mul24Unsigned(uint32_t a, uint32_t b) {
  return uint32_t((uint64_t(a & 0xffffff) * (b & 0xffffff)) >> (High ? 16 : 0));
}
template <bool High>
int32_t mad24Signed(int32_t a, int32_t b, int32_t c) {
  return int32_t(uint32_t(mul24Signed<High>(a, b)) + uint32_t(c));
}
template <bool High>
uint32_t mad24Unsigned(uint32_t a, uint32_t b, uint32_t c) {
  return mul24Unsigned<High>(a, b) + c;
}
int32_t mad24Saturated(int32_t a, int32_t b, int32_t c) {
  int64_t sum = int64_t(mul24Signed<true>(a, b)) + c;
  return int32_t(sum > INT32_MAX   ? INT32_MAX
                 : sum < INT32_MIN ? INT32_MIN
                                   : sum);
}
} // namespace

/// mul24 and mad24.
static void decode24(DecodeContext &c) {
  const bool adds = c.base == "mad24";
  std::string_view half = c.takeOneOf({"lo", "hi"});
  const bool high = half == "hi", sat = adds && high && c.take("sat");
  Type type = c.takeType();
  decodeSimple(c, adds ? 3 : 2, type);
  if (half.empty() || (type != Type::U32 && type != Type::S32) ||
      (sat && type != Type::S32))
    return c.fail("expected .lo or .hi and .u32 or .s32; .sat goes with "
                  "mad24.hi.s32 only");
#define TC_MUL(F, T)                                                           \
  (high ? execBinary<T, T, T, F<true>> : execBinary<T, T, T, F<false>>)
#define TC_MAD(F, T)                                                           \
  (high ? execTernary<T, T, T, T, F<true>> : execTernary<T, T, T, T, F<false>>)
  if (type == Type::S32)
    c.inst.fn =
        adds ? TC_MAD(mad24Signed, int32_t) : TC_MUL(mul24Signed, int32_t);
  else
    c.inst.fn = adds ? TC_MAD(mad24Unsigned, uint32_t)
                     : TC_MUL(mul24Unsigned, uint32_t);
#undef TC_MUL
#undef TC_MAD
  if (sat)
    c.inst.fn = execTernary<int32_t, int32_t, int32_t, int32_t, mad24Saturated>;
}

/// aux: bit 0 a signed, bit 1 b signed, bit 2 dp2a, bit 3 its upper half of b.
static Step execDot(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint32_t *a = w.r32(i.s[0]), *b = w.r32(i.s[1]), *c = w.r32(i.s[2]);
  uint32_t *d = w.w32(i.d[0]);
  auto part = [](uint32_t x, unsigned at, unsigned bits, bool isSigned) {
    uint32_t field = (x >> at) & ((1u << bits) - 1);
    return isSigned ? int32_t(field << (32 - bits)) >> (32 - bits)
                    : int32_t(field);
  };
  bool aSigned = i.aux & 1, bSigned = i.aux & 2;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t sum = c[l];
    if (i.aux & 4)
      for (unsigned k = 0; k < 2; ++k)
        sum += uint32_t(part(a[l], 16 * k, 16, aSigned)) *
               uint32_t(part(b[l], 8 * k + (i.aux & 8 ? 16 : 0), 8, bSigned));
    else
      for (unsigned k = 0; k < 4; ++k)
        sum += uint32_t(part(a[l], 8 * k, 8, aSigned) *
                        part(b[l], 8 * k, 8, bSigned));
    d[l] = sum;
  }
  w.define(i.d[0], active);
  return Step::Next;
}

/// A bit of the sum depends on all products and on what is added below it.
static uint64_t dotBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  return w.undefinedBits(i.s[0], lane) || w.undefinedBits(i.s[1], lane)
             ? ~0ull
             : sumBits(w, i, lane);
}

static void decodeDot(DecodeContext &c) {
  bool two = c.base == "dp2a";
  std::string_view half = two ? c.takeOneOf({"lo", "hi"}) : std::string_view();
  if (two && half.empty())
    return c.fail("expected .lo or .hi");
  Type a = c.takeType(), b = c.takeType();
  decodeSimple(c, 3, Type::B32);
  if ((a != Type::U32 && a != Type::S32) || (b != Type::U32 && b != Type::S32))
    return c.fail("expected .u32 or .s32");
  c.inst.aux = (a == Type::S32 ? 1 : 0) | (b == Type::S32 ? 2 : 0) |
               (two ? 4 : 0) | (half == "hi" ? 8 : 0);
  c.inst.bitRule = dotBits;
  c.inst.ruleBits = 32;
  c.inst.fn = execDot;
}

namespace {
template <class T>
T absoluteDifference(T a, T b, T c) {
  using U = std::make_unsigned_t<T>;
  U difference = a < b ? U(U(b) - U(a)) : U(U(a) - U(b));
  return T(U(difference + U(c)));
}
} // namespace

static void decodeSad(DecodeContext &c) {
  Type type = c.takeType();
  decodeSimple(c, 3, type);
#define TC_SAD(T) execTernary<T, T, T, T, absoluteDifference<T>>
  switch (type) {
  case Type::U16:
    c.inst.fn = TC_SAD(uint16_t);
    return;
  case Type::S16:
    c.inst.fn = TC_SAD(int16_t);
    return;
  case Type::U32:
    c.inst.fn = TC_SAD(uint32_t);
    return;
  case Type::S32:
    c.inst.fn = TC_SAD(int32_t);
    return;
  case Type::U64:
    c.inst.fn = TC_SAD(uint64_t);
    return;
  case Type::S64:
    c.inst.fn = TC_SAD(int64_t);
    return;
  default:
    c.fail("expected a 16, 32 or 64-bit integer type");
  }
#undef TC_SAD
}

void registerCarryInstructions(InstructionTable &table) {
  for (const char *name : {"add.cc", "addc", "sub.cc", "subc"})
    table.add(name, decodeCarry);
  for (const char *name : {"mad.lo.cc", "mad.hi.cc", "madc"})
    table.add(name, decodeMadCarry);
  for (const char *name : {"mul24", "mad24"})
    table.add(name, decode24);
  table.add("dp4a", decodeDot);
  table.add("dp2a", decodeDot);
  table.add("sad", decodeSad);
}

} // namespace tc::emu
