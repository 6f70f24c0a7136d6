//===- Random.h - seeded random numbers -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small generator whose sequence is part of a schedule's identity: the same
// seed replays the same run on every machine (splitmix64).
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_RANDOM_H
#define TC_EMULATOR_STATE_RANDOM_H

#include <cstdint>

namespace tc::emu {

class Random {
public:
  explicit Random(uint64_t seed = 0) : state(seed) {}

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound), bound > 0.
  uint32_t below(uint32_t bound) {
    return uint32_t(((next() >> 32) * bound) >> 32);
  }
  /// True once in `n` on average.
  bool oneIn(uint32_t n) { return below(n) == 0; }

private:
  uint64_t state;
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_RANDOM_H
