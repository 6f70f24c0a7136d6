//===- Schedule.cpp - names of schedules ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of policies is what the command line, its help and the
// documentation are made from.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Emulator.h"

namespace tc::emu {

const std::vector<SchedulePolicy> &schedulePolicies() {
  using Kind = Schedule::Kind;
  static const std::vector<SchedulePolicy> policies = {
      {Kind::Eager, "eager", false,
       "asynchronous work completes as soon as it may"},
      {Kind::Lazy, "lazy", false, "it completes only when no warp can go on"},
      {Kind::Reverse, "reverse", false,
       "as lazy, but the youngest work completes first"},
      {Kind::Starvation, "starvation", true,
       "one warp or engine runs only when nothing else can; SEED names it, 0: "
       "each in turn"},
      {Kind::Skew, "skew", true,
       "CTA SEED of each cluster runs only when no other can, clusters start "
       "in "
       "the order that SEED draws"},
      {Kind::LateReads, "late-reads", true,
       "MMAs and stores read their sources when nothing else can go on"},
      {Kind::Random, "random", true, "everything is drawn from SEED"}};
  return policies;
}

static std::string nameList() {
  std::string list;
  for (const SchedulePolicy &policy : schedulePolicies()) {
    if (!list.empty())
      list += &policy == &schedulePolicies().back() ? " or " : ", ";
    list += policy.name;
    if (policy.seeded)
      list += "[:SEED]";
  }
  return list;
}

Expected<Schedule> Schedule::parse(std::string_view text) {
  std::string_view name = text.substr(0, text.find(':'));
  for (const SchedulePolicy &policy : schedulePolicies()) {
    if (policy.name != name)
      continue;
    Schedule schedule;
    schedule.kind = policy.kind;
    if (name.size() == text.size())
      return schedule;
    std::string_view seed = text.substr(name.size() + 1);
    // 19 digits always fit.
    bool good = policy.seeded && !seed.empty() && seed.size() < 20;
    for (char c : seed) {
      good &= c >= '0' && c <= '9';
      schedule.seed = schedule.seed * 10 + unsigned(c - '0');
    }
    if (good)
      return schedule;
    break;
  }
  return Error{"expected " + nameList() + ", got '" + std::string(text) + "'"};
}

std::string Schedule::str() const {
  for (const SchedulePolicy &policy : schedulePolicies())
    if (policy.kind == kind)
      return policy.seeded
                 ? std::string(policy.name) + ":" + std::to_string(seed)
                 : policy.name;
  return "";
}

std::vector<Schedule> allSchedules() {
  using Kind = Schedule::Kind;
  return {{Kind::Eager, 0},      {Kind::Lazy, 0},  {Kind::Reverse, 0},
          {Kind::Starvation, 0}, {Kind::Skew, 0},  {Kind::Skew, 1},
          {Kind::LateReads, 1},  {Kind::Random, 1}};
}

} // namespace tc::emu
