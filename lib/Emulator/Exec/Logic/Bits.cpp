//===- Bits.cpp - logic, shifts and bit fields ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Logic and Shift Instructions" and the bit instructions among
// the integer ones: and, or, xor, not, cnot, lop3, shl, shr, shf, bfe, bfi,
// bmsk, szext, bfind, brev, clz, popc, fns, prmt; sad, dp4a, mul24 too.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/Lanes.h"

#include <algorithm>

namespace tc::emu {

namespace {
template <class T>
T andOp(T a, T b) {
  return a & b;
}
template <class T>
T orOp(T a, T b) {
  return a | b;
}
template <class T>
T xorOp(T a, T b) {
  return a ^ b;
}
template <class T>
T notOp(T a) {
  return T(~a);
}
template <class T>
T cnotOp(T a) {
  return a == 0;
}
/// Shift amounts above the width are clamped to it.
template <class T>
T shiftLeft(T a, uint32_t b) {
  return b >= 8 * sizeof(T) ? T(0) : T(a << b);
}
template <class T>
T shiftRight(T a, uint32_t b) {
  if (b >= 8 * sizeof(T)) {
    if constexpr (std::is_signed_v<T>)
      return T(a < 0 ? -1 : 0);
    return T(0);
  }
  return T(a >> b);
}

uint32_t funnel(uint32_t lo, uint32_t hi, uint32_t amount, uint32_t mode) {
  // mode: bit 0 right, bit 1 clamp.
  uint32_t n = mode & 2 ? std::min(amount, 32u) : amount & 31;
  uint64_t both = uint64_t(hi) << 32 | lo;
  return mode & 1 ? uint32_t(both >> n) : uint32_t((both << n) >> 32);
}

template <class T>
T bitFieldExtract(T a, uint32_t b, uint32_t c) {
  using U = std::make_unsigned_t<T>;
  constexpr unsigned width = 8 * sizeof(T);
  unsigned pos = b & 255, len = c & 255;
  bool sign = false;
  if (std::is_signed_v<T> && len)
    sign = (U(a) >> std::min(pos + len - 1, width - 1)) & 1;
  U field = pos >= width ? 0 : U(a) >> pos;
  unsigned valid = pos >= width ? 0 : std::min(len, width - pos);
  U mask = valid >= width ? ~U(0) : (U(1) << valid) - 1;
  return T((field & mask) | (sign ? ~mask : U(0)));
}
template <class T>
T bitFieldInsert(T a, T b, uint32_t c, uint32_t d) {
  constexpr unsigned width = 8 * sizeof(T);
  unsigned pos = c & 255, len = d & 255;
  if (!len || pos >= width)
    return b;
  len = std::min(len, width - pos);
  T mask = T((len >= width ? ~T(0) : (T(1) << len) - 1) << pos);
  return (b & ~mask) | ((a << pos) & mask);
}
template <class T>
uint32_t leadingZeros(T a) {
  if (!a)
    return 8 * sizeof(T);
  return sizeof(T) == 8 ? uint32_t(__builtin_clzll(a))
                        : uint32_t(__builtin_clz(uint32_t(a)));
}
template <class T>
uint32_t populationCount(T a) {
  return uint32_t(__builtin_popcountll(a));
}
template <class T>
T reverseBits(T a) {
  T r = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i)
    r |= T((a >> i) & 1) << (8 * sizeof(T) - 1 - i);
  return r;
}
template <class T, bool Shift>
uint32_t findBit(T a) {
  using U = std::make_unsigned_t<T>;
  U x = std::is_signed_v<T> && a < 0 ? U(~U(a)) : U(a);
  if (!x)
    return ~0u;
  uint32_t msb = uint32_t(8 * sizeof(T)) - 1 - leadingZeros<U>(x);
  return Shift ? uint32_t(8 * sizeof(T)) - 1 - msb : msb;
}
uint32_t bitMask(uint32_t a, uint32_t b, uint32_t clamp) {
  uint32_t pos = clamp ? std::min(a, 32u) : a & 31;
  uint32_t len = clamp ? std::min(b, 32u) : b & 31;
  uint64_t ones = ((1ull << len) - 1) << pos;
  return uint32_t(ones);
}
/// aux: bit 0 clamp, bit 1 signed.
uint32_t signZeroExtend(uint32_t a, uint32_t b, uint32_t aux) {
  uint32_t n = aux & 1 ? std::min(b, 32u) : b & 31;
  if (n == 0)
    return 0;
  uint32_t shift = 32 - n;
  return aux & 2 ? uint32_t(int32_t(a << shift) >> shift)
                 : (a << shift) >> shift;
}

uint32_t permute(uint32_t a, uint32_t b, uint32_t c) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t r = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned selector = (c >> (4 * i)) & 15;
    uint32_t byte = uint32_t(bytes >> (8 * (selector & 7))) & 255;
    if (selector & 8) // replicate the sign
      byte = byte & 128 ? 255 : 0;
    r |= byte << (8 * i);
  }
  return r;
}
/// prmt's named modes as byte selectors.
uint32_t permuteMode(unsigned mode, uint32_t c) {
  unsigned n = c & 3;
  auto sel = [](unsigned d, unsigned c, unsigned b, unsigned a) {
    return d << 12 | c << 8 | b << 4 | a;
  };
  switch (mode) {
  case 0: // f4e
    return sel(n + 3, n + 2, n + 1, n);
  case 1: // b4e
    return sel((n + 5) & 7, (n + 6) & 7, (n + 7) & 7, n);
  case 2: // rc8
    return sel(n, n, n, n);
  case 3: // ecl
    return sel(3, std::max(n, 2u), std::max(n, 1u), n);
  case 4: // ecr
    return sel(n, std::min(n, 2u), std::min(n, 1u), 0);
  default: // rc16
    return n & 1 ? sel(3, 2, 3, 2) : sel(1, 0, 1, 0);
  }
}

