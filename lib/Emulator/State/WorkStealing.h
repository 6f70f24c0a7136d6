//===- WorkStealing.h - which cluster runs whose work -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clusterlaunchcontrol.try_cancel takes a cluster that has not been launched
// yet. Which one, and whether it comes too late, is the schedule's choice: at
// the start of the launch every cluster either is launched by itself or is set
// aside for one of those. The choice does not depend on how host threads run,
// so that a seed replays exactly. What its thief does not fetch is launched in
// the end.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_WORKSTEALING_H
#define TC_EMULATOR_STATE_WORKSTEALING_H

#include "tc/Emulator/Emulator.h"

#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tc::emu {

class WorkStealing {
public:
  WorkStealing(const Schedule &schedule, uint64_t clusters);
  /// Each cluster that is launched, followed by those that it cancels.
  explicit WorkStealing(const std::vector<std::vector<uint64_t>> &given);
  /// The answers are those of one of all ways, which are run one by one.
  const bool isGiven = false;

  /// Indices of the clusters that are launched by themselves, in order.
  const std::vector<uint64_t> &launched() const { return first; }
  /// A cluster that is cancelled in favour of `thief`; nothing if none is left.
  std::optional<uint64_t> cancel(uint64_t thief);
  /// A cluster that has not been cancelled so far and has to be launched.
  std::optional<uint64_t> leftOver();
  bool empty();

private:
  std::mutex mutex;
  std::vector<uint64_t> first;
  std::unordered_map<uint64_t, std::vector<uint64_t>> aside; ///< last one first
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_WORKSTEALING_H
