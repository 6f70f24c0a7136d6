//===- HalfRules.cpp - halves of results that are defined -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sched/HalfRules.h"

#include <algorithm>

namespace tc::emu {

/// The half of a source in one lane.
static uint32_t valueOf(const Warp &w, const Src &s, unsigned lane,
                        unsigned half, unsigned bits) {
  if (bits == 64)
    return uint32_t(w.r64(s)[lane] >> (32 * half));
  return w.r32(s)[lane] >> (16 * half) & 0xffff;
}

/// A logic operation by its table (aux, as in lop3): whether the half is the
/// same whatever the undefined operands hold. Each of its bits depends on the
/// same bit of the operands only.
static uint32_t logicHalf(const Warp &w, const DecodedInst &i, uint32_t active,
                          unsigned half) {
  const uint32_t all = i.halfBits == 64 ? ~0u : 0xffff;
  uint32_t defined[3] = {~0u, ~0u, ~0u};
  for (unsigned k = 0; k < 3; ++k)
    if (i.s[k].valid)
      defined[k] = w.definedHalf(i.s[k], half);
  uint32_t result = 0;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    uint32_t ones = 0, zeros = 0; // bits that can be 1, that can be 0
    for (unsigned guess = 0; guess < 8; ++guess) {
      uint32_t value[3];
      for (unsigned k = 0; k < 3; ++k)
        value[k] = !(defined[k] >> lane & 1) ? (guess >> k & 1 ? all : 0)
                   : i.s[k].valid ? valueOf(w, i.s[k], lane, half, i.halfBits)
                                  : 0;
      uint32_t out = 0;
      for (unsigned row = 0; row < 8; ++row)
        if (i.aux >> row & 1)
          out |= (row & 4 ? value[0] : ~value[0]) &
                 (row & 2 ? value[1] : ~value[1]) &
                 (row & 1 ? value[2] : ~value[2]);
      ones |= out;
      zeros |= ~out;
    }
    if (!(ones & zeros & all))
      result |= 1u << lane;
  }
  return result;
}

/// Shifts to the left, or, with `right`, to the right.
static DefinedHalves shiftedHalves(const Warp &w, const DecodedInst &i,
                                   uint32_t active, bool right, bool isSigned) {
  const unsigned bits = i.halfBits, half = bits / 2;
  const uint32_t low = w.definedHalf(i.s[0], 0),
                 high = w.definedHalf(i.s[0], 1);
  const uint32_t whole = w.definedMask(i.s[1]);
  DefinedHalves result{0, 0};
  for (uint32_t rest = active & whole; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    const uint32_t by = std::min(w.r32(i.s[1])[lane], bits);
    // The half that bits leave last, and the other one.
    const bool from = (right ? high : low) >> lane & 1,
               to = (right ? low : high) >> lane & 1;
    const bool fill = !isSigned || from;
    const bool isEmpty = by >= half; // nothing but what is filled in
    const bool first = isEmpty ? fill : from && (by == 0 || fill);
    const bool second = by >= bits ? fill
                        : isEmpty  ? from && (by == half || fill)
                        : by == 0  ? to
                                   : from && to;
    result.low |= uint32_t(right ? second : first) << lane;
    result.high |= uint32_t(right ? first : second) << lane;
  }
  return result;
}

/// prmt without a mode: each byte of the result is one of a or b, or its sign,
/// as the low half of c says.
static uint32_t permutedHalf(const Warp &w, const DecodedInst &i,
                             uint32_t active, unsigned half) {
  uint32_t defined[2][2], result = 0;
  for (unsigned k = 0; k < 2; ++k)
    for (unsigned h = 0; h < 2; ++h)
      defined[k][h] = w.definedHalf(i.s[k], h);
  for (uint32_t rest = active & w.definedHalf(i.s[2], 0); rest;
       rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    const uint32_t selectors = w.r32(i.s[2])[lane] >> (8 * half);
    bool fine = true;
    for (unsigned byte = 0; byte < 2; ++byte) {
      const uint32_t from = selectors >> (4 * byte) & 7;
      fine &= defined[from / 4][from % 4 / 2] >> lane & 1;
    }
    result |= uint32_t(fine) << lane;
  }
  return result;
}

/// Predicates of which one settles the result.
static uint32_t settled(const Warp &w, const DecodedInst &i, bool by) {
  uint32_t result = ~0u, settling = 0;
  for (unsigned k = 0; k < 3; ++k) {
    if (!i.s[k].valid)
      continue;
    const uint32_t defined = w.definedMask(i.s[k]);
    result &= defined;
    if (i.halfBits >> k & 1)
      settling |= defined & (by ? w.predicate(i.s[k]) : ~w.predicate(i.s[k]));
  }
  return result | settling;
}

DefinedHalves definedHalves(const Warp &w, const DecodedInst &i,
                            uint32_t active) {
  switch (i.halves) {
  case HalfRule::Whole:
    return {~active, ~active};
  case HalfRule::Each:
  case HalfRule::EachPredicate: {
    DefinedHalves result{~0u, ~0u};
    for (const Src &source : i.s)
      if (source.valid) {
        result.low &= w.definedHalf(source, 0);
        result.high &= w.definedHalf(source, 1);
      }
    return result;
  }
  case HalfRule::Low: {
    const uint32_t low = w.definedHalf(i.s[0], 0);
    return {low, low};
  }
  case HalfRule::Pair:
    return {w.definedMask(i.s[1]), w.definedMask(i.s[0])};
  case HalfRule::Logic:
    return {logicHalf(w, i, active, 0), logicHalf(w, i, active, 1)};
  case HalfRule::ShiftLeft:
    return shiftedHalves(w, i, active, false, false);
  case HalfRule::ShiftRight:
    return shiftedHalves(w, i, active, true, false);
  case HalfRule::ShiftRightSigned:
    return shiftedHalves(w, i, active, true, true);
  case HalfRule::Permute:
    return {permutedHalf(w, i, active, 0), permutedHalf(w, i, active, 1)};
  case HalfRule::AllOf:
  case HalfRule::AnyOf: {
    const uint32_t lanes = settled(w, i, i.halves == HalfRule::AnyOf);
    return {lanes, lanes};
  }
  }
  return {~active, ~active};
}

} // namespace tc::emu
