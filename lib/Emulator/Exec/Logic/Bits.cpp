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

#include "Exec/Decode/BitRules.h"
#include "Exec/Logic/BitFunctions.h"

namespace tc::emu {

namespace {
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

//===----------------------------------------------------------------------===//
// Bits without a value
//===----------------------------------------------------------------------===//

namespace {
/// The table in aux, as of lop3: bits that are the same whatever the undefined
/// operands hold have a value.
template <class T>
uint64_t logicBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  T values[3] = {}, undefined[3] = {};
  for (unsigned k = 0; k < 3; ++k)
    if (i.s[k].valid) {
      undefined[k] = undefinedIn<T>(w, i.s[k], lane);
      values[k] = T(valueIn<T>(w, i.s[k], lane) & ~undefined[k]);
    }
  T ones = 0, zeros = 0; // bits that can be 1, that can be 0
  for (unsigned guess = 0; guess < 8; ++guess) {
    T of[3], out = 0;
    for (unsigned k = 0; k < 3; ++k)
      of[k] = T(guess >> k & 1 ? values[k] | undefined[k] : values[k]);
    for (unsigned row = 0; row < 8; ++row)
      if (i.aux >> row & 1)
        out |= T((row & 4 ? of[0] : ~of[0]) & (row & 2 ? of[1] : ~of[1]) &
                 (row & 1 ? of[2] : ~of[2]));
    ones |= out;
    zeros |= T(~out);
  }
  return marksOf<T>(ones & zeros);
}
BitRule logicRule(Type type) {
  return bitsOf(type) == 64   ? logicBits<uint64_t>
         : bitsOf(type) == 32 ? logicBits<uint32_t>
                              : logicBits<uint16_t>;
}

/// F moves the bits of s[0] by what s[1] says.
template <class T, T (*F)(T, uint32_t)>
uint64_t movedBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  if (undefinedIn<uint32_t>(w, i.s[1], lane))
    return ~0ull;
  return marksOf<T>(
      F(undefinedIn<T>(w, i.s[0], lane), valueIn<uint32_t>(w, i.s[1], lane)));
}

/// F counts bits, or finds the highest one: it grows with its argument, or
/// shrinks, where the sign is known. Nothing found is all ones.
template <class T, uint32_t (*F)(T)>
uint64_t countedBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  return (leastOf<T>(w, i.s[0], lane) < 0) !=
                 (greatestOf<T>(w, i.s[0], lane) < 0)
             ? ~0ull
             : monotoneBits<uint32_t, T, F>(w, i, lane);
}

uint64_t funnelBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  const uint32_t counts = i.aux & 2 ? ~0u : 31;
  if (undefinedIn<uint32_t>(w, i.s[2], lane) & counts)
    return ~0ull;
  return marksOf(funnel(undefinedIn<uint32_t>(w, i.s[0], lane),
                        undefinedIn<uint32_t>(w, i.s[1], lane),
                        valueIn<uint32_t>(w, i.s[2], lane), i.aux));
}

template <class T>
uint64_t extractedBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  for (unsigned k = 1; k < 3; ++k)
    if (undefinedIn<uint8_t>(w, i.s[k], lane))
      return ~0ull;
  return marksOf(bitFieldExtract<T>(undefinedIn<T>(w, i.s[0], lane),
                                    valueIn<uint32_t>(w, i.s[1], lane),
                                    valueIn<uint32_t>(w, i.s[2], lane)));
}

template <class T>
uint64_t insertedBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  for (unsigned k = 2; k < 4; ++k)
    if (undefinedIn<uint8_t>(w, i.s[k], lane))
      return ~0ull;
  return marksOf(bitFieldInsert<T>(
      undefinedIn<T>(w, i.s[0], lane), undefinedIn<T>(w, i.s[1], lane),
      valueIn<uint32_t>(w, i.s[2], lane), valueIn<uint32_t>(w, i.s[3], lane)));
}

template <class T>
uint64_t reversedBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  return marksOf(reverseBits(undefinedIn<T>(w, i.s[0], lane)));
}

uint64_t extendedBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  if (undefinedIn<uint32_t>(w, i.s[1], lane) & (i.aux & 1 ? ~0u : 31))
    return ~0ull;
  return marksOf(signZeroExtend(undefinedIn<uint32_t>(w, i.s[0], lane),
                                valueIn<uint32_t>(w, i.s[1], lane), i.aux));
}

/// Each byte is one of a or b, or its sign.
uint64_t permutedBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  const uint32_t unknown = undefinedIn<uint32_t>(w, i.s[2], lane);
  uint32_t result = permute(undefinedIn<uint32_t>(w, i.s[0], lane),
                            undefinedIn<uint32_t>(w, i.s[1], lane),
                            valueIn<uint32_t>(w, i.s[2], lane));
  for (unsigned byte = 0; byte < 4; ++byte)
    if (unknown >> (4 * byte) & 15)
      result |= 255u << (8 * byte);
  return marksOf(result);
}

