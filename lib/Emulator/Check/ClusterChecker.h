//===- ClusterChecker.h - happens-before within a cluster -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every thread has a clock and knows others by vector clocks; lanes that know
// the same share one Group. Three kinds of knowledge are kept apart: what has
// happened, what of it the async proxy sees (per space, through proxy fences),
// and which tcgen05 work is ordered before the thread's own (through
// tcgen05 fences). Asynchronous work needs no clock of its own: what it did is
// known with its barrier's phase, its group's or its commit's number.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_CLUSTERCHECKER_H
#define TC_EMULATOR_CHECK_CLUSTERCHECKER_H

#include "Check/OwnKnowledge.h"
#include "Check/RaceChecker.h"
#include "State/History.h"

#include <set>
#include <string>
#include <tuple>

namespace tc::emu {

class Cta;

/// Lanes of one warp that know the same, OwnKnowledge aside.
struct Group {
  uint32_t lanes = 0;
  /// Its `tensor` is what has been imported or made ready for export.
  Message message;
  Clock effective; ///< tcgen05 work before the lanes' next tcgen05 work

  /// Whether the lanes' relaxed reads have seen the same, which counts with
  /// fences of their own and which no barrier tells to other lanes.
  bool hasReadAs(const Group &other) const;
  /// What relaxed reads and waits have seen, for a memory fence that reaches as
  /// far as to its writers.
  std::shared_ptr<const ForeignMap> toAcquire; ///< of other clusters
  std::shared_ptr<const Message> toJoin[kReaches];
  /// What the fence.sc knew that come before the lanes' next one, by cluster.
  std::vector<std::pair<uint64_t, std::shared_ptr<const Message>>>
      toFence[kReaches];
  /// What relaxed reads and waits have seen of tensor maps, for a proxy fence.
  std::shared_ptr<const MapKnowledge> toMaps;
  /// What relaxed writes publish; null: to be made.
  std::shared_ptr<const Message> hint;
  int waitLine = 0;      ///< of the last wait
  int remoteCtaLine = 0; ///< of a .cta arrival from elsewhere on its barrier
};

/// How many strong accesses a cell keeps that are in no order with its
/// last write; older ones are forgotten.
constexpr unsigned kLoose = 32;

/// From the stream of a warp's finished tcgen05.ld or tcgen05.st to that of
/// those that it has issued.
constexpr uint32_t kIssued = 2;

struct WarpState {
  uint32_t base = 0; ///< component of lane 0
  uint32_t clock = 1;
  unsigned rank = 0, index = 0;
  std::vector<std::unique_ptr<Group>> groups;
  OwnKnowledge own;
  /// By lane, of its last memory fence that reaches as far, and of its last
  /// fence.sc.
  using Releases = std::array<std::shared_ptr<Release>, 32>;
  Releases released[kReaches], fencedSc[kReaches];
  /// By lane, of its last fence since then that is restricted to shared memory.
  Releases releasedShared;
  OwnKnowledge::Lanes copies{}; ///< cp.async that the lanes have issued
  uint32_t loadStream = 0, storeStream = 0;
  uint32_t loads = 0, stores = 0, loadsWaited = 0, storesWaited = 0;
  /// Of a warpgroup's first warp: the stream of its wgmma.mma_async, which all
  /// four warps issue in the same order, and how many of them a wait covered.
  uint32_t wgmmaStream = 0, wgmmasWaited = 0;
  uint32_t wgmmas = 0;        ///< that this warp has issued
  uint32_t loadsFinished = 0; ///< that Assumption::UsedLoadComplete has covered
  /// The record of the last generic access, shared and global, and of the last
  /// cp.async, which its lanes share.
  struct Last {
    uint32_t record = 0;
    uint32_t clock = 0;
    int line = 0;
    bool write = false;
    const DecodedInst *inst = nullptr; ///< of a generic access
  } last[2], lastCopy[2];
};

/// A thread that issues tcgen05 work of one CTA group: `stream` counts what has
/// completed, `stream` + 1 what has been issued.
struct TensorIssuer {
  uint32_t stream = 0, issued = 0, committed = 0;
  Knowledge causes; ///< of the last operation
  Clock causesReads;
  Clock tensorCauses; ///< tcgen05 work before it
  uint32_t commitStream = 0, commits = 0;
};

struct BulkIssuer {
  uint32_t reads = 0, writes = 0; ///< streams
  uint32_t issued = 0, readsWaited = 0, writesWaited = 0;
};

struct BarrierState {
  uint32_t stream = 0, base = 0, phases = 0;
  uint32_t initThread = 0, initClock = 0;
  int initLine = 0;
  int remoteCtaLine = 0;
  /// Published by arrivals of the barrier's own CTA and by asynchronous work,
  /// for all waits; by arrivals of other CTAs, for waits of .cluster scope; and
  /// what assumptions leave of these at .cta scope.
  struct Told {
    Message own, others, narrow;
    void join(const Told &other) {
      own.join(other.own);
      others.join(other.others);
      narrow.join(other.narrow);
    }
    void clear() {
      own.clear();
      others.clear();
      narrow.clear();
    }
  } arriving, completed;
  /// The threads and clocks of a phase's arrivals, if nothing else counts.
  struct Arrivals {
    std::vector<std::pair<uint32_t, uint32_t>> by;
    bool mixed = false;
  } current, last;
  /// The last time that each thread has used it, by component.
  struct Use {
    uint32_t clock = 0;
    int line = 0;
  };
  std::unordered_map<uint32_t, Use> uses;
  /// Asynchronous work that is going to signal it, by id, and the phase in
  /// which the last one did so; 0: none.
  std::unordered_map<uint64_t, int> expected;
  struct Signal {
    uint32_t phase = 0;
    int line = 0;
    /// Of a commit: the stream of its thread's commits, and its place there.
    uint32_t stream = 0, nth = 0;
  } signal;
};

/// The last time that a thread or a copy of another CTA accessed a CTA's shared
/// memory. It is known with the thread's clock or the barrier's phase.
struct Visit {
  uint32_t clock = 0; ///< 0: known by the phase only
  uint32_t phase = 0; ///< 0: known by the clock only
  int line = 0;
  /// Of a commit: the stream of its thread's commits, and its place there.
  uint32_t stream = 0, nth = 0;
};

struct Meeting {
  Message arriving, completed;
  void complete() {
    completed.join(arriving);
    arriving.clear();
  }
};

class ClusterChecker final : public Observer {
public:
  ClusterChecker(RaceChecker &shared, Cluster &cluster);

