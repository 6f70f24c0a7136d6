//===- WorkStealing.cpp - which cluster runs whose work -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eager and lazy schedules launch a quarter of the grid and deal out the rest
// in turn; random ones draw how many start, which come too late to be cancelled
// and who takes which.
//
//===----------------------------------------------------------------------===//

#include "State/WorkStealing.h"

#include "State/Random.h"

#include <algorithm>

namespace tc::emu {

WorkStealing::WorkStealing(const Schedule &schedule, uint64_t clusters) {
  bool random = schedule.kind == Schedule::Kind::Random;
  Random draw(schedule.seed * 0x2545f4914f6cdd1dull + 17);
  uint64_t start = random ? 1 + draw.next() % clusters : (clusters + 3) / 4;
  for (uint64_t i = 0; i < start; ++i)
    first.push_back(i);
  for (uint64_t i = start; i < clusters; ++i) {
    if (random && draw.oneIn(8))
      first.push_back(i);
    else
      aside[random ? draw.next() % start : (i - start) % start].push_back(i);
  }
  for (auto &entry : aside)
    std::reverse(entry.second.begin(), entry.second.end());
}

WorkStealing::WorkStealing(const std::vector<std::vector<uint64_t>> &given)
    : isGiven(true) {
  for (const std::vector<uint64_t> &list : given) {
    first.push_back(list.front());
    if (list.size() > 1)
      aside[list.front()].assign(list.rbegin(), list.rend() - 1);
  }
  std::sort(first.begin(), first.end());
}

std::optional<uint64_t> WorkStealing::cancel(uint64_t thief) {
  std::lock_guard<std::mutex> lock(mutex);
  auto entry = aside.find(thief);
  if (entry == aside.end())
    return {};
  uint64_t index = entry->second.back();
  entry->second.pop_back();
  if (entry->second.empty())
    aside.erase(entry);
  return index;
}

std::optional<uint64_t> WorkStealing::leftOver() {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t thief = ~0ull;
  for (const auto &entry : aside)
    thief = std::min(thief, entry.first);
  if (thief == ~0ull)
    return {};
  std::vector<uint64_t> &list = aside[thief];
  uint64_t index = list.back();
  list.pop_back();
  if (list.empty())
    aside.erase(thief);
  return index;
}

bool WorkStealing::empty() {
  std::lock_guard<std::mutex> lock(mutex);
  return aside.empty();
}

} // namespace tc::emu
