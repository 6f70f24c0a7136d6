//===- Pins.h - what every schedule does alike ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a run is to stand for all schedules, each wait, each arrival and each
// allocation has to meet the same state of its object in all of them. The phase
// that a thread meets is pinned if the phase before is over for the thread, and
// the phase after cannot end without it. Causality is enough, of whatever order
// and scope (Message::heard): nothing is read.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_PINS_H
#define TC_EMULATOR_CHECK_PINS_H

#include "Check/Threads.h"

namespace tc::emu {

/// Lanes that the end of a phase has to come after.
struct Pin {
  uint32_t base = 0, lanes = 0, clock = 0;
  int line = 0;
  uint32_t phases = 0; ///< that were complete then
};

class Pins {
public:
  explicit Pins(Threads &threads) : threads(threads) {}

  //===--- mbarriers ------------------------------------------------------===//
  // `stream` is the barrier's, `base` + `phases` how many are complete.

  /// Gives lanes that are about to use a barrier a moment of their own.
  void begin(WarpState &warp) {
    if (threads.certificate())
      ++warp.clock;
  }
  /// A wait of a group has met the phase before. `byState`: it names the phase
  /// by a state and not by a parity.
  void wait(std::vector<Pin> &pins, Group &group, const WarpState &warp,
            uint32_t lanes, uint32_t stream, uint32_t base, uint32_t phases,
            bool byState, int line);
  /// Bytes are expected in the phase that goes on.
  void expect(std::vector<Pin> &pins, const WarpState &warp, uint32_t lanes,
              uint32_t phases, int line);
  /// The phase after `phases` ends, with what its arrivals tell.
  void complete(std::vector<Pin> &pins, const Clock &own, const Clock &others,
                uint32_t phases);

  //===--- named barriers -------------------------------------------------===//
  void arrive(uint64_t barrier, WarpState &warp, uint32_t lanes, int line);
  void done(uint64_t barrier) { ++named[barrier].phases; }
  void leave(uint64_t barrier, WarpState &warp, uint32_t lanes);

  //===--- what a CTA has once --------------------------------------------===//
  void allocate(WarpState &warp, const SyncEvent &event);
  void changeRegisters(WarpState &warp, const SyncEvent &event);
  /// A CTA exits: its setmaxnreg.inc are granted in every order.
  void exit(unsigned rank);

private:
  struct Named {
    uint32_t stream = 0, phases = 0;
  };
  Named &namedOf(uint64_t barrier);
  void undecided(Choice choice, const std::string &what, int line, int at);

  Threads &threads;
  std::unordered_map<uint64_t, Named> named;
  /// A setmaxnreg of a warp of a CTA.
  struct Change {
    unsigned warp = 0, registers = 0;
    bool takes = false;
    int line = 0;
    uint32_t thread = 0, clock = 0;
    std::vector<size_t> after; ///< changes that it comes after
  };
  class Grants;

  /// By rank: who has allocated, freed and given up columns, and how many have
  /// been allocated in all; who has changed registers.
  struct Use {
    uint32_t thread = 0, clock = 0;
    int line = 0;
  };
  struct Resources {
    std::vector<Use> columns;
    std::vector<Change> registers;
    uint64_t allocated = 0;
  };
  std::unordered_map<unsigned, Resources> resources;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_PINS_H
