//===- WgmmaState.h - wgmma work of one warp --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Its groups of wgmma.mma_async and the registers that they own until the
// wait_group that covers them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_WGMMASTATE_H
#define TC_EMULATOR_STATE_WGMMASTATE_H

#include "State/Warp.h"

#include <deque>
#include <unordered_map>

namespace tc::emu {

/// A wgmma-group is one of the whole warpgroup (PTX ISA 9.0,
/// "wgmma.commit_group", 9.7.15.7.2): it is complete when the operations of all
/// four warps are. They issue the same ones in the same order, so that a number
/// says which.
struct WgmmaState {
  /// Ids of the warp's operations after those that are known to have finished,
  /// in the order of issue.
  std::deque<uint64_t> ids;
  size_t issued = 0, finished = 0;
  uint64_t lastId = 0; ///< of those issued
  /// How many there were at each commit_group that no wait has covered, and the
  /// last of them.
  struct Group {
    size_t issued;
    uint64_t lastId;
  };
  std::deque<Group> groups;

  void add(uint64_t id) {
    ids.push_back(id);
    lastId = id;
    ++issued;
  }
  void commit() { groups.push_back({issued, lastId}); }
  /// Whether the first `count` operations have been issued and have finished.
  template <class IsPending>
  bool haveFinished(size_t count, const IsPending &isPending) {
    for (; finished < count && !ids.empty() && !isPending(ids.front());
         ++finished)
      ids.pop_front();
    return finished >= count;
  }
  struct Owner {
    uint64_t id; ///< the last operation on the register
    int line;
  };
  /// By register: accumulators of work that was not waited for.
  std::unordered_map<uint32_t, Owner> owners;
  /// By register in flight: lanes of which its halves will have no value.
  std::unordered_map<uint32_t, std::array<uint32_t, 2>> undefined;
  /// wgmma.fence has been executed.
  bool fenced = false;
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_WGMMASTATE_H
