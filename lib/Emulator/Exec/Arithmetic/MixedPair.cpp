//===- MixedPair.cpp - arithmetic on pairs of two precisions --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.4, "Mixed Precision Floating Point Instructions", 9.7.5:
// add.f32x2.f16x2.f32x2 d, a, c widens a and adds in binary32; fma widens a
// alone, as its types say. add.rz.bf16x2.f32x2.f32x2 d, a, c rounds the exact
// sum to 16 bits, and so do sub and mul.
//
//===----------------------------------------------------------------------===//

#include "Exec/Arithmetic/Integer.h"
#include "Exec/Decode/BitRules.h"
#include "Exec/Decode/Targets.h"
#include "Numerics/Formats.h"
#include "Numerics/Half.h"
#include "State/Machine.h"

#include <cfenv>
#include <cmath>

namespace tc::emu {

namespace {
enum class PairOp : uint8_t { Add, Sub, Mul, Fma };

struct MixedPair : Payload {
  PairOp op = PairOp::Add;
  Type narrow = Type::F16x2; ///< F16x2 or BF16x2
  bool narrows = false;      ///< the result is the narrow one, else source a
  int rounding = FE_TONEAREST;

  NumberFormat format() const {
    return narrow == Type::BF16x2 ? NumberFormat::BF16 : NumberFormat::F16;
  }
  /// Only .f16x2 has .ftz, and without it no form.
  bool flushes() const { return narrows && narrow == Type::F16x2; }
};

/// Half `h` of a source in lane `l`, as a number.
float loadHalf(const Warp &w, const MixedPair &m, const Src &source,
               bool isNarrow, unsigned l, unsigned h) {
  if (isNarrow)
    return decodeFloat(m.format(), w.r32(source)[l] >> (16 * h) & 0xffff);
  const float value = bitCast<float>(uint32_t(w.r64(source)[l] >> (32 * h)));
  return m.flushes() ? flush(value) : value;
}

/// volatile: the operation must happen under this rounding mode.
float computeMixed(PairOp op, float x, float y, float z) {
  volatile float a = x, b = y, c = z, result = 0;
  switch (op) {
  case PairOp::Add:
    result = a + b;
    break;
  case PairOp::Sub:
    result = a - b;
    break;
  case PairOp::Mul:
    result = a * b;
    break;
  case PairOp::Fma:
    result = std::fma(float(a), float(b), float(c));
    break;
  }
  return result;
}

/// The bits of half a result.
uint32_t storeHalf(const MixedPair &m, float value) {
  if (!m.narrows)
    return value != value ? 0x7fffffffu : bitCast<uint32_t>(value);
  // Cutting the digits off twice is cutting them off once.
  const uint32_t bits =
      encodeNumber(m.format(), value, RoundingMode::TowardZero, false);
  return m.flushes() ? flushHalf<F16>(uint16_t(bits)) : bits;
}

Step execMixedPair(Warp &w, const DecodedInst &i, uint32_t active) {
  const MixedPair &m = i.as<MixedPair>();
  const unsigned sources = m.op == PairOp::Fma ? 3 : 2;
  const int old = fegetround();
  fesetround(m.rounding);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned l = unsigned(__builtin_ctz(rest));
    uint64_t result = 0;
    for (unsigned h = 0; h < 2; ++h) {
      float v[3] = {};
      for (unsigned s = 0; s < sources; ++s)
        v[s] = loadHalf(w, m, i.s[s], s == 0 && !m.narrows, l, h);
      result |= uint64_t(storeHalf(m, computeMixed(m.op, v[0], v[1], v[2])))
                << (m.narrows ? 16 : 32) * h;
    }
    if (m.narrows)
      w.w32(i.d[0])[l] = uint32_t(result);
    else
      w.w64(i.d[0])[l] = result;
  }
  fesetround(old);
  if (m.flushes())
    w.machine.noteUse(Assumption::RubinNarrowFtz, i.line, i.line);
  w.define(i.d[0], active);
  return Step::Next;
}

/// Half of the result is defined where that half of every source is.
uint64_t mixedPairBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  const MixedPair &m = i.as<MixedPair>();
  const unsigned bits = m.narrows ? 16 : 32;
  uint64_t result = 0;
  for (unsigned s = 0; s < 3; ++s) {
    if (!i.s[s].valid)
      continue;
    const unsigned width = s == 0 && !m.narrows ? 16 : 32;
    const uint64_t undefined = w.undefinedBits(i.s[s], lane);
    for (unsigned h = 0; h < 2; ++h)
      if (undefined >> (width * h) & Warp::lowBits(width))
        result |= Warp::lowBits(bits) << (bits * h);
  }
  return marksOf(result, 2 * bits);
}

