//===- Convert.cpp - cvt between scalar types -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Data Movement and Conversion Instructions: cvt". Integers and
// floats here; packed and narrow formats are in ConvertPacked.cpp. Source and
// destination registers may be wider than their types.
//
//===----------------------------------------------------------------------===//

#include "Exec/Data/Convert.h"
#include "Exec/Decode/BitRules.h"

#include "Numerics/Formats.h"
#include "Numerics/Half.h"

#include <cfenv>
#include <limits>

namespace tc::emu {

namespace {
/// Everything a conversion needs beyond its operands.
struct Conversion : Payload {
  Type from = Type::None, to = Type::None;
  unsigned fromSlot = 32, toSlot = 32; ///< bits of the registers' slots
  unsigned toRegister = 32;            ///< bits of the destination register
  int rounding = FE_TONEAREST;
  bool integral = false; ///< .rni .rzi .rmi .rpi
  bool ftz = false, sat = false, relu = false;
};

double roundToIntegral(double x, int mode) {
  switch (mode) {
  case FE_TOWARDZERO:
    return std::trunc(x);
  case FE_DOWNWARD:
    return std::floor(x);
  case FE_UPWARD:
    return std::ceil(x);
  default:
    return std::nearbyint(x); // the host's mode is to nearest even
  }
}

/// A float of any type is exact in binary64.
double loadFloat(Type type, uint64_t bits, bool ftz) {
  switch (type) {
  case Type::F16:
    return halfToFloat<F16>(uint16_t(bits));
  case Type::BF16:
    return halfToFloat<BF16>(uint16_t(bits));
  case Type::F32: {
    uint32_t word = uint32_t(bits);
    if (ftz && !(word & 0x7f800000u))
      word &= 0x80000000u;
    return bitCast<float>(word);
  }
  default:
    return bitCast<double>(bits);
  }
}

RoundingMode modeOf(int mode) {
  return mode == FE_TOWARDZERO ? RoundingMode::TowardZero
         : mode == FE_DOWNWARD ? RoundingMode::Down
         : mode == FE_UPWARD   ? RoundingMode::Up
                               : RoundingMode::NearestEven;
}

uint64_t storeFloat(Type type, double value, const Conversion &c) {
  if (c.sat)
    value = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
  // .relu clamps negative values, -0 among them, to +0; NaN stays.
  if (c.relu && std::signbit(value) && value == value)
    value = 0;
  switch (type) {
  case Type::F16:
    return encodeNumber(NumberFormat::F16, value, modeOf(c.rounding), false);
  case Type::BF16:
    return encodeNumber(NumberFormat::BF16, value, modeOf(c.rounding), false);
  case Type::F32: {
    uint32_t bits =
        encodeNumber(NumberFormat::F32, value, modeOf(c.rounding), false);
    if (c.ftz && !(bits & 0x7f800000u))
      bits &= 0x80000000u;
    return bits;
  }
  default:
    return bitCast<uint64_t>(value);
  }
}

uint64_t signExtend(uint64_t bits, unsigned width) {
  if (width == 64)
    return bits;
  uint64_t sign = 1ull << (width - 1);
  bits &= (1ull << width) - 1;
  return (bits ^ sign) - sign;
}

/// Float to integer: out-of-range values are clamped. NaN gives 0, and 1 <<
/// (width - 1) if it comes from f64 or goes to 64 bits.
uint64_t toInteger(double value, Type from, Type to) {
  unsigned width = bitsOf(to);
  if (value != value)
    return from == Type::F64 || width == 64 ? 1ull << (width - 1) : 0;
  if (isSigned(to)) {
    double limit = std::ldexp(1.0, int(width) - 1);
    if (value >= limit)
      return width == 64 ? uint64_t(INT64_MAX) : uint64_t(limit) - 1;
    if (value < -limit)
      return width == 64 ? uint64_t(INT64_MIN) : uint64_t(int64_t(-limit));
    return uint64_t(int64_t(value));
  }
  if (value <= 0)
    return 0;
  if (value >= std::ldexp(1.0, int(width)))
    return width == 64 ? ~0ull : (1ull << width) - 1;
  return uint64_t(value);
}

/// The bits of a positive integer in binary64, rounded.
uint64_t magnitudeToDouble(uint64_t magnitude, bool negative, int mode) {
  const int length = 64 - __builtin_clzll(magnitude), shift = length - 53;
  uint64_t digits = magnitude;
  if (shift > 0) {
    digits = magnitude >> shift;
    const uint64_t lost = magnitude & ((1ull << shift) - 1),
                   half = 1ull << (shift - 1);
    const bool up = mode == FE_TONEAREST
                        ? lost > half || (lost == half && (digits & 1))
                        : lost && mode == (negative ? FE_DOWNWARD : FE_UPWARD);
    digits += up;
  } else {
    digits <<= -shift;
  }
  // A carry out of the 53 bits moves into the exponent field by itself.
  return (uint64_t(1023 + length - 2) << 52) + digits +
         (negative ? 1ull << 63 : 0);
}

/// Integer to float. 0 is +0 under every rounding.
uint64_t fromInteger(uint64_t bits, bool isSignedSource, const Conversion &c) {
  const bool negative = isSignedSource && int64_t(bits) < 0;
  uint64_t magnitude = negative ? 0 - bits : bits;
  if (magnitude == 0)
    return 0;
  if (c.to == Type::F64 && !c.sat)
    return magnitudeToDouble(magnitude, negative, c.rounding);
  // What binary64 cannot hold is rounded to odd first, so that the second
  // rounding sees on which side of a tie it was.
  if (magnitude >> 53) {
    uint64_t lost = magnitude & 0x7ff;
    magnitude = (magnitude - lost) | (lost ? 0x800 : 0);
  }
  double value = double(magnitude);
  return storeFloat(c.to, negative ? -value : value, c);
}

uint64_t saturateInteger(uint64_t bits, bool isSignedSource, Type to) {
  unsigned width = bitsOf(to);
  __int128 value = isSignedSource ? __int128(int64_t(bits)) : __int128(bits);
  __int128 high = isSigned(to) ? (__int128(1) << (width - 1)) - 1
                               : (__int128(1) << width) - 1;
  __int128 low = isSigned(to) ? -(__int128(1) << (width - 1)) : 0;
  return uint64_t(value > high ? high : value < low ? low : value);
}

/// NaN that keep the bits that fit, where the others become the canonical one:
/// so does an H200, the ISA leaves it open. From f64 to narrower types they get
/// quiet, bf16 to f32 and f32 to f32 only move bits; f32 to f64 with .ftz is
/// canonical in f32 first.
bool keptNaN(uint64_t bits, const Conversion &c, uint64_t &nan) {
  if (c.sat || c.relu || c.integral)
    return false;
  const uint64_t sign = bits >> 63, payload = bits & 0x7ffffffffffffull;
  if (c.from == Type::F64) {
    nan = c.to == Type::F32    ? sign << 31 | 0x7fc00000u | payload >> 29
          : c.to == Type::F16  ? sign << 15 | 0x7e00u | payload >> 42
          : c.to == Type::BF16 ? sign << 15 | 0x7fc0u | payload >> 45
                               : bits;
    return c.to != Type::F64;
  }
  if (c.from == Type::BF16 && c.to == Type::F32 && !c.ftz)
    nan = (bits & 0xffff) << 16;
  else if (c.from == Type::F32 && c.to == Type::F32 && !c.ftz)
    nan = uint32_t(bits);
  else if (c.from == Type::F32 && c.to == Type::F64 && c.ftz)
    nan = 0x7fffffffe0000000ull;
  else
    return false;
  return true;
}

uint64_t convert(uint64_t bits, const Conversion &c) {
  bool toFloat = isFloat(c.to);
  if (isFloat(c.from)) {
    double value = loadFloat(c.from, bits, c.ftz);
    if (uint64_t nan; value != value && keptNaN(bits, c, nan))
      return nan;
    if (!toFloat)
      return toInteger(roundToIntegral(value, c.rounding), c.from, c.to);
    if (c.integral)
      value = roundToIntegral(value, c.rounding);
    return storeFloat(c.to, value, c);
  }
  bool isSignedSource = isSigned(c.from);
  bits = isSignedSource         ? signExtend(bits, bitsOf(c.from))
         : bitsOf(c.from) == 64 ? bits
                                : bits & ((1ull << bitsOf(c.from)) - 1);
  if (toFloat)
    return fromInteger(bits, isSignedSource, c);
  if (c.sat)
    bits = saturateInteger(bits, isSignedSource, c.to);
  return bits;
}

/// A wider register is read in part, and gets more than the result. Integers
/// keep their bits, others depend on all.
uint64_t convertedBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  const Conversion &c = i.as<Conversion>();
  const unsigned from = bitsOf(c.from), to = bitsOf(c.to);
  uint64_t undefined = w.undefinedBits(i.s[0], lane) & Warp::lowBits(from);
  if (!isInteger(c.from) || !isInteger(c.to) || c.sat)
    undefined = undefined ? ~0ull : 0;
  else if (isSigned(c.from))
    undefined = signExtend(undefined, from);
  undefined = isSigned(c.to) ? signExtend(undefined, to)
                             : undefined & Warp::lowBits(to);
  return marksOf(undefined, c.toRegister);
}

Step execConvert(Warp &w, const DecodedInst &i, uint32_t active) {
  const Conversion &c = i.as<Conversion>();
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint64_t bits =
        c.fromSlot == 64 ? w.r64(i.s[0])[l] : uint64_t(w.r32(i.s[0])[l]);
    uint64_t result = convert(bits, c);
    // A wider register gets the result sign- or zero-extended.
    unsigned width = bitsOf(c.to);
    if (width < 64)
      result = isSigned(c.to) ? signExtend(result, width)
                              : result & ((1ull << width) - 1);
    if (c.toRegister < 64)
      result &= (1ull << c.toRegister) - 1;
    if (c.toSlot == 64)
      w.w64(i.d[0])[l] = result;
    else
      w.w32(i.d[0])[l] = uint32_t(result);
  }
  w.define(i.d[0], active);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Frequent conversions in vector code
//===----------------------------------------------------------------------===//

template <class R, class A>
R cast(A a) {
  return R(a);
}
float floatFromHalf(uint16_t x) {
  float r = halfToFloat<F16>(x);
  return r != r ? bitCast<float>(0x7fffffffu) : r;
}
/// Which NaN comes out is not specified; a GPU only shifts.
float floatFromBf16(uint16_t x) { return halfToFloat<BF16>(x); }
uint16_t halfOf(float x) { return halfFromFloat<F16>(x); }
uint16_t bf16Of(float x) { return halfFromFloat<BF16>(x); }

ExecFn fastConversion(const Conversion &c) {
  if (c.ftz || c.sat || c.relu || c.integral || c.rounding != FE_TONEAREST)
    return nullptr;
  if (c.toRegister != bitsOf(c.to))
    return nullptr;
  // The low bits of a 64-bit register are not where the lanes of a 32-bit one
  // are.
  if ((c.fromSlot == 64) != (bitsOf(c.from) == 64))
    return nullptr;
  auto is = [&](Type to, Type from) { return c.to == to && c.from == from; };
  if (is(Type::F32, Type::F16))
    return execUnary<float, uint16_t, floatFromHalf>;
  if (is(Type::F32, Type::BF16))
    return execUnary<float, uint16_t, floatFromBf16>;
  if (is(Type::F16, Type::F32))
    return execUnary<uint16_t, float, halfOf>;
  if (is(Type::BF16, Type::F32))
    return execUnary<uint16_t, float, bf16Of>;
  if (is(Type::U64, Type::U32))
    return execUnary<uint64_t, uint32_t, cast<uint64_t, uint32_t>>;
  if (is(Type::S64, Type::S32) || is(Type::U64, Type::S32))
    return execUnary<int64_t, int32_t, cast<int64_t, int32_t>>;
  if ((c.to == Type::U32 || c.to == Type::S32) &&
      (c.from == Type::U64 || c.from == Type::S64) && c.fromSlot == 64)
    return execUnary<uint32_t, uint64_t, cast<uint32_t, uint64_t>>;
  if ((c.to == Type::U32 || c.to == Type::S32) && c.from == Type::U16)
    return execUnary<uint32_t, uint16_t, cast<uint32_t, uint16_t>>;
  if ((c.to == Type::U16 || c.to == Type::S16) &&
      (c.from == Type::U32 || c.from == Type::S32) && c.fromSlot == 32)
    return execUnary<uint16_t, uint32_t, cast<uint16_t, uint32_t>>;
  return nullptr;
}
} // namespace

