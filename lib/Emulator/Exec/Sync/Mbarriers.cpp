//===- Mbarriers.cpp - mbarrier instructions ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "mbarrier" sections. Lanes act one after the other. A try_wait
// whose phase is not complete suspends its split; the scheduler ends the wait
// when the phase completes, or, as the ISA's time limit, when nothing else can
// go on. test_wait never suspends.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/Lanes.h"
#include "Exec/Decode/Modifiers.h"
#include "Exec/Decode/Targets.h"
#include "State/Machine.h"

namespace tc::emu {

namespace {
enum class MbarrierOp : uint8_t {
  Init,
  Inval,
  ExpectTx,
  CompleteTx,
  Arrive,
  ArriveExpectTx,
  ArriveNoComplete,
  ArriveDrop,
  ArriveDropExpectTx,
  ArriveDropNoComplete
};

/// The plain shared address of the operand in one lane; false after a report.
bool barrierAddress(Warp &w, const DecodedInst &i, unsigned lane,
                    uint32_t &address) {
  uint64_t given = w.address(i.mem, lane);
  if (!w.toShared(given, i.mem.space, address)) {
    w.fail(ReportKind::Memory, i,
           "expected an address in shared memory, lane " +
               std::to_string(lane));
    return false;
  }
  if (i.mem.space != Space::SharedCluster && smemRank(address) != w.cta.rank) {
    w.fail(ReportKind::Memory, i,
           "shared::cta address of CTA rank " +
               std::to_string(smemRank(address)) + " used by rank " +
               std::to_string(w.cta.rank));
    return false;
  }
  if (address % 8) {
    w.fail(ReportKind::Memory, i,
           "expected an mbarrier address that is a multiple of 8, got " +
               std::to_string(smemOffset(address)));
    return false;
  }
  return true;
}

Step execInit(Warp &w, const DecodedInst &i, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t address;
    if (!barrierAddress(w, i, l, address))
      return Step::Stop;
    uint32_t offset = smemOffset(address);
    SharedMemory &smem = w.cta.smem;
    if (!smem.inBounds(offset, 8))
      return w.fail(ReportKind::Memory, i,
                    "out of bounds of shared memory: " +
                        smem.explain(offset, 8, true));
    if (!smem.isWritable(offset, 8))
      return w.fail(ReportKind::Sync, i,
                    "mbarrier.init: " + smem.explain(offset, 8, true) +
                        w.cluster.culprit(w.cta.rank, offset, 8));
    Mbarrier *barrier = smem.createBarrier(offset);
    barrier->initLine = i.line;
    if (w.cluster.events)
      w.cluster.events->sync({SyncEvent::MbarrierInit, &w, 1u << l, nullptr,
                              address, 0, i.order, i.scope, i.line});
    if (const char *error = barrier->init(w.r32(i.s[0])[l], i.aux))
      return w.fail(ReportKind::Sync, i,
                    std::string(error) + ", got " +
                        std::to_string(w.r32(i.s[0])[l]));
  }
  ++w.cluster.effects;
  return Step::Next;
}

Step execInval(Warp &w, const DecodedInst &i, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t address;
    std::string why;
    if (!barrierAddress(w, i, l, address))
      return Step::Stop;
    Mbarrier *barrier = w.cluster.mbarrier(address, why);
    if (!barrier)
      return w.fail(ReportKind::Sync, i, why);
    if (w.cluster.events)
      w.cluster.events->sync({SyncEvent::MbarrierInval, &w, 1u << l, nullptr,
                              address, 0, i.order, i.scope, i.line});
    w.cta.smem.destroyBarrier(smemOffset(address));
  }
  ++w.cluster.effects;
  return Step::Next;
}

/// The same barrier of each CTA in the mask of `s[1]`, or the one that the
/// operand names; false after a report.
bool updatedBarriers(Warp &w, const DecodedInst &i, unsigned lane,
                     uint32_t address, std::vector<uint32_t> &barriers) {
  barriers.assign(1, address);
  if (!i.s[1].valid)
    return true;
  const uint32_t mask = w.r32(i.s[1])[lane];
  if (!mask || uint64_t(mask) >> w.cluster.ctas.size()) {
    w.fail(ReportKind::Sync, i,
           "ctaMask: expected a nonempty set of ranks below " +
               std::to_string(w.cluster.ctas.size()) + ", got mask " +
               std::to_string(mask));
    return false;
  }
  barriers.clear();
  for (unsigned rank = 0; rank < 32; ++rank)
    if (mask >> rank & 1)
      barriers.push_back(smemAddress(rank, smemOffset(address)));
  return true;
}

