//===- Fences.cpp - fences, hints and small instructions ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0: membar, fence, griddepcontrol, prefetch, createpolicy,
// applypriority, discard. Memory is sequentially consistent here, so that
// fences only matter to a checker that listens.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/Lanes.h"
#include "Exec/Decode/Modifiers.h"
#include "Exec/Decode/Targets.h"
#include "State/Machine.h"

namespace tc::emu {

static Step execFence(Warp &w, const DecodedInst &i, uint32_t active) {
  if (w.cluster.events)
    w.cluster.events->sync({SyncEvent::Fence, &w, active, nullptr, 0, i.aux,
                            i.order, i.scope, i.line});
  return Step::Next;
}

/// Lanes may name different tensor maps.
static Step execMapAcquire(Warp &w, const DecodedInst &i, uint32_t active) {
  for (uint32_t rest = active; w.cluster.events && rest;) {
    const uint64_t address = w.address(i.mem, unsigned(__builtin_ctz(rest)));
    uint32_t same = 0;
    for (uint32_t lanes = rest; lanes; lanes &= lanes - 1)
      if (unsigned lane = unsigned(__builtin_ctz(lanes));
          w.address(i.mem, lane) == address)
        same |= 1u << lane;
    w.cluster.events->sync({SyncEvent::Fence, &w, same, nullptr, address, i.aux,
                            i.order, i.scope, i.line});
    rest &= ~same;
  }
  return Step::Next;
}

static Step execNothing(Warp &w, const DecodedInst &i, uint32_t active) {
  return Step::Next;
}

static void failOnProxy(DecodeContext &c, const std::string &expected) {
  const std::string_view got = c.peek();
  c.fail("expected " + expected + " after .proxy, got " +
         (got.empty() ? "nothing" : "." + std::string(got)));
}

/// membar.proxy is fence.proxy (PTX ISA 9.4, 9.7.15.4), of no state space or
/// order.
static void decodeMembar(DecodeContext &c) {
  FenceKind kind = FenceKind::MemorySc;
  if (c.take("proxy")) {
    const std::string_view proxy = c.takeOneOf({"alias", "async"});
    if (proxy.empty())
      return failOnProxy(c, ".alias or .async");
    kind = proxy == "async" ? FenceKind::ProxyAsync : FenceKind::ProxyOther;
  } else {
    const std::string_view scope = c.takeOneOf({"cta", "gl", "sys"});
    if (scope.empty())
      return c.fail("expected .cta, .gl or .sys");
    c.inst.scope = scope == "cta" ? Scope::Cta : Scope::Gpu;
  }
  c.inst.aux = uint32_t(kind);
  if (c.expectOperands(0, 0))
    c.inst.fn = execFence;
}

static Scope scopeOf(std::string_view scope) {
  return scope == "cta"       ? Scope::Cta
         : scope == "cluster" ? Scope::Cluster
                              : Scope::Gpu;
}

/// fence.proxy.alias: with an order it is a fence of memory as well, which the
/// example of the ISA relies on (9.4, "fence", 9.7.15.4).
static void decodeAliasFence(DecodeContext &c, FenceKind &kind) {
  const std::string_view order = c.takeOneOf({"acquire", "release"});
  if (!order.empty()) {
    expectTarget(c, "fence.proxy.alias." + std::string(order), Targets::From90,
                 {9, 4});
    if (!c.take("sys"))
      return c.fail("expected .sys");
    kind = FenceKind::Memory;
    c.inst.order =
        order == "acquire" ? MemoryOrder::Acquire : MemoryOrder::Release;
    c.inst.scope = scopeOf("sys");
  }
  c.expectOperands(0, 0);
}

/// fence.alias.sync_restrict::read.release.sys: no text says what it orders
/// besides virtual aliases, which programs here do not have.
static void decodeAliasRead(DecodeContext &c) {
  expectTarget(c, "fence.alias", Targets::From90, {9, 5});
  if (!c.take("sync_restrict::read") || !c.take("release") || !c.take("sys"))
    return c.fail("expected .sync_restrict::read.release.sys");
  c.inst.aux = uint32_t(FenceKind::ProxyOther);
  if (c.expectOperands(0, 0))
    c.inst.fn = execFence;
}

static void decodeFence(DecodeContext &c) {
  if (c.take("proxy")) {
    FenceKind kind = FenceKind::ProxyOther;
    c.inst.fn = execFence;
    if (c.take("tensormap::generic")) {
      // A one-way proxy fence: .release.scope, or .acquire.scope [addr], 128.
      std::string_view order = c.takeOneOf({"acquire", "release"});
      std::string_view scope = c.takeOneOf({"cta", "cluster", "gpu", "sys"});
      if (order.empty() || scope.empty())
        return c.fail("expected .acquire or .release, and a scope");
      kind = order == "acquire" ? FenceKind::TensorMapAcquire
                                : FenceKind::TensorMapRelease;
      c.inst.scope = scopeOf(scope);
      unsigned n = order == "acquire" ? 2 : 0;
      if (!c.expectOperands(n, n))
        return;
      if (n) {
        c.inst.mem = c.memRef(0, Space::Generic);
        c.inst.fn = execMapAcquire;
        if (c.immediate(c.operand(1)) != 128)
          return c.fail("expected a size of 128");
      }
    } else if (c.take("async::generic")) {
      const std::string_view order = c.takeOneOf({"acquire", "release"}),
                             of = c.takePrefix("sync_restrict::shared::");
      const bool reads = of == "sync_restrict::shared::cluster::read";
      kind = reads ? FenceKind::ProxyAsyncReads : FenceKind::ProxyAsyncShared;
      if (!c.take("cluster") ||
          (order == "acquire"
               ? of != "sync_restrict::shared::cluster"
               : order != "release" ||
                     (!reads && of != "sync_restrict::shared::cta")))
        return c.fail("expected .acquire.sync_restrict::shared::cluster, or "
                      ".release.sync_restrict::shared::cta or "
                      "::shared::cluster::read, and .cluster");
      if (reads)
        expectTarget(c, ".sync_restrict::shared::cluster::read",
                     Targets::From90, {9, 4});
      c.expectOperands(0, 0);
    } else if (c.take("async")) {
      Space space = c.takeSpace();
      kind = space == Space::Generic  ? FenceKind::ProxyAsync
             : space == Space::Global ? FenceKind::ProxyAsyncGlobal
                                      : FenceKind::ProxyAsyncShared;
      c.expectOperands(0, 0);
    } else if (c.take("alias")) {
      decodeAliasFence(c, kind);
    } else {
      return failOnProxy(
          c, ".alias, .async, .async::generic or .tensormap::generic");
    }
    c.inst.aux = uint32_t(kind);
    return;
  }
  FenceKind kind = FenceKind::Memory;
  if (c.take("mbarrier_init")) {
    kind = FenceKind::MbarrierInit;
    c.take("release");
    if (!c.take("cluster"))
      return c.fail("expected .release.cluster");
  } else {
    std::string_view order =
        c.takeOneOf({"sc", "acq_rel", "acquire", "release"});
    if (order.empty())
      return c.fail("expected .sc, .acq_rel, .acquire or .release");
    if (order == "sc")
      kind = FenceKind::MemorySc;
    c.inst.order = order == "acquire"   ? MemoryOrder::Acquire
                   : order == "release" ? MemoryOrder::Release
                                        : MemoryOrder::AcqRel;
    // A release is about shared memory of the CTA, an acquire about that of the
    // cluster.
    std::string_view space = c.takePrefix("sync_restrict::");
    std::string_view scope = c.takeOneOf({"cta", "cluster", "gpu", "sys"});
    if (scope.empty())
      return c.fail("expected a scope");
    c.inst.scope = scopeOf(scope);
    if (!space.empty()) {
      kind = FenceKind::MemoryOfShared;
      if (scope != "cluster" ||
          space != (order == "acquire"   ? "sync_restrict::shared::cluster"
                    : order == "release" ? "sync_restrict::shared::cta"
                                         : ""))
        return c.fail("expected .acquire.sync_restrict::shared::cluster or "
                      ".release.sync_restrict::shared::cta, and .cluster");
    }
  }
  if (c.expectOperands(0, 0))
    c.inst.fn = execFence;
  c.inst.aux = uint32_t(kind);
}

static Step execLaunchDependents(Warp &w, const DecodedInst &, uint32_t) {
  w.machine.launchedDependents.store(true, std::memory_order_relaxed);
  return Step::Next;
}

/// One grid is launched at a time: its prerequisites have finished. A checker
/// is told which warps rely on that.
static Step execGridWait(Warp &w, const DecodedInst &i, uint32_t active) {
  if (w.cluster.events)
    w.cluster.events->sync({SyncEvent::GridWait, &w, active, nullptr, 0, 0,
                            MemoryOrder::AcqRel, Scope::Gpu, i.line});
  return Step::Next;
}

static void decodeGridDependency(DecodeContext &c) {
  std::string_view what = c.takeOneOf({"launch_dependents", "wait"});
  if (what.empty())
    return c.fail("expected .launch_dependents or .wait");
  if (c.expectOperands(0, 0))
    c.inst.fn = what == "wait" ? execGridWait : execLaunchDependents;
}

/// .valid_addr: a byte of global memory is at each address.
static Step execValidPrefetch(Warp &w, const DecodedInst &i, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    const uint64_t address = w.address(i.mem, lane);
    if (!w.machine.readable(address, 1))
      return w.fail(ReportKind::Memory, i,
                    w.machine.explain(address, 1, false) + ", lane " +
                        std::to_string(lane));
  }
  return Step::Next;
}

