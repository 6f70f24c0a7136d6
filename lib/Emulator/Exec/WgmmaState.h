//===- WgmmaState.h - wgmma work of one warp --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups of wgmma.mma_async and the registers that they own until the
// wait_group that covers them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_WGMMASTATE_H
#define TC_EMULATOR_EXEC_WGMMASTATE_H

#include "State/Warp.h"

#include <unordered_map>

namespace tc::emu {

struct WgmmaState {
  AsyncGroups groups;
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
