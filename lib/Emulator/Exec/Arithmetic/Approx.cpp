//===- Approx.cpp - rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Floating Point Instructions" (9.7.3) and "Half Precision
// Floating Point Instructions" (9.7.4). Functions with .rn .rz .rm .rp are
// rounded that way; how the result of an .approx function is picked, within the
// bound of the ISA, RunOptions::approx says (Numerics/Approximation.h).
//
//===----------------------------------------------------------------------===//

#include "Exec/Arithmetic/Approx.h"

#include "Exec/Decode/Lanes.h"
#include "Numerics/Approximation.h"
#include "Numerics/Half.h"
#include "State/Machine.h"

#include <cfenv>

namespace tc::emu {

bool pickApprox(Warp &w, const DecodedInst &inst, unsigned row, uint64_t a,
                uint64_t b, double x, double exact, uint64_t rounded,
                uint64_t &result) {
  const Approximation &approx = w.machine.options.approx;
  result = rounded;
  if (approx.mode == Approximation::Mode::Rounded)
    return true;
  if (approx.mode == Approximation::Mode::Random) {
    if (approxRow(row).kind != ApproxBound::None)
      result = drawApprox(row, approx.seed, a, b, x, exact);
    return true;
  }
  std::optional<uint64_t> recorded = approx.table->find(row, a, b);
  if (recorded && isWithinBound(row, x, exact, *recorded)) {
    result = *recorded;
    return true;
  }
  const std::string_view opcode = approxRow(row).opcode;
  char operands[64];
  const bool two = approxRow(row).function == ApproxFunction::Div;
  snprintf(operands, sizeof(operands), two ? "0x%llx, 0x%llx" : "0x%llx",
           (unsigned long long)a, (unsigned long long)b);
  if (!recorded) {
    w.fail(ReportKind::Unsupported, inst,
           "expected a recorded result of " + std::string(opcode) + " for " +
               operands + ", the table has none");
    return false;
  }
  char got[24];
  snprintf(got, sizeof(got), "0x%llx", (unsigned long long)*recorded);
  w.fail(ReportKind::Trap, inst,
         "the recorded result of " + std::string(opcode) + " for " + operands +
             ", " + got +
             ", is not within the bound of the ISA (PTX ISA 9.0, " +
             std::string(approxRow(row).section) + ")");
  return false;
}

namespace {
using Fn = ApproxFunction;

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
  case Fn::Div:
    break;
  }
  return 0;
}

/// The row of the table, in aux.
unsigned rowOf(const DecodedInst &i) { return i.aux & 255; }

Step execF32(Warp &w, const DecodedInst &i, uint32_t active) {
  const ApproxRow &row = approxRow(rowOf(i));
  const uint32_t *a = w.r32(i.s[0]);
  uint32_t *d = w.w32(i.d[0]);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    float x = bitCast<float>(a[l]);
    if (row.ftz)
      x = flush(x);
    const double exact = compute(row.function, x);
    const float r = float(exact);
    uint64_t result;
    if (!pickApprox(w, i, rowOf(i), a[l], 0, x, exact,
                    r != r ? 0x7fffffffu : bitCast<uint32_t>(r), result))
      return Step::Stop;
    if (row.ftz && !(result & 0x7f800000u))
      result &= 0x80000000u;
    d[l] = uint32_t(result);
  }
  w.define(i.d[0], active);
  return Step::Next;
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see and give the upper 32 bits:
/// 20 bits of mantissa, subnormal numbers flushed.
uint64_t upperHalf(Fn fn, uint64_t bits) {
  auto cut = [](uint64_t x) {
    return (x >> 52) & 0x7ff ? x & ~0xffffffffull : x & 1ull << 63;
  };
  const double x = bitCast<double>(
      bits & 0x7ff0000000000000ull ? bits & ~0xffffffffull : bits & 1ull << 63);
  // A NaN may have all its mantissa in the lower half.
  const bool nan = bitCast<double>(bits) != bitCast<double>(bits);
  const double r = compute(fn, x);
  if (nan || r != r)
    return 0x7fffffff00000000ull;
  uint64_t result = bitCast<uint64_t>(r);
  if (!std::isinf(r)) // to nearest even
    result += 0x7fffffffull + (result >> 32 & 1);
  return cut(result);
}

Step execF64(Warp &w, const DecodedInst &i, uint32_t active) {
  const ApproxRow &row = approxRow(rowOf(i));
  const uint64_t *a = w.r64(i.s[0]);
  uint64_t *d = w.w64(i.d[0]);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    const double x = bitCast<double>(a[l]), exact = compute(row.function, x);
    if (!pickApprox(w, i, rowOf(i), a[l], 0, x, exact,
                    row.ftz ? upperHalf(row.function, a[l])
                            : bitCast<uint64_t>(exact),
                    d[l]))
      return Step::Stop;
  }
  w.define(i.d[0], active);
  return Step::Next;
}

