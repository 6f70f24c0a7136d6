//===- Lanes.h - typed access to 32 lanes -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Templates that turn a scalar function into an execution function: one for
// each number of operands. Values of 8 and 16 bits sit zero-extended in 32-bit
// slots; Slot<T> says how a type is stored.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_DECODE_LANES_H
#define TC_EMULATOR_EXEC_DECODE_LANES_H

#include "Exec/Decode/InstructionTable.h"
#include "Numerics/BitCast.h"
#include "State/Warp.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

/// Before a loop over lanes: no lane reads what another one writes.
#ifdef __clang__
#define TC_VECTORIZE _Pragma("clang loop vectorize(assume_safety)")
#else
#define TC_VECTORIZE _Pragma("GCC ivdep")
#endif

namespace tc::emu {

/// Storage of a value of type T in a register slot.
template <class T>
struct Slot {
  using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  using Bits = std::conditional_t<
      sizeof(T) == 8, uint64_t,
      std::conditional_t<
          sizeof(T) == 4, uint32_t,
          std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;
  static T load(Word word) { return bitCast<T>(Bits(word)); }
  static Word store(T value) { return Word(bitCast<Bits>(value)); }
  static const Word *src(const Warp &w, const Src &s) {
    return reinterpret_cast<const Word *>(w.data[s.bank] + s.offset);
  }
  static Word *dst(Warp &w, const Dst &d) {
    return reinterpret_cast<Word *>(w.data[0] + d.offset);
  }
};

/// .ftz: a subnormal number of f32 is a zero of its sign.
inline float flush(float x) {
  uint32_t bits = bitCast<uint32_t>(x);
  return bitCast<float>(bits & 0x7f800000u ? bits : bits & 0x80000000u);
}
inline double flush(double x) { return x; }

/// Calls `body(lane)` for each active lane, in a loop without branches when all
/// of them are.
template <class Body>
inline void forLanes(uint32_t active, Body body) {
  if (active == ~0u) {
    TC_VECTORIZE
    for (unsigned lane = 0; lane < 32; ++lane)
      body(lane);
    return;
  }
  for (uint32_t rest = active; rest; rest &= rest - 1)
    body(unsigned(__builtin_ctz(rest)));
}

/// d = F(a).
template <class R, class A, R (*F)(A)>
Step execUnary(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto *a = Slot<A>::src(w, i.s[0]);
  auto *d = Slot<R>::dst(w, i.d[0]);
  forLanes(active,
           [=](unsigned l) { d[l] = Slot<R>::store(F(Slot<A>::load(a[l]))); });
  w.define(i.d[0], active);
  return Step::Next;
}

/// d = F(a, b).
template <class R, class A, class B, R (*F)(A, B)>
Step execBinary(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto *a = Slot<A>::src(w, i.s[0]);
  const auto *b = Slot<B>::src(w, i.s[1]);
  auto *d = Slot<R>::dst(w, i.d[0]);
  forLanes(active, [=](unsigned l) {
    d[l] = Slot<R>::store(F(Slot<A>::load(a[l]), Slot<B>::load(b[l])));
  });
  w.define(i.d[0], active);
  return Step::Next;
}

/// d = F(a, b, c).
template <class R, class A, class B, class C, R (*F)(A, B, C)>
Step execTernary(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto *a = Slot<A>::src(w, i.s[0]);
  const auto *b = Slot<B>::src(w, i.s[1]);
  const auto *c = Slot<C>::src(w, i.s[2]);
  auto *d = Slot<R>::dst(w, i.d[0]);
  forLanes(active, [=](unsigned l) {
    d[l] = Slot<R>::store(
        F(Slot<A>::load(a[l]), Slot<B>::load(b[l]), Slot<C>::load(c[l])));
  });
  w.define(i.d[0], active);
  return Step::Next;
}

/// d = F(a, imm): the family's small constant rides in inst.imm.
template <class R, class A, class B, R (*F)(A, B, uint32_t)>
Step execBinaryAux(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto *a = Slot<A>::src(w, i.s[0]);
  const auto *b = Slot<B>::src(w, i.s[1]);
  auto *d = Slot<R>::dst(w, i.d[0]);
  uint32_t aux = i.aux;
  forLanes(active, [=](unsigned l) {
    d[l] = Slot<R>::store(F(Slot<A>::load(a[l]), Slot<B>::load(b[l]), aux));
  });
  w.define(i.d[0], active);
  return Step::Next;
}

/// The usual operands of a computation: one destination, `sources` sources, all
/// of `type`.
inline void decodeSimple(DecodeContext &c, unsigned sources, Type type) {
  if (!c.expectOperands(sources + 1, sources + 1))
    return;
  c.inst.d[0] = c.dst(0, type);
  for (unsigned i = 0; i < sources; ++i)
    c.inst.s[i] = c.src(i + 1, type);
  if (!c.failed() && !c.inst.d[0].valid)
    c.fail("expected a destination register");
}

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_DECODE_LANES_H
