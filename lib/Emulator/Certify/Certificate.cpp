//===- Certificate.cpp - a verdict for all schedules ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Certificate.h"

#include "tc/Emulator/Names.h"

#include <algorithm>

namespace tc::emu {

/// Sets of elected lanes, beyond which the verdict is incomplete.
static constexpr unsigned kMostLanes = 16;
/// Clusters of a launch of which all ways to cancel each other are run: 501.
static constexpr uint64_t kMostClusters = 5;

const char *toString(Choice choice) {
  switch (choice) {
  case Choice::WaitOutcome:
    return "whether a wait ends early";
  case Choice::AtomicResult:
    return "the order of atomic operations";
  case Choice::StrongAccess:
    return "the order of strong accesses";
  case Choice::ElectedLane:
    return "the lane that elect.sync takes";
  case Choice::Columns:
    return "the columns that tcgen05.alloc gives";
  case Choice::CancelAnswer:
    return "which clusters are cancelled";
  case Choice::Clock:
    return "the time";
  case Choice::Placement:
    return "the multiprocessor of a CTA";
  case Choice::ActiveLanes:
    return "which lanes are active together";
  case Choice::Heap:
    return "the address that malloc gives";
  case Choice::Phase:
    return "the phase that is met";
  case Choice::Registers:
    return "the order of setmaxnreg";
  case Choice::None:
  case Choice::Count:
    break;
  }
  return "";
}

const char *toString(Verdict verdict) {
  switch (verdict) {
  case Verdict::Certified:
    return "certified";
  case Verdict::Refuted:
    return "refuted";
  case Verdict::Incomplete:
    break;
  }
  return "incomplete";
}

void Certificate::undecided(const std::set<Source> &sources,
                            const std::string &what, int at) {
  std::lock_guard<std::mutex> guard(lock);
  for (const Source &source : sources)
    entries.insert({source, what, at});
}

void Certificate::unordered(int before, int now) {
  std::lock_guard<std::mutex> guard(lock);
  unorderedLines.insert(before);
  unorderedLines.insert(now);
}

void Certificate::elected(uint32_t members, unsigned lane,
                          const std::vector<uint32_t> &classes) {
  std::lock_guard<std::mutex> guard(lock);
  for (uint32_t alike : classes)
    if (uint32_t both = alike & members) {
      uint32_t &tried = lanesTried[{members, both}];
      tried |= both & 1u << lane;
    }
}

unsigned Certificate::lane(uint32_t members) const {
  if (members >> wantedLane & 1)
    return wantedLane;
  return unsigned(__builtin_ctz(members));
}

uint32_t Certificate::missingLanes() const {
  for (const auto &[key, tried] : lanesTried) {
    const uint32_t alike = key.second;
    const int needed = std::min(2, __builtin_popcount(alike));
    if (__builtin_popcount(tried) >= needed)
      continue;
    return alike & ~tried;
  }
  return 0;
}

/// All ways to put `clusters` numbers into lists, with an order in each.
static std::vector<Certificate::Assignment> allAssignments(uint64_t clusters) {
  std::vector<Certificate::Assignment> all(1);
  for (uint64_t next = 0; next < clusters; ++next) {
    std::vector<Certificate::Assignment> longer;
    for (const Certificate::Assignment &before : all) {
      for (size_t list = 0; list < before.size(); ++list)
        for (size_t at = 0; at <= before[list].size(); ++at) {
          longer.push_back(before);
          std::vector<uint64_t> &to = longer.back()[list];
          to.insert(to.begin() + ptrdiff_t(at), next);
        }
      longer.push_back(before);
      longer.back().push_back({next});
    }
    all = std::move(longer);
  }
  return all;
}

Certificate::Assignment Certificate::assignment(uint64_t clusters) {
  std::lock_guard<std::mutex> guard(lock);
  if (clusters > kMostClusters)
    return {};
  std::vector<Assignment> &all = assignments[clusters];
  if (all.empty())
    all = allAssignments(clusters);
  return all[present % all.size()];
}

/// All ways of clusters to cancel each other with the first lanes; then all of
/// them with the last lanes that have yet to be taken; then all of that with
/// the other cluster size.
bool Certificate::needsRun() {
  std::lock_guard<std::mutex> guard(lock);
  ++numRuns;
  if (refuted)
    return false;
  size_t ways = 1;
  for (const auto &[clusters, all] : assignments)
    ways = std::max(ways, all.size());
  if (++present < ways)
    return true;
  present = 0;
  if (const uint32_t missing = missingLanes();
      missing && ++numLanes < kMostLanes) {
    wantedLane = 31 - unsigned(__builtin_clz(missing));
    return true;
  }
  if (missingLanes() || !preferredSeen || preferred)
    return false;
  preferred = true;
  wantedLane = numLanes = 0;
  lanesTried.clear();
  assignments.clear();
  return true;
}

/// Strong accesses and atomic operations that are ordered are no choices.
bool Certificate::isReal(const Source &source) const {
  return (source.first != Choice::AtomicResult &&
          source.first != Choice::StrongAccess) ||
         unorderedLines.count(source.second);
}

std::vector<Certificate::Entry> Certificate::findUndecided() const {
  std::vector<Entry> list;
  for (const Entry &entry : entries)
    if (isReal(entry.source))
      list.push_back(entry);
  for (const auto &[key, tried] : lanesTried)
    if (__builtin_popcount(tried) <
        std::min(2, __builtin_popcount(key.second))) {
      list.push_back(
          {{Choice::ElectedLane, 0},
           "has more sides than " + std::to_string(kMostLanes) + " runs show",
           0});
      break;
    }
  if (preferredSeen && !preferred && !refuted)
    list.push_back({{Choice::Placement, 0},
                    "the launch has a second cluster size that was not run",
                    0});
  return list;
}

Verdict Certificate::verdict() const {
  std::lock_guard<std::mutex> guard(lock);
  return refuted                   ? Verdict::Refuted
         : findUndecided().empty() ? Verdict::Certified
                                   : Verdict::Incomplete;
}

std::string Certificate::text(const std::string &fileName) const {
  const Verdict decided = verdict();
  std::string text = std::string(toString(decided));
  if (decided == Verdict::Certified)
    return text + ": all schedules\n";
  if (decided == Verdict::Refuted)
    return text + ": see the report\n";
  std::lock_guard<std::mutex> guard(lock);
  text += ": the run does not stand for all schedules\n";
  auto place = [&](int line) {
    return line ? fileName + ":" + std::to_string(line) : fileName;
  };
  for (const Entry &entry : findUndecided()) {
    text += "  " + place(entry.source.second) + ": " +
            toString(entry.source.first) + ": " + entry.what;
    if (entry.at != entry.source.second)
      text += " at line " + std::to_string(entry.at);
    text += "\n";
  }
  return text;
}

std::string Certificate::json() const {
  std::string text = std::string("{\"verdict\": \"") + toString(verdict()) +
                     "\", \"runs\": " + std::to_string(numRuns) +
                     ", \"undecided\": [";
  std::lock_guard<std::mutex> guard(lock);
  bool first = true;
  for (const Entry &entry : findUndecided()) {
    text += std::string(first ? "\n" : ",\n") + "  {\"choice\": \"" +
            toString(entry.source.first) +
            "\", \"line\": " + std::to_string(entry.source.second) +
            ", \"decides\": \"" + entry.what +
            "\", \"at\": " + std::to_string(entry.at) + "}";
    first = false;
  }
  return text + "]}\n";
}

} // namespace tc::emu
