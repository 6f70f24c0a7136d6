//===- RaceChecker.cpp - the checker of a launch and its clusters ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/ClusterChecker.h"
#include "State/Machine.h"

namespace tc::emu {

bool droppedRules[unsigned(Rule::Count)] = {};
bool anyRuleDropped = false;
void dropRule(Rule rule) {
  droppedRules[unsigned(rule)] = anyRuleDropped = true;
}
/// What an entry has room for.
static constexpr uint32_t kMostRecords = 1u << 26;
static uint32_t mostRecords = kMostRecords;
void limitRecords(uint32_t most) { mostRecords = most; }
void restoreRules() {
  anyRuleDropped = false;
  mostRecords = kMostRecords;
  limitReads(ReadLogs::kMost);
  for (bool &dropped : droppedRules)
    dropped = false;
}

RaceChecker::RaceChecker(Machine &machine, uint64_t clusters)
    : machine(machine), sample(clusters, machine.options.raceClusters),
      footprint(std::make_shared<GlobalFootprint>(machine.memory)) {
  footprint->kernel = &machine.kernel;
}

LaunchSequence::LaunchSequence() = default;
LaunchSequence::~LaunchSequence() = default;

std::unique_ptr<Observer> RaceChecker::observe(Cluster &cluster) {
  return std::make_unique<ClusterChecker>(*this, cluster);
}

GlobalRecords::GlobalRecords()
    : chunks(static_cast<Record **>(
          std::calloc(kMostRecords / kChunk, sizeof(Record *)))) {
  give({take().next + 1, kChunk}); // the first says that there is none
}

GlobalRecords::Room GlobalRecords::take() {
  if (!unused.empty()) {
    const Room room = unused.back();
    unused.pop_back();
    return room;
  }
  const auto chunk = uint32_t(storage.size());
  if ((chunk + 1) * uint64_t(kChunk) > mostRecords)
    return {};
  storage.push_back(std::make_unique<Record[]>(kChunk));
  chunks[chunk] = storage.back().get();
  return {chunk * kChunk, (chunk + 1) * kChunk};
}

} // namespace tc::emu
