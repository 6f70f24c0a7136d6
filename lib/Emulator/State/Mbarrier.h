//===- Mbarrier.h - the mbarrier object -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Phase, pending arrivals and transaction count of one mbarrier object (PTX
// ISA 9.0, "Parallel Synchronization and Communication Instructions:
// mbarrier"). A phase completes when pending arrivals and transaction count
// are both zero. The functions return null, or what rule was broken.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_MBARRIER_H
#define TC_EMULATOR_STATE_MBARRIER_H

#include "State/History.h"

#include <cstdint>
#include <vector>

namespace tc::emu {

struct Mbarrier {
  static constexpr uint32_t kMaxCount = (1u << 20) - 1;
  /// Arrivals of .layout::v1 (PTX ISA 9.4, "Contents of the mbarrier object",
  /// 9.7.15.16.3).
  static constexpr uint32_t kMaxReportingCount = (1u << 9) - 1;

  /// Which warp has changed the barrier from which line, for the report of a
  /// deadlock: a warp that arrived in one phase is expected in the next.
  struct Arrival {
    enum Kind : uint8_t { Arrives, ExpectsBytes, BringsBytes };
    int line = 0;
    unsigned rank = 0, warp = 0; ///< the warp, or the issuer of async work
    bool async = false;
    Kind kind = Arrives;
    uint64_t phase = 0;  ///< the last one
    uint64_t amount = 0; ///< in that phase
  };
  std::vector<Arrival> arrivals;
  void note(const Arrival &by, Arrival::Kind kind, uint64_t amount,
            uint64_t moment);

  /// The last events, for the post-mortem.
  BarrierHistory history;
  /// Notes an event; arrivals of the lanes of a warp make one.
  void remember(const BarrierEvent &event);

  uint32_t expected = 0;
  uint32_t pending = 0;
  int32_t tx = 0;
  uint64_t phase = 0;
  int initLine = 0;

  /// .layout::v1: copies may report on it.
  bool reporting = false;
  /// Whether one has in this phase, and in the one before.
  bool report = false, lastReport = false;
  /// The conditional phase, which advances with a phase without a report.
  uint64_t conditionalPhase = 0;

  unsigned parity() const { return phase & 1; }
  /// Whether the phase with that parity has completed.
  bool passed(unsigned waitParity) const { return parity() != waitParity; }
  bool passedConditional(unsigned waitParity) const {
    return (conditionalPhase & 1) != waitParity;
  }

  const char *init(uint32_t count, bool reporting = false);
  const char *reportOn();
  /// `completed` is set when the operation completes the phase.
  const char *expectTx(uint32_t bytes);
  const char *completeTx(uint32_t bytes, bool &completed);
  const char *arrive(uint32_t count, bool &completed);
  const char *arriveNoComplete(uint32_t count);
  const char *arriveDrop(uint32_t count, bool &completed);
  /// cp.async.mbarrier.arrive without .noinc.
  const char *incrementPending(uint32_t count);

  /// The opaque 64-bit state that arrive returns: phase and pending count of
  /// the phase before the operation.
  uint64_t token() const { return (phase << 20) | pending; }
  bool passedToken(uint64_t token) const { return (token >> 20) != phase; }
  static uint32_t pendingOf(uint64_t token) { return token & kMaxCount; }

private:
  bool checkPhase();
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_MBARRIER_H