static void decodePrefetch(DecodeContext &c) {
  if (c.take("tensormap")) {
    Space space =
        c.takeOneOf({"param", "const"}).empty() ? Space::Generic : Space::Param;
    if (c.expectOperands(1, 1))
      c.inst.mem = c.memRef(0, space);
  } else {
    Space space = c.takeSpace();
    const bool sized = c.take("L1::32B");
    if (sized) {
      expectTarget(c, ".L1::32B", Targets::From90, {9, 4});
      if (space != Space::Generic && space != Space::Global)
        return c.fail("expected .global, or no state space, with .L1::32B");
      if (!c.take("valid_addr"))
        return c.fail("expected .valid_addr with .L1::32B");
    } else if (c.takeOneOf({"L1", "L2", "L2::evict_last", "L2::evict_normal"})
                   .empty()) {
      return c.fail("expected a cache level");
    }
    if (sized && c.expectOperands(1, 1)) {
      c.inst.mem = c.memRef(0, space);
      c.inst.fn = execValidPrefetch;
      return;
    }
    if (c.expectOperands(1, 1))
      c.inst.mem = c.memRef(0, space);
  }
  c.inst.fn = execNothing;
}

static void decodePrefetchu(DecodeContext &c) {
  if (!c.take("L1"))
    return c.fail("expected .L1");
  if (c.expectOperands(1, 1))
    c.inst.mem = c.memRef(0, Space::Generic);
  c.inst.fn = execNothing;
}

