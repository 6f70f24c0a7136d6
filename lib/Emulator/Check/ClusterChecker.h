//===- ClusterChecker.h - happens-before within a cluster -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes the events of a cluster to the parts of the checker, and orders by
// barriers, fences and waits.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_CLUSTERCHECKER_H
#define TC_EMULATOR_CHECK_CLUSTERCHECKER_H

#include "Check/CtaLives.h"
#include "Check/Flags.h"
#include "Check/MBarriers.h"
#include "Check/Operations.h"
#include "Check/Order.h"
#include "Check/Pins.h"
#include "Check/Reports.h"
#include "Check/TensorMaps.h"
#include "Check/TensorMemory.h"
#include "Check/WarpAccesses.h"
#include "State/Machine.h"

namespace tc::emu {

struct Meeting {
  Message arriving, completed;
  /// Of the last arrival that was relaxed, of the phase and the one before.
  int relaxedArriving = 0, relaxedCompleted = 0;
  void complete() {
    completed.join(arriving);
    arriving.clear();
    relaxedCompleted = relaxedArriving;
    relaxedArriving = 0;
  }
};

class ClusterChecker final : public Observer {
public:
  ClusterChecker(RaceChecker &shared, Cluster &cluster)
      : threads(shared, cluster), shared(shared),
        isChecked(shared.sample.has(cluster.index)) {}

  unsigned subjects() const override { return Accesses; }
  void access(const Warp &warp, unsigned lane, Space space, uint64_t address,
              uint32_t bytes, Access access, const DecodedInst &inst) override {
    uint64_t addresses[32];
    addresses[lane] = address;
    accessEach(warp, 1u << lane, space, addresses, bytes, access, inst);
  }
  void accessAll(const Warp &warp, uint32_t lanes, Space space,
                 const uint64_t *addresses, uint32_t bytes, Access access,
                 const DecodedInst &inst) override;
  void sync(const SyncEvent &event) override;
  void tensorMap(const Warp &warp, unsigned lane, uint64_t address,
                 const DecodedInst &inst) override;
  void issued(const AsyncOp &op) override;
  void stepped(const AsyncOp &op, bool finished) override {
    if (finished)
      ops.erase(op.id);
  }
  void arrivesOn(uint32_t barrier) override { operations.arrivesOn(barrier); }
  void completesOn(uint32_t barrier) override {
    operations.completesOn(barrier);
  }
  void asyncShared(uint32_t address, uint32_t bytes, bool write) override {
    if (isChecked)
      operations.asyncShared(address, bytes, write);
  }
  void asyncOperand(unsigned rank, uint32_t base,
                    const std::vector<SmemPiece> &pieces) override {
    if (isChecked)
      operations.asyncOperand(rank, base, pieces);
  }
  void asyncFirstReads(bool on) override {
    if (isChecked)
      operations.asyncFirstReads(on);
  }
  void asyncGlobal(uint64_t address, uint64_t bytes, bool write) override {
    if (isChecked)
      operations.asyncGlobal(address, bytes, write);
  }
  void asyncTmem(const TmemFootprint &cells, bool write) override {
    if (isChecked)
      operations.asyncTmem(cells, write);
  }

private:
  /// An event comes: settles what the one before has left open. `inst` is that
  /// of an access. False: a report has been made.
  bool begin(const DecodedInst *inst);
  void accessEach(const Warp &warp, uint32_t lanes, Space space,
                  const uint64_t *addresses, uint32_t bytes, Access access,
                  const DecodedInst &inst);
  void check(WarpState &warp, uint32_t lanes, Space space,
             const uint64_t *addresses, uint32_t bytes, Access access,
             const DecodedInst &inst);
  void fence(WarpState &warp, const SyncEvent &event);
  void fenceMemory(Group &group, WarpState &warp, const SyncEvent &event);
  void fenceProxy(Group &group, WarpState &warp, FenceKind kind);
  void leaveBarrier(const SyncEvent &event);
  void arriveOnCluster(const SyncEvent &event);
  void leaveCluster(const SyncEvent &event);
  void syncWarp(const SyncEvent &event);
  void waitBulk(const SyncEvent &event);
  void waitWgmma(const SyncEvent &event);

  Threads threads;
  RaceChecker &shared;
  /// Its accesses are kept and asked for their order; it synchronises with
  /// others in any case.
  const bool isChecked;
  PendingOps ops;
  Order order{threads};
  Reports reports{threads};
  emu::Accesses accesses{threads, order, reports};
  WarpAccesses warpAccesses{accesses, threads, order};
  TensorMemory tensorMemory{threads, order, reports, accesses};
  CtaLives lives{threads, reports};
  Pins pins{threads};
  MBarriers mbarriers{threads, reports, accesses, lives, ops, pins};
  Operations operations{threads, accesses, tensorMemory, lives, mbarriers, ops};
  Flags flags{threads};
  TensorMaps maps{threads, reports, accesses};
  std::unordered_map<uint64_t, Meeting> named;
  Meeting clusterBarrier;
  uint32_t fencesInits = 0; ///< ranks that have executed fence.mbarrier_init
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_CLUSTERCHECKER_H