  unsigned subjects() const override { return Accesses; }

  void access(const Warp &warp, unsigned lane, Space space, uint64_t address,
              uint32_t bytes, Access access, const DecodedInst &inst) override;
  void sync(const SyncEvent &event) override;
  void issued(const AsyncOp &op) override;
  void stepped(const AsyncOp &op, bool finished) override {
    if (finished)
      ops.erase(op.id);
  }
  void arrivesOn(uint32_t barrier) override;
  void completesOn(uint32_t barrier) override;
  void asyncShared(uint32_t address, uint32_t bytes, bool write) override;
  void asyncOperand(unsigned rank, uint32_t base,
                    const std::vector<SmemPiece> &pieces) override;
  void asyncGlobal(uint64_t address, uint64_t bytes, bool write) override;
  void asyncTmem(const TmemFootprint &cells, bool write) override;
  void tensorMap(const Warp &warp, unsigned lane, uint64_t address,
                 const DecodedInst &inst) override;

private:
  /// The issuer of the present access.
  struct Actor {
    Group *group = nullptr;
    uint32_t thread = ~0u; ///< Generic: its component
    bool async = false;
    bool reads = false;    ///< a write that has read what was there
    bool together = false; ///< with other lanes: what one knows is not enough
    Entry entry = 0;
    uint64_t end = 0; ///< of a generic access
    const Record *record = nullptr;
    const WarpState *warp = nullptr;