Src wideSource(DecodeContext &c, const ast::Operand &operand, Type type,
               unsigned &slot) {
  unsigned bits = c.registerBits(operand);
  slot = bits == 64 ? 64 : 32;
  if (bits > bitsOf(type) && bits <= 64)
    return c.src(operand, bits == 64   ? Type::B64
                          : bits == 32 ? Type::B32
                                       : Type::B16);
  if (bitsOf(type) == 64)
    slot = 64;
  return c.src(operand, type);
}

Dst wideDestination(DecodeContext &c, const ast::Operand &operand, Type type,
                    unsigned &slot, unsigned &registerBits) {
  unsigned bits = c.registerBits(operand);
  registerBits = bits ? bits : bitsOf(type);
  slot = registerBits == 64 ? 64 : 32;
  if (bits > bitsOf(type) && bits <= 64)
    return c.dst(operand, bits == 64   ? Type::B64
                          : bits == 32 ? Type::B32
                                       : Type::B16);
  return c.dst(operand, type);
}

static bool isScalar(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 ||
         type == Type::F64 ||
         (isInteger(type) && type != Type::U16x2 && type != Type::S16x2 &&
          type != Type::U8x4 && type != Type::S8x4);
}

static void decodeCvt(DecodeContext &c) {
  if (decodePackedConvert(c) || c.failed())
    return;
  auto conversion = std::make_shared<Conversion>();
  std::string_view mode =
      c.takeOneOf({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"});
  if (mode.size() == 3) {
    conversion->integral = true;
    mode.remove_suffix(1);
  }
  conversion->rounding = mode == "rz"   ? FE_TOWARDZERO
                         : mode == "rm" ? FE_DOWNWARD
                         : mode == "rp" ? FE_UPWARD
                                        : FE_TONEAREST;
  conversion->ftz = c.take("ftz");
  conversion->sat = c.take("sat");
  conversion->relu = c.take("relu");
  Type to = conversion->to = c.takeType();
  Type from = conversion->from = c.takeType();
  if (!c.expectOperands(2, 2))
    return;
  if (!isScalar(to) || !isScalar(from))
    return c.fail(std::string("no conversion from .") + toString(from) +
                  " to ." + toString(to));
  // PTX ISA: a rounding mode is mandatory where the result may be inexact.
  bool narrows = isFloat(to) && (!isFloat(from) || bitsOf(to) < bitsOf(from));
  if ((narrows || (isFloat(from) && !isFloat(to))) && mode.empty())
    return c.fail("expected a rounding mode");
  c.inst.d[0] = wideDestination(c, c.operand(0), to, conversion->toSlot,
                                conversion->toRegister);
  c.inst.s[0] = wideSource(c, c.operand(1), from, conversion->fromSlot);
  if (!c.inst.d[0].valid && !c.failed())
    return c.fail("expected a destination register");
  c.inst.bitRule = convertedBits;
  c.inst.fn = fastConversion(*conversion);
  if (!c.inst.fn)
    c.inst.fn = execConvert;
  c.inst.payload = std::move(conversion);
}

void registerConvertInstructions(InstructionTable &table) {
  table.add("cvt", decodeCvt);
}

} // namespace tc::emu
