//===- MixedFloat.cpp - binary32 arithmetic on 16-bit operands ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Mixed Precision Floating Point Instructions", 9.7.5:
// add.f32.bf16 d, a, c is a + c and sub a - c, where a is converted to binary32
// first; fma.f32.bf16 d, a, b, c converts a and b.
//
//===----------------------------------------------------------------------===//

#include "Exec/Arithmetic/Integer.h"
#include "Exec/Decode/Lanes.h"
#include "Numerics/Half.h"

#include <cfenv>
#include <cmath>

namespace tc::emu {

namespace {
enum class MixedOp : uint8_t { Add, Sub, Fma };

struct Mixed : Payload {
  MixedOp op = MixedOp::Add;
  bool bf16 = false, saturate = false;
  int rounding = FE_TONEAREST;
};

Step execMixed(Warp &w, const DecodedInst &i, uint32_t active) {
  const Mixed &m = i.as<Mixed>();
  auto widen = [&](uint32_t bits) {
    return m.bf16 ? halfToFloat<BF16>(uint16_t(bits))
                  : halfToFloat<F16>(uint16_t(bits));
  };
  const unsigned last = m.op == MixedOp::Fma ? 2 : 1;
  uint32_t *d = w.w32(i.d[0]);
  int old = fegetround();
  fesetround(m.rounding);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    // volatile: the operation must happen under this rounding mode.
    volatile float a = widen(w.r32(i.s[0])[l]);
    volatile float b = last == 2 ? widen(w.r32(i.s[1])[l]) : 1.0f;
    volatile float c = bitCast<float>(w.r32(i.s[last])[l]);
    volatile float sum = m.op == MixedOp::Add ? a + c
                         : m.op == MixedOp::Sub
                             ? a - c
                             : std::fma(float(a), float(b), float(c));
    float result = sum;
    if (m.saturate)
      result = result > 0 ? (result < 1 ? result : 1.0f) : 0.0f;
    d[l] = result != result ? 0x7fffffffu : bitCast<uint32_t>(result);
  }
  fesetround(old);
  w.define(i.d[0], active);
  return Step::Next;
}
} // namespace

void decodeMixedFloat(DecodeContext &c) {
  auto mixed = std::make_shared<Mixed>();
  mixed->op = c.base == "add"   ? MixedOp::Add
              : c.base == "sub" ? MixedOp::Sub
                                : MixedOp::Fma;
  std::string_view mode = c.takeOneOf({"rn", "rz", "rm", "rp"});
  mixed->rounding = mode == "rz"   ? FE_TOWARDZERO
                    : mode == "rm" ? FE_DOWNWARD
                    : mode == "rp" ? FE_UPWARD
                                   : FE_TONEAREST;
  if (mixed->op == MixedOp::Fma && mode.empty())
    return c.fail("expected a rounding mode");
  mixed->saturate = c.take("sat");
  c.takeType(); // f32
  Type narrow = c.takeType();
  mixed->bf16 = narrow == Type::BF16;
  const unsigned sources = mixed->op == MixedOp::Fma ? 3 : 2;
  if (!c.expectOperands(sources + 1, sources + 1))
    return;
  c.inst.d[0] = c.dst(0, Type::F32);
  for (unsigned s = 0; s < sources; ++s)
    c.inst.s[s] = c.src(s + 1, s + 1 < sources ? narrow : Type::F32);
  if (!c.inst.d[0].valid && !c.failed())
    return c.fail("expected a destination register");
  c.inst.payload = std::move(mixed);
  c.inst.fn = execMixed;
}

} // namespace tc::emu
