//===- WgmmaStateTest.cpp - wgmma work of one warp --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/State/WgmmaState.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace tc::emu;

namespace {

/// A loop of products that waits for all but the last group.
TEST(WgmmaState, ids_of_finished_operations_are_forgotten) {
  WgmmaState state;
  uint64_t id = 0;
  size_t most = 0;
  for (unsigned turn = 0; turn < 10000; ++turn) {
    for (unsigned i = 0; i < 4; ++i)
      state.add(++id);
    state.commit();
    most = std::max(most, state.ids.size());
    if (state.groups.size() < 2)
      continue;
    const auto [issued, lastId] = state.groups.front();
    EXPECT_EQ(issued, 4 * turn);
    EXPECT_EQ(lastId, id - 4);
    // The last operation of the group is still pending, then it is not.
    EXPECT_FALSE(state.haveFinished(
        issued, [&](uint64_t other) { return other >= id - 4; }));
    EXPECT_TRUE(state.haveFinished(
        issued, [&](uint64_t other) { return other > id - 4; }));
    state.groups.pop_front();
  }
  EXPECT_EQ(most, 8u);
  EXPECT_EQ(state.issued, 40000u);
  // What has not been issued has not finished.
  EXPECT_FALSE(state.haveFinished(40001, [](uint64_t) { return false; }));
}

} // namespace