/// Does `op` to the barrier at `address`.
static Status applyUpdate(Cluster &cluster, MbarrierOp op, uint32_t address,
                          Mbarrier &barrier, uint32_t value,
                          const Mbarrier::Arrival &by) {
  const bool drops = op == MbarrierOp::ArriveDrop ||
                     op == MbarrierOp::ArriveDropExpectTx ||
                     op == MbarrierOp::ArriveDropNoComplete;
  switch (op) {
  case MbarrierOp::ExpectTx:
    return cluster.mbarrierExpectTx(address, value, by);
  case MbarrierOp::CompleteTx:
    return cluster.mbarrierCompleteTx(address, value, by);
  case MbarrierOp::ArriveExpectTx:
  case MbarrierOp::ArriveDropExpectTx:
    if (Status status = cluster.mbarrierExpectTx(address, value, by); !status)
      return status;
    return drops ? cluster.mbarrierArriveDrop(address, 1, by)
                 : cluster.mbarrierArrive(address, 1, by);
  case MbarrierOp::ArriveNoComplete:
  case MbarrierOp::ArriveDropNoComplete:
    ++cluster.effects;
    if (const char *error = barrier.arriveNoComplete(value))
      return Error{error};
    if (drops)
      barrier.expected -= value;
    return {};
  default:
    return drops ? cluster.mbarrierArriveDrop(address, value, by)
                 : cluster.mbarrierArrive(address, value, by);
  }
}

/// s[0]: count or bytes. s[1]: the mask of a multicast. d[0]: the state, 64
/// bits, if asked for.
Step execUpdate(Warp &w, const DecodedInst &i, uint32_t active) {
  Cluster &cluster = w.cluster;
  MbarrierOp op = MbarrierOp(i.aux);
  Mbarrier::Arrival by;
  by.line = i.line;
  by.rank = w.cta.rank;
  by.warp = w.index;
  std::vector<uint32_t> barriers;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t address;
    if (!barrierAddress(w, i, l, address))
      return Step::Stop;
    uint32_t value = i.s[0].valid ? w.r32(i.s[0])[l] : 1;
    std::string why;
    if (!updatedBarriers(w, i, l, address, barriers))
      return Step::Stop;
    for (uint32_t address : barriers) {
      Mbarrier *barrier = cluster.mbarrier(address, why);
      if (!barrier)
        return w.fail(ReportKind::Sync, i, why + ", lane " + std::to_string(l));
      if (i.d[0].valid)
        w.w64(i.d[0])[l] = barrier->token();
      if (cluster.events)
        cluster.events->sync(
            {op == MbarrierOp::ExpectTx || op == MbarrierOp::CompleteTx
                 ? SyncEvent::MbarrierTx
                 : SyncEvent::Arrive,
             &w, 1u << l, nullptr, address, 0, i.order, i.scope, i.line});
      Status status = applyUpdate(cluster, op, address, *barrier, value, by);
      if (!status)
        return w.fail(ReportKind::Sync, i,
                      status.error().message + ", lane " + std::to_string(l));
    }
  }
  if (i.d[0].valid)
    w.define(i.d[0], active);
  return Step::Next;
}

