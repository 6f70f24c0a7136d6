//===- Barriers.cpp - bar, barrier and barrier.cluster --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Parallel Synchronization and Communication Instructions":
// bar{.cta}, barrier{.cta}, barrier.cluster. bar is barrier with .aligned.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/Lanes.h"
#include "Exec/Decode/Modifiers.h"
#include "State/Machine.h"

namespace tc::emu {

namespace {
enum class Kind : uint8_t { Sync, Arrive, RedPopc, RedAnd, RedOr };

struct BarrierInfo : Payload {
  Kind kind = Kind::Sync;
  bool hasCount = false;
  Src id, count, predicate;
};

/// Goes on after a barrier that has completed, with the result of a reduction.
Step leaveBarrier(Warp &w, const DecodedInst &i, uint32_t active, uint32_t id) {
  const BarrierInfo &info = i.as<BarrierInfo>();
  const NamedBarrier &barrier = w.cta.barriers[id];
  w.split().released = false;
  if (w.cluster.events)
    w.cluster.events->sync({SyncEvent::BarrierLeave, &w, active, nullptr,
                            w.cta.rank << 8 | id, 0, MemoryOrder::AcqRel,
                            Scope::Cta, i.line});
  if (info.kind < Kind::RedPopc)
    return Step::Next;
  uint32_t count = barrier.resultCount;
  if (info.kind == Kind::RedPopc) {
    uint32_t *d = w.w32(i.d[0]);
    forLanes(active, [=](unsigned l) { d[l] = count; });
    w.define(i.d[0], active);
  } else {
    bool yes =
        info.kind == Kind::RedAnd ? count == barrier.resultThreads : count != 0;
    w.setPredicate(i.d[0], active, yes ? ~0u : 0);
  }
  return Step::Next;
}

/// Joins the barrier; the waiting kinds come again when it has completed.
Step execBarrier(Warp &w, const DecodedInst &i, uint32_t active) {
  const BarrierInfo &info = i.as<BarrierInfo>();
  unsigned lane = unsigned(__builtin_ctz(active));
  uint32_t id = w.r32(info.id)[lane];
  bool reduces = info.kind >= Kind::RedPopc;
  if (id > 15)
    return w.fail(ReportKind::Sync, i,
                  "expected a barrier from 0 to 15, got " + std::to_string(id));
  NamedBarrier &barrier = w.cta.barriers[id];
  if (w.split().released)
    return leaveBarrier(w, i, active, id);
  uint32_t threads = 0;
  if (info.hasCount) {
    threads = w.r32(info.count)[lane];
    if (threads == 0 || threads % 32)
      return w.fail(ReportKind::Sync, i,
                    "expected a thread count that is a multiple of 32, got " +
                        std::to_string(threads));
    if (threads > w.machine.warpsPerCta * 32)
      return w.fail(ReportKind::Sync, i,
                    "expected at most the CTA's " +
                        std::to_string(w.machine.threadsPerCta) +
                        " threads, got " + std::to_string(threads));
  }
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    if (w.r32(info.id)[l] != id ||
        (info.hasCount && w.r32(info.count)[l] != threads))
      return w.fail(ReportKind::Sync, i,
                    "expected the same barrier and count in all lanes");
  }
  if (barrier.arrived && (barrier.wholeCta == info.hasCount ||
                          (info.hasCount && barrier.expected != threads)))
    return w.fail(ReportKind::Sync, i,
                  "barrier " + std::to_string(id) +
                      " is in use with another thread count");
  if (barrier.arrived && barrier.isReduction != reduces &&
      info.kind != Kind::Arrive)
    return w.fail(ReportKind::Sync, i,
                  "barrier " + std::to_string(id) +
                      " mixes synchronisation and reduction");
  barrier.wholeCta = !info.hasCount;
  barrier.expected = threads;
  barrier.isReduction |= reduces;
  // With a count a warp counts as all its threads, whatever they are.
  bool wholeWarp = info.hasCount && i.aligned;
  barrier.arrived += wholeWarp ? 32 : unsigned(__builtin_popcount(active));
  if (reduces)
    barrier.reduceCount +=
        unsigned(__builtin_popcount(w.predicate(info.predicate) & active));
  uint32_t expected = info.hasCount ? threads : w.cta.liveThreads;
  if (barrier.arrived > expected)
    return w.fail(ReportKind::Sync, i,
                  "barrier " + std::to_string(id) + " expects " +
                      std::to_string(expected) + " threads, " +
                      std::to_string(barrier.arrived) + " have come");
  if (w.cluster.events)
    w.cluster.events->sync({SyncEvent::BarrierArrive, &w, active, nullptr,
                            w.cta.rank << 8 | id, 0, MemoryOrder::AcqRel,
                            Scope::Cta, i.line});
  ++w.cluster.effects;
  ++w.cluster.harmless;
  if (info.kind == Kind::Arrive) {
    w.cluster.checkNamedBarrier(w.cta, id);
    return Step::Next;
  }
  w.block(WaitKind::NamedBarrier, &barrier, id);
  w.cluster.checkNamedBarrier(w.cta, id);
  return Step::Block;
}

/// Phases alternate: a thread arrives once, then waits. The warp keeps the
/// parity of the phase that each lane arrived in.
Step execClusterArrive(Warp &w, const DecodedInst &i, uint32_t active) {
  Cluster &cluster = w.cluster;
  if (uint32_t twice = w.clusterArrived & active)
    return w.fail(ReportKind::Sync, i,
                  "barrier.cluster: lane " +
                      std::to_string(__builtin_ctz(twice)) +
                      " arrives twice without waiting");
  w.clusterArrived |= active;
  w.clusterParity =
      (w.clusterParity & ~active) | (cluster.barrier.phase & 1 ? active : 0);
  cluster.barrier.arrived += unsigned(__builtin_popcount(active));
  ++cluster.effects;
  ++cluster.harmless;
  if (cluster.events)
    cluster.events->sync({SyncEvent::ClusterArrive, &w, active, nullptr, 0, 0,
                          i.order, Scope::Cluster, i.line});
  cluster.checkClusterBarrier();
  return Step::Next;
}

Step execClusterWait(Warp &w, const DecodedInst &i, uint32_t active) {
  if (uint32_t missing = active & ~w.clusterArrived)
    return w.fail(ReportKind::Sync, i,
                  "barrier.cluster: lane " +
                      std::to_string(__builtin_ctz(missing)) +
                      " waits without having arrived");
  uint32_t parity = w.cluster.barrier.phase & 1 ? ~0u : 0;
  if (~(w.clusterParity ^ parity) & active)
    return w.block(WaitKind::ClusterBarrier, &w.cluster.barrier);
  if (w.cluster.events)
    w.cluster.events->sync({SyncEvent::ClusterLeave, &w, active, nullptr, 0, 0,
                            MemoryOrder::AcqRel, Scope::Cluster, i.line});
  w.clusterArrived &= ~active;
  return Step::Next;
}
} // namespace

