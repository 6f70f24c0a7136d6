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
void restoreRules() {
  anyRuleDropped = false;
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

} // namespace tc::emu
