//===- ConvertPacked.cpp - cvt of packed and narrow formats ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "cvt": bf16x2, f16x2, tf32, e4m3, e5m2, e2m1, e2m3, e3m2 and
// ue8m0 pairs and quads; of 9.4 ue5m3 pairs, factors (.scaled) and .pzo. `cvt
// d, a, b` puts a into the upper half. The formats themselves are rows of a
// table in Numerics/Formats.
//
//===----------------------------------------------------------------------===//

#include "Exec/Data/Convert.h"
#include "Exec/Decode/BitRules.h"
#include "Exec/Decode/Targets.h"

#include "Numerics/Formats.h"
#include "Numerics/Half.h"
#include "State/Machine.h"

#include <cmath>
#include <optional>

namespace tc::emu {

namespace {
struct PackedFormat {
  Type type;
  NumberFormat element;
  unsigned count, bits; ///< bits of one element as packed
};
constexpr PackedFormat kFormats[] = {
    {Type::F16x2, NumberFormat::F16, 2, 16},
    {Type::BF16x2, NumberFormat::BF16, 2, 16},
    {Type::E4M3x2, NumberFormat::E4M3, 2, 8},
    {Type::E5M2x2, NumberFormat::E5M2, 2, 8},
    {Type::E2M1x2, NumberFormat::E2M1, 2, 4},
    {Type::E2M3x2, NumberFormat::E2M3, 2, 8},
    {Type::E3M2x2, NumberFormat::E3M2, 2, 8},
    {Type::UE8M0x2, NumberFormat::UE8M0, 2, 8},
    {Type::UE5M3x2, NumberFormat::UE5M3, 2, 8},
    {Type::E4M3x4, NumberFormat::E4M3, 4, 8},
    {Type::E5M2x4, NumberFormat::E5M2, 4, 8},
    {Type::E2M1x4, NumberFormat::E2M1, 4, 4},
    {Type::E2M3x4, NumberFormat::E2M3, 4, 8},
    {Type::E3M2x4, NumberFormat::E3M2, 4, 8},
    {Type::F32, NumberFormat::F32, 1, 32},
    {Type::TF32, NumberFormat::TF32, 1, 32},
    {Type::F16, NumberFormat::F16, 1, 16},
    {Type::BF16, NumberFormat::BF16, 1, 16},
};
const PackedFormat *formatOf(Type type) {
  for (const PackedFormat &row : kFormats)
    if (row.type == type)
      return &row;
  return nullptr;
}

struct PackedConversion : Payload {
  PackedFormat to, from;
  RoundingMode rounding = RoundingMode::NearestEven;
  bool satfinite = false, relu = false, ftz = false;
  /// .pzo: no -0.
  bool positiveZero = false;
  /// Sources in order of the elements, lowest first.
  std::vector<Src> sources;
  bool unpack = false; ///< one packed source instead
  /// .scaled: a factor for all elements, or one for each; results are
  /// multiplied by it, or sources divided before they are narrowed.
  std::optional<Src> scale;
  bool scalesEach = false;