static void decodeBarrier(DecodeContext &c) {
  bool aligned = c.base == "bar";
  c.take("cta");
  auto info = std::make_shared<BarrierInfo>();
  std::string_view kind = c.takeOneOf({"sync", "arrive", "red"});
  aligned |= c.take("aligned");
  c.inst.aligned = aligned;
  unsigned next = 0;
  if (kind == "red") {
    std::string_view op = c.takeOneOf({"popc", "and", "or"});
    Type type = c.takeType();
    if (!c.expectOperands(3, 4))
      return;
    info->kind = op == "popc"  ? Kind::RedPopc
                 : op == "and" ? Kind::RedAnd
                               : Kind::RedOr;
    if (op.empty() || type != (op == "popc" ? Type::U32 : Type::Pred))
      return c.fail("expected .popc.u32, .and.pred or .or.pred");
    c.inst.d[0] =
        op == "popc" ? c.dst(0, Type::U32) : c.predicateDst(c.operand(0));
    info->id = c.src(1, Type::U32);
    info->predicate = c.predicate(c.operand(c.numOperands() - 1));
    info->hasCount = c.numOperands() == 4;
    next = 2;
  } else {
    if (kind.empty())
      return c.fail("expected .sync, .arrive or .red");
    bool arrive = kind == "arrive";
    info->kind = arrive ? Kind::Arrive : Kind::Sync;
    if (!c.expectOperands(arrive ? 2 : 1, 2))
      return;
    info->id = c.src(0, Type::U32);
    info->hasCount = c.numOperands() == 2;
    next = 1;
  }
  if (info->hasCount)
    info->count = c.src(next, Type::U32);
  c.inst.fn = execBarrier;
  c.inst.payload = std::move(info);
}

static void decodeClusterBarrier(DecodeContext &c) {
  std::string_view kind = c.takeOneOf({"arrive", "wait"});
  bool relaxed = c.takeOneOf({"release", "relaxed", "acquire"}) == "relaxed";
  c.inst.order = relaxed ? MemoryOrder::Relaxed : MemoryOrder::AcqRel;
  c.inst.aligned = c.take("aligned");
  if (!c.expectOperands(0, 0))
    return;
  if (kind.empty())
    return c.fail("expected .arrive or .wait");
  c.inst.fn = kind == "arrive" ? execClusterArrive : execClusterWait;
}

void registerBarrierInstructions(InstructionTable &table) {
  table.add("bar", decodeBarrier);
  table.add("barrier", decodeBarrier);
  table.add("barrier.cluster", decodeClusterBarrier);
}

} // namespace tc::emu
