//===- Spin.h - warps that repeat themselves --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp that reaches the same registers at the same place without having done
// anything that others can see will do so for ever, unless another warp changes
// what it reads. Loops that poll memory by hand are found that way; waits that
// block need none of this.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_SCHED_SPIN_H
#define TC_EMULATOR_SCHED_SPIN_H

#include "State/Warp.h"

#include <memory>

namespace tc::emu {

/// Runs the warp for at most a few thousand instructions and says whether it
/// came back to where it started, counters of rounds aside. False, too, if it
/// did something or stopped.
bool repeatsItself(Warp &warp);

/// Runs a warp that does nothing but spin for as many, and says whether that
/// leads anywhere: to something that others can see, to its end, or on through
/// states that decide what it does, sleeping or reading on. A poll of one place
/// makes no progress, even where it counts its rounds and would give up.
bool goesOn(Warp &warp);

/// Reads or writes the carry flag, a register that no operand names.
bool usesCarry(const DecodedInst &inst);

/// Finds out that a whole cluster comes back to where it was while its warps
/// do things that change no memory: they meet at barriers, and store what is
/// there already. It will do so for ever, and no other cluster can tell, unless
/// another warp changes what it reads.
class Recurrence {
public:
  explicit Recurrence(Cluster &cluster);
  ~Recurrence();

  /// After every warp has had its turn.
  bool comesBack();
  /// Forgets what the cluster looked like.
  void drop();

private:
  struct Snapshot;
  void take();

  Cluster &cluster;
  std::unique_ptr<Snapshot> snapshot;
  uint64_t changes = 0; ///< to memory, so far
  uint64_t since = 0;   ///< instructions when watching began
  uint64_t taken = 0;   ///< instructions at the snapshot
  uint64_t watchFrom, patience, longest;
};

} // namespace tc::emu

#endif // TC_EMULATOR_SCHED_SPIN_H