  bool narrows() const { return to.element != NumberFormat::BF16; }
};

uint32_t encode(const PackedConversion &c, double value) {
  // .relu clamps negative values, -0 among them, to +0; NaN stays.
  if (c.relu && (value < 0 || (value == 0 && std::signbit(value))))
    value = 0;
  uint32_t bits = encodeNumber(c.to.element, value, c.rounding, c.satfinite);
  return c.positiveZero && decodeFloat(c.to.element, bits) == 0 ? 0 : bits;
}

/// `value` with the factor of element `e`.
double scaled(const PackedConversion &c, double value, uint32_t factors,
              unsigned e) {
  const double factor = decodeFloat(
      NumberFormat::UE8M0, factors >> (c.scalesEach ? 8 * e : 0) & 0xff);
  if (!c.narrows())
    return value * factor;
  // Subnormal sources are zeros.
  const bool isSmall =
      std::fabs(value) <
      std::ldexp(1.0, c.from.element == NumberFormat::F16 ? -14 : -126);
  return (isSmall ? std::copysign(0.0, value) : value) / factor;
}

Step execPacked(Warp &w, const DecodedInst &i, uint32_t active) {
  const PackedConversion &c = i.as<PackedConversion>();
  uint32_t *d = w.w32(i.d[0]);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t result = 0;
    for (unsigned e = 0; e < c.to.count; ++e) {
      uint32_t bits;
      if (c.unpack) {
        uint64_t mask = (1ull << c.from.bits) - 1;
        bits = uint32_t((w.r32(c.sources[0])[l] >> (e * c.from.bits)) & mask);
      } else {
        bits = w.r32(c.sources[e])[l];
        if (c.ftz && !(bits & 0x7f800000u))
          bits &= 0x80000000u;
      }
      // .rna to tf32 adds half of the last place and cuts; it cuts NaNs, too.
      bool cuts = c.rounding == RoundingMode::NearestAway && !c.satfinite &&
                  (bits & 0x7fffffffu) > 0x7f800000u;
      double value = decodeFloat(c.from.element, bits);
      if (c.scale)
        value = scaled(c, value, w.r32(*c.scale)[l], e);
      result |= cuts ? bits & ~0x1fffu : encode(c, value) << (e * c.to.bits);
    }
    d[l] = result;
  }
  for (NumberFormat format : {c.to.element, c.from.element})
    if (format == NumberFormat::UE5M3)
      w.machine.noteUse(Assumption::RubinUE5M3Bias, i.line, i.line);
  w.define(i.d[0], active);
  return Step::Next;
}

/// Each element of the result is made of one of the source.
uint64_t packedBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  const PackedConversion &c = i.as<PackedConversion>();
  uint64_t result = 0;
  for (unsigned e = 0; e < c.to.count; ++e) {
    const uint64_t undefined =
        c.unpack ? w.undefinedBits(c.sources[0], lane) >> (e * c.from.bits)
                 : w.undefinedBits(c.sources[e], lane);
    const uint64_t ofFactor = c.scale ? w.undefinedBits(*c.scale, lane) >>
                                                (c.scalesEach ? 8 * e : 0) &
                                            0xff
                                      : 0;
    if (ofFactor || undefined & Warp::lowBits(c.from.bits))
      result |= Warp::lowBits(c.to.bits) << (e * c.to.bits);
  }
  return marksOf(result, c.to.count * c.to.bits);
}

/// cvt.rn.bf16x2.f32 and cvt.rn.f16x2.f32: the epilogue's work.
template <class H>
Step execPairOfHalves(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint32_t *hi = w.r32(i.s[0]), *lo = w.r32(i.s[1]);
  uint32_t *d = w.w32(i.d[0]);
  forLanes(active, [=](unsigned l) {
    uint32_t upper = halfFromFloat<H>(bitCast<float>(hi[l]));
    d[l] = upper << 16 | halfFromFloat<H>(bitCast<float>(lo[l]));
  });
  w.define(i.d[0], active);
  return Step::Next;
}
} // namespace

/// Checks that the target has pairs of `to` of `from`, where few have.
static void expectTypes(DecodeContext &c, Type to, Type from,
                        std::string_view mode) {
  auto isByte = [](Type t) { return t == Type::E4M3x2 || t == Type::E5M2x2; };
  auto isSmaller = [](Type t) {
    return t == Type::E2M1x2 || t == Type::E2M3x2 || t == Type::E3M2x2;
  };
  auto isNarrow = [&](Type t) { return isByte(t) || isSmaller(t); };
  auto name = [](Type t) { return "." + std::string(toString(t)); };
  if (isNarrow(to) && mode == "rz")
    expectTarget(c, "cvt.rz to " + name(to), Targets::Rubin, {9, 4});
  else if (isNarrow(to) &&
           (from == Type::BF16x2 || (from == Type::F16x2 && !isByte(to))))
    expectTarget(c, "cvt of " + name(from) + " to " + name(to),
                 Targets::SmallFloats, {9, 1});
  else if (isNarrow(from) && to == Type::BF16x2)
    expectTarget(c, "cvt of " + name(from) + " to .bf16x2",
                 Targets::SmallFloats, {9, 2});
  for (Type type : {to, from})
    if (isSmaller(type) || type == Type::UE8M0x2)
      expectTarget(c, "cvt with " + name(type), Targets::SmallFloats, {8, 6});
}