/// aux bit 0: parity, bit 1: try_wait, bit 2: the conditional phase. s[0]:
/// state or parity. d[1]: whether there was a report.
Step execWait(Warp &w, const DecodedInst &i, uint32_t active) {
  uint32_t passed = 0;
  const bool parity = i.aux & 1, mayBlock = i.aux & 2, conditional = i.aux & 4;
  uint32_t reported = 0;
  const Mbarrier *first = nullptr;
  uint32_t firstAddress = 0;
  uint64_t firstPhase = 0;
  uint32_t addresses[32];
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t address;
    if (!barrierAddress(w, i, l, address))
      return Step::Stop;
    std::string why;
    Mbarrier *barrier = w.cluster.mbarrier(address, why);
    if (!barrier)
      return w.fail(ReportKind::Sync, i, why + ", lane " + std::to_string(l));
    bool done;
    uint64_t phase;
    if (parity) {
      phase = w.r32(i.s[0])[l];
      if (phase > 1)
        return w.fail(ReportKind::Sync, i,
                      "expected a phase parity of 0 or 1, got " +
                          std::to_string(phase));
      done = conditional ? barrier->passedConditional(unsigned(phase))
                         : barrier->passed(unsigned(phase));
    } else {
      phase = w.r64(i.s[0])[l];
      done = barrier->passedToken(phase);
    }
    if (done) {
      passed |= 1u << l;
      reported |= uint32_t(barrier->lastReport) << l;
      addresses[l] = address;
    } else if (!first) {
      first = barrier;
      firstAddress = address;
      firstPhase = parity ? phase : phase + 2;
    }
  }
  Split &split = w.split();
  bool timedOut = split.timedOut;
  split.timedOut = false;
  if (w.cluster.oracle && !timedOut) {
    if (w.cluster.oracle->outcome(w, i, active) == WaitOracle::Outcome::Fails) {
      w.setPredicate(i.d[0], active, 0);
      for (uint32_t rest = w.cluster.events ? active : 0; rest;
           rest &= rest - 1) {
        uint32_t address = 0;
        (void)barrierAddress(w, i, unsigned(__builtin_ctz(rest)), address);
        w.cluster.events->sync({SyncEvent::Poll, &w, rest & -rest, nullptr,
                                address, 0, i.order, i.scope, i.line});
      }
      return Step::Yield;
    }
    if (first)
      return w.block(WaitKind::Mbarrier, first, firstAddress, firstPhase);
  }
  if (mayBlock && first && !timedOut) {
    // The ISA lets try_wait come back early.
    if (!w.cluster.policy.comesBackEarly(split.vainTries))
      return w.block(WaitKind::Mbarrier, first, firstAddress, firstPhase);
    ++split.vainTries;
  }
  if (!first)
    split.vainTries = 0;
  w.setPredicate(i.d[0], active, passed);
  if (i.d[1].valid)
    w.setPredicate(i.d[1], active, reported);
  // Lanes that waited for the same barrier are told together.
  for (uint32_t rest = passed; rest;) {
    unsigned lane = unsigned(__builtin_ctz(rest));
    uint32_t address = addresses[lane], same = 0;
    for (uint32_t scan = rest; scan; scan &= scan - 1)
      if (addresses[__builtin_ctz(scan)] == address)
        same |= scan & -scan;
    std::string why;
    if (Mbarrier *b = w.cluster.mbarrier(address, why))
      b->remember({BarrierEvent::Passes, false, uint16_t(w.cta.rank),
                   uint16_t(w.index), i.line,
                   parity ? b->phase - 1 : w.r64(i.s[0])[lane] >> 20, 1,
                   w.cluster.nextMoment()});
    if (w.cluster.events)
      w.cluster.events->sync({SyncEvent::Wait, &w, same, nullptr, address,
                              !parity, i.order, i.scope, i.line});
    rest &= ~same;
  }
  // A poll that fails lets others run.
  return first ? Step::Yield : Step::Next;
}

/// aux: whether the layout asked for is v1.
Step execCheckLayout(Warp &w, const DecodedInst &i, uint32_t active) {
  uint32_t has = 0;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t address;
    std::string why;
    if (!barrierAddress(w, i, l, address))
      return Step::Stop;
    Mbarrier *barrier = w.cluster.mbarrier(address, why);
    if (!barrier)
      return w.fail(ReportKind::Sync, i, why + ", lane " + std::to_string(l));
    has |= uint32_t(barrier->reporting == (i.aux != 0)) << l;
  }
  w.setPredicate(i.d[0], active, has);
  return Step::Next;
}

Step execPendingCount(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint64_t *state = w.r64(i.s[0]);
  uint32_t *d = w.w32(i.d[0]);
  forLanes(active, [=](unsigned l) { d[l] = Mbarrier::pendingOf(state[l]); });
  w.define(i.d[0], active);
  return Step::Next;
}
} // namespace

