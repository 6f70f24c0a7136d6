//===- Threads.h - what the threads of a cluster know -----------*- C++ -*-===//
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

#ifndef TC_EMULATOR_CHECK_THREADS_H
#define TC_EMULATOR_CHECK_THREADS_H

#include "Check/OwnKnowledge.h"
#include "Check/RaceChecker.h"
#include "State/History.h"
#include "State/Machine.h"

#include <set>
#include <string>
#include <tuple>

namespace tc::emu {

/// A number that no other object has had, copies included.
struct Serial {
  Serial() : value(next()) {}
  Serial(const Serial &) : value(next()) {}
  Serial &operator=(const Serial &) { return *this; }
  uint64_t value;

private:
  static uint64_t next();
};

/// Lanes of one warp that know the same, OwnKnowledge aside. What a group knows
/// it knows for good.
struct Group {
  Serial serial;
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
  int relaxedLine = 0;   ///< of a relaxed arrival on its last cluster barrier
};

/// From the stream of a warp's finished tcgen05.ld or tcgen05.st to that of
/// those that it has issued.
constexpr uint32_t kIssued = 2;
/// From the stream of tcgen05 work to that of its first reads, which a commit
/// may cover alone.
constexpr uint32_t kFirstReads = 2;

struct WarpState {
  uint32_t base = 0; ///< component of lane 0
  uint32_t clock = 1;
  unsigned rank = 0, index = 0;
  std::vector<std::unique_ptr<Group>> groups;
  OwnKnowledge own;
  using Releases = std::array<std::shared_ptr<Release>, 32>;
  struct Fences {
    /// By lane, of its last memory fence that reaches as far, and of its last
    /// fence.sc.
    Releases released[kReaches], sc[kReaches];
    /// By lane, of its last fence since then that is restricted to shared
    /// memory.
    Releases releasedShared;
  };
  std::unique_ptr<Fences> fences; ///< null: no lane has executed one
  OwnKnowledge::Lanes copies{};   ///< cp.async that the lanes have issued
  uint32_t loadStream = 0, storeStream = 0;
  uint32_t loads = 0, stores = 0, loadsWaited = 0, storesWaited = 0;
  /// Of a warpgroup's first warp: the stream of its wgmma.mma_async, which all
  /// four warps issue in the same order, and how many of them a wait covered.
  uint32_t wgmmaStream = 0, wgmmasWaited = 0;
  uint32_t wgmmas = 0;        ///< that this warp has issued
  uint32_t loadsFinished = 0; ///< that Assumption::UsedLoadComplete has covered
  uint32_t loadsUsed = 0;     ///< whose registers have been read, if it is told
  /// Records of the latest generic accesses, shared and global, by instruction.
  struct Last {
    uint32_t record = 0;
    uint32_t clock = 0;
    const DecodedInst *inst = nullptr;
    bool write = false;
    uint8_t perLane = 0;
  };
  std::array<Last, 8> last[2];
  /// That of the last cp.async, which its lanes share.
  struct LastCopy {
    uint32_t record = 0;
    uint32_t clock = 0;
    int line = 0;
    bool write = false;
  } lastCopy[2];
  /// Records that are before all that a group does, shared and global, or that
  /// are the warp's own.
  struct Before {
    uint64_t group = 0; ///< its serial
    uint64_t drops = 0; ///< of records, when it was found
    uint32_t record = 0;
    uint32_t lanes = 0; ///< of the record, which more may join
    bool isOwn = false;
  };
  std::array<Before, 32> before[2];
  /// Of the latest reads of places that several lanes share, by instruction.
  struct LastTogether {
    uint32_t record = 0;
    uint32_t clock = 0;
    const DecodedInst *inst = nullptr;
    uint32_t lanes = 0;
    unsigned period = 0;
  };
  std::array<LastTogether, 16> lastTogether[2];
};

/// A thread that issues tcgen05 work of one CTA group: `stream` counts what has
/// completed, `stream` + 1 what has been issued.
struct TensorIssuer {
  uint32_t stream = 0, issued = 0, committed = 0, committedReads = 0;
  Knowledge causes; ///< of the last operation
  Clock causesReads;
  Clock tensorCauses; ///< tcgen05 work before it
  struct Commits {
    uint32_t stream = 0, count = 0;
  } commits[2]; ///< plain ones, those of first reads
};

struct BulkIssuer {
  uint32_t reads = 0, writes = 0; ///< streams
  uint32_t issued = 0, readsWaited = 0, writesWaited = 0;
  uint32_t proxyWaited = 0; ///< by .sync_restrict::proxy::async
};

/// The threads of a cluster, and the streams that number their asynchronous
/// work.
class Threads {
public:
  Threads(RaceChecker &shared, Cluster &cluster);

  RaceChecker &shared;
  Cluster &cluster;
  const uint32_t threadsPerCta; ///< components
  std::vector<WarpState> warps;
  std::unordered_map<uint64_t, TensorIssuer> issuers; ///< thread << 2 | group
  std::unordered_map<uint32_t, BulkIssuer> bulk;      ///< by thread
  uint32_t streams = 0;
  uint32_t gridStream = 0; ///< 1: griddepcontrol.wait has been executed
  bool stopped = false;    ///< a report has been made

  WarpState &stateOf(const Warp &warp) {
    return warps[warp.cta.rank * cluster.machine.warpsPerCta + warp.index];
  }
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

  /// Whether a race of these lines needs no words any more, because the run
  /// goes on after races and has reported this one, or enough of them.
  bool isTold(int before, int now);
  /// Reports a race; whether the run goes on.
  bool race(Report report);
  bool race(std::string message, int line);

  bool assumes(Assumption assumption) const;
  /// Null unless the run is to stand for all schedules.
  Certificate *certificate() const {
    return cluster.machine.options.certificate;
  }
  /// Whether Message::heard is kept.
  bool tracksSigns() const {
    return certificate() || (assumes(Assumption::ExitByAnySign) &&
                             warps.size() * 32 > threadsPerCta);
  }
  /// The component of Message::heard that counts phases of a barrier.
  uint32_t signOf(uint32_t stream) const {
    return uint32_t(warps.size() * 32) + stream;
  }
  /// All lanes have come this far when one goes on (warp collectives).
  void converge(WarpState &warp, uint32_t lanes);
  /// The assumptions of `used` held back a report about these lines.
  void note(AssumptionMask used, int before, int after);

  void publish(WarpState &warp, uint32_t lanes, Message &to, bool release,
               bool threads = true, bool own = true);
  void joinReleased(WarpState &warp, uint32_t lanes, Message &to, Reach reach);
  void acquire(Group &group, const WarpState &warp, const Message &from,
               bool acquires, int line);
  void acquireAfterFence(Group &group, const WarpState &warp, Reach reach,
                         bool isOfShared, int line);
  /// Takes over what other clusters have published.
  void joinFlags(Group &group, const ForeignMap &flags);
  void waited(WarpState &warp, uint32_t lanes, bool loads);
  void waitStream(const SyncEvent &event, uint32_t stream, uint32_t clock);

private:
  void finishUsedLoads(WarpState &warp);

  std::set<std::tuple<AssumptionMask, int, int>> noted;
  std::set<std::pair<int, int>> told; ///< races
};

template <class Visit>
void Threads::forGroups(WarpState &warp, uint32_t lanes, Visit visit) {
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

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_THREADS_H