Step execPermuteMode(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint32_t *a = w.r32(i.s[0]), *b = w.r32(i.s[1]), *c = w.r32(i.s[2]);
  uint32_t *d = w.w32(i.d[0]);
  forLanes(active, [&](unsigned l) {
    d[l] = permute(a[l], b[l], permuteMode(i.aux, c[l]));
  });
  w.define(i.d[0], active);
  return Step::Next;
}

/// lop3 with the look-up table in aux.
Step execLop3(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint32_t *a = w.r32(i.s[0]), *b = w.r32(i.s[1]), *c = w.r32(i.s[2]);
  uint32_t *d = w.w32(i.d[0]);
  uint32_t lut = i.aux;
  uint32_t m[8];
  for (unsigned k = 0; k < 8; ++k)
    m[k] = lut >> k & 1 ? ~0u : 0u;
  forLanes(active, [&, m](unsigned l) {
    uint32_t x = a[l], y = b[l], z = c[l];
    d[l] = (~x & ~y & ~z & m[0]) | (~x & ~y & z & m[1]) | (~x & y & ~z & m[2]) |
           (~x & y & z & m[3]) | (x & ~y & ~z & m[4]) | (x & ~y & z & m[5]) |
           (x & y & ~z & m[6]) | (x & y & z & m[7]);
  });
  w.define(i.d[0], active);
  return Step::Next;
}

Step execFunnel(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint32_t *a = w.r32(i.s[0]), *b = w.r32(i.s[1]), *c = w.r32(i.s[2]);
  uint32_t *d = w.w32(i.d[0]);
  uint32_t mode = i.aux;
  forLanes(active, [=](unsigned l) { d[l] = funnel(a[l], b[l], c[l], mode); });
  w.define(i.d[0], active);
  return Step::Next;
}

template <class T>
Step execInsert(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto *a = Slot<T>::src(w, i.s[0]);
  const auto *b = Slot<T>::src(w, i.s[1]);
  const uint32_t *c = w.r32(i.s[2]), *len = w.r32(i.s[3]);
  auto *d = Slot<T>::dst(w, i.d[0]);
  forLanes(active, [=](unsigned l) {
    d[l] = bitFieldInsert<T>(T(a[l]), T(b[l]), c[l], len[l]);
  });
  w.define(i.d[0], active);
  return Step::Next;
}

/// Predicates: aux 0 and, 1 or, 2 xor.
Step execPredicateLogic(Warp &w, const DecodedInst &i, uint32_t active) {
  uint32_t a = w.predicate(i.s[0]), b = w.predicate(i.s[1]);
  w.setPredicate(i.d[0], active,
                 i.aux == 0   ? a & b
                 : i.aux == 1 ? a | b
                              : a ^ b);
  return Step::Next;
}
Step execPredicateNot(Warp &w, const DecodedInst &i, uint32_t active) {
  w.setPredicate(i.d[0], active, ~w.predicate(i.s[0]));
  return Step::Next;
}
} // namespace

