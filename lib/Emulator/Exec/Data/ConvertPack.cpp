//===- ConvertPack.cpp - cvt.pack -----------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Data Movement and Conversion Instructions: cvt.pack", 9.7.9.22:
// two 32-bit integers saturated to 2 to 16 bits, b below a, the low bits of c
// above them.
//
//===----------------------------------------------------------------------===//

#include "Exec/Data/Convert.h"
#include "Exec/Decode/BitRules.h"

#include <algorithm>

namespace tc::emu {

namespace {
struct Pack : Payload {
  unsigned bits = 16;
  bool isSigned = false, hasC = false;
};
} // namespace

static Step execConvertPack(Warp &w, const DecodedInst &i, uint32_t active) {
  const Pack &p = i.as<Pack>();
  const int64_t low = p.isSigned ? -(1ll << (p.bits - 1)) : 0,
                high = (1ll << (p.isSigned ? p.bits - 1 : p.bits)) - 1;
  const uint32_t mask = (1u << p.bits) - 1;
  const uint32_t *a = w.r32(i.s[0]), *b = w.r32(i.s[1]);
  uint32_t *d = w.w32(i.d[0]);
  auto narrow = [=](uint32_t x) {
    return uint32_t(std::clamp<int64_t>(int32_t(x), low, high)) & mask;
  };
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t value = narrow(b[l]) | narrow(a[l]) << p.bits;
    if (p.hasC)
      value |= w.r32(i.s[2])[l] << (2 * p.bits);
    d[l] = value;
  }
  w.define(i.d[0], active);
  return Step::Next;
}

static uint64_t convertPackBits(const Warp &w, const DecodedInst &i,
                                unsigned lane) {
  const Pack &p = i.as<Pack>();
  const uint64_t all = Warp::lowBits(p.bits);
  auto undefined = [&](unsigned k) {
    return undefinedIn<uint32_t>(w, i.s[k], lane);
  };
  return marksOf((undefined(1) ? all : 0) | (undefined(0) ? all << p.bits : 0) |
                     (p.hasC ? uint64_t(undefined(2)) << (2 * p.bits) : 0),
                 32);
}

static void decodeConvertPack(DecodeContext &c) {
  auto pack = std::make_shared<Pack>();
  if (!c.take("sat"))
    return c.fail("expected .sat");
  std::string_view to =
      c.takeOneOf({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  if (to.empty())
    return c.fail("expected .u16, .s16, .u8, .s8, .u4, .s4, .u2 or .s2");
  pack->isSigned = to[0] == 's';
  pack->bits = to.substr(1) == "16" ? 16 : unsigned(to[1] - '0');
  pack->hasC = pack->bits < 16;
  if (!c.take("s32") || (pack->hasC && !c.take("b32")))
    return c.fail(pack->hasC ? "expected .s32.b32" : "expected .s32");
  const unsigned sources = pack->hasC ? 3 : 2;
  if (!c.expectOperands(sources + 1, sources + 1))
    return;
  c.inst.d[0] = c.dst(0, Type::B32);
  for (unsigned s = 0; s < sources; ++s)
    c.inst.s[s] = c.src(s + 1, Type::B32);
  if (!c.inst.d[0].valid && !c.failed())
    return c.fail("expected a destination register");
  c.inst.payload = std::move(pack);
  c.inst.bitRule = convertPackBits;
  c.inst.fn = execConvertPack;
}

void registerConvertPackInstructions(InstructionTable &table) {
  table.add("cvt.pack", decodeConvertPack);
}

} // namespace tc::emu
