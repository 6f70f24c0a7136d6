//===- RaceChecker.h - happens-before over a launch -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One RaceChecker per launch holds what clusters share: the shadow of global
// memory. Each cluster listens with a ClusterChecker of its own. Every rule can
// be dropped by name, so that tests can show that each of them matters.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_RACECHECKER_H
#define TC_EMULATOR_CHECK_RACECHECKER_H

#include "Check/Clock.h"
#include "Check/ReadLog.h"
#include "Check/Sample.h"
#include "Check/Shadow.h"
#include "Engines/TCGen05/Pipe.h"
#include "State/Events.h"
#include "tc/Emulator/Emulator.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace tc::emu {

class Cluster;
struct KernelCode;
struct Machine;

/// What the checker relies on; a dropped rule is treated as always met (checks)
/// or never effective (orderings).
enum class Rule : uint8_t {
  // Checks.
  GenericOrder,    ///< generic accesses of two threads need an order
  SameWarpLanes,   ///< lanes of a warp are threads of their own
  ProxyFence,      ///< generic, then async: fence.proxy.async
  ProxyFenceSpace, ///< of the right space
  AsyncCompletion, ///< async, then anything: completion has been observed
  PhaseAware,      ///< a wait orders the bytes of its phase only
  BulkWaitRead,    ///< wait_group.read orders no writes
  CpAsyncWait,     ///< cp.async needs its wait
  TensorOrder,     ///< tcgen05 work on cells needs an order
  FenceAfter,      ///< imported tcgen05 order needs fence::after_thread_sync
  FenceBefore,     ///< exported tcgen05 order needs fence::before_thread_sync
  WaitLoads,       ///< tcgen05.ld is over only after wait::ld
  WaitStores,      ///< tcgen05.st is over only after wait::st
  PipelinedPairs,  ///< only the listed pairs are ordered by issue
  CommitPrefix,    ///< a commit covers what its thread issued before it
  CommitOwnThread, ///< and nothing of other threads
  Relaxed,         ///< relaxed arrivals and waits do not carry memory
  RemoteScope,     ///< an arrival on another CTA's barrier needs .cluster
  InvalAfterUse,   ///< mbarrier.inval and init are accesses like others
  InitVisible,     ///< mbarrier.init needs its fence or a barrier
  GridDependency,  ///< griddepcontrol.wait before memory of an earlier grid
  WriteAfterRead,  ///< reads count too
  FreeAfterUse,    ///< tcgen05.dealloc conflicts with accesses
  ExactBytes,      ///< neighbours within 16 bytes do not conflict
  StrongAccesses,  ///< only two strong accesses may race
  CompleteOverlap, ///< and only if they are of one size
  LastWrite,       ///< a read of one write is no read of earlier ones
  ReductionsRead,  ///< red is no read of an acquire pattern
  CrossCluster,    ///< accesses of two clusters conflict too
  PhaseObserved,   ///< arrivals follow the completion of the phase before
  ExitAfterRemote, ///< a CTA exits after all accesses of others to it
  PairPresent,     ///< tcgen05.alloc for a pair needs a peer that runs
  PeerPresent,     ///< and so does an access to another CTA's shared memory
  Scopes,          ///< strong operations reach the threads of their scopes
  PairFree,        ///< tcgen05.dealloc for a pair ends the peer's accesses, too
  SharedSm,        ///< a CTA that waits for another lets it allocate
  TensorMapFence,  ///< a tensor map that was written needs its proxy fences
  SyncRestrict,    ///< fence.*.sync_restrict orders shared memory alone
  FenceSides,      ///< fence.acquire releases nothing, fence.release acquires
                   ///< nothing
  // Orderings.
  MbarrierOrder,
  BarrierOrder,
  ClusterBarrierOrder,
  WarpSyncOrder,
  TransactionOrder, ///< a wait orders the bytes of its barrier's phases
  CommitOrder,
  BulkWaitOrder,
  WgmmaOrder,    ///< wgmma.wait_group tells of the warpgroup's reads
  FlagOrder,     ///< release and acquire through memory
  PipelineOrder, ///< the listed pairs
  FenceScOrder,  ///< fence.sc of two threads, where their accesses order them
  Count
};
/// For tests: `rule` is dropped until restoreRules; not thread-safe.
void dropRule(Rule rule);
void restoreRules();
const char *toString(Rule rule);
/// For tests: records of global memory that a launch may have, until
/// restoreRules.
void limitRecords(uint32_t most);