/// Values of 16 bits have no halves.
static void passHalves(DecodeContext &c, HalfRule rule, Type type) {
  if (bitsOf(type) < 32)
    return;
  c.inst.halves = rule;
  c.inst.halfBits = uint8_t(bitsOf(type));
}

static void decodeLogic(DecodeContext &c) {
  Type type = c.takeType();
  unsigned op = c.base == "and" ? 0 : c.base == "or" ? 1 : 2;
  if (type == Type::Pred) {
    if (!c.expectOperands(3, 3))
      return;
    c.inst.d[0] = c.predicateDst(c.operand(0));
    c.inst.s[0] = c.predicate(c.operand(1));
    c.inst.s[1] = c.predicate(c.operand(2));
    c.inst.aux = op;
    if (op < 2) {
      c.inst.halves = op == 0 ? HalfRule::AllOf : HalfRule::AnyOf;
      c.inst.halfBits = 1 << 0 | 1 << 1;
    }
    c.inst.fn = execPredicateLogic;
    return;
  }
  decodeSimple(c, 2, type);
  if (!isBits(type) || bitsOf(type) < 16 || bitsOf(type) > 64)
    return c.fail("expected .pred, .b16, .b32 or .b64");
  // The tables of lop3: 0xf0 is a, 0xcc b.
  passHalves(c, HalfRule::Logic, type);
  c.inst.aux = op == 0 ? 0xf0 & 0xcc : op == 1 ? 0xf0 | 0xcc : 0xf0 ^ 0xcc;
  // Narrow values are zero-extended: 32-bit logic serves them.
  if (type == Type::B64)
    c.inst.fn =
        op == 0   ? execBinary<uint64_t, uint64_t, uint64_t, andOp<uint64_t>>
        : op == 1 ? execBinary<uint64_t, uint64_t, uint64_t, orOp<uint64_t>>
                  : execBinary<uint64_t, uint64_t, uint64_t, xorOp<uint64_t>>;
  else
    c.inst.fn =
        op == 0   ? execBinary<uint32_t, uint32_t, uint32_t, andOp<uint32_t>>
        : op == 1 ? execBinary<uint32_t, uint32_t, uint32_t, orOp<uint32_t>>
                  : execBinary<uint32_t, uint32_t, uint32_t, xorOp<uint32_t>>;
}

static void decodeNot(DecodeContext &c) {
  Type type = c.takeType();
  if (type == Type::Pred) {
    if (!c.expectOperands(2, 2))
      return;
    c.inst.d[0] = c.predicateDst(c.operand(0));
    c.inst.s[0] = c.predicate(c.operand(1));
    c.inst.fn = execPredicateNot;
    return;
  }
  decodeSimple(c, 1, type);
  bool cnot = c.base == "cnot";
  if (!cnot)
    passHalves(c, HalfRule::Each, type);
  switch (type) {
  case Type::B16:
    c.inst.fn = cnot ? execUnary<uint16_t, uint16_t, cnotOp<uint16_t>>
                     : execUnary<uint16_t, uint16_t, notOp<uint16_t>>;
    return;
  case Type::B32:
    c.inst.fn = cnot ? execUnary<uint32_t, uint32_t, cnotOp<uint32_t>>
                     : execUnary<uint32_t, uint32_t, notOp<uint32_t>>;
    return;
  case Type::B64:
    c.inst.fn = cnot ? execUnary<uint64_t, uint64_t, cnotOp<uint64_t>>
                     : execUnary<uint64_t, uint64_t, notOp<uint64_t>>;
    return;
  default:
    c.fail("expected .pred, .b16, .b32 or .b64");
  }
}

static void decodeLop3(DecodeContext &c) {
  if (c.takeType() != Type::B32)
    return c.fail("expected .b32");
  if (!c.expectOperands(5, 5))
    return;
  c.inst.d[0] = c.dst(0, Type::B32);
  for (unsigned i = 0; i < 3; ++i)
    c.inst.s[i] = c.src(i + 1, Type::B32);
  c.inst.aux = uint32_t(c.immediate(c.operand(4))) & 255;
  passHalves(c, HalfRule::Logic, Type::B32);
  c.inst.fn = execLop3;
}