    /// Of what a lane knows of itself alone: whether it is this one's, too.
    bool isOwn(uint32_t other) const {
      return (other == thread && !together) ||
             (!holds(Rule::SameWarpLanes) && other / 32 == thread / 32);
    }
  };
  /// A store that races with an earlier one unless it stores the same.
  struct Doubt {
    const uint8_t *at = nullptr;
    uint8_t old[Shadow::kGranule] = {};
    unsigned bytes = 0;
    int before = 0, after = 0; ///< lines
    Report report;
    Involved involved;
  };
  /// A strong read that takes over what has been published at its address.
  struct StrongRead {
    WarpState *warp;
    uint32_t lanes;
    uint64_t key;
    bool acquires;
    bool waits; ///< it only reads
    const DecodedInst *inst;
    Reach reach;
    int line;
  };
  /// What an asynchronous op has announced.
  struct OpState {
    /// On mbarriers, with this; others are known by their place in a stream.
    bool signals = false;
    Record::Kind kind = Record::Generic;
    uint32_t thread = 0;
    uint32_t clock = 0; ///< of its stream
    uint32_t stream = 0;
    /// Records by completion, BulkLoad and StoreAsync.
    struct Target {
      uint32_t write = 0, read = 0; ///< of shared memory
      uint32_t global = 0;          ///< of global memory, read
    };
    std::vector<Target> targets;
    /// What its thread knew; not of every copy by cp.async, of which there are
    /// many.
    struct Told {
      Knowledge causes; ///< Commit
      Clock causesReads;
      Message known; ///< BulkLoad, StoreAsync, Commit
      Clock tensorCauses;
    };
    std::unique_ptr<Told> told;               ///< BulkLoad, StoreAsync, Commit
    uint32_t commitStream = 0, nthCommit = 0; ///< Commit
  };

  WarpState &stateOf(const Warp &warp);
  /// The first warp of the warpgroup.
  WarpState &leaderOf(const WarpState &warp) {
    return warps[warp.base / 32 - warp.index % 4];
  }
  Group &groupOf(WarpState &warp, unsigned lane);
  /// Calls visit(group) for groups that consist of `lanes` only.
  template <class Visit>
  void forGroups(WarpState &warp, uint32_t lanes, Visit visit);
  void mergeGroups(WarpState &warp, uint32_t lanes);
  uint32_t newStream() { return ++streams; }
  bool assumes(Assumption assumption) const;
  /// The assumptions of `used` held back a report about these lines.
  void note(AssumptionMask used, int before, int after);

  //===--- Sync.cpp
  //--------------------------------------------------------===//
  void publish(WarpState &warp, uint32_t lanes, Message &to, bool release,
               bool threads = true, bool own = true);
  void joinReleased(WarpState &warp, uint32_t lanes, Message &to, Reach reach);
  void acquireAfterFence(Group &group, const WarpState &warp, Reach reach,
                         bool isOfShared, int line);
  void waited(WarpState &warp, uint32_t lanes, bool loads);
  void finishUsedLoads(WarpState &warp);
  void acquire(Group &group, const WarpState &warp, const Message &from,
               bool acquires, int line);
  void fence(WarpState &warp, const SyncEvent &event);
  void leaveBarrier(const SyncEvent &event);
  void arriveOnCluster(const SyncEvent &event);
  void leaveCluster(const SyncEvent &event);
  void syncWarp(const SyncEvent &event);
  void waitBulk(const SyncEvent &event);
  void waitWgmma(const SyncEvent &event);
  void waitStream(const SyncEvent &event, uint32_t stream, uint32_t clock);

  //===--- Flags.cpp
  //---------------------------------------------------------===//
  void joinFlags(Group &group, const ForeignMap &flags);
  void settleReads(const DecodedInst *next);
  void strongAccess(WarpState &warp, Group &group, unsigned lane, Space space,
                    uint64_t address, Access access, const DecodedInst &inst);

  //===--- FenceSc.cpp
  //-------------------------------------------------------===//
  void meetFences(Group &group, const WarpState &warp, unsigned lane,
                  Flag &flag, bool write, Reach reach);
  void fenceSc(Group &group, const WarpState &warp, Reach reach, int line);

