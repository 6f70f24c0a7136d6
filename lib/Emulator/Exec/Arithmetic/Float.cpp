//===- Float.cpp - f32, f64 and f32x2 arithmetic --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Floating Point Instructions". Rounding to nearest runs on the
// host's arithmetic, lane by lane in vector code; the other rounding modes set
// the host's mode. NaN results of f32 are the canonical NaN.
//
//===----------------------------------------------------------------------===//

#include "Exec/Arithmetic/Approx.h"
#include "Exec/Arithmetic/Integer.h"
#include "Exec/Decode/Lanes.h"
#include "Numerics/Approximation.h"
#include "State/Machine.h"

#include <cfenv>
#include <cmath>
#include <limits>

namespace tc::emu {

namespace {
float canonical(float x) { return x != x ? bitCast<float>(0x7fffffffu) : x; }
double canonical(double x) { return x; }
template <class T>
T saturate(T x) {
  return x > T(0) ? (x < T(1) ? x : T(1)) : T(0); // NaN gives 0
}

enum FloatFlags : unsigned { Ftz = 1, Sat = 2 };
template <class T, unsigned F>
T in(T x) {
  return F & Ftz ? flush(x) : x;
}
template <class T, unsigned F>
T out(T x) {
  x = F & Sat ? saturate(x) : canonical(x);
  return F & Ftz ? flush(x) : x;
}

template <class T, unsigned F>
T add(T a, T b) {
  return out<T, F>(in<T, F>(a) + in<T, F>(b));
}
template <class T, unsigned F>
T sub(T a, T b) {
  return out<T, F>(in<T, F>(a) - in<T, F>(b));
}
template <class T, unsigned F>
T mul(T a, T b) {
  return out<T, F>(in<T, F>(a) * in<T, F>(b));
}
template <class T, unsigned F>
T fma(T a, T b, T c) {
  return out<T, F>(std::fma(in<T, F>(a), in<T, F>(b), in<T, F>(c)));
}
template <class T, unsigned F>
T divide(T a, T b) {
  return out<T, F>(in<T, F>(a) / in<T, F>(b));
}

/// .approx multiplies by a reciprocal that is 0 for divisors beyond 2^126 (PTX
/// ISA 9.0, "Floating Point Instructions: div", 9.7.3.8); elsewhere the exact
/// quotient is within its error bound, as it does for .full.
template <class T, unsigned F>
T divideApprox(T a, T b) {
  T size = std::fabs(b);
  if (size > T(0x1p126f) && size <= std::numeric_limits<T>::max())
    return out<T, F>(in<T, F>(a) * std::copysign(T(0), b));
  return divide<T, F>(a, b);
}

/// div.approx and div.full: aux is the row of the table of approximations.
template <ExecFn rounded, bool Ftz32, bool Fast>
Step execDivide(Warp &w, const DecodedInst &i, uint32_t active) {
  if (w.machine.options.approx.mode == Approximation::Mode::Rounded)
    return rounded(w, i, active);
  constexpr unsigned flags = Ftz32 ? Ftz : 0;
  const uint32_t *a = w.r32(i.s[0]), *b = w.r32(i.s[1]);
  uint32_t *d = w.w32(i.d[0]);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    const float x = in<float, flags>(bitCast<float>(a[l])),
                y = in<float, flags>(bitCast<float>(b[l]));
    const float r =
        Fast ? divideApprox<float, flags>(x, y) : divide<float, flags>(x, y);
    // Outside of [2^-126, 2^126] div.approx has no bound but values of its own.
    const float size = std::fabs(y);
    const bool bounded = !Fast || (size >= 0x1p-126f && size <= 0x1p126f);
    uint64_t result = bitCast<uint32_t>(r);
    if ((bounded ||
         w.machine.options.approx.mode == Approximation::Mode::Recorded) &&
        !pickApprox(w, i, i.aux, a[l], b[l], x, double(x) / double(y), result,
                    result))
      return Step::Stop;
    d[l] =
        bitCast<uint32_t>(in<float, flags>(bitCast<float>(uint32_t(result))));
  }
  w.define(i.d[0], active);
  return Step::Next;
}

/// f32x2: two independent halves.
template <float (*F)(float, float)>
uint64_t pair(uint64_t a, uint64_t b) {
  uint32_t lo = bitCast<uint32_t>(
      F(bitCast<float>(uint32_t(a)), bitCast<float>(uint32_t(b))));
  uint32_t hi = bitCast<uint32_t>(
      F(bitCast<float>(uint32_t(a >> 32)), bitCast<float>(uint32_t(b >> 32))));
  return lo | uint64_t(hi) << 32;
}
template <float (*F)(float, float, float)>
uint64_t pair3(uint64_t a, uint64_t b, uint64_t c) {
  uint32_t lo = bitCast<uint32_t>(F(bitCast<float>(uint32_t(a)),
                                    bitCast<float>(uint32_t(b)),
                                    bitCast<float>(uint32_t(c))));
  uint32_t hi = bitCast<uint32_t>(F(bitCast<float>(uint32_t(a >> 32)),
                                    bitCast<float>(uint32_t(b >> 32)),
                                    bitCast<float>(uint32_t(c >> 32))));
  return lo | uint64_t(hi) << 32;
}

/// A half of the result is defined where that half of every source is.
template <ExecFn fn, unsigned sources>
Step execHalves(Warp &w, const DecodedInst &i, uint32_t active) {
  uint32_t low = ~0u, high = ~0u;
  // Before the destination, which may be a source, is written.
  for (unsigned k = 0; k < sources; ++k) {
    low &= w.definedHalf(i.s[k], 0, 64);
    high &= w.definedHalf(i.s[k], 1, 64);
  }
  Step step = fn(w, i, active);
  if (active & ~(low & high))
    w.defineHalves(i.d[0], active, low, high, 64);
  return step;
}

//===----------------------------------------------------------------------===//
// Directed rounding
//===----------------------------------------------------------------------===//

/// The host's rounding mode for as long as this lives.
class RoundingScope {
public:
  explicit RoundingScope(int mode) : old(fegetround()) { fesetround(mode); }
  RoundingScope(const RoundingScope &) = delete;
  RoundingScope &operator=(const RoundingScope &) = delete;
  ~RoundingScope() { fesetround(old); }

private:
  int old;
};
enum class FloatOp : uint8_t { Add, Sub, Mul, Div, Fma, Rcp, Sqrt };

/// volatile keeps the compiler from moving the operation out of the scope of
/// its rounding mode, and from folding it.
template <class T>
T compute(FloatOp op, T x, T y, T z) {
  volatile T a = x, b = y, c = z, result = 0;
  switch (op) {
  case FloatOp::Add:
    result = a + b;
    break;
  case FloatOp::Sub:
    result = a - b;
    break;
  case FloatOp::Mul:
    result = a * b;
    break;
  case FloatOp::Div:
    result = a / b;
    break;
  case FloatOp::Fma:
    result = std::fma(T(a), T(b), T(c));
    break;
  case FloatOp::Rcp:
    result = T(1) / a;
    break;
  case FloatOp::Sqrt:
    result = std::sqrt(T(a));
    break;
  }
  return result;
}

/// aux: mode << 8 | flags << 4 | op.
template <class T>
Step execRounded(Warp &w, const DecodedInst &i, uint32_t active) {
  FloatOp op = FloatOp(i.aux & 15);
  bool ftz = i.aux >> 4 & Ftz, sat = i.aux >> 4 & Sat;
  const RoundingScope rounding(int(i.aux >> 8));
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    T v[3] = {};
    for (unsigned s = 0; s < 3 && i.s[s].valid; ++s) {
      v[s] = Slot<T>::load(Slot<T>::src(w, i.s[s])[l]);
      v[s] = ftz ? flush(v[s]) : v[s];
    }
    T r = compute<T>(op, v[0], v[1], v[2]);
    r = sat ? saturate(r) : canonical(r);
    Slot<T>::dst(w, i.d[0])[l] = Slot<T>::store(ftz ? flush(r) : r);
  }
  w.define(i.d[0], active);
  return Step::Next;
}

