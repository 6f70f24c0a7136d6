//===- ConvertStochastic.cpp - cvt.rs -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.4, "cvt", 9.7.10.24: .rs adds random bits to those that narrowing
// discards; a carry out of them rounds away from zero. cvt.rs.e4m3x4.f32 d,
// {a, b, e, f}, rbits puts a into the highest element.
//
//===----------------------------------------------------------------------===//

#include "Exec/Data/Convert.h"
#include "Exec/Decode/BitRules.h"
#include "Exec/Decode/Targets.h"

#include "Numerics/Formats.h"
#include "State/Machine.h"

#include <algorithm>
#include <cmath>

namespace tc::emu {

namespace {
struct StochasticFormat {
  Type type;
  NumberFormat element;
  unsigned count, bits; ///< bits of one element as packed
  unsigned randomBits;  ///< of one element
};
constexpr StochasticFormat kStochastic[] = {
    {Type::F16x2, NumberFormat::F16, 2, 16, 13},
    {Type::BF16x2, NumberFormat::BF16, 2, 16, 16},
    {Type::E4M3x4, NumberFormat::E4M3, 4, 8, 16},
    {Type::E5M2x4, NumberFormat::E5M2, 4, 8, 16},
    {Type::E2M3x4, NumberFormat::E2M3, 4, 8, 16},
    {Type::E3M2x4, NumberFormat::E3M2, 4, 8, 16},
    {Type::E2M1x4, NumberFormat::E2M1, 4, 4, 16},
};

struct StochasticConversion : Payload {
  StochasticFormat to;
  bool satfinite = false, relu = false;
  std::vector<Src> sources; ///< lowest element first
  Src random;
};

/// The random bits of element `e`; `word` may be marks of them as well.
uint32_t randomOf(const StochasticFormat &to, uint32_t word, unsigned e) {
  if (to.count == 2)
    return word >> (16 * e) & ((1u << to.randomBits) - 1);
  const unsigned pair = e / 2;
  if (to.type != Type::E2M1x4)
    return word >> (16 * pair) & 0xffff;
  const uint32_t bytes = word >> (8 * pair);
  return (bytes >> 8 & 0xff00) | (bytes & 0xff);
}

uint32_t encodeStochastic(const StochasticConversion &c, uint32_t bits,
                          uint32_t random) {
  double value = bitCast<float>(bits);
  // .relu clamps -0, too; NaN stays.
  if (c.relu && std::signbit(value) && value == value)
    value = 0;
  if (value != 0 && std::isfinite(value)) {
    const FormatInfo &info = formatInfo(c.to.element);
    int exponent;
    const double fraction = std::frexp(std::fabs(value), &exponent);
    const int quantum =
        std::max(exponent - 1, 1 - info.bias) - int(info.mantissaBits);
    // Kept digits, and as many of the discarded ones as there are random ones.
    const auto digits = uint64_t(
        std::ldexp(fraction, exponent - quantum + int(c.to.randomBits)));
    const double magnitude =
        std::ldexp(double((digits + random) >> c.to.randomBits), quantum);
    value = std::copysign(magnitude, value);
  }
  return encodeNumber(c.to.element, value, RoundingMode::NearestEven,
                      c.satfinite);
}

Step execStochastic(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto &c = i.as<StochasticConversion>();
  uint32_t *d = w.w32(i.d[0]);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned l = unsigned(__builtin_ctz(rest));
    const uint32_t random = w.r32(c.random)[l];
    uint32_t result = 0;
    for (unsigned e = 0; e < c.to.count; ++e)
      result |=
          encodeStochastic(c, w.r32(c.sources[e])[l], randomOf(c.to, random, e))
          << (e * c.to.bits);
    d[l] = result;
  }
  w.machine.noteUse(Assumption::StochasticBits, i.line, i.line);
  w.define(i.d[0], active);
  return Step::Next;
}

uint64_t stochasticBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  const auto &c = i.as<StochasticConversion>();
  const auto random = uint32_t(w.undefinedBits(c.random, lane));
  uint64_t result = 0;
  for (unsigned e = 0; e < c.to.count; ++e)
    if (w.undefinedBits(c.sources[e], lane) || randomOf(c.to, random, e))
      result |= Warp::lowBits(c.to.bits) << (e * c.to.bits);
  return marksOf(result, c.to.count * c.to.bits);
}
} // namespace

void decodeStochasticConvert(DecodeContext &c) {
  auto conversion = std::make_shared<StochasticConversion>();
  conversion->satfinite = c.take("satfinite");
  conversion->relu = c.take("relu");
  const Type to = c.takeType();
  const StochasticFormat *format = nullptr;
  for (const StochasticFormat &row : kStochastic)
    if (row.type == to)
      format = &row;
  if (!format || c.takeType() != Type::F32)
    return c.fail("expected .rs from .f32 to .f16x2, .bf16x2 or four narrow "
                  "elements");
  conversion->to = *format;
  expectTarget(c, ".rs", Targets::Stochastic, {8, 7});
  const bool isPair = format->count == 2;
  if (!isPair && !conversion->satfinite)
    return c.fail("expected .satfinite with ." + std::string(toString(to)));
  const unsigned operands = isPair ? 4 : 3;
  if (!c.expectOperands(operands, operands))
    return;
  if (isPair)
    conversion->sources = {c.src(2, Type::F32), c.src(1, Type::F32)};
  else
    conversion->sources = c.srcVector(c.operand(1), Type::F32);
  if (!c.failed() && conversion->sources.size() != format->count)
    return c.fail("expected four sources");
  if (!isPair)
    std::reverse(conversion->sources.begin(), conversion->sources.end());
  conversion->random = c.src(operands - 1, Type::B32);
  c.inst.d[0] = c.dst(0, to);
  if (!c.inst.d[0].valid && !c.failed())
    return c.fail("expected a destination register");
  c.inst.bitRule = stochasticBits;
  c.inst.payload = std::move(conversion);
  c.inst.fn = execStochastic;
}

} // namespace tc::emu
