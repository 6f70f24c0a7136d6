//===- Cluster.cpp - CTAs of one cluster and their barriers ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that changes a barrier goes through here: waiters are woken when a
// phase completes, and the counter of effects tells progress from spinning.
//
//===----------------------------------------------------------------------===//

#include "State/Machine.h"

#include <cassert>

namespace tc::emu {

//===----------------------------------------------------------------------===//
// Cta
//===----------------------------------------------------------------------===//

Cta::Cta(Cluster &cluster, unsigned rank, std::array<unsigned, 3> ctaid)
    : cluster(cluster), machine(cluster.machine), rank(rank), ctaid(ctaid),
      smem(machine.smemBytes), liveThreads(machine.threadsPerCta) {
  registers.perThread = machine.registersPerThread;
}

std::string Cta::name() const { return nameOfCta(ctaid); }

void Cta::threadsExited(unsigned count) {
  liveThreads -= count;
  cluster.liveThreads -= count;
  ++cluster.effects;
  for (unsigned id = 0; id < barriers.size(); ++id)
    cluster.checkNamedBarrier(*this, id);
  cluster.checkClusterBarrier();
  if (liveThreads)
    return;
  // Shared memory outlives the threads until the stores that they issued have
  // read it. Nothing can change the bytes any more, so that now is as late as
  // any time.
  if (machine.assumes(Assumption::ExitWithPendingStores))
    while (const AsyncOp *store = cluster.engine.findIf([&](const AsyncOp &op) {
      return op.asyncClass == AsyncClass::BulkStore && op.touchesCta(rank);
    })) {
      machine.noteUse(Assumption::ExitWithPendingStores, store->line,
                      store->line);
      if (Status status = cluster.engine.step(cluster, store->id); !status)
        return cluster.fail(ReportKind::Memory, status.error().message,
                            status.error().line);
    }
  exited = true;
  const AsyncOp *op = cluster.engine.findIf(
      [&](const AsyncOp &op) { return op.touchesCta(rank); });
  if (op)
    return cluster.fail(
        ReportKind::Sync,
        name() +
            " exits while asynchronous work can still access its memory "
            "or barriers: " +
            op->describe(),
        op->line);
  checkRegisterChanges(*this);
  if (unsigned columns = tmem.allocatedColumns()) {
    int line = 0;
    for (unsigned c = 0; c < Tmem::kColumns && !line; ++c)
      line = tmem.allocationLine(c);
    return cluster.fail(ReportKind::Sync,
                        name() + " exits with " + std::to_string(columns) +
                            " columns of Tensor Memory allocated (PTX ISA 9.0, "
                            "\"Tensor Memory Allocation\": all have to be "
                            "deallocated before the kernel exits)",
                        line);
  }
  if (cluster.events)
    cluster.events->sync({SyncEvent::CtaExit, nullptr, 0, nullptr, rank});
}

//===----------------------------------------------------------------------===//
// Cluster
//===----------------------------------------------------------------------===//

namespace {
/// Two observers of accesses, in order.
class Both final : public Observer {
public:
  Both(Observer &first, Observer &second) : each{&first, &second} {}
  unsigned subjects() const override { return 0; }
  void access(const Warp &warp, unsigned lane, Space space, uint64_t address,
              uint32_t bytes, Access access, const DecodedInst &inst) override {
    for (Observer *observer : each)
      observer->access(warp, lane, space, address, bytes, access, inst);
  }
  void accessAll(const Warp &warp, uint32_t lanes, Space space,
                 const uint64_t *addresses, uint32_t bytes, Access access,
                 const DecodedInst &inst) override {
    for (Observer *observer : each)
      observer->accessAll(warp, lanes, space, addresses, bytes, access, inst);
  }
  void sync(const SyncEvent &event) override {
    for (Observer *observer : each)
      observer->sync(event);
  }
  void tensorMap(const Warp &warp, unsigned lane, uint64_t address,
                 const DecodedInst &inst) override {
    for (Observer *observer : each)
      observer->tensorMap(warp, lane, address, inst);
  }

private:
  Observer *each[2];
};
} // namespace

Cluster::Cluster(Machine &machine, uint64_t index)
    : machine(machine), index(index),
      engine(machine.options.schedule.kind != Schedule::Kind::Eager),
      policy(machine.options.schedule, index) {
  for (unsigned i = 0; i < 3; ++i)
    clusterid[i] = machine.ctaid(index, 0)[i] / machine.config.cluster[i];
  for (unsigned rank = 0; rank < machine.ctasPerCluster; ++rank)
    ctas.push_back(
        std::make_unique<Cta>(*this, rank, machine.ctaid(index, rank)));
  liveThreads = machine.threadsPerCta * machine.ctasPerCluster;
  for (auto &cta : ctas)
    for (unsigned w = 0; w < machine.warpsPerCta; ++w) {
      unsigned threads = std::min(32u, machine.threadsPerCta - w * 32);
      uint32_t lanes = threads == 32 ? ~0u : (1u << threads) - 1;
      cta->warps.push_back(std::make_unique<Warp>(*cta, w, lanes));
    }
  policy.setShape(unsigned(ctas.size()), machine.warpsPerCta);
  policy.takesLastColumns = machine.options.certificate;
  for (LaunchObserver *launch : machine.observers)
    if (std::unique_ptr<Observer> observer = launch->observe(*this))
      add(std::move(observer));
}

Cluster::~Cluster() = default;

void Cluster::add(std::unique_ptr<Observer> observer) {
  const unsigned subjects = observer->subjects();
  if (subjects & Observer::Accesses) {
    if (events) {
      observers.push_back(std::make_unique<Both>(*events, *observer));
      events = observers.back().get();
    } else {
      events = observer.get();
    }
  }
  if (subjects & Observer::Slices)
    sliceObservers.push_back(observer.get());
  if (subjects & Observer::Instructions)
    instructionObservers.push_back(observer.get());
  observers.push_back(std::move(observer));
}

std::string Cluster::nameShared(uint32_t address) const {
  const uint32_t offset = smemOffset(address);
  return "shared offset " + std::to_string(offset) +
         machine.kernel.nameShared(offset) + " of " +
         ctas[smemRank(address)]->name();
}

void Cluster::wake(const void *key) {
  for (auto &cta : ctas)
    for (auto &warp : cta->warps)
      for (Split &split : warp->splits)
        if (split.state == Split::State::Blocked && split.key == key)
          split.state = Split::State::Runnable;
}

Report Cluster::makeReport(ReportKind kind, std::string message,
                           int line) const {
  Report report;
  report.kind = kind;
  report.message = machine.program.at(line) + std::move(message);
  report.lines.push_back(line);
  return report;
}

void Cluster::fail(ReportKind kind, std::string message, int line) {
  fail(makeReport(kind, std::move(message), line));
}

void Cluster::warn(Report report) {
  for (LaunchObserver *observer : machine.observers)
    observer->failed(*this, report);
  involved = {};
  machine.report(std::move(report), /*ends=*/false);
}

void Cluster::fail(Report report) {
  if (failed)
    return;
  failed = true;
  for (LaunchObserver *observer : machine.observers)
    observer->failed(*this, report);
  machine.report(std::move(report));
}

Mbarrier *Cluster::mbarrier(uint32_t address, std::string &why) {
  unsigned rank = smemRank(address);
  Cta *target = cta(rank);
  lastBarrier = address;
  if (!target) {
    why = "the address names CTA rank " + std::to_string(rank) +
          " of a cluster of " + std::to_string(ctas.size());
    return nullptr;
  }
  if (target->exited) {
    why = target->name() + ", which holds the mbarrier, has exited";
    return nullptr;
  }
  Mbarrier *barrier = target->smem.barrier(smemOffset(address));
  if (!barrier)
    why = "no mbarrier has been initialised at " + nameShared(address);
  return barrier;
}

template <class Change>
static Status changeBarrier(Cluster &cluster, uint32_t address, Change change) {
  std::string why;
  Mbarrier *barrier = cluster.mbarrier(address, why);
  if (!barrier)
    return Error{why};
  bool completed = false;
  if (const char *error = change(*barrier, completed)) {
    cluster.involved.addBarrier(address);
    return Error{"mbarrier at " + cluster.nameShared(address) +
                 ", initialised on line " + std::to_string(barrier->initLine) +
                 ": " + error};
  }
  ++cluster.effects;
  if (!completed)
    return {};
  cluster.wake(barrier);
  barrier->remember({BarrierEvent::Completes, false, 0, 0, 0,
                     barrier->phase - 1, 0, cluster.nextMoment()});
  if (cluster.events)
    cluster.events->sync(
        {SyncEvent::PhaseDone, nullptr, 0, nullptr, address, barrier->phase});
  return {};
}

Status Cluster::mbarrierArrive(uint32_t address, uint32_t count,
                               const Mbarrier::Arrival &by) {
  return changeBarrier(*this, address, [&](Mbarrier &b, bool &completed) {
    b.note(by, Mbarrier::Arrival::Arrives, count, nextMoment());
    return b.arrive(count, completed);
  });
}

Status Cluster::mbarrierExpectTx(uint32_t address, uint32_t bytes,
                                 const Mbarrier::Arrival &by) {
  return changeBarrier(*this, address, [&](Mbarrier &b, bool &) {
    b.note(by, Mbarrier::Arrival::ExpectsBytes, bytes, nextMoment());
    return b.expectTx(bytes);
  });
}

Status Cluster::mbarrierCompleteTx(uint32_t address, uint32_t bytes,
                                   const Mbarrier::Arrival &by) {
  return changeBarrier(*this, address, [&](Mbarrier &b, bool &completed) {
    b.note(by, Mbarrier::Arrival::BringsBytes, bytes, nextMoment());
    return b.completeTx(bytes, completed);
  });
}

Status Cluster::mbarrierArriveDrop(uint32_t address, uint32_t count,
                                   const Mbarrier::Arrival &by) {
  return changeBarrier(*this, address, [&](Mbarrier &b, bool &completed) {
    b.note(by, Mbarrier::Arrival::Arrives, count, nextMoment());
    return b.arriveDrop(count, completed);
  });
}

Expected<uint8_t *> Cluster::shared(uint32_t address, uint32_t bytes) {
  Cta *target = cta(smemRank(address));
  if (!target)
    return Error{"the shared address names CTA rank " +
                 std::to_string(smemRank(address)) + " of a cluster of " +
                 std::to_string(ctas.size())};
  if (target->exited)
    return Error{"shared memory of " + target->name() +
                 ", which has exited, is accessed"};
  if (!target->smem.inBounds(smemOffset(address), bytes))
    return Error{"out of bounds of shared memory: " +
                 target->smem.explain(smemOffset(address), bytes, false)};
  return target->smem.data(smemOffset(address));
}

OriginId Cluster::sharedOrigin(const AsyncOp &op, uint32_t address) {
  const unsigned rank = smemRank(address);
  const OriginId known = cta(rank)->smem.originOf(smemOffset(address));
  return known ? known
               : undefined.note(op.line, op.what, UndefinedOrigin::Shared, rank,
                                smemOffset(address));
}

std::vector<OriginId> Cluster::sharedOrigins(const AsyncOp &op,
                                             uint32_t address, uint32_t bytes) {
  const SharedMemory &smem = cta(smemRank(address))->smem;
  std::vector<OriginId> origins;
  if (smem.isReadable(smemOffset(address), bytes))
    return origins;
  origins.resize(bytes);
  for (uint32_t i = 0; i < bytes; ++i)
    if (smem.stateOf(smemOffset(address) + i) == SharedMemory::Uninit)
      origins[i] = sharedOrigin(op, address + i);
  return origins;
}

std::string Cluster::explainStore(const AsyncOp &op, uint32_t address,
                                  uint32_t bytes) {
  const SharedMemory &smem = cta(smemRank(address))->smem;
  const uint32_t offset = smemOffset(address);
  std::string why = smem.explain(offset, bytes, true);
  if (!why.empty())
    return why;
  const uint32_t at = smem.findUndefined(offset, bytes);
  involved.shared = {true, smemAddress(smemRank(address), at), 1};
  return smem.explain(offset, bytes, false) +
         undefined.describe(smem.originOf(at), *this);
}

OriginId Cluster::cellOrigin(const AsyncOp &op, unsigned rank, unsigned lane,
                             unsigned column, UndefinedOrigin::Place place) {
  const OriginId known = cta(rank)->tmem.originOf(lane, column);
  return known ? known
               : undefined.note(op.line, op.what, place, rank,
                                lane << 16 | column);
}

std::string Cluster::culprit(unsigned rank, uint32_t offset, uint32_t bytes) {
  involved.shared = {true, smemAddress(rank, offset), bytes};
  const AsyncOp *op = engine.findIf(
      [&](const AsyncOp &op) { return op.writesShared(rank, offset, bytes); });
  return op ? ": " + op->describe() : std::string();
}

void Cluster::leaveClusterBarrier(Warp &warp, uint32_t lanes) {
  uint32_t parity = barrier.phase & 1 ? ~0u : 0;
  uint32_t counted =
      lanes & warp.clusterArrived & ~(warp.clusterParity ^ parity);
  barrier.arrived -= unsigned(__builtin_popcount(counted));
  warp.clusterArrived &= ~lanes;
}

void Cluster::checkClusterBarrier() {
  if (!barrier.arrived || barrier.arrived < liveThreads)
    return;
  barrier.arrived = 0;
  ++barrier.phase;
  if (events)
    events->sync({SyncEvent::ClusterDone});
  ++effects;
  ++harmless;
  wake(&barrier);
}

void Cluster::checkNamedBarrier(Cta &cta, unsigned id) {
  NamedBarrier &b = cta.barriers[id];
  if (!b.arrived)
    return;
  // Without a count the barrier takes the CTA's threads that are alive.
  uint32_t expected = b.wholeCta ? cta.liveThreads : b.expected;
  if (b.arrived < expected)
    return;
  if (events)
    events->sync(
        {SyncEvent::BarrierDone, nullptr, 0, nullptr, cta.rank << 8 | id});
  b.resultCount = b.reduceCount;
  b.resultThreads = b.arrived;
  b.expected = b.arrived = b.reduceCount = 0;
  b.wholeCta = b.isReduction = false;
  ++effects;
  ++harmless;
  // Each waiter is told once, so that it does not wait for the next use.
  for (auto &warp : cta.warps)
    for (Split &split : warp->splits)
      if (split.state == Split::State::Blocked && split.key == &b) {
        split.state = Split::State::Runnable;
        split.released = true;
      }
}

} // namespace tc::emu
