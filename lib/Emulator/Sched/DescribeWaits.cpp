//===- DescribeWaits.cpp - what every warp waits for ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a deadlock report: one line per waiting split with its
// instruction, and for barriers their phase, counts and outstanding bytes; then
// the asynchronous work that is stuck.
//
//===----------------------------------------------------------------------===//

#include "Sched/Scheduler.h"

#include <cstdio>

namespace tc::emu {

static std::string hex(uint64_t value) {
  char text[32];
  snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
  return text;
}

static std::string describeMbarrier(Cluster &cluster, const Split &split) {
  std::string why;
  uint32_t address = uint32_t(split.a);
  Mbarrier *b = cluster.mbarrier(address, why);
  if (!b)
    return "an mbarrier: " + why;
  std::string text =
      "mbarrier at shared offset " + std::to_string(smemOffset(address)) +
      " of " + cluster.cta(smemRank(address))->name() +
      " (initialised on line " + std::to_string(b->initLine) + "), ";
  text += split.b < 2 ? "parity " + std::to_string(split.b)
                      : "the phase of a state";
  return text + ": phase " + std::to_string(b->phase) + " has " +
         std::to_string(b->pending) + " of " + std::to_string(b->expected) +
         " arrivals pending and " + std::to_string(b->tx) +
         " bytes outstanding";
}

static std::string describeWait(Warp &w, const Split &split) {
  switch (split.wait) {
  case WaitKind::None:
    return "nothing";
  case WaitKind::Mbarrier:
    return describeMbarrier(w.cluster, split);
  case WaitKind::NamedBarrier: {
    const NamedBarrier &b = w.cta.barriers[split.a & 15];
    uint32_t expected = b.wholeCta ? w.cta.liveThreads : b.expected;
    return "barrier " + std::to_string(split.a) + ": " +
           std::to_string(b.arrived) + " of " + std::to_string(expected) +
           " threads have arrived";
  }
  case WaitKind::ClusterBarrier:
    return "the cluster's barrier: " +
           std::to_string(w.cluster.barrier.arrived) + " of " +
           std::to_string(w.cluster.liveThreads) + " threads have arrived";
  case WaitKind::Register:
    return "a register that a tcgen05.ld will write";
  case WaitKind::BulkGroup:
    return "bulk async-groups until at most " + std::to_string(split.a) +
           " are pending";
  case WaitKind::CpAsyncGroup:
    return "cp.async groups until at most " + std::to_string(split.a) +
           " are pending";
  case WaitKind::WgmmaGroup:
    return "wgmma groups until at most " + std::to_string(split.a) +
           " are pending";
  case WaitKind::TmemLoads:
    return "its tcgen05.ld to complete";
  case WaitKind::TmemStores:
    return "its tcgen05.st to complete";
  case WaitKind::TmemAlloc:
    return std::to_string(split.a) + " columns of Tensor Memory (" +
           std::to_string(Tmem::kColumns - w.cta.tmem.allocatedColumns()) +
           " of " + std::to_string(Tmem::kColumns) + " are free)";
  case WaitKind::PeerCta:
    return "the peer CTA of its pair";
  case WaitKind::Collective: {
    uint32_t missing = uint32_t(split.a) & w.liveMask() & ~split.mask;
    return "lanes " + hex(missing) + " to execute the same instruction";
  }
  case WaitKind::Reconvergence:
    return "other lanes of the warp";
  case WaitKind::Other:
    return "an event";
  }
  return "";
}

std::string ClusterScheduler::describeWaits() const {
  std::string text;
  unsigned lines = 0;
  for (Warp *warp : warps)
    for (const Split &split : warp->splits) {
      const DecodedInst &inst = impl->machine.kernel.code[split.pc];
      if (++lines > 64)
        continue;
      text += "\n  " + warp->name() + ", lanes " + hex(split.mask) + ", line " +
              std::to_string(inst.line) + " '" + cleanText(inst.text) + "'";
      if (split.state == Split::State::Runnable)
        text += " runs";
      else
        text += " waits for " + describeWait(*warp, split);
    }
  if (lines > 64)
    text += "\n  and " + std::to_string(lines - 64) + " more";
  if (const AsyncOp *op =
          impl->engine.findIf([](const AsyncOp &) { return true; }))
    text += "\n  oldest pending asynchronous work: " + op->describe();
  return text;
}

} // namespace tc::emu
