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
void dropRule(Rule rule) { droppedRules[unsigned(rule)] = true; }
void restoreRules() {
  for (bool &dropped : droppedRules)
    dropped = false;
}

RaceChecker::RaceChecker(Machine &machine)
    : machine(machine), footprint(std::make_shared<GlobalFootprint>()) {
  footprint->kernel = &machine.kernel;
}

LaunchSequence::LaunchSequence() = default;
LaunchSequence::~LaunchSequence() = default;

std::unique_ptr<Observer> RaceChecker::observe(Cluster &cluster) {
  return std::make_unique<ClusterChecker>(*this, cluster);
}

Shadow &RaceChecker::page(uint64_t address) {
  auto &page = footprint->pages[address >> kPageShift];
  if (!page)
    page = std::make_unique<Shadow>((1u << kPageShift) / Shadow::kGranule);
  return *page;
}

ClusterChecker::ClusterChecker(RaceChecker &shared, Cluster &cluster)
    : shared(shared), cluster(cluster),
      threadsPerCta(cluster.machine.warpsPerCta * 32) {
  const Machine &machine = cluster.machine;
  gridStream = newStream();
  uint32_t bytes = kSmemReserved + machine.smemBytes;
  for (unsigned rank = 0; rank < machine.ctasPerCluster; ++rank) {
    smem.push_back(std::make_unique<Shadow>(bytes / Shadow::kGranule + 1));
    tmem.push_back(nullptr);
    visits.emplace_back();
    for (unsigned index = 0; index < machine.warpsPerCta; ++index) {
      WarpState warp;
      warp.rank = rank;
      warp.index = index;
      warp.base = warp.own.base = uint32_t(warps.size()) * 32;
      warp.loadStream = newStream();
      warp.storeStream = newStream();
      streams += kIssued;
      warp.groups.push_back(std::make_unique<Group>());
      warp.groups[0]->lanes = ~0u;
      warp.groups[0]->message.present = 1u << rank;
      warps.push_back(std::move(warp));
    }
  }
}

} // namespace tc::emu