static void decodeShift(DecodeContext &c) {
  bool right = c.base == "shr";
  Type type = c.takeType();
  if (!c.expectOperands(3, 3))
    return;
  c.inst.d[0] = c.dst(0, type);
  c.inst.s[0] = c.src(1, type);
  c.inst.s[1] = c.src(2, Type::B32);
  passHalves(c,
             !right           ? HalfRule::ShiftLeft
             : isSigned(type) ? HalfRule::ShiftRightSigned
                              : HalfRule::ShiftRight,
             type);
#define TC_SHIFT(T) execBinary<T, T, uint32_t, shiftRight<T>>
  if (right) {
    switch (type) {
    case Type::S16:
      c.inst.fn = TC_SHIFT(int16_t);
      return;
    case Type::B16:
    case Type::U16:
      c.inst.fn = TC_SHIFT(uint16_t);
      return;
    case Type::S32:
      c.inst.fn = TC_SHIFT(int32_t);
      return;
    case Type::B32:
    case Type::U32:
      c.inst.fn = TC_SHIFT(uint32_t);
      return;
    case Type::S64:
      c.inst.fn = TC_SHIFT(int64_t);
      return;
    case Type::B64:
    case Type::U64:
      c.inst.fn = TC_SHIFT(uint64_t);
      return;
    default:
      return c.fail("expected an integer type");
    }
  }
#undef TC_SHIFT
  if (type == Type::B16)
    c.inst.fn = execBinary<uint16_t, uint16_t, uint32_t, shiftLeft<uint16_t>>;
  else if (type == Type::B32)
    c.inst.fn = execBinary<uint32_t, uint32_t, uint32_t, shiftLeft<uint32_t>>;
  else if (type == Type::B64)
    c.inst.fn = execBinary<uint64_t, uint64_t, uint32_t, shiftLeft<uint64_t>>;
  else
    c.fail("expected .b16, .b32 or .b64");
}

static void decodeFunnel(DecodeContext &c) {
  bool right = c.takeOneOf({"l", "r"}) == "r";
  std::string_view mode = c.takeOneOf({"wrap", "clamp"});
  if (mode.empty() || c.takeType() != Type::B32)
    return c.fail("expected .l or .r, .wrap or .clamp, and .b32");
  decodeSimple(c, 3, Type::B32);
  c.inst.aux = (right ? 1 : 0) | (mode == "clamp" ? 2 : 0);
  c.inst.fn = execFunnel;
}

static void decodeExtract(DecodeContext &c) {
  Type type = c.takeType();
  if (!c.expectOperands(4, 4))
    return;
  c.inst.d[0] = c.dst(0, type);
  c.inst.s[0] = c.src(1, type);
  c.inst.s[1] = c.src(2, Type::B32);
  c.inst.s[2] = c.src(3, Type::B32);
#define TC_EXTRACT(T) execTernary<T, T, uint32_t, uint32_t, bitFieldExtract<T>>
  switch (type) {
  case Type::U32:
    c.inst.fn = TC_EXTRACT(uint32_t);
    return;
  case Type::S32:
    c.inst.fn = TC_EXTRACT(int32_t);
    return;
  case Type::U64:
    c.inst.fn = TC_EXTRACT(uint64_t);
    return;
  case Type::S64:
    c.inst.fn = TC_EXTRACT(int64_t);
    return;
  default:
    c.fail("expected .u32, .s32, .u64 or .s64");
  }
#undef TC_EXTRACT
}

static void decodeInsert(DecodeContext &c) {
  Type type = c.takeType();
  if (!c.expectOperands(5, 5))
    return;
  c.inst.d[0] = c.dst(0, type);
  c.inst.s[0] = c.src(1, type);
  c.inst.s[1] = c.src(2, type);
  c.inst.s[2] = c.src(3, Type::B32);
  c.inst.s[3] = c.src(4, Type::B32);
  if (type == Type::B32)
    c.inst.fn = execInsert<uint32_t>;
  else if (type == Type::B64)
    c.inst.fn = execInsert<uint64_t>;
  else
    c.fail("expected .b32 or .b64");
}

/// fns: the position of the |offset|-th set bit from `base` on, upwards for a
/// positive offset, downwards for a negative one; offset 0 asks for bit `base`.
static uint32_t findNthSet(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31) // undefined
    return ~0u;
  if (offset == 0)
    return mask >> base & 1 ? base : ~0u;
  int64_t left = offset < 0 ? -int64_t(offset) : offset;
  for (int position = int(base); position >= 0 && position < 32;
       position += offset > 0 ? 1 : -1)
    if ((mask >> position & 1) && --left == 0)
      return uint32_t(position);
  return ~0u;
}

