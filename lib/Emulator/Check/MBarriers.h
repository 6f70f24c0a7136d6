//===- MBarriers.h - order by mbarriers -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_MBARRIERS_H
#define TC_EMULATOR_CHECK_MBARRIERS_H

#include "Check/Accesses.h"
#include "Check/Pins.h"

namespace tc::emu {

struct BarrierState {
  uint32_t address = 0; ///< plain shared address
  uint32_t stream = 0, base = 0, phases = 0;
  uint32_t initThread = 0, initClock = 0;
  int initLine = 0;
  int remoteCtaLine = 0;
  /// Published by arrivals of the barrier's own CTA and by asynchronous work,
  /// for all waits; by arrivals of other CTAs, for waits of .cluster scope; and
  /// what assumptions leave of these at .cta scope.
  struct Told {
    Message own, others, narrow;
    void join(const Told &other) {
      own.join(other.own);
      others.join(other.others);
      narrow.join(other.narrow);
    }
    void clear() {
      own.clear();
      others.clear();
      narrow.clear();
    }
  } arriving, completed;
  /// The threads and clocks of a phase's arrivals, if nothing else counts.
  struct Arrivals {
    std::vector<std::pair<uint32_t, uint32_t>> by;
    bool mixed = false;
  } current, last;
  /// The last time that each thread has used it, by component.
  struct Use {
    uint32_t clock = 0;
    int line = 0;
  };
  std::unordered_map<uint32_t, Use> uses;
  /// Asynchronous work that is going to signal it, by id, and the phase in
  /// which the last one did so; 0: none.
  std::unordered_map<uint64_t, int> expected;
  struct Signal {
    uint32_t phase = 0;
    int line = 0;
    /// Of a commit: the stream of its thread's commits, and its place there.
    uint32_t stream = 0, nth = 0;
  } signal;
  std::vector<Pin> pins;
};

class CtaLives;

class MBarriers {
public:
  MBarriers(Threads &threads, const Reports &reports, Accesses &accesses,
            CtaLives &lives, PendingOps &ops, Pins &pins)
      : threads(threads), reports(reports), accesses(accesses), lives(lives),
        ops(ops), pins(pins), cluster(threads.cluster) {}

  void init(const SyncEvent &event);
  void invalidate(const SyncEvent &event);
  void count(const SyncEvent &event);
  void arrive(const SyncEvent &event);
  void arriveByOp(const SyncEvent &event);
  void wait(const SyncEvent &event);
  void poll(const SyncEvent &event);
  void completeTx(const SyncEvent &event);
  void completePhase(const SyncEvent &event);

  BarrierState *barrier(uint64_t address);
  /// `what` names the use in a report; null: the opcode of the line.
  void involve(const BarrierState &state, const WarpState &warp);
  std::string nameOf(const BarrierState &state) const;
  bool checkInit(const BarrierState &barrier, const Group &group,
                 const WarpState &warp, uint32_t lanes, int line,
                 const char *what = nullptr);
  bool checkPhase(const BarrierState &barrier, const Message &known,
                  uint32_t thread, int line);

private:
  Actor lifeActor(const SyncEvent &event);

  Threads &threads;
  const Reports &reports;
  Accesses &accesses;
  CtaLives &lives;
  PendingOps &ops;
  Pins &pins;
  Cluster &cluster;
  std::unordered_map<uint64_t, std::unique_ptr<BarrierState>> barriers;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_MBARRIERS_H