extern bool droppedRules[unsigned(Rule::Count)];
extern bool anyRuleDropped;
inline bool holds(Rule rule) { return !droppedRules[unsigned(rule)]; }

/// A number of a record that its cluster changes while others may read it.
template <class T>
class Changing {
public:
  Changing(T value = 0) : value(value) {}
  Changing(const Changing &other) : value(T(other)) {}
  Changing &operator=(const Changing &other) { return *this = T(other); }
  Changing &operator=(T now) {
    value.store(now, std::memory_order_relaxed);
    return *this;
  }
  Changing &operator|=(T more) { return *this = *this | more; }
  operator T() const { return value.load(std::memory_order_relaxed); }

private:
  std::atomic<T> value;
};

/// One access, or all accesses of one operation in one direction.
/// Record::perLane where an entry has the lane itself: the number of every
/// element is zero.
constexpr uint8_t kAnySize = 63;

struct Record {
  enum Kind : uint8_t {
    Generic,
    Tensor, ///< mma, cp, shift
    TmemLoad,
    TmemStore,
    BulkLoad,
    BulkRead,  ///< sources of a bulk store
    BulkWrite, ///< destinations of a bulk store
    CpAsync,
    StoreAsync, ///< st.async, red.async: of the generic proxy
    Wgmma,      ///< wgmma.mma_async
    Free        ///< tcgen05.dealloc
  };
  Kind kind = Generic;
  bool write = false, strong = false;
  Scope scope = Scope::Cta; ///< of strong accesses
  uint8_t element = 0;      ///< bytes of a scalar, strong accesses
  /// tcgen05.alloc's store, and generic reads of what it stored.
  bool allocates = false, readsAllocation = false;
  PipedOp piped;                ///< Tensor
  uint32_t component = 0;       ///< Generic: of lane 0
  Changing<uint32_t> clock = 0; ///< ~0: not complete
  int line = 0;
  /// Generic: a line may have several; null for mbarrier.init and .inval.
  const DecodedInst *inst = nullptr;
  uint32_t barrier = 0; ///< BulkLoad, StoreAsync
  /// BulkLoad: the record of the same read that completes on another mbarrier.
  Changing<uint32_t> also = 0;
  /// Generic: how many bytes one lane accesses, log2, up to a granule.
  uint8_t perLane = kAnySize;
  /// Lanes that are so many apart have accessed the same; 0: each has its own.
  uint8_t period = 0;
  /// Of Tensor Memory; else [0] has the lanes of the warp that made accesses
  /// with this record, of kTogether each all of them.
  Changing<uint64_t> lanes[2] = {};
  uint64_t cluster = 0;        ///< index
  unsigned rank = 0, warp = 0; ///< of the issuer

  /// By the generic proxy, cp.async aside, which is never strong.
  bool isGeneric() const { return kind == Generic || kind == StoreAsync; }
};

/// Calls visit(lane, at) with each lane of an entry that accessed bytes of
/// [at, at + bytes), within a granule, and the first such byte; stops at false.
template <class Visit>
bool forLanes(Entry entry, const Record &record, uint64_t at, uint32_t bytes,
              Visit visit) {
  if (whoOf(entry) == kTogether) {
    for (uint64_t rest = record.lanes[0]; rest; rest &= rest - 1)
      if (!visit(unsigned(__builtin_ctzll(rest)), at))
        return false;
    return true;
  }
  for (uint64_t element = at >> record.perLane,
                last = (at + bytes - 1) >> record.perLane;
       element <= last; ++element) {
    const uint64_t from = std::max(at, element << record.perLane);
    unsigned lane = laneOf(entry, element);
    if (!record.period && !visit(lane, from))
      return false;
    for (lane %= record.period ? record.period : 1; record.period && lane < 32;
         lane += record.period)
      if (record.lanes[0] >> lane & 1 && !visit(lane, from))
        return false;
  }
  return true;
}

/// The records of global memory, which are kept for the whole launch and stay
/// where they are. Each cluster adds to room of its own.
class GlobalRecords {
public:
  GlobalRecords();

  Record &operator[](uint32_t index) {
    return chunks[index / kChunk][index % kChunk];
  }
  const Record &operator[](uint32_t index) const {
    return chunks[index / kChunk][index % kChunk];
  }