bool decodePackedConvert(DecodeContext &c) {
  if (c.take("rs")) {
    decodeStochasticConvert(c);
    return true;
  }
  const std::vector<Type> types = typesAtEnd(c.source.opcode);
  const Type from = types.empty() ? Type::None : types.back();
  const Type to = types.size() < 2 ? Type::None : types[types.size() - 2];
  if (to == Type::S2F6x2 || from == Type::S2F6x2) {
    decodeFixedConvert(c);
    return true;
  }
  auto scalar = [](Type t) {
    return isInteger(t) || t == Type::F16 || t == Type::BF16 ||
           t == Type::F32 || t == Type::F64;
  };
  bool satfiniteScalar =
      (to == Type::F16 || to == Type::BF16) &&
      c.source.opcode.find(".satfinite") != std::string_view::npos;
  if (scalar(to) && scalar(from) && !satfiniteScalar)
    return false;
  const PackedFormat *toFormat = formatOf(to), *fromFormat = formatOf(from);
  if (!toFormat || !fromFormat)
    return false;
  auto conversion = std::make_shared<PackedConversion>();
  conversion->to = *toFormat;
  conversion->from = *fromFormat;
  std::string_view mode = c.takeOneOf({"rn", "rna", "rz", "rp"});
  conversion->rounding = mode == "rz"    ? RoundingMode::TowardZero
                         : mode == "rp"  ? RoundingMode::Up
                         : mode == "rna" ? RoundingMode::NearestAway
                                         : RoundingMode::NearestEven;
  conversion->ftz = c.take("ftz");
  conversion->satfinite = c.take("satfinite");
  conversion->relu = c.take("relu");
  conversion->positiveZero = c.take("pzo");
  const bool scalesAll = c.take("scaled::n1::ue8m0");
  conversion->scalesEach = c.take("scaled::n2::ue8m0");
  const unsigned factors = scalesAll || conversion->scalesEach;
  if (scalesAll ? !conversion->narrows() || to == Type::F16x2
                : conversion->scalesEach && conversion->narrows())
    c.fail("expected .scaled::n1::ue8m0 where floats become narrower ones, "
           ".scaled::n2::ue8m0 where these become .bf16x2");
  if (scalesAll || conversion->positiveZero || to == Type::UE5M3x2 ||
      from == Type::UE5M3x2)
    expectTarget(c, "cvt with .ue5m3x2, .pzo or .scaled::n1::ue8m0",
                 Targets::Rubin, {9, 4});
  expectTypes(c, to, from, mode);
  c.takeType();
  c.takeType();
  if (mode.empty())
    c.fail("expected a rounding mode");
  conversion->unpack = fromFormat->count > 1;
  if (conversion->unpack) {
    // fp8x2 -> f16x2, ue8m0x2 -> bf16x2, f16x2 -> e4m3x2
    if (!c.expectOperands(2 + factors, 2 + factors))
      return true;
    if (fromFormat->count != toFormat->count)
      c.fail("expected as many elements in source and destination");
    conversion->sources.push_back(c.src(1, from));
  } else if (toFormat->count == 4) {
    c.fail("expected .rs for four elements");
    return true;
  } else {
    unsigned n = toFormat->count;
    if (!c.expectOperands(n + 1 + factors, n + 1 + factors))
      return true;
    for (unsigned e = 0; e < n; ++e)
      conversion->sources.push_back(c.src(n - e, from));
  }
  if (factors)
    conversion->scale =
        c.src(c.source.operands.size() - 1, scalesAll ? Type::B8 : Type::B16);
  c.inst.d[0] = c.dst(0, to);
  const bool isPair =
      from == Type::F32 && (to == Type::BF16x2 || to == Type::F16x2);
  if (isPair && !c.failed()) {
    c.inst.s[0] = conversion->sources[1];
    c.inst.s[1] = conversion->sources[0];
  }
  c.inst.bitRule = packedBits;
  c.inst.payload = conversion;
  if (isPair && mode == "rn" && !conversion->satfinite && !conversion->relu &&
      !conversion->positiveZero && !c.failed()) {
    c.inst.fn =
        to == Type::BF16x2 ? execPairOfHalves<BF16> : execPairOfHalves<F16>;
    return true;
  }
  c.inst.fn = execPacked;
  return true;
}

} // namespace tc::emu