/// The same for both halves of .f32x2, which has no .sat.
Step execRoundedPair(Warp &w, const DecodedInst &i, uint32_t active) {
  const FloatOp op = FloatOp(i.aux & 15);
  const bool ftz = i.aux >> 4 & Ftz;
  const RoundingScope rounding(int(i.aux >> 8));
  uint64_t *d = w.w64(i.d[0]);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint64_t result = 0;
    for (unsigned shift : {0u, 32u}) {
      float v[3] = {};
      for (unsigned s = 0; s < 3 && i.s[s].valid; ++s) {
        v[s] = bitCast<float>(uint32_t(w.r64(i.s[s])[l] >> shift));
        v[s] = ftz ? flush(v[s]) : v[s];
      }
      float r = canonical(compute<float>(op, v[0], v[1], v[2]));
      r = ftz ? flush(r) : r;
      result |= uint64_t(bitCast<uint32_t>(r)) << shift;
    }
    d[l] = result;
  }
  w.define(i.d[0], active);
  return Step::Next;
}
} // namespace

/// Takes .rn .rz .rm .rp; FE_TONEAREST if none.
static int takeRounding(DecodeContext &c) {
  std::string_view mode = c.takeOneOf({"rn", "rz", "rm", "rp"});
  return mode == "rz"   ? FE_TOWARDZERO
         : mode == "rm" ? FE_DOWNWARD
         : mode == "rp" ? FE_UPWARD
                        : FE_TONEAREST;
}