  //===--- TensorMaps.cpp
  //----------------------------------------------------===//
  void releaseMaps(Group &group, const WarpState &warp, const SyncEvent &event);
  void acquireMaps(Group &group, const WarpState &warp, const SyncEvent &event);
  bool seesMap(const Record &before, unsigned lane, const Actor &actor,
               uint64_t address) const;
  Report describeMap(const Record &before, unsigned lane, const Actor &actor,
                     uint64_t address) const;

  //===--- MBarriers.cpp
  //-----------------------------------------------------===//
  void arrive(const SyncEvent &event);
  void arriveByOp(const SyncEvent &event);
  void init(const SyncEvent &event);
  void invalidate(const SyncEvent &event);
  void count(const SyncEvent &event);
  Actor lifeActor(const SyncEvent &event);
  void wait(const SyncEvent &event);
  void completeTx(const SyncEvent &event);
  void completePhase(const SyncEvent &event);
  BarrierState *barrier(uint64_t address);
  /// `what` names the use in a report; null: the opcode of the line.
  bool checkInit(const BarrierState &barrier, const Group &group,
                 const WarpState &warp, uint32_t lanes, int line,
                 const char *what = nullptr);

  //===--- Accesses.cpp, Order.cpp
  //-----------------------------------------===//
  /// A record of this warp, now: its component, clock and place.
  Record makeRecord(const WarpState &warp, int line) const;
  Actor actorOf(WarpState &warp, unsigned lane);
  uint32_t addRecord(const Record &record, bool global);
  void dropRecords();
  const Record &record(Entry entry, bool global) const;
  uint32_t copyRecord(WarpState &warp, bool global, bool write);
  bool checkCell(Shadow &shadow, Cell &cell, uint64_t at, const Actor &actor,
                 bool write, bool global);
  void settleDoubts();
  bool checkTmemCell(Shadow &shadow, Cell &cell, unsigned rank, unsigned lane,
                     unsigned column, const Actor &actor, bool write);
  void addReader(Shadow &shadow, Cell &cell, const Actor &actor, bool global);
  /// These two add the assumptions that the order takes to `used`.
  bool ordered(const Record &before, unsigned lane, const Actor &actor,
               bool global, AssumptionMask &used) const;
  bool orderedTmem(const Record &before, const Actor &actor, const Group &group,
                   AssumptionMask &used) const;
  bool orderedGeneric(const Record &before, uint32_t thread, const Actor &actor,
                      bool global, const Foreign *theirs,
                      AssumptionMask &used) const;
  bool morallyStrong(const Record &before, const Record &now) const;
  bool checkPresent(const Group &group, unsigned rank, int line);
  template <size_t Ways>
  bool sharedRange(unsigned rank, uint32_t begin, uint32_t end,
                   const Actor &actor, bool write, Alikes<Ways> &alike);
  bool checkPrerequisite(uint64_t begin, uint64_t end, const Actor &actor,
                         bool write);
  bool globalRange(uint64_t begin, uint64_t end, const Actor &actor,
                   bool write);
  const Actor &asyncActor(bool global, bool write);
  void asyncPieces(unsigned rank, uint32_t base, const SmemPiece *pieces,
                   size_t count, bool write);
  /// The records of the announcing op so far are not those of what follows.
  void forgetActors(bool global);

  //===--- Lifetime.cpp
  //------------------------------------------------------===//
  bool checkPhase(const BarrierState &barrier, const Message &known,
                  uint32_t thread, int line);
  void visit(unsigned rank, uint32_t thread, uint32_t clock,
             const BarrierState *barrier, int line);
  void visitByOp(const SyncEvent &event, const OpState &op,
                 const BarrierState &barrier);
  void exit(unsigned rank);
  void allocTmem(const SyncEvent &event);
  void freeTmem(const SyncEvent &event);
  static std::unique_ptr<Shadow> newTmemShadow();
  void dropPeerFrees(unsigned rank, unsigned begin, unsigned end);
  void notePeerFrees(const TmemFootprint &cells, const Actor &actor);
  bool checkSharedSm(const WarpState &warp, const ForeignMap &flags, int line);