  /// Indices of records that nobody else adds.
  struct Room {
    uint32_t next = 0, end = 0;
  };
  /// Both under the lock of the RaceChecker. Empty: there is no more.
  Room take();
  void give(Room room) { unused.push_back(room); }

private:
  static constexpr uint32_t kChunk = 512;
  struct Free {
    void operator()(Record **table) const { std::free(table); }
  };
  /// Of as many as entries can name; its pages come as they are used.
  std::unique_ptr<Record *[], Free> chunks;
  std::vector<std::unique_ptr<Record[]>> storage;
  std::vector<Room> unused;
};

/// A part of global memory and who may look at its shadow.
struct GlobalPage {
  static constexpr unsigned kShift = 16;
  static constexpr uint64_t kBytes = uint64_t(1) << kShift;

  GlobalPage() : shadow(kBytes / Shadow::kGranule) {}
  void hold() { held.lock(); }
  void release() { held.unlock(); }

  Shadow shadow;

private:
  BriefLock held;
};

/// Holds a page for as long as it lives.
class HeldPage {
public:
  explicit HeldPage(GlobalPage &page) : page(page) { page.hold(); }
  ~HeldPage() { page.release(); }
  HeldPage(const HeldPage &) = delete;
  HeldPage &operator=(const HeldPage &) = delete;

private:
  GlobalPage &page;
};

/// Who has accessed which global memory in a launch.
struct GlobalFootprint {
  explicit GlobalFootprint(const DeviceMemory &memory) : reads(memory) {}
  /// Leaves pages to the launches that follow.
  ~GlobalFootprint();

  /// Made where there is none.
  GlobalPage &page(uint64_t address);
  /// Null: nobody has accessed it, or it has been read alone.
  GlobalPage *findPage(uint64_t address);
  /// Makes readers of cells of what has been read of [begin, end) so far, and
  /// of all that will be. The caller holds no log and no page.
  void moveReads(uint64_t begin, uint64_t end);
  void moveRegion(size_t region);
  void moveAllReads();

  ReadLogs reads;
  GlobalRecords records;
  /// Of the launch, for reports; the caller keeps its program.
  const KernelCode *kernel = nullptr;

private:
  void addReaders(const ReadLog::Item &item);

  std::mutex lock; ///< of the pages, which stay where they are
  std::unordered_map<uint64_t, std::unique_ptr<GlobalPage>> pages;
};

inline Reach reachOf(Scope scope) {
  return scope == Scope::Cta       ? kCta
         : scope == Scope::Cluster ? kCluster
                                   : kGrid;
}

/// What strong writes to one location have published (PTX ISA 9.0, "Release
/// and Acquire Patterns", 8.8, and "Morally Strong Operations", 8.7: the scopes
/// of both sides include the other thread).
struct Flag {
  static constexpr uint32_t kSeveral = ~0u;
  static constexpr size_t kTold = 16;
  struct Told {
    uint32_t thread; ///< its component, or kSeveral
    unsigned rank;   ///< of its CTA
    Reach reach;
    std::shared_ptr<const Message> message; ///< null: nothing that is news
  };
  /// By cluster of the writer, for readers of the same one.
  std::map<uint64_t, std::vector<Told>> near;
  ForeignMap grid; ///< at .gpu or .sys scope, for other clusters
  /// What the last fence.sc of threads knew that have accessed the location, up
  /// to the last write and by reads since, the latest of them; for the next
  /// fence.sc of threads whose accesses come later in communication order
  /// (FenceSc.cpp).
  struct Fenced {
    uint64_t cluster;
    Told told;
  };
  std::vector<Fenced> upToTheWrite, readsSince;
};

class RaceChecker final : public LaunchObserver {
public:
  /// Of `clusters`.
  RaceChecker(Machine &machine, uint64_t clusters);
  std::unique_ptr<Observer> observe(Cluster &cluster) override;

  Machine &machine;
  const Sample sample;

  /// Of what follows, but for pages, logs and records that a cluster has found.
  /// One that holds a page or a log may take it, and nobody the other way
  /// round.
  std::mutex lock;
  std::shared_ptr<GlobalFootprint> footprint;
  /// Of clusters that are over, for the records of others.
  std::vector<std::vector<Record>> storage;
  /// The launch before this one, which may still run; null: it has ended.
  std::shared_ptr<GlobalFootprint> prerequisite;
  /// What strong writes have published, by address.
  std::unordered_map<uint64_t, Flag> flags;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_RACECHECKER_H
