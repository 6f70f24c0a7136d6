//===- Half.cpp - f16, bf16 and packed pairs ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Half Precision Floating Point Instructions": add, sub, mul,
// fma, neg, abs, min, max. A pair is two independent halves.
//
//===----------------------------------------------------------------------===//

#include "Numerics/Half.h"
#include "Exec/Decode/BitRules.h"

#include "Exec/Arithmetic/Integer.h"

namespace tc::emu {

namespace {
enum HalfFlags : unsigned {
  Ftz = 1,
  Sat = 2,
  Relu = 4,
  PropagateNaN = 8,
  Xor = 16
};
enum class HalfOp : uint8_t { Add, Sub, Mul, Fma, Neg, Abs, Min, Max };

template <class H>
bool isNaN(uint16_t x) {
  return (x & 0x7fff) > H::kInf;
}

template <class H>
uint16_t minMax(uint16_t a, uint16_t b, bool isMax, unsigned flags) {
  uint16_t sign = (a ^ b) & 0x8000;
  if (flags & Xor) {
    a &= 0x7fff;
    b &= 0x7fff;
  }
  uint16_t r;
  if (isNaN<H>(a) || isNaN<H>(b)) {
    if ((flags & PropagateNaN) || (isNaN<H>(a) && isNaN<H>(b)))
      return kHalfNaN;
    r = isNaN<H>(a) ? b : a;
  } else {
    // Sign-magnitude order, -0 < +0.
    auto key = [](uint16_t x) {
      return x & 0x8000 ? -int(x & 0x7fff) - 1 : int(x);
    };
    r = (key(a) < key(b)) != isMax ? a : b;
  }
  return flags & Xor ? r | sign : r;
}

template <class H>
uint16_t compute(HalfOp op, unsigned flags, uint16_t a, uint16_t b,
                 uint16_t c) {
  if (flags & Ftz) {
    a = flushHalf<H>(a);
    b = flushHalf<H>(b);
    c = flushHalf<H>(c);
  }
  float x = halfToFloat<H>(a), y = halfToFloat<H>(b);
  uint16_t r = 0;
  switch (op) {
  // Sums and products of two 16-bit numbers are exact in binary64 or, for
  // sums, far enough from a tie.
  case HalfOp::Add:
    r = halfFma<H>(a, H::kOne, b);
    break;
  case HalfOp::Sub:
    r = halfFma<H>(b, H::kOne | 0x8000, a);
    // a - b with both zero: the sign rule of the subtraction.
    if (!(r & 0x7fff))
      r = halfFromFloat<H>(x - y);
    break;
  case HalfOp::Mul:
    r = halfFromDouble<H>(double(x) * double(y));
    break;
  case HalfOp::Fma:
    r = halfFma<H>(a, b, c);
    break;
  case HalfOp::Neg:
    r = isNaN<H>(a) ? kHalfNaN : a ^ 0x8000;
    break;
  case HalfOp::Abs:
    r = isNaN<H>(a) ? kHalfNaN : a & 0x7fff;
    break;
  case HalfOp::Min:
  case HalfOp::Max:
    r = minMax<H>(a, b, op == HalfOp::Max, flags);
    break;
  }
  if (flags & Ftz)
    r = flushHalf<H>(r);
  if (flags & Sat)
    r = isNaN<H>(r) || (r & 0x8000) ? 0 : r > H::kOne ? H::kOne : r;
  if (flags & Relu)
    r = isNaN<H>(r) ? kHalfNaN : r & 0x8000 ? 0 : r;
  return r;
}

/// aux: flags << 8 | op.
template <class H, bool Pair>
Step execHalf(Warp &w, const DecodedInst &i, uint32_t active) {
  HalfOp op = HalfOp(i.aux & 255);
  unsigned flags = i.aux >> 8;
  const uint32_t *v[3];
  for (unsigned s = 0; s < 3; ++s)
    v[s] = i.s[s].valid ? w.r32(i.s[s]) : w.r32(i.s[0]);
  uint32_t *d = w.w32(i.d[0]);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t a = v[0][l], b = v[1][l], c = v[2][l];
    uint32_t r = compute<H>(op, flags, uint16_t(a), uint16_t(b), uint16_t(c));
    if (Pair)
      r |= uint32_t(compute<H>(op, flags, uint16_t(a >> 16), uint16_t(b >> 16),
                               uint16_t(c >> 16)))
           << 16;
    d[l] = r;
  }
  w.define(i.d[0], active);
  return Step::Next;
}
} // namespace

void decodeHalf(DecodeContext &c) {
  static const std::pair<std::string_view, HalfOp> kOps[] = {
      {"add", HalfOp::Add}, {"sub", HalfOp::Sub}, {"mul", HalfOp::Mul},
      {"fma", HalfOp::Fma}, {"mad", HalfOp::Fma}, {"neg", HalfOp::Neg},
      {"abs", HalfOp::Abs}, {"min", HalfOp::Min}, {"max", HalfOp::Max}};
  HalfOp op = HalfOp::Add;
  bool known = false;
  for (const auto &row : kOps)
    if (row.first == c.base) {
      op = row.second;
      known = true;
    }
  if (!known || c.base == "mad")
    return c.fail("expected another type than a 16-bit one");
  bool isMinMax = op == HalfOp::Min || op == HalfOp::Max;
  bool isArithmetic = op <= HalfOp::Fma;
  if (isArithmetic)
    c.take("rn");
  unsigned flags = 0;
  if (c.take("ftz"))
    flags |= Ftz;
  if (isArithmetic && c.take("sat"))
    flags |= Sat;
  if (op == HalfOp::Fma && c.take("relu"))
    flags |= Relu;
  if (isMinMax && c.take("NaN"))
    flags |= PropagateNaN;
  if (isMinMax && c.take("xorsign")) {
    flags |= Xor;
    if (!c.take("abs"))
      return c.fail("expected .xorsign.abs");
  }
  Type type = c.takeType();
  bool isBf16 = type == Type::BF16 || type == Type::BF16x2;
  bool isPair = type == Type::F16x2 || type == Type::BF16x2;
  if (isBf16 && flags & (Ftz | Sat))
    return c.fail("expected .f16 or .f16x2 with .ftz or .sat");
  decodeSimple(c,
               op == HalfOp::Fma                        ? 3
               : op == HalfOp::Neg || op == HalfOp::Abs ? 1
                                                        : 2,
               type);
  c.inst.aux = flags << 8 | unsigned(op);
  if (isPair)
    c.inst.bitRule = pairBits;
  c.inst.fn = isBf16 ? (isPair ? execHalf<BF16, true> : execHalf<BF16, false>)
                     : (isPair ? execHalf<F16, true> : execHalf<F16, false>);
}

} // namespace tc::emu
