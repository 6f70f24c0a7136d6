//===- Mbarrier.cpp - the mbarrier object ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transitions of the mbarrier state machine (PTX ISA 9.0, "mbarrier: Phase
// Completion" and the operation sections that follow it).
//
//===----------------------------------------------------------------------===//

#include "State/Mbarrier.h"

namespace tc::emu {

void Mbarrier::remember(const BarrierEvent &event) {
  BarrierEvent *last = history.last();
  if (last && last->kind == event.kind && last->line == event.line &&
      last->warp == event.warp && last->rank == event.rank &&
      last->phase == event.phase) {
    last->amount += event.amount;
    last->moment = event.moment;
    return;
  }
  history.push(event);
}

void Mbarrier::note(const Arrival &by, Arrival::Kind kind, uint64_t amount,
                    uint64_t moment) {
  remember({BarrierEvent::Kind(kind), by.async, uint16_t(by.rank),
            uint16_t(by.warp), by.line, phase, amount, moment});
  for (Arrival &known : arrivals)
    if (known.line == by.line && known.warp == by.warp &&
        known.rank == by.rank && known.kind == kind) {
      known.amount = known.phase == phase ? known.amount + amount : amount;
      known.phase = phase;
      return;
    }
  arrivals.push_back(by);
  arrivals.back().kind = kind;
  arrivals.back().phase = phase;
  arrivals.back().amount = amount;
}

const char *Mbarrier::init(uint32_t count, bool isReporting) {
  if (count < 1 || count > kMaxCount)
    return "expected an arrival count in [1, 2^20-1]";
  if (isReporting && count > kMaxReportingCount)
    return "expected an arrival count in [1, 511] for .layout::v1";
  reporting = isReporting;
  report = lastReport = false;
  conditionalPhase = 0;
  expected = pending = count;
  tx = 0;
  phase = 0;
  return nullptr;
}

const char *Mbarrier::reportOn() {
  if (!reporting)
    return "expected an mbarrier of .layout::v1 for a report";
  report = true;
  return nullptr;
}

bool Mbarrier::checkPhase() {
  if (pending != 0 || tx != 0)
    return false;
  ++phase;
  conditionalPhase += !report;
  lastReport = report;
  report = false;
  pending = expected;
  return true;
}

const char *Mbarrier::expectTx(uint32_t bytes) {
  if (int64_t(tx) + bytes > int64_t(kMaxCount))
    return "the transaction count exceeds 2^20-1";
  tx += int32_t(bytes);
  return nullptr;
}

const char *Mbarrier::completeTx(uint32_t bytes, bool &completed) {
  if (int64_t(tx) - bytes < -int64_t(kMaxCount))
    return "the transaction count falls below -(2^20-1)";
  tx -= int32_t(bytes);
  completed = checkPhase();
  return nullptr;
}

const char *Mbarrier::arriveNoComplete(uint32_t count) {
  if (count < 1 || count > kMaxCount)
    return "expected an arrival count in [1, 2^20-1]";
  if (count >= pending)
    return "an arrival with .noComplete would complete the phase";
  pending -= count;
  return nullptr;
}

const char *Mbarrier::arrive(uint32_t count, bool &completed) {
  if (count < 1 || count > kMaxCount)
    return "expected an arrival count in [1, 2^20-1]";
  if (count > pending)
    return "more arrivals than the phase expects";
  pending -= count;
  completed = checkPhase();
  return nullptr;
}

const char *Mbarrier::arriveDrop(uint32_t count, bool &completed) {
  if (count > expected)
    return "more arrivals dropped than the barrier expects";
  if (count < 1 || count > pending)
    return "more arrivals than the phase expects";
  expected -= count;
  return arrive(count, completed);
}

const char *Mbarrier::incrementPending(uint32_t count) {
  if (pending + count > kMaxCount)
    return "the pending count exceeds 2^20-1";
  pending += count;
  return nullptr;
}

} // namespace tc::emu