static void decodeFindNth(DecodeContext &c) {
  if (!c.take("b32"))
    return c.fail("expected .b32");
  decodeSimple(c, 3, Type::B32);
  c.inst.fn = execTernary<uint32_t, uint32_t, uint32_t, int32_t, findNthSet>;
}

static void decodeCount(DecodeContext &c) {
  bool shift = c.base == "bfind" && c.take("shiftamt");
  Type type = c.takeType();
  if (!c.expectOperands(2, 2))
    return;
  c.inst.d[0] = c.dst(0, Type::B32);
  c.inst.s[0] = c.src(1, type);
#define TC_COUNT(T, F) execUnary<uint32_t, T, F>
  if (c.base == "bfind") {
#define TC_FIND(T)                                                             \
  (shift ? TC_COUNT(T, (findBit<T, true>)) : TC_COUNT(T, (findBit<T, false>)))
    c.inst.fn = type == Type::U32   ? TC_FIND(uint32_t)
                : type == Type::S32 ? TC_FIND(int32_t)
                : type == Type::U64 ? TC_FIND(uint64_t)
                : type == Type::S64 ? TC_FIND(int64_t)
                                    : nullptr;
#undef TC_FIND
  } else if (c.base == "clz") {
    c.inst.fn = type == Type::B32   ? TC_COUNT(uint32_t, leadingZeros<uint32_t>)
                : type == Type::B64 ? TC_COUNT(uint64_t, leadingZeros<uint64_t>)
                                    : nullptr;
  } else {
    c.inst.fn =
        type == Type::B32   ? TC_COUNT(uint32_t, populationCount<uint32_t>)
        : type == Type::B64 ? TC_COUNT(uint64_t, populationCount<uint64_t>)
                            : nullptr;
  }
#undef TC_COUNT
  if (!c.inst.fn)
    c.fail(std::string("type .") + toString(type) + " is not legal here");
}

static void decodeReverse(DecodeContext &c) {
  Type type = c.takeType();
  decodeSimple(c, 1, type);
  if (type == Type::B32)
    c.inst.fn = execUnary<uint32_t, uint32_t, reverseBits<uint32_t>>;
  else if (type == Type::B64)
    c.inst.fn = execUnary<uint64_t, uint64_t, reverseBits<uint64_t>>;
  else
    c.fail("expected .b32 or .b64");
}

static void decodePermute(DecodeContext &c) {
  if (c.takeType() != Type::B32)
    return c.fail("expected .b32");
  std::string_view mode =
      c.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  decodeSimple(c, 3, Type::B32);
  static const std::string_view kModes[] = {"f4e", "b4e", "rc8",
                                            "ecl", "ecr", "rc16"};
  for (unsigned i = 0; i < 6; ++i)
    if (mode == kModes[i])
      c.inst.aux = i;
  if (mode.empty())
    c.inst.halves = HalfRule::Permute;
  c.inst.fn = mode.empty()
                  ? execTernary<uint32_t, uint32_t, uint32_t, uint32_t, permute>
                  : execPermuteMode;
}

static void decodeMaskExtend(DecodeContext &c) {
  std::string_view mode = c.takeOneOf({"wrap", "clamp"});
  Type type = c.takeType();
  decodeSimple(c, 2, type);
  if (mode.empty() || bitsOf(type) != 32)
    return c.fail("expected .wrap or .clamp and a 32-bit type");
  c.inst.aux = (mode == "clamp" ? 1 : 0) | (type == Type::S32 ? 2 : 0);
  c.inst.fn = c.base == "bmsk"
                  ? execBinaryAux<uint32_t, uint32_t, uint32_t, bitMask>
                  : execBinaryAux<uint32_t, uint32_t, uint32_t, signZeroExtend>;
}

void registerBitInstructions(InstructionTable &table) {
  for (const char *name : {"and", "or", "xor"})
    table.add(name, decodeLogic);
  table.add("not", decodeNot);
  table.add("cnot", decodeNot);
  table.add("lop3", decodeLop3);
  table.add("shl", decodeShift);
  table.add("shr", decodeShift);
  table.add("shf", decodeFunnel);
  table.add("bfe", decodeExtract);
  table.add("bfi", decodeInsert);
  for (const char *name : {"bfind", "clz", "popc"})
    table.add(name, decodeCount);
  table.add("brev", decodeReverse);
  table.add("fns", decodeFindNth);
  table.add("prmt", decodePermute);
  table.add("bmsk", decodeMaskExtend);
  table.add("szext", decodeMaskExtend);
}

} // namespace tc::emu