bool isNarrowPair(Type type) {
  return type == Type::F16x2 || type == Type::BF16x2;
}
} // namespace

bool isMixedPair(const DecodeContext &c) {
  const std::vector<Type> types = typesAtEnd(c.source.opcode);
  return types.size() > 2 &&
         (types[0] == Type::F32x2 || isNarrowPair(types[0]));
}

void decodeMixedPair(DecodeContext &c) {
  auto mixed = std::make_shared<MixedPair>();
  mixed->op = c.base == "add"   ? PairOp::Add
              : c.base == "sub" ? PairOp::Sub
              : c.base == "mul" ? PairOp::Mul
                                : PairOp::Fma;
  std::vector<Type> types = typesAtEnd(c.source.opcode);
  mixed->narrows = isNarrowPair(types[0]);
  const Type narrow = mixed->narrow = types[mixed->narrows ? 0 : 1];
  const bool isFma = mixed->op == PairOp::Fma;
  const unsigned sources = isFma ? 3 : 2;
  if (mixed->op == PairOp::Mul && mixed->narrows && isNarrowPair(types[1]))
    return c.fail("products of .f16x2 and .bf16x2 are not supported by the "
                  "emulator: the PTX ISA does not say how the second source is "
                  "rounded");
  std::vector<Type> legal(sources + 1, Type::F32x2);
  legal[mixed->narrows ? 0 : 1] = narrow;
  if (types != legal || !isNarrowPair(narrow) || (isFma && mixed->narrows) ||
      (mixed->op == PairOp::Mul && !mixed->narrows))
    return c.fail("expected .f32x2, .f16x2 or .bf16x2 and .f32x2 for add, sub "
                  "and fma, or .f16x2 or .bf16x2 and .f32x2 for add, sub and "
                  "mul");
  expectTarget(c, std::string(c.base) + " of two precisions", Targets::Rubin,
               {9, 4});
  const std::string_view mode = c.takeOneOf({"rn", "rz", "rm", "rp"});
  if (mixed->narrows ? mode != "rz" : isFma && mode.empty())
    return c.fail(mixed->narrows ? "expected .rz" : "expected a rounding mode");
  mixed->rounding = mode == "rz"   ? FE_TOWARDZERO
                    : mode == "rm" ? FE_DOWNWARD
                    : mode == "rp" ? FE_UPWARD
                                   : FE_TONEAREST;
  if (mixed->flushes() != c.take("ftz"))
    return c.fail("expected .ftz where .f32x2 becomes .f16x2, and nowhere "
                  "else");
  for (size_t t = 0; t < types.size(); ++t)
    c.takeType();
  if (!c.expectOperands(sources + 1, sources + 1))
    return;
  c.inst.d[0] = c.dst(0, types[0]);
  for (unsigned s = 0; s < sources; ++s)
    c.inst.s[s] = c.src(s + 1, types[s + 1]);
  if (!c.inst.d[0].valid && !c.failed())
    return c.fail("expected a destination register");
  c.inst.payload = std::move(mixed);
  c.inst.bitRule = mixedPairBits;
  c.inst.fn = execMixedPair;
}

} // namespace tc::emu