static unsigned takeFlags(DecodeContext &c) {
  return (c.take("ftz") ? Ftz : 0u) | (c.take("sat") ? Sat : 0u);
}

static void useRounded(DecodeContext &c, Type type, FloatOp op, int mode,
                       unsigned flags) {
  c.inst.aux = uint32_t(mode) << 8 | flags << 4 | unsigned(op);
  c.inst.fn = type == Type::F32x2
                  ? (op == FloatOp::Fma ? execHalves<execRoundedPair, 3>
                                        : execHalves<execRoundedPair, 2>)
              : type == Type::F64 ? execRounded<double>
                                  : execRounded<float>;
}

#define TC_FLAGS2(F, T)                                                        \
  (flags == 0     ? execBinary<T, T, T, F<T, 0>>                               \
   : flags == Ftz ? execBinary<T, T, T, F<T, Ftz>>                             \
   : flags == Sat ? execBinary<T, T, T, F<T, Sat>>                             \
                  : execBinary<T, T, T, F<T, (Ftz | Sat)>>)
#define TC_FLAGS3(F, T)                                                        \
  (flags == 0     ? execTernary<T, T, T, T, F<T, 0>>                           \
   : flags == Ftz ? execTernary<T, T, T, T, F<T, Ftz>>                         \
   : flags == Sat ? execTernary<T, T, T, T, F<T, Sat>>                         \
                  : execTernary<T, T, T, T, F<T, (Ftz | Sat)>>)

template <float (*F)(float, float), float (*FtzF)(float, float)>
static ExecFn pairFunction(unsigned flags) {
  using Word = uint64_t;
  return flags & Ftz ? execHalves<execBinary<Word, Word, Word, pair<FtzF>>, 2>
                     : execHalves<execBinary<Word, Word, Word, pair<F>>, 2>;
}