/// Order and scope; barrier operations synchronise within the CTA by default.
static void takeSemantics(DecodeContext &c) {
  bool relaxed = c.takeOneOf({"release", "relaxed", "acquire"}) == "relaxed";
  c.inst.order = relaxed ? MemoryOrder::Relaxed : MemoryOrder::AcqRel;
  c.inst.scope = c.takeOneOf({"cta", "cluster"}) == "cluster" ? Scope::Cluster
                                                              : Scope::Cta;
}

/// ".layout::v0" or v1, if there is one.
static std::string_view takeLayout(DecodeContext &c) {
  const std::string_view layout = c.takeOneOf({"layout::v0", "layout::v1"});
  if (!layout.empty())
    expectTarget(c, "." + std::string(layout), Targets::From90, {9, 3});
  return layout;
}

/// ".multicast::cluster::32b", whose mask is operand `index`, the last one.
static void takeMulticast(DecodeContext &c, unsigned index, Space space) {
  expectTarget(c, ".multicast::cluster::32b", Targets::Rubin, {9, 4});
  if (space != Space::SharedCluster)
    return c.fail(".multicast::cluster::32b: expected .shared::cluster");
  c.inst.s[1] = c.src(index, Type::B32);
}

static void decodeCheckLayout(DecodeContext &c) {
  const std::string_view layout = takeLayout(c);
  if (layout.empty())
    return c.fail("expected .layout::v0 or .layout::v1");
  Space space = c.takeSpace();
  if (c.takeType() != Type::B64)
    return c.fail("expected .b64");
  if (!c.expectOperands(2, 2))
    return;
  c.inst.d[0] = c.predicateDst(c.operand(0));
  c.inst.mem = c.memRef(1, space);
  c.inst.aux = layout == "layout::v1";
  c.inst.fn = execCheckLayout;
}

static void decodeInit(DecodeContext &c) {
  const bool reporting = takeLayout(c) == "layout::v1";
  Space space = c.takeSpace();
  if (c.takeType() != Type::B64)
    return c.fail("expected .b64");
  bool inval = c.base == "mbarrier.inval";
  if (!c.expectOperands(inval ? 1 : 2, inval ? 1 : 2))
    return;
  if (space == Space::SharedCluster)
    return c.fail("expected .shared::cta");
  c.inst.mem = c.memRef(0, space);
  if (!inval)
    c.inst.s[0] = c.src(1, Type::U32);
  c.inst.aux = reporting;
  c.inst.fn = inval ? execInval : execInit;
}

static void decodeTx(DecodeContext &c) {
  takeSemantics(c);
  Space space = c.takeSpace();
  const bool multicast = c.take("multicast::cluster::32b");
  if (c.takeType() != Type::B64)
    return c.fail("expected .b64");
  if (!c.expectOperands(2 + multicast, 2 + multicast))
    return;
  c.inst.mem = c.memRef(0, space);
  c.inst.s[0] = c.src(1, Type::U32);
  if (multicast)
    takeMulticast(c, 2, space);
  c.inst.aux =
      uint32_t(c.base == "mbarrier.expect_tx" ? MbarrierOp::ExpectTx
                                              : MbarrierOp::CompleteTx);
  c.inst.fn = execUpdate;
}

static void decodeArrive(DecodeContext &c) {
  bool drop = c.base == "mbarrier.arrive_drop";
  bool expect = c.take("expect_tx");
  bool noComplete = c.take("noComplete");
  takeSemantics(c);
  Space space = c.takeSpace();
  const bool multicast = c.take("multicast::cluster::32b");
  if (c.takeType() != Type::B64)
    return c.fail("expected .b64");
  // The destination may be left out for shared::cluster barriers.
  unsigned n = c.numOperands();
  bool hasDestination =
      n > 0 && c.operand(0).kind != ast::Operand::Kind::Address;
  unsigned first = hasDestination ? 1 : 0;
  bool hasValue = expect || noComplete;
  if (!c.expectOperands(first + (hasValue ? 2 : 1) + multicast,
                        first + 2 + multicast))
    return;
  if (hasDestination)
    c.inst.d[0] = c.dst(0, Type::B64);
  if (c.inst.d[0].valid)
    c.inst.choice = Choice::Phase; // what is pending
  if (space == Space::SharedCluster && c.inst.d[0].valid)
    return c.fail("expected _ as state with .shared::cluster");
  c.inst.mem = c.memRef(first, space);
  if (n == first + 2 + multicast)
    c.inst.s[0] = c.src(first + 1, Type::U32);
  if (multicast)
    takeMulticast(c, n - 1, space);
  MbarrierOp op = expect       ? (drop ? MbarrierOp::ArriveDropExpectTx
                                       : MbarrierOp::ArriveExpectTx)
                  : noComplete ? (drop ? MbarrierOp::ArriveDropNoComplete
                                       : MbarrierOp::ArriveNoComplete)
                  : drop       ? MbarrierOp::ArriveDrop
                               : MbarrierOp::Arrive;
  c.inst.aux = uint32_t(op);
  c.inst.fn = execUpdate;
}

