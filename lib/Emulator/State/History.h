//===- History.h - what happened last ---------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounded memories of barriers and warps, filled on every run and read only
// when one has failed: what a post-mortem (Debug/PostMortem.cpp) is made of.
// Events of a cluster are numbered in the order in which they took effect
// (Cluster::nextMoment).
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_HISTORY_H
#define TC_EMULATOR_STATE_HISTORY_H

#include <cstdint>
#include <utility>
#include <vector>

namespace tc::emu {

/// The last N values.
template <class T, unsigned N>
class Ring {
public:
  void push(T value) { values[count++ % N] = std::move(value); }
  /// The last one, null if there is none.
  T *last() { return count ? &values[(count - 1) % N] : nullptr; }
  /// Oldest first.
  template <class Visit>
  void forEach(const Visit &visit) const {
    for (uint64_t i = count > N ? count - N : 0; i < count; ++i)
      visit(values[i % N]);
  }
  uint64_t pushed() const { return count; }
  static constexpr unsigned capacity = N;

private:
  T values[N] = {};
  uint64_t count = 0;
};

/// Something that happened to an mbarrier.
struct BarrierEvent {
  enum Kind : uint8_t {
    Arrives,
    ExpectsBytes,
    BringsBytes,
    Completes, ///< the phase
    Passes     ///< a wait has seen that the phase is complete
  };
  Kind kind = Arrives;
  bool async = false;
  uint16_t rank = 0, warp = 0; ///< the warp, or the issuer of async work
  int line = 0;                ///< none for Completes
  uint64_t phase = 0, amount = 0, moment = 0;
};
using BarrierHistory = Ring<BarrierEvent, 24>;

/// An instruction that others can notice (DecodedInst::run).
struct WarpEvent {
  uint32_t pc = 0, lanes = 0;
  uint64_t times = 0; ///< in a row
  uint64_t moment = 0;
};
using WarpHistory = Ring<WarpEvent, 16>;

/// What a report is about, as far as the reporter knows.
struct Involved {
  std::vector<std::pair<unsigned, unsigned>> warps; ///< rank, index
  std::vector<uint32_t> barriers;                   ///< plain shared addresses
  struct {
    bool known = false;
    uint32_t address = 0; ///< plain shared address
    uint32_t bytes = 0;
  } shared;
  struct {
    bool known = false;
    unsigned rank = 0, lane = 0, column = 0;
  } tensor;

  void addWarp(unsigned rank, unsigned warp) {
    for (const auto &known : warps)
      if (known.first == rank && known.second == warp)
        return;
    warps.push_back({rank, warp});
  }
  void addBarrier(uint32_t address) {
    for (uint32_t known : barriers)
      if (known == address)
        return;
    barriers.push_back(address);
  }
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_HISTORY_H