template <class H, bool Pair>
Step execHalfApprox(Warp &w, const DecodedInst &i, uint32_t active) {
  const ApproxRow &row = approxRow(rowOf(i));
  const uint32_t *a = w.r32(i.s[0]);
  uint32_t *d = w.w32(i.d[0]);
  auto one = [&](uint16_t bits, uint32_t &out) {
    const double x = halfToFloat<H>(row.ftz ? flushHalf<H>(bits) : bits),
                 exact = compute(row.function, x);
    uint64_t result;
    if (!pickApprox(w, i, rowOf(i), bits, 0, x, exact, halfFromDouble<H>(exact),
                    result))
      return false;
    out = row.ftz ? flushHalf<H>(uint16_t(result)) : uint16_t(result);
    return true;
  };
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t low, high = 0;
    if (!one(uint16_t(a[l]), low) || (Pair && !one(uint16_t(a[l] >> 16), high)))
      return Step::Stop;
    d[l] = low | high << 16;
  }
  w.define(i.d[0], active);
  return Step::Next;
}

/// Rounded as asked for: the host does that itself. aux: mode << 8 | ftz << 1 |
/// square root.
template <class T>
Step execRoundedFunction(Warp &w, const DecodedInst &i, uint32_t active) {
  const bool root = i.aux & 1, ftz = i.aux & 2;
  const auto *a = Slot<T>::src(w, i.s[0]);
  auto *d = Slot<T>::dst(w, i.d[0]);
  const int old = fegetround();
  fesetround(int(i.aux >> 8));
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    T x = Slot<T>::load(a[l]);
    if constexpr (sizeof(T) == 4)
      x = ftz ? flush(x) : x;
    volatile T v = x;
    volatile T r = root ? std::sqrt(T(v)) : T(1) / v;
    T y = r;
    if constexpr (sizeof(T) == 4) {
      y = ftz ? flush(y) : y;
      y = y != y ? bitCast<float>(0x7fffffffu) : y;
    }
    d[l] = Slot<T>::store(y);
  }
  fesetround(old);
  w.define(i.d[0], active);
  return Step::Next;
}
} // namespace

/// rcp and sqrt with a rounding mode.
static void decodeRounded(DecodeContext &c, std::string_view mode) {
  const bool ftz = c.take("ftz");
  Type type = c.takeType();
  decodeSimple(c, 1, type);
  if ((c.base != "rcp" && c.base != "sqrt") || mode.empty())
    return c.fail("expected .approx or a rounding mode");
  if (type != Type::F32 && (type != Type::F64 || ftz))
    return c.fail("expected .f32, or .f64 without .ftz");
  const int rounding = mode == "rz"   ? FE_TOWARDZERO
                       : mode == "rm" ? FE_DOWNWARD
                       : mode == "rp" ? FE_UPWARD
                                      : FE_TONEAREST;
  c.inst.aux =
      uint32_t(rounding) << 8 | (ftz ? 2u : 0u) | (c.base == "sqrt" ? 1u : 0u);
  c.inst.fn = type == Type::F64 ? execRoundedFunction<double>
                                : execRoundedFunction<float>;
}

static void decodeApprox(DecodeContext &c) {
  const bool approx = c.take("approx");
  std::string_view mode = c.takeOneOf({"rn", "rz", "rm", "rp"});
  if (!approx)
    return decodeRounded(c, mode);
  if (!mode.empty())
    return c.fail("expected .approx or a rounding mode, not both");
  const bool ftz = c.take("ftz");
  Type type = c.takeType();
  decodeSimple(c, 1, type);
  const bool pair = type == Type::F16x2 || type == Type::BF16x2;
  const Type element = type == Type::F16x2    ? Type::F16
                       : type == Type::BF16x2 ? Type::BF16
                                              : type;
  const std::string opcode = std::string(c.base) + ".approx" +
                             (ftz ? ".ftz." : ".") + toString(element);
  const int row = findApproxRow(opcode);
  if (row < 0)
    return c.fail("there is no " + opcode);
  c.inst.aux = unsigned(row);
  switch (element) {
  case Type::F32:
    c.inst.fn = execF32;
    return;
  case Type::F64:
    c.inst.fn = execF64;
    return;
  case Type::F16:
    c.inst.fn = pair ? execHalfApprox<F16, true> : execHalfApprox<F16, false>;
    return;
  default:
    c.inst.fn = pair ? execHalfApprox<BF16, true> : execHalfApprox<BF16, false>;
  }
}

void registerHalfInstructions(InstructionTable &table) {
  for (const char *name :
       {"rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"})
    table.add(name, decodeApprox);
}

} // namespace tc::emu
