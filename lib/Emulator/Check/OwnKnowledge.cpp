//===- OwnKnowledge.cpp - what each lane knows of itself ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/OwnKnowledge.h"

#include "Check/RaceChecker.h"

namespace tc::emu {

template <class Visit>
static void forLanes(uint32_t lanes, Visit visit) {
  for (; lanes; lanes &= lanes - 1)
    visit(unsigned(__builtin_ctz(lanes)));
}

void OwnKnowledge::fence(uint32_t lanes, uint32_t clock, bool ofShared,
                         bool ofGlobal) {
  news |= lanes;
  forLanes(lanes, [&](unsigned lane) {
    if (ofShared) {
      shared[lane] = clock;
      copiesShared[lane] = copies[lane];
    }
    if (ofGlobal) {
      global[lane] = clock;
      copiesGlobal[lane] = copies[lane];
    }
  });
}

void OwnKnowledge::fenceReads(uint32_t lanes, uint32_t clock) {
  news |= lanes;
  forLanes(lanes, [&](unsigned lane) { reads[lane] = clock; });
}

void OwnKnowledge::fenceInits(uint32_t lanes, uint32_t clock) {
  news |= lanes;
  forLanes(lanes, [&](unsigned lane) { inits[lane] = clock; });
}

void OwnKnowledge::waitForCopies(uint32_t lanes, uint32_t count) {
  news |= lanes;
  forLanes(lanes, [&](unsigned lane) {
    copies[lane] = std::max(copies[lane], count);
  });
}

void OwnKnowledge::tell(uint32_t lanes, Message &to) const {
  auto raise = [](Clock &clock, uint32_t component, uint32_t value) {
    if (value)
      clock.raise(component, value);
  };
  forLanes(lanes & news, [&](unsigned lane) {
    raise(to.visibleShared.threads, base + lane, shared[lane]);
    raise(to.visibleGlobal.threads, base + lane, global[lane]);
    raise(to.readsVisible, base + lane, reads[lane]);
    raise(to.inits, base + lane, inits[lane]);
    if (!copyStream)
      return;
    const uint32_t stream = copyStream + lane;
    raise(to.known.async, stream, copies[lane]);
    raise(to.visibleShared.async, stream, copiesShared[lane]);
    raise(to.visibleGlobal.async, stream, copiesGlobal[lane]);
  });
}

void OwnKnowledge::tellInits(uint32_t lanes, Message &to) const {
  forLanes(lanes & news, [&](unsigned lane) {
    if (inits[lane])
      to.inits.raise(base + lane, inits[lane]);
  });
}

void OwnKnowledge::tellNarrowly(uint32_t lanes, Message &to,
                                AssumptionMask mask) const {
  forLanes(lanes & news, [&](unsigned lane) {
    to.fenced.raise(base + lane, shared[lane]);
    to.readsVisible.assume(base + lane, reads[lane], mask);
    to.inits.assume(base + lane, inits[lane], mask);
    if (copyStream)
      to.known.async.assume(copyStream + lane, copies[lane], mask);
  });
}

void Release::tellOwn(uint32_t lanes, Message &out) const {
  Message restricted;
  Message &to = isOfShared ? restricted : out;
  own.tell(lanes, to);
  forLanes(holds(Rule::SameWarpLanes) ? lanes : ~0u, [&](unsigned lane) {
    to.known.threads.raise(own.base + lane, clock);
  });
  if (isHeard)
    forLanes(lanes,
             [&](unsigned lane) { to.heard.raise(own.base + lane, clock); });
  if (isOfShared)
    out.join(restricted.ofShared());
}

const std::shared_ptr<const Message> &Release::of(unsigned lane) {
  if (!told[lane]) {
    auto message = std::make_shared<Message>(known);
    tellOwn(1u << lane, *message);
    told[lane] = std::move(message);
  }
  return told[lane];
}

void Release::tell(uint32_t lanes, Message &to) const {
  to.join(known);
  tellOwn(lanes, to);
}

} // namespace tc::emu