static void decodeWait(DecodeContext &c) {
  bool parity = c.take("parity");
  const std::string_view phase =
      c.takeOneOf({"phase_type::primary", "phase_type::conditional"});
  if (!phase.empty())
    expectTarget(c, "." + std::string(phase), Targets::From90, {9, 3});
  const bool conditional = phase == "phase_type::conditional";
  if (conditional && !parity)
    return c.fail(".phase_type::conditional: expected .parity");
  takeSemantics(c);
  Space space = c.takeSpace();
  if (c.takeType() != Type::B64)
    return c.fail("expected .b64");
  bool isTry = c.base == "mbarrier.try_wait";
  const bool isPair =
      c.numOperands() && c.operand(0).kind == ast::Operand::Kind::Pair;
  if (isPair && phase != "phase_type::primary")
    return c.fail("expected .phase_type::primary with a report predicate");
  if (isPair && c.numOperands() > 1 &&
      c.operand(1).kind != ast::Operand::Kind::Address)
    return c.fail("the emulator supports no report value: it is 0 of all "
                  "copies");
  if (!c.expectOperands(3, isTry ? 4 : 3))
    return;
  if (space == Space::SharedCluster)
    return c.fail("expected .shared::cta: remote barriers cannot be waited "
                  "for");
  c.inst.d[0] = c.predicateDst(isPair ? c.operand(0).elems[0] : c.operand(0));
  if (isPair)
    c.inst.d[1] = c.predicateDst(c.operand(0).elems[1]);
  c.inst.mem = c.memRef(1, space);
  c.inst.s[0] = c.src(2, parity ? Type::U32 : Type::B64);
  // The phase that a state names does not depend on what is pending.
  if (!parity)
    c.isData(c.inst.s[0]);
  if (c.numOperands() == 4)
    c.inst.s[1] = c.src(3, Type::U32);
  c.inst.aux = (parity ? 1 : 0) | (isTry ? 2 : 0) | (conditional ? 4 : 0);
  c.inst.choice = Choice::WaitOutcome;
  c.inst.fn = execWait;
  if (!c.failed() && !c.inst.d[0].valid)
    c.fail("expected a predicate as destination");
}

static void decodePendingCount(DecodeContext &c) {
  c.take("layout::v0");
  if (c.takeType() != Type::B64)
    return c.fail("expected .b64");
  if (!c.expectOperands(2, 2))
    return;
  c.inst.d[0] = c.dst(0, Type::U32);
  c.inst.s[0] = c.src(1, Type::B64);
  c.inst.flow = Flow::Pure;
  c.inst.fn = execPendingCount;
}

void registerMbarrierInstructions(InstructionTable &table) {
  table.add("mbarrier.init", decodeInit);
  table.add("mbarrier.inval", decodeInit);
  table.add("mbarrier.expect_tx", decodeTx);
  table.add("mbarrier.complete_tx", decodeTx);
  table.add("mbarrier.arrive", decodeArrive);
  table.add("mbarrier.arrive_drop", decodeArrive);
  table.add("mbarrier.test_wait", decodeWait);
  table.add("mbarrier.try_wait", decodeWait);
  table.add("mbarrier.pending_count", decodePendingCount);
  table.add("mbarrier.check_layout", decodeCheckLayout);
}

} // namespace tc::emu
