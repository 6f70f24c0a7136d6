//===- CtaLives.h - CTAs that come and go -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_CTALIVES_H
#define TC_EMULATOR_CHECK_CTALIVES_H

#include "Check/Actor.h"

#include <map>

namespace tc::emu {

class Reports;
struct BarrierState;

/// The last time that a thread or a copy of another CTA, or a commit of any,
/// accessed a CTA's shared memory. It is known with the thread's clock or the
/// barrier's phase.
struct Visit {
  uint32_t clock = 0; ///< 0: known by the phase only
  uint32_t phase = 0; ///< 0: known by the clock only
  int line = 0;
  /// Of a commit: the stream of its thread's commits, and its place there.
  uint32_t stream = 0, nth = 0;
};

class CtaLives {
public:
  CtaLives(Threads &threads, const Reports &reports);

  bool checkPresent(const Group &group, unsigned rank, int line);
  void visit(unsigned rank, uint32_t thread, uint32_t clock,
             const BarrierState *barrier, int line);
  void visitByOp(const SyncEvent &event, const OpState &op,
                 const BarrierState &barrier);
  /// Work of `stream` up to `clock` uses what the CTAs that it touches have.
  void work(const AsyncOp &op, uint32_t thread, uint32_t stream,
            uint32_t clock);
  void forget(unsigned rank, const BarrierState &barrier);
  void exit(unsigned rank);

private:
  bool checkWork(unsigned rank);

  Threads &threads;
  const Reports &reports;
  Cluster &cluster;
  /// By rank; of them by thread and stream of the barrier.
  std::vector<std::map<std::pair<uint32_t, uint32_t>, Visit>> visits;
  /// The last asynchronous work of a stream that uses a CTA's memory, by rank
  /// and stream; kept where a run stands for all schedules. Elsewhere what the
  /// schedule has left pending is reported when a CTA exits.
  struct Work {
    uint32_t thread = 0, clock = 0;
    int line = 0;
  };
  std::vector<std::map<uint32_t, Work>> works;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_CTALIVES_H
