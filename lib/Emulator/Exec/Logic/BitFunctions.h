//===- BitFunctions.h - logic, shifts and bit fields of a lane --*- C++ -*-===//
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of Bits.cpp. Most of them move bits only, and move the marks of
// bits without a value as well (BitRules.h).
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_LOGIC_BITFUNCTIONS_H
#define TC_EMULATOR_EXEC_LOGIC_BITFUNCTIONS_H

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace tc::emu {

template <class T>
T andOp(T a, T b) {
  return a & b;
}
template <class T>
T orOp(T a, T b) {
  return a | b;
}
template <class T>
T xorOp(T a, T b) {
  return a ^ b;
}
template <class T>
T notOp(T a) {
  return T(~a);
}
template <class T>
T cnotOp(T a) {
  return a == 0;
}
/// Shift amounts above the width are clamped to it.
template <class T>
T shiftLeft(T a, uint32_t b) {
  return b >= 8 * sizeof(T) ? T(0) : T(a << b);
}
template <class T>
T shiftRight(T a, uint32_t b) {
  if (b >= 8 * sizeof(T)) {
    if constexpr (std::is_signed_v<T>)
      return T(a < 0 ? -1 : 0);
    return T(0);
  }
  return T(a >> b);
}

inline uint32_t funnel(uint32_t lo, uint32_t hi, uint32_t amount,
                       uint32_t mode) {
  // mode: bit 0 right, bit 1 clamp.
  uint32_t n = mode & 2 ? std::min(amount, 32u) : amount & 31;
  uint64_t both = uint64_t(hi) << 32 | lo;
  return mode & 1 ? uint32_t(both >> n) : uint32_t((both << n) >> 32);
}

template <class T>
T bitFieldExtract(T a, uint32_t b, uint32_t c) {
  using U = std::make_unsigned_t<T>;
  constexpr unsigned width = 8 * sizeof(T);
  unsigned pos = b & 255, len = c & 255;
  bool sign = false;
  if (std::is_signed_v<T> && len)
    sign = (U(a) >> std::min(pos + len - 1, width - 1)) & 1;
  U field = pos >= width ? 0 : U(a) >> pos;
  unsigned valid = pos >= width ? 0 : std::min(len, width - pos);
  U mask = valid >= width ? ~U(0) : (U(1) << valid) - 1;
  return T((field & mask) | (sign ? ~mask : U(0)));
}
template <class T>
T bitFieldInsert(T a, T b, uint32_t c, uint32_t d) {
  constexpr unsigned width = 8 * sizeof(T);
  unsigned pos = c & 255, len = d & 255;
  if (!len || pos >= width)
    return b;
  len = std::min(len, width - pos);
  T mask = T((len >= width ? ~T(0) : (T(1) << len) - 1) << pos);
  return (b & ~mask) | ((a << pos) & mask);
}
template <class T>
uint32_t leadingZeros(T a) {
  if (!a)
    return 8 * sizeof(T);
  return sizeof(T) == 8 ? uint32_t(__builtin_clzll(a))
                        : uint32_t(__builtin_clz(uint32_t(a)));
}
template <class T>
uint32_t populationCount(T a) {
  return uint32_t(__builtin_popcountll(a));
}
template <class T>
T reverseBits(T a) {
  T r = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i)
    r |= T((a >> i) & 1) << (8 * sizeof(T) - 1 - i);
  return r;
}
template <class T, bool Shift>
uint32_t findBit(T a) {
  using U = std::make_unsigned_t<T>;
  U x = std::is_signed_v<T> && a < 0 ? U(~U(a)) : U(a);
  if (!x)
    return ~0u;
  uint32_t msb = uint32_t(8 * sizeof(T)) - 1 - leadingZeros<U>(x);
  return Shift ? uint32_t(8 * sizeof(T)) - 1 - msb : msb;
}
inline uint32_t bitMask(uint32_t a, uint32_t b, uint32_t clamp) {
  uint32_t pos = clamp ? std::min(a, 32u) : a & 31;
  uint32_t len = clamp ? std::min(b, 32u) : b & 31;
  uint64_t ones = ((1ull << len) - 1) << pos;
  return uint32_t(ones);
}
/// aux: bit 0 clamp, bit 1 signed.
inline uint32_t signZeroExtend(uint32_t a, uint32_t b, uint32_t aux) {
  uint32_t n = aux & 1 ? std::min(b, 32u) : b & 31;
  if (n == 0)
    return 0;
  uint32_t shift = 32 - n;
  return aux & 2 ? uint32_t(int32_t(a << shift) >> shift)
                 : (a << shift) >> shift;
}

inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t r = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned selector = (c >> (4 * i)) & 15;
    uint32_t byte = uint32_t(bytes >> (8 * (selector & 7))) & 255;
    if (selector & 8) // replicate the sign
      byte = byte & 128 ? 255 : 0;
    r |= byte << (8 * i);
  }
  return r;
}
/// prmt's named modes as byte selectors.
inline uint32_t permuteMode(unsigned mode, uint32_t c) {
  unsigned n = c & 3;
  auto sel = [](unsigned d, unsigned c, unsigned b, unsigned a) {
    return d << 12 | c << 8 | b << 4 | a;
  };
  switch (mode) {
  case 0: // f4e
    return sel(n + 3, n + 2, n + 1, n);
  case 1: // b4e
    return sel((n + 5) & 7, (n + 6) & 7, (n + 7) & 7, n);
  case 2: // rc8
    return sel(n, n, n, n);
  case 3: // ecl
    return sel(3, std::max(n, 2u), std::max(n, 1u), n);
  case 4: // ecr
    return sel(n, std::min(n, 2u), std::min(n, 1u), 0);
  default: // rc16
    return n & 1 ? sel(3, 2, 3, 2) : sel(1, 0, 1, 0);
  }
}

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_LOGIC_BITFUNCTIONS_H
