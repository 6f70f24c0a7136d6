//===- Spin.cpp - warps that repeat themselves ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the whole state of the warp, instruction by instruction, with that
// at the start.
//
//===----------------------------------------------------------------------===//

#include "Sched/Spin.h"

#include "Sched/Interpreter.h"
#include "State/Machine.h"

namespace tc::emu {

/// Longest loop that is recognised, in instructions.
static constexpr unsigned kLongestLoop = 4096;

namespace {
/// What decides how a warp goes on, memory of others aside.
class WarpState {
public:
  explicit WarpState(const Warp &w)
      : splits(w.splits), current(w.current), carry(w.carry),
        frame(w.data[0], w.data[0] + w.machine.kernel.frameWords),
        defined(w.defined[0], w.defined[0] + w.machine.kernel.numRegs),
        local(w.local) {}

  bool equals(const Warp &w) const {
    if (splits.size() != w.splits.size() || current != w.current ||
        carry != w.carry)
      return false;
    for (size_t i = 0; i < splits.size(); ++i)
      if (splits[i].pc != w.splits[i].pc ||
          splits[i].mask != w.splits[i].mask ||
          splits[i].state != w.splits[i].state ||
          splits[i].region != w.splits[i].region)
        return false;
    return memcmp(frame.data(), w.data[0], frame.size() * 4) == 0 &&
           memcmp(defined.data(), w.defined[0], defined.size() * 4) == 0 &&
           local == w.local;
  }

private:
  std::vector<Split> splits;
  unsigned current;
  uint32_t carry;
  std::vector<uint32_t> frame, defined;
  std::vector<uint8_t> local;
};
} // namespace

bool repeatsItself(Warp &warp) {
  Cluster &cluster = warp.cluster;
  const WarpState start(warp);
  const uint64_t effects = cluster.effects;
  for (unsigned i = 0; i < kLongestLoop; ++i) {
    SliceEnd end = runSlice(warp, 1);
    if (cluster.effects != effects ||
        (end != SliceEnd::Budget && end != SliceEnd::Yielded))
      return false;
    if (start.equals(warp))
      return true;
  }
  return false;
}

} // namespace tc::emu
