//===- FollowWaits.cpp - waits that fail ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "mbarrier.test_wait, mbarrier.try_wait": either may say that a
// phase is not complete.
//
//===----------------------------------------------------------------------===//

#include "Certify/Follower.h"

namespace tc::emu {

/// Whether a failed wait alone leads here, for the very phase: then it is
/// waited for one way or the other.
bool Follower::mayWaitIn(const WarpFlow &flow, OriginNumber control,
                         uint64_t place) const {
  for (const Certificate::Source &source : origins.sources(control)) {
    auto failed = flow.failed.find(source.second);
    if (source.first != Choice::WaitOutcome || failed == flow.failed.end() ||
        failed->second != place)
      return false;
  }
  return true;
}

/// The barriers and phases that `lanes` wait for, as one number.
uint64_t Follower::placeOf(const Warp &warp, const DecodedInst &wait,
                           uint32_t lanes) {
  const Src &named = wait.s[0];
  // A phase is named by its parity or by a state of 64 bits.
  const bool byState =
      !named.bank && KernelFlow::wordsOf(launch.kernel.kernel, named.reg) >= 64;
  uint64_t place = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    uint32_t address = 0;
    std::string why;
    warp.toShared(warp.address(wait.mem, lane), wait.mem.space, address);
    const Mbarrier *barrier = cluster.mbarrier(address, why);
    uint64_t phase = byState ? warp.r64(named)[lane] >> 20 : 0;
    if (barrier && !byState)
      phase = barrier->phase - barrier->passed(warp.r32(named)[lane] & 1);
    place = (place ^ address ^ phase << 32) * 0x9e3779b97f4a7c15ull;
    place ^= place >> 29;
  }
  return place;
}

WaitOracle::Outcome Follower::outcome(Warp &warp, const DecodedInst &wait,
                                      uint32_t lanes) {
  WarpFlow &flow = flowOf(warp);
  PresentInst &now = flow.now;
  const OriginNumber origin = base(Choice::WaitOutcome, wait.line);
  const bool leadsBack = failureLeadsBack(warp, flow, launch.kernel, now.pc,
                                          lanes, origin, origins);
  if (leadsBack && !now.control)
    return Outcome::Completes;
  const uint64_t place = placeOf(warp, wait, lanes);
  if (now.control && !(leadsBack && mayWaitIn(flow, now.control, place)))
    decides(now.control, "decides whether it is executed: " + opcodeOf(wait),
            wait.line);
  if (leadsBack)
    return Outcome::Completes;
  now.result = origins.join(origins.opaque(now.result), origin);
  uint64_t &failed = flow.failed[wait.line];
  if (failed == place)
    return Outcome::Completes;
  // What is left of an earlier failure is of another phase.
  for (uint32_t reg : flow.marked)
    if (reg != wait.d[0].reg && flow.lanes[reg] &&
        origins.sources(flow.origin[reg])
            .count({Choice::WaitOutcome, wait.line}))
      flow.add(reg, flow.lanes[reg], base(Choice::Phase, wait.line), origins);
  failed = place;
  return Outcome::Fails;
}

} // namespace tc::emu