void decodeFloatAddSubMul(DecodeContext &c) {
  int mode = takeRounding(c);
  unsigned flags = takeFlags(c);
  Type type = c.takeType();
  decodeSimple(c, 2, type);
  FloatOp op = c.base == "add"   ? FloatOp::Add
               : c.base == "sub" ? FloatOp::Sub
                                 : FloatOp::Mul;
  if (type == Type::F32x2) {
    if (flags & Sat)
      return c.fail("expected no .sat with .f32x2");
    c.inst.propagatesUndefined = true;
    if (mode != FE_TONEAREST)
      return useRounded(c, type, op, mode, flags);
    c.inst.fn = op == FloatOp::Add
                    ? pairFunction<add<float, 0>, add<float, Ftz>>(flags)
                : op == FloatOp::Sub
                    ? pairFunction<sub<float, 0>, sub<float, Ftz>>(flags)
                    : pairFunction<mul<float, 0>, mul<float, Ftz>>(flags);
    return;
  }
  if (type != Type::F32 && (type != Type::F64 || flags))
    return c.fail("expected .f32, .f32x2 or .f64 without .ftz and .sat");
  if (mode != FE_TONEAREST)
    return useRounded(c, type, op, mode, flags);
  if (type == Type::F64)
    c.inst.fn = op == FloatOp::Add
                    ? execBinary<double, double, double, add<double, 0>>
                : op == FloatOp::Sub
                    ? execBinary<double, double, double, sub<double, 0>>
                    : execBinary<double, double, double, mul<double, 0>>;
  else
    c.inst.fn = op == FloatOp::Add   ? TC_FLAGS2(add, float)
                : op == FloatOp::Sub ? TC_FLAGS2(sub, float)
                                     : TC_FLAGS2(mul, float);
}

void decodeFloatFma(DecodeContext &c) {
  int mode = takeRounding(c);
  unsigned flags = takeFlags(c);
  Type type = c.takeType();
  decodeSimple(c, 3, type);
  if (type == Type::F32x2) {
    if (flags & Sat)
      return c.fail("expected no .sat with .f32x2");
    using Word = uint64_t;
    c.inst.propagatesUndefined = true;
    if (mode != FE_TONEAREST)
      return useRounded(c, type, FloatOp::Fma, mode, flags);
    c.inst.fn =
        flags & Ftz
            ? execHalves<
                  execTernary<Word, Word, Word, Word, pair3<fma<float, Ftz>>>,
                  3>
            : execHalves<
                  execTernary<Word, Word, Word, Word, pair3<fma<float, 0>>>, 3>;
    return;
  }
  if (type != Type::F32 && (type != Type::F64 || flags))
    return c.fail("expected .f32, .f32x2 or .f64 without .ftz and .sat");
  if (mode != FE_TONEAREST)
    return useRounded(c, type, FloatOp::Fma, mode, flags);
  if (type == Type::F64)
    c.inst.fn = execTernary<double, double, double, double, fma<double, 0>>;
  else
    c.inst.fn = TC_FLAGS3(fma, float);
}

template <bool Fast>
static ExecFn pickDivide(unsigned flags) {
  using T = float;
  constexpr ExecFn plain = Fast
                               ? ExecFn(execBinary<T, T, T, divideApprox<T, 0>>)
                               : ExecFn(execBinary<T, T, T, divide<T, 0>>);
  constexpr ExecFn flushed =
      Fast ? ExecFn(execBinary<T, T, T, divideApprox<T, Ftz>>)
           : ExecFn(execBinary<T, T, T, divide<T, Ftz>>);
  return flags & Ftz ? execDivide<flushed, true, Fast>
                     : execDivide<plain, false, Fast>;
}

void decodeFloatDiv(DecodeContext &c) {
  const bool fast = c.take("approx");
  const bool approximate = fast || c.take("full");
  int mode = takeRounding(c);
  unsigned flags = takeFlags(c);
  Type type = c.takeType();
  decodeSimple(c, 2, type);
  if ((type != Type::F32 && (type != Type::F64 || flags || approximate)))
    return c.fail("expected .f32, or .f64 with a rounding mode");
  if (approximate) {
    const int row =
        findApproxRow(std::string("div.") + (fast ? "approx." : "full.") +
                      (flags & Ftz ? "ftz.f32" : "f32"));
    if (flags & Sat || mode != FE_TONEAREST)
      return c.fail(
          "expected neither .sat nor a rounding mode with .approx and "
          ".full");
    c.inst.aux = unsigned(row);
    c.inst.fn = fast ? pickDivide<true>(flags) : pickDivide<false>(flags);
    return;
  }
  if (mode != FE_TONEAREST)
    return useRounded(c, type, FloatOp::Div, mode, flags);
  if (type == Type::F64)
    c.inst.fn = execBinary<double, double, double, divide<double, 0>>;
  else
    c.inst.fn = TC_FLAGS2(divide, float);
}

