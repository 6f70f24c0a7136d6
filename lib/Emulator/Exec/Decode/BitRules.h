//===- BitRules.h - bits of results without a value -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an instruction makes of registers that have a value in some of their
// bits only. Asked only where a source has a lane that is not defined as a
// whole.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_DECODE_BITRULES_H
#define TC_EMULATOR_EXEC_DECODE_BITRULES_H

#include "Exec/Decode/Lanes.h"

namespace tc::emu {

/// Marks without those above `width`; a register that has no value at all is
/// marked in all bits.
inline uint64_t marksOf(uint64_t undefined, unsigned width) {
  const uint64_t all = Warp::lowBits(width);
  return (undefined & all) == all ? ~0ull : undefined & all;
}

/// The marks of a source of type T, to be computed with as its values are.
template <class T>
T undefinedIn(const Warp &w, const Src &s, unsigned lane) {
  return T(w.undefinedBits(s, lane));
}
/// Marks that a function of values has made of marks.
template <class T>
uint64_t marksOf(T undefined) {
  return marksOf(uint64_t(std::make_unsigned_t<T>(undefined)), 8 * sizeof(T));
}
template <class T>
T valueIn(const Warp &w, const Src &s, unsigned lane) {
  return T(Slot<T>::src(w, s)[lane]);
}

/// One of two values, chosen by what is known or not.
template <class Word>
uint64_t chosenBits(const Warp &w, const Src &a, const Src &b, unsigned lane,
                    bool isKnown, bool first) {
  if (isKnown)
    return marksOf(undefinedIn<Word>(w, first ? a : b, lane));
  // Without a choice, bits in which both are the same.
  return marksOf<Word>(undefinedIn<Word>(w, a, lane) |
                       undefinedIn<Word>(w, b, lane) |
                       (valueIn<Word>(w, a, lane) ^ valueIn<Word>(w, b, lane)));
}

/// The least and the greatest value that a source of an integer type may have.
template <class T>
T leastOf(const Warp &w, const Src &s, unsigned lane) {
  using U = std::make_unsigned_t<T>;
  const U undefined = U(undefinedIn<T>(w, s, lane));
  const U sign = std::is_signed_v<T> ? U(U(1) << (8 * sizeof(T) - 1)) : U(0);
  return T((U(valueIn<T>(w, s, lane)) & U(~undefined)) | (undefined & sign));
}
template <class T>
T greatestOf(const Warp &w, const Src &s, unsigned lane) {
  using U = std::make_unsigned_t<T>;
  const U undefined = U(undefinedIn<T>(w, s, lane));
  const U sign = std::is_signed_v<T> ? U(U(1) << (8 * sizeof(T) - 1)) : U(0);
  return T((U(valueIn<T>(w, s, lane)) & U(~(undefined & sign))) |
           (undefined & U(~sign)));
}

/// A result between two values, in either order: bits below the first in which
/// they differ may be anything.
template <class T>
uint64_t bitsBetween(T a, T b) {
  const auto differ = uint64_t(std::make_unsigned_t<T>(a ^ b));
  return differ ? marksOf(Warp::lowBits(unsigned(64 - __builtin_clzll(differ))),
                          8 * sizeof(T))
                : 0;
}

/// F grows with its arguments, or shrinks.
template <class R, class T, R (*F)(T)>
uint64_t monotoneBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  return bitsBetween<R>(F(leastOf<T>(w, i.s[0], lane)),
                        F(greatestOf<T>(w, i.s[0], lane)));
}
template <class T, T (*F)(T, T)>
uint64_t monotoneBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  return bitsBetween<T>(
      F(leastOf<T>(w, i.s[0], lane), leastOf<T>(w, i.s[1], lane)),
      F(greatestOf<T>(w, i.s[0], lane), greatestOf<T>(w, i.s[1], lane)));
}
/// Grows with the first one and shrinks with the second.
template <class T, T (*F)(T, T)>
uint64_t quotientBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  return bitsBetween<T>(
      F(leastOf<T>(w, i.s[0], lane), greatestOf<T>(w, i.s[1], lane)),
      F(greatestOf<T>(w, i.s[0], lane), leastOf<T>(w, i.s[1], lane)));
}

/// Pairs of 16 bits: each is undefined where it is in a source.
uint64_t pairBits(const Warp &w, const DecodedInst &i, unsigned lane);
/// The same of four bytes.
uint64_t quadBits(const Warp &w, const DecodedInst &i, unsigned lane);
/// The same of predicates, one for each of a pair.
uint64_t pairPredicateBits(const Warp &w, const DecodedInst &i, unsigned lane);
/// Predicates that are false where one of the sources that ruleBits names by
/// its bits is, or true where one is.
uint64_t allOfBits(const Warp &w, const DecodedInst &i, unsigned lane);
uint64_t anyOfBits(const Warp &w, const DecodedInst &i, unsigned lane);

/// Sums of ruleBits bits: a bit depends on those below it.
uint64_t sumBits(const Warp &w, const DecodedInst &i, unsigned lane);
/// Products of ruleBits bits, or twice as many, and what is added to them.
uint64_t productBits(const Warp &w, const DecodedInst &i, unsigned lane);
uint64_t wideProductBits(const Warp &w, const DecodedInst &i, unsigned lane);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_DECODE_BITRULES_H
