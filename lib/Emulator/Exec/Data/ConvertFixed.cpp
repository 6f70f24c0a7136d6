//===- ConvertFixed.cpp - cvt from and to .s2f6x2 -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.4, "cvt", 9.7.10.24, and "Fixed-point Data format", 5.2.4: s2f6 is
// a signed byte in units of 2^-6. Sources are divided by their factors before
// they become bytes; what bytes become is multiplied by them.
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
struct FixedConversion : Payload {
  bool toFixed = false, fromPair = false; ///< .bf16x2 or .s2f6x2, else .f32
  bool cuts = false, satfinite = false, relu = false;
  Src sources[2]; ///< lowest element first; of a pair the first alone
  Src scale;

  unsigned fromBits() const { return !toFixed ? 8 : fromPair ? 16 : 32; }
  unsigned toBits() const { return toFixed ? 8 : 16; }
};

constexpr double kUnit = 1.0 / 64;
constexpr int kLeast = -128, kGreatest = 127;

/// NaN becomes the greatest number.
int fixedOf(const FixedConversion &c, double value) {
  if (value != value)
    return kGreatest;
  if (c.relu)
    value = std::max(value, 0.0);
  const double units = std::clamp(value / kUnit, -1000.0, 1000.0);
  // The host's mode is to nearest even.
  const double whole = c.cuts ? std::trunc(units) : std::nearbyint(units);
  return std::clamp(int(whole), kLeast, kGreatest);
}

/// The bits of element `e` of the sources, or marks of them.
uint32_t fixedElement(const FixedConversion &c, const uint32_t (&words)[2],
                      unsigned e) {
  if (!c.fromPair)
    return words[e];
  return words[0] >> (c.fromBits() * e) & ((1u << c.fromBits()) - 1);
}

Step execFixed(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto &c = i.as<FixedConversion>();
  uint32_t *d = w.w32(i.d[0]);
  bool isLeast = false;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned l = unsigned(__builtin_ctz(rest));
    const uint32_t words[2] = {w.r32(c.sources[0])[l],
                               c.fromPair ? 0 : w.r32(c.sources[1])[l]};
    const uint32_t factors = c.scale.valid ? w.r32(c.scale)[l] : 0x7f7f;
    uint32_t result = 0;
    for (unsigned e = 0; e < 2; ++e) {
      const uint32_t bits = fixedElement(c, words, e);
      const double factor =
          decodeFloat(NumberFormat::UE8M0, factors >> (8 * e) & 0xff);
      if (c.toFixed) {
        const double value = decodeFloat(
            c.fromPair ? NumberFormat::BF16 : NumberFormat::F32, bits);
        const int fixed = fixedOf(c, value / factor);
        isLeast |= fixed == kLeast;
        result |= uint32_t(uint8_t(fixed)) << (8 * e);
        continue;
      }
      double value = int8_t(bits) * kUnit * factor;
      if (c.relu && value < 0)
        value = 0;
      result |= encodeNumber(NumberFormat::BF16, value,
                             RoundingMode::NearestEven, c.satfinite)
                << (16 * e);
    }
    d[l] = result;
  }
  if (isLeast)
    w.machine.noteUse(Assumption::S2F6Least, i.line, i.line);
  w.define(i.d[0], active);
  return Step::Next;
}

uint64_t fixedBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  const auto &c = i.as<FixedConversion>();
  auto marks = [&](const Src &source) {
    return source.valid ? uint32_t(w.undefinedBits(source, lane)) : 0;
  };
  const uint32_t words[2] = {marks(c.sources[0]), marks(c.sources[1])},
                 factors = marks(c.scale);
  uint64_t result = 0;
  for (unsigned e = 0; e < 2; ++e)
    if (fixedElement(c, words, e) || factors >> (8 * e) & 0xff)
      result |= Warp::lowBits(c.toBits()) << (c.toBits() * e);
  return marksOf(result, 2 * c.toBits());
}
} // namespace

void decodeFixedConvert(DecodeContext &c) {
  auto conversion = std::make_shared<FixedConversion>();
  const std::string_view mode = c.takeOneOf({"rn", "rz"});
  conversion->cuts = mode == "rz";
  conversion->satfinite = c.take("satfinite");
  conversion->relu = c.take("relu");
  const bool isScaled = c.take("scaled::n2::ue8m0");
  const Type to = c.takeType(), from = c.takeType();
  conversion->toFixed = to == Type::S2F6x2;
  conversion->fromPair = from != Type::F32;
  expectTarget(c, ".s2f6x2", Targets::Fixed, {9, 1});
  if (conversion->toFixed ? from != Type::F32 && from != Type::BF16x2
                          : to != Type::BF16x2)
    return c.fail("expected .s2f6x2 from .f32 or .bf16x2, or to .bf16x2");
  if (conversion->toFixed ? mode.empty() || !conversion->satfinite
                          : mode != "rn")
    return c.fail(conversion->toFixed
                      ? "expected .rn or .rz, and .satfinite, to .s2f6x2"
                      : "expected .rn from .s2f6x2");
  const unsigned sources = conversion->fromPair ? 1 : 2,
                 operands = 1 + sources + (isScaled ? 1 : 0);
  if (!c.expectOperands(operands, operands))
    return;
  for (unsigned s = 0; s < sources; ++s)
    conversion->sources[s] = c.src(sources - s, from);
  if (isScaled)
    conversion->scale = c.src(operands - 1, Type::B16);
  c.inst.d[0] = c.dst(0, to);
  if (!c.inst.d[0].valid && !c.failed())
    return c.fail("expected a destination register");
  c.inst.bitRule = fixedBits;
  c.inst.payload = std::move(conversion);
  c.inst.fn = execFixed;
}

} // namespace tc::emu