//===----------------------------------------------------------------------===//
// min, max, abs, neg, copysign, testp
//===----------------------------------------------------------------------===//

namespace {
/// XorSign implies the absolute values, Abs is those alone.
enum MinMaxFlags : unsigned {
  IsMax = 1,
  PropagateNaN = 2,
  XorSign = 4,
  Abs = 8
};

template <class T, unsigned F>
T minMax(T a, T b) {
  using Bits = typename Slot<T>::Bits;
  constexpr Bits sign = Bits(1) << (8 * sizeof(T) - 1);
  Bits x = bitCast<Bits>(a), y = bitCast<Bits>(b);
  Bits product = (x ^ y) & sign;
  if (F & XorSign) {
    a = bitCast<T>(Bits(x & ~sign));
    b = bitCast<T>(Bits(y & ~sign));
  }
  T r;
  if (a != a || b != b) {
    if ((F & PropagateNaN) || (a != a && b != b))
      return canonical(T(NAN));
    r = a != a ? b : a;
  } else if (a == b) { // -0 < +0
    bool aNegative = bitCast<Bits>(a) & sign;
    r = (F & IsMax) ? (aNegative ? b : a) : (aNegative ? a : b);
  } else {
    r = ((a < b) != bool(F & IsMax)) ? a : b;
  }
  if (F & XorSign)
    r = bitCast<T>(Bits(bitCast<Bits>(r) | product));
  return r;
}
template <class T, unsigned F, unsigned Flush>
T minMaxFlushed(T a, T b) {
  return minMax<T, F>(in<T, Flush>(a), in<T, Flush>(b));
}
template <class T, unsigned F, unsigned Flush>
T minMax3(T a, T b, T c) {
  if (F & Abs) {
    a = std::fabs(a);
    b = std::fabs(b);
    c = std::fabs(c);
  }
  return minMaxFlushed<T, F, Flush>(minMaxFlushed<T, F, Flush>(a, b), c);
}
/// What abs and neg make of a NaN, which the ISA leaves open: the canonical one
/// of f32; of f64 the same one, quiet.
inline float nanOfSign(float) { return bitCast<float>(0x7fffffffu); }
inline double nanOfSign(double a) {
  return bitCast<double>(bitCast<uint64_t>(a) | 0x8000000000000ull);
}
template <class T, unsigned F>
T absolute(T a) {
  return a != a ? nanOfSign(a) : T(std::fabs(in<T, F>(a)));
}
template <class T, unsigned F>
T negate(T a) {
  return a != a ? nanOfSign(a) : T(-in<T, F>(a));
}
template <class T>
T copySign(T a, T b) {
  return std::copysign(b, a);
}

template <unsigned F>
ExecFn pickMinMax2(bool ftz) {
  return ftz ? execBinary<float, float, float, minMaxFlushed<float, F, Ftz>>
             : execBinary<float, float, float, minMaxFlushed<float, F, 0>>;
}
template <unsigned F>
ExecFn pickMinMax3(bool ftz) {
  return ftz ? execTernary<float, float, float, float, minMax3<float, F, Ftz>>
             : execTernary<float, float, float, float, minMax3<float, F, 0>>;
}
} // namespace