static void decodePriority(DecodeContext &c) {
  Space space = c.takeSpace();
  c.takePrefix("L2");
  if (!c.expectOperands(2, 2))
    return;
  c.inst.mem = c.memRef(0, space);
  c.inst.fn = execNothing;
}

/// A cache policy is an opaque number.
static Step execPolicy(Warp &w, const DecodedInst &i, uint32_t active) {
  uint64_t *d = w.w64(i.d[0]);
  forLanes(active, [=](unsigned l) { d[l] = 0x12f0000000000000ull; });
  w.define(i.d[0], active);
  return Step::Next;
}

static void decodePolicy(DecodeContext &c) {
  std::string_view kind = c.takeOneOf({"fractional", "range", "cvt"});
  if (kind.empty())
    return c.fail("expected .fractional, .range or .cvt");
  c.takeSpace();
  c.take("L2");
  while (!c.takePrefix("L2::").empty())
    continue;
  if (c.takeType() != Type::B64)
    return c.fail("expected .b64");
  if (!c.expectOperands(1, 4))
    return;
  c.inst.d[0] = c.dst(0, Type::B64);
  if (kind == "fractional" && c.numOperands() == 2)
    c.src(1, Type::F32);
  c.inst.fn = execPolicy;
}

void registerFenceInstructions(InstructionTable &table) {
  table.add("membar", decodeMembar);
  table.add("fence", decodeFence);
  table.add("fence.alias", decodeAliasRead);
  table.add("griddepcontrol", decodeGridDependency);
  table.add("prefetch", decodePrefetch);
  table.add("prefetchu", decodePrefetchu);
  table.add("applypriority", decodePriority);
  table.add("createpolicy", decodePolicy);
}

} // namespace tc::emu
