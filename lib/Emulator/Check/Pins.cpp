//===- Pins.cpp - what every schedule does alike --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "mbarrier", "bar", "tcgen05.alloc", "setmaxnreg": what each of
// them does depends on the state that it meets. What is not pinned is no error:
// another schedule may do something else, and the run does not show what.
//
//===----------------------------------------------------------------------===//

#include "Check/Pins.h"

#include "State/Machine.h"
#include "tc/Emulator/Certificate.h"

#include <algorithm>

namespace tc::emu {

void Pins::undecided(Choice choice, const std::string &what, int line, int at) {
  threads.certificate()->undecided({{choice, line}}, what, at);
}

/// A wait with a parity would have ended two phases ago, too, unless its thread
/// knows that the phase between the two is over.
void Pins::wait(std::vector<Pin> &pins, Group &group, const WarpState &warp,
                uint32_t lanes, uint32_t stream, uint32_t base, uint32_t phases,
                bool byState, int line) {
  if (!threads.certificate())
    return;
  const uint32_t sign = threads.signOf(stream);
  if (!byState) {
    if (phases >= 2 && group.message.heard.get(sign) < base + phases - 1)
      undecided(Choice::Phase,
                "may end with the phase before the last: its thread has not "
                "observed the one between, of the same barrier",
                line, line);
    pins.push_back({warp.base, group.lanes & lanes, warp.clock, line, phases});
  }
  group.message.heard.raise(sign, base + phases);
}

void Pins::expect(std::vector<Pin> &pins, const WarpState &warp, uint32_t lanes,
                  uint32_t phases, int line) {
  if (threads.certificate())
    pins.push_back({warp.base, lanes, warp.clock, line, phases});
}

/// What has met the state before can meet it no more.
void Pins::complete(std::vector<Pin> &pins, const Clock &own,
                    const Clock &others, uint32_t phases) {
  for (const Pin &pin : pins) {
    if (pin.phases != phases)
      continue;
    for (uint32_t rest = pin.lanes; rest; rest &= rest - 1) {
      const uint32_t thread = pin.base + unsigned(__builtin_ctz(rest));
      if (own.get(thread) >= pin.clock || others.get(thread) >= pin.clock)
        continue;
      undecided(Choice::Phase,
                "may come late: nothing lets the next phase of the barrier end "
                "after it (thread " +
                    std::to_string(thread % 32) + " of its warp)",
                pin.line, pin.line);
      break;
    }
  }
  pins.erase(
      std::remove_if(pins.begin(), pins.end(),
                     [&](const Pin &pin) { return pin.phases <= phases; }),
      pins.end());
}

Pins::Named &Pins::namedOf(uint64_t barrier) {
  Named &state = named[barrier];
  if (!state.stream)
    state.stream = threads.newStream();
  return state;
}

/// An arrival counts in the phase that goes on; the one before has to be over
/// for the thread, or it could have counted there.
void Pins::arrive(uint64_t barrier, WarpState &warp, uint32_t lanes, int line) {
  if (!threads.certificate())
    return;
  const Named &state = namedOf(barrier);
  threads.forGroups(warp, lanes, [&](Group &group) {
    if (group.message.heard.get(threads.signOf(state.stream)) < state.phases)
      undecided(Choice::Phase,
                "may count in the phase before: its thread has not observed "
                "that it is over",
                line, line);
  });
}

void Pins::leave(uint64_t barrier, WarpState &warp, uint32_t lanes) {
  if (!threads.certificate())
    return;
  const Named &state = namedOf(barrier);
  threads.forGroups(warp, lanes, [&](Group &group) {
    group.message.heard.raise(threads.signOf(state.stream), state.phases);
  });
}

/// tcgen05.alloc, dealloc and relinquish_alloc_permit of a CTA come in an order
/// of their own, but for allocations that fit beside each other.
void Pins::allocate(WarpState &warp, const SyncEvent &event) {
  if (!threads.certificate())
    return;
  Resources &of = resources[warp.rank];
  const auto lane = unsigned(__builtin_ctz(event.lanes));
  const Group &group = threads.groupOf(warp, lane);
  const bool allocates = event.kind == SyncEvent::TmemAlloc;
  if (allocates)
    of.allocated += event.object;
  const bool mayCrowd =
      of.allocated > Tmem::kColumns || event.kind == SyncEvent::TmemRelinquish;
  for (const Use &use : of.columns)
    if (mayCrowd && use.thread / 32 != warp.base / 32 &&
        group.message.heard.get(use.thread) < use.clock)
      undecided(Choice::Columns,
                "may come before or after the use of columns at line " +
                    std::to_string(use.line) + " of another warp",
                event.line, use.line);
  // A warp that waits for columns comes here again.
  ++warp.clock;
  of.columns.push_back({warp.base + lane, warp.clock, event.line});
}

/// Every demand is met in any order if each warp has one and what is given back
/// waits for none of them: at the end all are met together.
void Pins::changeRegisters(WarpState &warp, const SyncEvent &event) {
  if (!threads.certificate())
    return;
  Resources &of = resources[warp.rank];
  const auto lane = unsigned(__builtin_ctz(event.lanes));
  const Group &group = threads.groupOf(warp, lane);
  if (event.warp->registerChanges)
    undecided(Choice::Registers,
              "is not the first of its warp: who gets registers first may "
              "decide whether others do",
              event.line, event.line);
  for (const Use &use : of.registers)
    if (!event.value && group.message.heard.get(use.thread) >= use.clock)
      undecided(Choice::Registers,
                "gives registers back after the setmaxnreg.inc at line " +
                    std::to_string(use.line) + ", which may wait for them",
                event.line, use.line);
  if (!event.value)
    return;
  ++warp.clock;
  of.registers.push_back({warp.base + lane, warp.clock, event.line});
}

} // namespace tc::emu