/// PTX ISA 9.0, 9.7.3.11 and 9.7.3.12: two sources take .xorsign.abs, three
/// .abs alone.
void decodeFloatMinMax(DecodeContext &c) {
  bool ftz = c.take("ftz");
  unsigned flags =
      (c.base == "max" ? IsMax : 0u) | (c.take("NaN") ? PropagateNaN : 0u);
  const bool three = c.numOperands() == 4;
  const bool hasSign = c.take("xorsign"), hasAbs = c.take("abs");
  if (three ? hasSign : hasSign != hasAbs)
    return c.fail(three ? "expected no .xorsign with three sources"
                        : "expected .xorsign.abs with two sources");
  flags |= three ? (hasAbs ? Abs : 0u) : (hasSign ? XorSign : 0u);
  Type type = c.takeType();
  decodeSimple(c, three ? 3 : 2, type);
  if (type == Type::F64) {
    if (ftz || three || flags & ~unsigned(IsMax))
      return c.fail("expected no further modifiers with .f64");
    c.inst.fn =
        flags ? execBinary<double, double, double,
                           minMaxFlushed<double, IsMax, 0>>
              : execBinary<double, double, double, minMaxFlushed<double, 0, 0>>;
    return;
  }
  if (type != Type::F32)
    return c.fail("expected .f32 or .f64");
  using Pick = ExecFn (*)(bool);
  // By IsMax, PropagateNaN and the third flag.
  static const Pick two[] = {pickMinMax2<0>, pickMinMax2<1>, pickMinMax2<2>,
                             pickMinMax2<3>, pickMinMax2<4>, pickMinMax2<5>,
                             pickMinMax2<6>, pickMinMax2<7>},
                    more[] = {pickMinMax3<0>,  pickMinMax3<1>, pickMinMax3<2>,
                              pickMinMax3<3>,  pickMinMax3<8>, pickMinMax3<9>,
                              pickMinMax3<10>, pickMinMax3<11>};
  c.inst.fn =
      three ? more[(flags & 3) | (flags & Abs) >> 1](ftz) : two[flags](ftz);
}

void decodeFloatAbsNeg(DecodeContext &c) {
  bool isNeg = c.base == "neg";
  bool ftz = c.take("ftz");
  Type type = c.takeType();
  decodeSimple(c, 1, type);
  if (type == Type::F64 && !ftz)
    c.inst.fn = isNeg ? execUnary<double, double, negate<double, 0>>
                      : execUnary<double, double, absolute<double, 0>>;
  else if (type == Type::F32)
    c.inst.fn = ftz ? (isNeg ? execUnary<float, float, negate<float, Ftz>>
                             : execUnary<float, float, absolute<float, Ftz>>)
                    : (isNeg ? execUnary<float, float, negate<float, 0>>
                             : execUnary<float, float, absolute<float, 0>>);
  else
    c.fail("expected .f32 or .f64");
}

static void decodeCopysign(DecodeContext &c) {
  Type type = c.takeType();
  decodeSimple(c, 2, type);
  if (type == Type::F32)
    c.inst.fn = execBinary<float, float, float, copySign<float>>;
  else if (type == Type::F64)
    c.inst.fn = execBinary<double, double, double, copySign<double>>;
  else
    c.fail("expected .f32 or .f64");
}

/// aux: the class of number asked for.
template <class T>
static Step execTestp(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto *a = Slot<T>::src(w, i.s[0]);
  uint32_t bits = 0;
  forLanes(active, [&](unsigned l) {
    T x = Slot<T>::load(a[l]);
    int kind = std::fpclassify(x);
    bool is = false;
    switch (i.aux) {
    case 0:
      is = kind != FP_INFINITE && kind != FP_NAN;
      break;
    case 1:
      is = kind == FP_INFINITE;
      break;
    case 2:
      is = kind != FP_NAN;
      break;
    case 3:
      is = kind == FP_NAN;
      break;
    case 4:
      is = kind == FP_NORMAL || kind == FP_ZERO; // the ISA says so of zeros
      break;
    default:
      is = kind == FP_SUBNORMAL;
    }
    bits |= uint32_t(is) << l;
  });
  w.setPredicate(i.d[0], active, bits);
  return Step::Next;
}

static void decodeTestp(DecodeContext &c) {
  static const std::string_view kKinds[] = {
      "finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  std::string_view kind = c.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Type type = c.takeType();
  if (!c.expectOperands(2, 2))
    return;
  for (unsigned k = 0; k < 6; ++k)
    if (kKinds[k] == kind)
      c.inst.aux = k;
  if (kind.empty() || (type != Type::F32 && type != Type::F64))
    return c.fail("expected a class of numbers and .f32 or .f64");
  c.inst.d[0] = c.predicateDst(c.operand(0));
  c.inst.s[0] = c.src(1, type);
  c.inst.fn = type == Type::F64 ? execTestp<double> : execTestp<float>;
}

void registerFloatInstructions(InstructionTable &table) {
  table.add("copysign", decodeCopysign);
  table.add("testp", decodeTestp);
}

} // namespace tc::emu