  //===--- Report.cpp
  //------------------------------------------------------===//
  Report describe(const Record &before, unsigned lane, const Actor &actor,
                  bool write, bool global, const std::string &where) const;
  /// The warps of two accesses.
  Involved involve(const Record &before, const Record &now) const;
  std::string who(const Record &record, unsigned lane) const;
  Report describePrerequisite(const Record &before, bool wrote,
                              const Actor &actor, bool write,
                              uint64_t address) const;
  std::string missingEdge(const Record &before, unsigned lane,
                          const Actor &actor, bool global) const;
  std::string missingTensorEdge(const Record &before, const Actor &actor) const;
  std::string opcode(int line) const;
  std::string opcode(const Record &record) const;

  RaceChecker &shared;
  Cluster &cluster;
  uint32_t threadsPerCta; ///< components
  uint32_t streams = 0;
  uint32_t gridStream = 0; ///< 1: griddepcontrol.wait has been executed
  std::vector<WarpState> warps;
  std::vector<std::unique_ptr<Shadow>> smem, tmem; ///< by rank
  std::vector<Record> records{1};
  size_t mostRecords = 1 << 14; ///< then those of no use are dropped
  std::unordered_map<uint64_t, TensorIssuer> issuers; ///< thread << 2 | group
  std::unordered_map<uint32_t, BulkIssuer> bulk;      ///< by thread
  std::unordered_map<uint64_t, OpState> ops; ///< that have yet to signal
  std::unordered_map<uint64_t, std::unique_ptr<BarrierState>> barriers;
  std::unordered_map<uint64_t, Meeting> named;
  Meeting clusterBarrier;
  uint32_t fencesInits = 0; ///< ranks that have executed fence.mbarrier_init
  /// By rank; of them by thread and stream of the barrier.
  std::vector<std::map<std::pair<uint32_t, uint32_t>, Visit>> visits;

  //===--- the op that announces
  //-------------------------------------------===//
  const AsyncOp *announcing = nullptr;
  OpState *opState = nullptr;
  /// It as an actor, for reads and writes of shared and Tensor Memory, then of
  /// global memory; an entry of 0: to be made.
  Actor asyncActors[2][2];
  ManyAlike alikes[2]; ///< shared memory, reads and writes
  uint32_t opBarrier = 0;
  std::vector<Doubt> doubts;
  /// Assumptions that turn a report about Tensor Memory into a note.
  AssumptionMask tolerated = 0;
  /// Columns of a CTA that its peer's tcgen05.dealloc has freed, as
  /// Assumption::PairDeallocWaits allows, and the CTA's own has not.
  struct PeerFree {
    unsigned rank, begin, end;
    Record record;
  };
  std::vector<PeerFree> peerFrees;
  std::set<std::tuple<AssumptionMask, int, int>> noted;
  std::vector<StrongRead> strongReads;
  bool stopped = false;
};

template <class Visit>
void ClusterChecker::forGroups(WarpState &warp, uint32_t lanes, Visit visit) {
  for (size_t i = 0, n = warp.groups.size(); i < n; ++i) {
    Group &group = *warp.groups[i];
    uint32_t both = group.lanes & lanes;
    if (!both)
      continue;
    if (both != group.lanes) {
      auto rest = std::make_unique<Group>(group);
      rest->lanes &= ~both;
      group.lanes = both;
      warp.groups.push_back(std::move(rest));
    }
    visit(*warp.groups[i]);
  }
}

template <size_t Ways>
bool ClusterChecker::sharedRange(unsigned rank, uint32_t begin, uint32_t end,
                                 const Actor &actor, bool write,
                                 Alikes<Ways> &alike) {
  Shadow &shadow = *smem[rank];
  if (!holds(Rule::ExactBytes)) {
    begin = begin / Shadow::kGranule * Shadow::kGranule;
    end = (end + Shadow::kGranule - 1) / Shadow::kGranule * Shadow::kGranule;
  }
  return shadow.visitAlike(
      begin, end, alike, write, [&](Cell &cell, uint64_t at) {
        return checkCell(shadow, cell, smemAddress(rank, uint32_t(at)), actor,
                         write, false);
      });
}

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_CLUSTERCHECKER_H
