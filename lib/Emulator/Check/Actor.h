//===- Actor.h - who makes an access ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_ACTOR_H
#define TC_EMULATOR_CHECK_ACTOR_H

#include "Check/Threads.h"

namespace tc::emu {

/// The issuer of the present access.
struct Actor {
  Group *group = nullptr;
  uint32_t thread = ~0u; ///< Generic: its component
  bool async = false;
  bool reads = false;    ///< a write that has read what was there
  bool together = false; ///< with other lanes: what one knows is not enough
  Entry entry = 0;
  uint64_t end = 0; ///< of a generic access
  const Record *record = nullptr;
  const WarpState *warp = nullptr;

  /// kNoLane: asynchronous work.
  unsigned lane() const {
    return whoOf(entry) == kNobody ? kNoLane : thread % 32;
  }
  /// Of what a lane knows of itself alone: whether it is this one's, too.
  bool isOwn(uint32_t other) const {
    return (other == thread && !together) ||
           (!holds(Rule::SameWarpLanes) && other / 32 == thread / 32);
  }
};

/// What an asynchronous op has announced.
struct OpState {
  /// On mbarriers, with this; others are known by their place in a stream.
  bool signals = false;
  Record::Kind kind = Record::Generic;
  uint32_t thread = 0;
  uint32_t clock = 0; ///< of its stream
  uint32_t stream = 0;
  /// Of a commit: it covers the first reads alone; of other work: what it
  /// announces now are these.
  bool firstReads = false;
  /// Records by completion, BulkLoad and StoreAsync.
  struct Target {
    uint32_t write = 0, read = 0; ///< of shared memory
    uint32_t global = 0;          ///< of global memory, read
  };
  std::vector<Target> targets;
  /// What its thread knew; not of every copy by cp.async, of which there are
  /// many.
  struct Told {
    Knowledge causes; ///< Commit
    Clock causesReads;
    Message known; ///< BulkLoad, StoreAsync, Commit
    Clock tensorCauses;
  };
  std::unique_ptr<Told> told;               ///< BulkLoad, StoreAsync, Commit
  uint32_t commitStream = 0, nthCommit = 0; ///< Commit
};

/// What has yet to signal, by id.
using PendingOps = std::unordered_map<uint64_t, OpState>;

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_ACTOR_H