uint64_t modePermutedBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  if (undefinedIn<uint32_t>(w, i.s[2], lane) & 3)
    return ~0ull;
  return marksOf(
      permute(undefinedIn<uint32_t>(w, i.s[0], lane),
              undefinedIn<uint32_t>(w, i.s[1], lane),
              permuteMode(i.aux, valueIn<uint32_t>(w, i.s[2], lane))));
}
} // namespace

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

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
    c.inst.givesPredicates = true;
    if (op < 2) {
      c.inst.bitRule = op == 0 ? allOfBits : anyOfBits;
      c.inst.ruleBits = 1 << 0 | 1 << 1;
    }
    c.inst.fn = execPredicateLogic;
    return;
  }
  decodeSimple(c, 2, type);
  if (!isBits(type) || bitsOf(type) < 16 || bitsOf(type) > 64)
    return c.fail("expected .pred, .b16, .b32 or .b64");
  // The tables of lop3: 0xf0 is a, 0xcc b.
  c.inst.bitRule = logicRule(type);
  if (op == 1)
    c.inst.sum = Sum::Disjoint;
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
  if (!cnot) {
    c.inst.bitRule = logicRule(type);
    c.inst.aux = 0xff & ~0xf0;
  }
  switch (type) {
  case Type::B16:
    c.inst.fn = cnot ? execUnary<uint16_t, uint16_t, cnotOp<uint16_t>>
                     : execUnary<uint16_t, uint16_t, notOp<uint16_t>>;
    return;
  case Type::B32:
    if (cnot)
      c.inst.bitRule = monotoneBits<uint32_t, uint32_t, cnotOp<uint32_t>>;
    c.inst.fn = cnot ? execUnary<uint32_t, uint32_t, cnotOp<uint32_t>>
                     : execUnary<uint32_t, uint32_t, notOp<uint32_t>>;
    return;
  case Type::B64:
    if (cnot)
      c.inst.bitRule = monotoneBits<uint64_t, uint64_t, cnotOp<uint64_t>>;
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
  c.inst.bitRule = logicRule(Type::B32);
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
#define TC_SHIFT(T, F)                                                         \
  c.inst.bitRule = movedBits<T, F<T>>;                                         \
  c.inst.fn = execBinary<T, T, uint32_t, F<T>>
  if (right) {
    switch (type) {
    case Type::S16:
      TC_SHIFT(int16_t, shiftRight);
      return;
    case Type::B16:
    case Type::U16:
      TC_SHIFT(uint16_t, shiftRight);
      return;
    case Type::S32:
      TC_SHIFT(int32_t, shiftRight);
      return;
    case Type::B32:
    case Type::U32:
      TC_SHIFT(uint32_t, shiftRight);
      return;
    case Type::S64:
      TC_SHIFT(int64_t, shiftRight);
      return;
    case Type::B64:
    case Type::U64:
      TC_SHIFT(uint64_t, shiftRight);
      return;
    default:
      return c.fail("expected an integer type");
    }
  }
  switch (type) {
  case Type::B16:
    TC_SHIFT(uint16_t, shiftLeft);
    return;
  case Type::B32:
    TC_SHIFT(uint32_t, shiftLeft);
    return;
  case Type::B64:
    TC_SHIFT(uint64_t, shiftLeft);
    return;
  default:
    c.fail("expected .b16, .b32 or .b64");
  }
#undef TC_SHIFT
}

static void decodeFunnel(DecodeContext &c) {
  bool right = c.takeOneOf({"l", "r"}) == "r";
  std::string_view mode = c.takeOneOf({"wrap", "clamp"});
  if (mode.empty() || c.takeType() != Type::B32)
    return c.fail("expected .l or .r, .wrap or .clamp, and .b32");
  decodeSimple(c, 3, Type::B32);
  c.inst.aux = (right ? 1 : 0) | (mode == "clamp" ? 2 : 0);
  c.inst.bitRule = funnelBits;
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
#define TC_EXTRACT(T)                                                          \
  c.inst.bitRule = extractedBits<T>;                                           \
  c.inst.fn = execTernary<T, T, uint32_t, uint32_t, bitFieldExtract<T>>
  switch (type) {
  case Type::U32:
    TC_EXTRACT(uint32_t);
    return;
  case Type::S32:
    TC_EXTRACT(int32_t);
    return;
  case Type::U64:
    TC_EXTRACT(uint64_t);
    return;
  case Type::S64:
    TC_EXTRACT(int64_t);
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
  c.inst.bitRule =
      type == Type::B64 ? insertedBits<uint64_t> : insertedBits<uint32_t>;
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
  auto count = [&](ExecFn fn, BitRule rule) {
    c.inst.fn = fn;
    c.inst.bitRule = rule;
  };
#define TC_COUNT(T, F) count(execUnary<uint32_t, T, F>, countedBits<T, F>)
  if (c.base == "bfind") {
#define TC_FIND(T)                                                             \
  (shift ? TC_COUNT(T, (findBit<T, true>)) : TC_COUNT(T, (findBit<T, false>)))
    switch (type) {
    case Type::U32:
      TC_FIND(uint32_t);
      break;
    case Type::S32:
      TC_FIND(int32_t);
      break;
    case Type::U64:
      TC_FIND(uint64_t);
      break;
    case Type::S64:
      TC_FIND(int64_t);
      break;
    default:
      break;
    }
#undef TC_FIND
  } else if (type == Type::B32 && c.base == "clz") {
    TC_COUNT(uint32_t, leadingZeros<uint32_t>);
  } else if (type == Type::B64 && c.base == "clz") {
    TC_COUNT(uint64_t, leadingZeros<uint64_t>);
  } else if (type == Type::B32) {
    TC_COUNT(uint32_t, populationCount<uint32_t>);
  } else if (type == Type::B64) {
    TC_COUNT(uint64_t, populationCount<uint64_t>);
  }
#undef TC_COUNT
  if (!c.inst.fn)
    c.fail(std::string("type .") + toString(type) + " is not legal here");
}

static void decodeReverse(DecodeContext &c) {
  Type type = c.takeType();
  decodeSimple(c, 1, type);
  c.inst.bitRule =
      type == Type::B64 ? reversedBits<uint64_t> : reversedBits<uint32_t>;
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
  c.inst.bitRule = mode.empty() ? permutedBits : modePermutedBits;
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
  if (c.base == "szext")
    c.inst.bitRule = extendedBits;
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
