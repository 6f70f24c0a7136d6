//===- Approx.cpp - rcp, sqrt and transcendental functions ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0: rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh. The .approx forms
// have an error bound in the ISA; this computes in binary64 and rounds once,
// which lies within every bound.
//
//===----------------------------------------------------------------------===//

#include "Exec/Half.h"
#include "Exec/Lanes.h"

#include <cfenv>

namespace tc::emu {

namespace {
enum class Fn : uint8_t { Rcp, Sqrt, Rsqrt, Sin, Cos, Lg2, Ex2, Tanh };

double compute(Fn fn, double x) {
  switch (fn) {
  case Fn::Rcp:
    return 1.0 / x;
  case Fn::Sqrt:
    return std::sqrt(x);
  case Fn::Rsqrt:
    return 1.0 / std::sqrt(x);
  case Fn::Sin:
    return std::sin(x);
  case Fn::Cos:
    return std::cos(x);
  case Fn::Lg2:
    return std::log2(x);
  case Fn::Ex2:
    return std::exp2(x);
  case Fn::Tanh:
    return std::tanh(x);
  }
  return 0;
}

float flush(float x) {
  uint32_t bits = bitCast<uint32_t>(x);
  return bitCast<float>(bits & 0x7f800000u ? bits : bits & 0x80000000u);
}

/// Rounds a correctly rounded quotient or root: the operation itself is done in
/// binary32 for the host to round it.
float exact32(Fn fn, float x) {
  volatile float v = x;
  return fn == Fn::Rcp ? 1.0f / v : std::sqrt(float(v));
}
double exact64(Fn fn, double x) {
  volatile double v = x;
  return fn == Fn::Rcp ? 1.0 / v : std::sqrt(double(v));
}

/// aux: mode << 8 | exact << 6 | ftz << 5 | fn.
Step execF32(Warp &w, const DecodedInst &i, uint32_t active) {
  Fn fn = Fn(i.aux & 31);
  bool ftz = i.aux >> 5 & 1, exact = i.aux >> 6 & 1;
  const uint32_t *a = w.r32(i.s[0]);
  uint32_t *d = w.w32(i.d[0]);
  int old = fegetround();
  if (exact)
    fesetround(int(i.aux >> 8));
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    float x = bitCast<float>(a[l]);
    if (ftz)
      x = flush(x);
    volatile float r = exact ? exact32(fn, x) : float(compute(fn, x));
    float y = r;
    if (ftz)
      y = flush(y);
    d[l] = y != y ? 0x7fffffffu : bitCast<uint32_t>(y);
  }
  if (exact)
    fesetround(old);
  w.define(i.d[0], active);
  return Step::Next;
}

Step execF64(Warp &w, const DecodedInst &i, uint32_t active) {
  Fn fn = Fn(i.aux & 31);
  bool exact = i.aux >> 6 & 1;
  const uint64_t *a = w.r64(i.s[0]);
  uint64_t *d = w.w64(i.d[0]);
  int old = fegetround();
  if (exact)
    fesetround(int(i.aux >> 8));
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    double x = bitCast<double>(a[l]);
    volatile double r = exact ? exact64(fn, x) : compute(fn, x);
    d[l] = bitCast<uint64_t>(double(r));
  }
  if (exact)
    fesetround(old);
  w.define(i.d[0], active);
  return Step::Next;
}

template <class H, bool Pair>
Step execHalf(Warp &w, const DecodedInst &i, uint32_t active) {
  Fn fn = Fn(i.aux & 31);
  const uint32_t *a = w.r32(i.s[0]);
  uint32_t *d = w.w32(i.d[0]);
  auto one = [&](uint16_t x) {
    return uint32_t(halfFromDouble<H>(compute(fn, halfToFloat<H>(x))));
  };
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t r = one(uint16_t(a[l]));
    d[l] = Pair ? r | one(uint16_t(a[l] >> 16)) << 16 : r;
  }
  w.define(i.d[0], active);
  return Step::Next;
}
} // namespace

static void decodeApprox(DecodeContext &c) {
  static const std::pair<std::string_view, Fn> kFunctions[] = {
      {"rcp", Fn::Rcp}, {"sqrt", Fn::Sqrt}, {"rsqrt", Fn::Rsqrt},
      {"sin", Fn::Sin}, {"cos", Fn::Cos},   {"lg2", Fn::Lg2},
      {"ex2", Fn::Ex2}, {"tanh", Fn::Tanh}};
  Fn fn = Fn::Rcp;
  for (const auto &row : kFunctions)
    if (row.first == c.base)
      fn = row.second;
  bool approx = c.take("approx");
  std::string_view mode = c.takeOneOf({"rn", "rz", "rm", "rp"});
  bool ftz = c.take("ftz");
  Type type = c.takeType();
  decodeSimple(c, 1, type);
  if (approx == !mode.empty() || (!approx && fn != Fn::Rcp && fn != Fn::Sqrt))
    return c.fail("expected .approx or a rounding mode");
  int rounding = mode == "rz"   ? FE_TOWARDZERO
                 : mode == "rm" ? FE_DOWNWARD
                 : mode == "rp" ? FE_UPWARD
                                : FE_TONEAREST;
  c.inst.aux = uint32_t(rounding) << 8 | uint32_t(!approx) << 6 |
               uint32_t(ftz) << 5 | uint32_t(fn);
  bool hasHalf = fn == Fn::Ex2 || fn == Fn::Tanh;
  switch (type) {
  case Type::F32:
    c.inst.fn = execF32;
    return;
  case Type::F64:
    // rcp.approx.ftz.f64 and rsqrt.approx.f64 are gross approximations; the
    // exact value is within their bounds.
    if (fn == Fn::Rcp || fn == Fn::Sqrt || fn == Fn::Rsqrt) {
      c.inst.fn = execF64;
      return;
    }
    break;
  case Type::F16:
  case Type::F16x2:
    if (hasHalf) {
      c.inst.fn =
          type == Type::F16 ? execHalf<F16, false> : execHalf<F16, true>;
      return;
    }
    break;
  case Type::BF16:
  case Type::BF16x2:
    if (hasHalf) {
      c.inst.fn =
          type == Type::BF16 ? execHalf<BF16, false> : execHalf<BF16, true>;
      return;
    }
    break;
  default:
    break;
  }
  c.fail(std::string("type .") + toString(type) + " is not legal here");
}

void registerHalfInstructions(InstructionTable &table) {
  for (const char *name :
       {"rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"})
    table.add(name, decodeApprox);
}

} // namespace tc::emu
