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

#ifndef TC_EMULATOR_EXEC_WGMMASTATE_H
#define TC_EMULATOR_EXEC_WGMMASTATE_H

#include "State/Warp.h"

#include <deque>
#include <unordered_map>
#include <vector>

namespace tc::emu {

/// A wgmma-group is one of the whole warpgroup (PTX ISA 9.0,
/// "wgmma.commit_group", 9.7.15.7.2): it is complete when the operations of all
/// four warps are. They issue the same ones in the same order, so that a number
/// says which.
struct WgmmaState {
  /// Ids of the warp's operations, in the order of issue.
  std::vector<uint64_t> ids;
  /// Of them, from the first: those that are known to have finished.
  size_t finished = 0;
  /// How many there were at each commit_group that no wait has covered.
  std::deque<size_t> groups;
  struct Owner {
    uint64_t id; ///< the last operation on the register
    int line;
  };
  /// By register: accumulators of work that was not waited for.
  std::unordered_map<uint32_t, Owner> owners;
  /// wgmma.fence has been executed.
  bool fenced = false;
};

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_WGMMASTATE_H
