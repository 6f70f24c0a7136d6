//===- Policy.cpp - the choices of one schedule ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per choice, with all policies side by side.
//
//===----------------------------------------------------------------------===//

#include "State/Policy.h"

#include "State/Engine.h"
#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

/// Engines as roles of Starvation.
enum class EngineRole : unsigned {
  Loads,
  Stores,
  TensorCore,
  TmemAccess,
  Count
};

static EngineRole engineRole(AsyncClass asyncClass) {
  switch (asyncClass) {
  case AsyncClass::CpAsync:
  case AsyncClass::BulkLoad:
  case AsyncClass::Prefetch:
  case AsyncClass::StoreAsync:
    return EngineRole::Loads;
  case AsyncClass::BulkStore:
    return EngineRole::Stores;
  case AsyncClass::Mma:
  case AsyncClass::TmemCopy:
  case AsyncClass::TmemShift:
  case AsyncClass::Commit:
  case AsyncClass::Wgmma:
    return EngineRole::TensorCore;
  case AsyncClass::TmemLoad:
  case AsyncClass::TmemStore:
    return EngineRole::TmemAccess;
  }
  return EngineRole::Loads;
}

/// Whether a program can still overwrite what the op is going to read.
static bool hasOpenSources(const AsyncOp &op) {
  if (op.sourcesRead)
    return false;
  switch (op.asyncClass) {
  case AsyncClass::Mma:
  case AsyncClass::TmemCopy:
  case AsyncClass::TmemShift:
  case AsyncClass::TmemLoad:
  case AsyncClass::BulkStore:
  case AsyncClass::Wgmma:
    return true;
  default:
    return op.fromShared;
  }
}

Policy::Policy(const Schedule &schedule, uint64_t cluster)
    : kind(schedule.kind), seed(schedule.seed),
      random(schedule.seed * 0x9e3779b97f4a7c15ull + cluster) {}

void Policy::setShape(unsigned numCtas, unsigned numWarps) {
  ctas = numCtas;
  warpsPerCta = numWarps;
  if (kind == Kind::Starvation && seed)
    victim = unsigned((seed - 1) % roles());
}

unsigned Policy::roles() const {
  return ctas * warpsPerCta + unsigned(EngineRole::Count);
}

unsigned Policy::electLane(uint32_t members) const {
  unsigned nth = 0, count = unsigned(__builtin_popcount(members));
  switch (kind) {
  case Kind::Eager:
  case Kind::Lazy:
    break;
  case Kind::Reverse:
    nth = count - 1;
    break;
  default:
    nth = unsigned(Random(seed * 31 + members).next() % count);
  }
  while (nth--)
    members &= members - 1;
  return unsigned(__builtin_ctz(members));
}

bool Policy::comesBackEarly(unsigned tries) {
  switch (kind) {
  case Kind::Starvation:
  case Kind::Skew:
    return tries < 1 + seed % 3;
  case Kind::Random:
    return random.oneIn(16);
  default:
    return false;
  }
}

unsigned Policy::firstPlace(unsigned places) {
  if (takesLastColumns)
    return places - 1;
  switch (kind) {
  case Kind::Eager:
  case Kind::Lazy:
    return 0;
  case Kind::Reverse:
    return places - 1;
  default:
    return random.below(places);
  }
}

void Policy::orderSides(std::vector<std::pair<uint32_t, uint32_t>> &ways) {
  switch (kind) {
  case Kind::Eager:
  case Kind::Lazy:
    return;
  case Kind::Reverse:
    std::reverse(ways.begin(), ways.end());
    return;
  default:
    for (size_t i = ways.size(); i > 1; --i)
      std::swap(ways[i - 1], ways[random.below(uint32_t(i))]);
  }
}

size_t Policy::chooseTarget(size_t count) {
  if (count < 2)
    return 0;
  switch (kind) {
  case Kind::Eager:
  case Kind::Lazy:
    return 0;
  case Kind::Reverse:
    return count - 1;
  default:
    return random.below(uint32_t(count));
  }
}

bool Policy::isPrompt(const AsyncOp &op) const {
  switch (kind) {
  case Kind::Eager:
    return true;
  case Kind::Lazy:
  case Kind::Reverse:
  case Kind::Random:
    return false;
  case Kind::Starvation:
    return ctas * warpsPerCta + unsigned(engineRole(op.asyncClass)) != victim;
  case Kind::Skew:
    return ctas == 1 || op.issuerRank != seed % ctas;
  case Kind::LateReads:
    return !hasOpenSources(op);
  }
  return true;
}

bool Policy::isHeldBack(const Warp &warp) const {
  if (kind == Kind::Starvation)
    return warp.cta.rank * warpsPerCta + warp.index == victim;
  return kind == Kind::Skew && ctas > 1 && warp.cta.rank == seed % ctas;
}

void Policy::heldBackRan() {
  if (kind == Kind::Starvation && !seed)
    victim = (victim + 1) % roles();
}

} // namespace tc::emu
