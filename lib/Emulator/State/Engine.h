//===- Engine.h - asynchronous work and its queue ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TMA, tcgen05, bulk copies and cp.async never work inside the instruction that
// issues them: they leave an AsyncOp with the cluster's Engine. An op advances
// in steps (read sources, write destinations, announce completion); the
// schedule picks which ready op steps next and when. Order that the ISA grants
// (pipelined tcgen05 pairs, commit after a prefix) is a dependency between ops.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_ENGINE_H
#define TC_EMULATOR_STATE_ENGINE_H

#include "State/History.h"
#include "State/Mbarrier.h"
#include "tc/Emulator/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tc::emu {

enum class Scope : uint8_t;

class Cluster;
class Observer;
class Warp;
struct DecodedInst;

/// Families of asynchronous work, for waits and reports.
enum class AsyncClass : uint8_t {
  CpAsync,   ///< cp.async (non-bulk)
  BulkLoad,  ///< into shared memory, completes on an mbarrier
  BulkStore, ///< out of shared memory, completes through a bulk group
  Prefetch,  ///< no visible effect
  Mma,       ///< tcgen05.mma
  TmemCopy,  ///< tcgen05.cp
  TmemShift, ///< tcgen05.shift
  Commit,    ///< tcgen05.commit
  TmemLoad,  ///< tcgen05.ld
  TmemStore, ///< tcgen05.st
  Wgmma,     ///< wgmma.mma_async
  StoreAsync ///< st.async, red.async
};
const char *toString(AsyncClass asyncClass);

/// Fills global memory that an asynchronous store is going to write; shared and
/// Tensor Memory have a state for that. 0x7fa5 in every half word is a NaN in
/// f32, bf16, f16 and, in one byte of two, e4m3 and e5m2.
void poisonBytes(uint8_t *to, uint64_t bytes);

class AsyncOp {
public:
  AsyncOp(AsyncClass asyncClass, const Warp &issuer, unsigned lane, int line);
  virtual ~AsyncOp();

  /// Called by Engine::issue after dependencies are set. Marks destinations as
  /// limbo where `cluster.engine.poisons()` says so.
  virtual void onIssue(Cluster &cluster) {}

  /// Does the next step. True: that was the last one. An Error stops the run;
  /// its line is set to the op's if it has none.
  virtual Expected<bool> step(Cluster &cluster) = 0;

  /// Tells a checker what the op reads and writes until it completes.
  virtual void announce(Cluster &cluster, Observer &events) const {}

  /// Whether the op can still read or write shared memory or TMEM of that CTA
  /// or arrive on one of its barriers: such a CTA must not exit.
  virtual bool touchesCta(unsigned rank) const = 0;

  /// Whether the op still writes one of these bytes of shared memory; used to
  /// name the culprit when limbo is read.
  virtual bool writesShared(unsigned rank, uint32_t offset,
                            uint32_t bytes) const {
    return false;
  }

  /// Whether the op still reads one of these bytes of shared memory; no thread
  /// may overwrite them.
  virtual bool readsShared(unsigned rank, uint32_t offset,
                           uint32_t bytes) const {
    return false;
  }

  /// The op has finished and stays only for the post-mortem: gives up copies of
  /// data.
  virtual void retire() {}

  Mbarrier::Arrival asArrival() const {
    Mbarrier::Arrival by;
    by.line = line;
    by.rank = issuerRank;
    by.warp = issuerWarp;
    by.async = true;
    return by;
  }

  /// "cp.async.bulk.tensor.2d of line 12 by warp 3": `what` is the opcode.
  std::string describe() const;

  const AsyncClass asyncClass;
  const int line;
  uint64_t id = 0;     ///< set by issue, unique in the cluster, from 1
  unsigned issuerRank; ///< CTA rank in the cluster
  unsigned issuerWarp; ///< warp in that CTA
  unsigned issuerLane;
  /// Set by the op once its sources may be overwritten (wait_group.read).
  bool sourcesRead = false;
  /// Set by Engine::issue where other work waits for these reads alone: the op
  /// is to make them in a step of their own (tcgen05.mma: A in shared memory).
  bool readsFirst = false;
  /// Set by the op once they are done.
  bool firstReads = false;
  /// A bulk load from shared memory, whose sources a program can overwrite.
  bool fromShared = false;
  /// Of a post-mortem; 0: it has not finished.
  uint64_t issueMoment = 0, finishMoment = 0;
  /// Another lane has issued the very same store by the same instruction.
  bool repeats = false;
  /// Of one whose writes are strong (reductions), bytes of each, and the scope.
  uint8_t strongElement = 0;
  Scope strongScope{};
  /// Its reads are strong, too.
  bool strongReads = false;
  /// Opcode for reports; set by the creator.
  std::string what;

private:
  friend class Engine;
  unsigned unmet = 0;                   ///< dependencies that are still pending
  std::vector<uint64_t> dependents;     ///< ids of ops that wait for this one
  std::vector<uint64_t> readDependents; ///< those that wait for firstReads
};

/// The asynchronous work of one cluster.
class Engine {
public:
  explicit Engine(bool poison) : poison(poison) {}

  /// Whether destinations of work in flight are to be marked as limbo (every
  /// policy but eager).
  bool poisons() const { return poison; }

  /// Takes over `op`; it becomes ready when the ops with these ids have
  /// finished (ids that already have are ignored), and those of `afterReads`
  /// have made their first reads.
  AsyncOp &issue(Cluster &cluster, std::unique_ptr<AsyncOp> op,
                 const std::vector<uint64_t> &after = {},
                 const std::vector<uint64_t> &afterReads = {});

  bool isPending(uint64_t id) const { return ops.count(id) != 0; }
  const AsyncOp *find(uint64_t id) const;
  /// Pending and its sources not read yet.
  bool readsPending(uint64_t id) const;
  /// Whether work of that class that the warp (or one lane of it) issued is
  /// pending.
  bool anyPending(const Warp &warp, AsyncClass asyncClass, int lane = -1) const;

  /// Ids of ops that may step now, oldest first.
  const std::vector<uint64_t> &ready() const { return readyIds; }
  bool empty() const { return ops.empty(); }
  /// Steps one ready op and wakes who may wait for it.
  Status step(Cluster &cluster, uint64_t id);

  /// Oldest pending op that satisfies the predicate, or null.
  template <class Pred>
  const AsyncOp *findIf(Pred pred) const {
    const AsyncOp *best = nullptr;
    for (const auto &entry : ops)
      if (pred(*entry.second) && (!best || entry.first < best->id))
        best = entry.second.get();
    return best;
  }

  /// Pending work that still reads these bytes of shared memory, or null.
  const AsyncOp *findSharedReader(unsigned rank, uint32_t offset,
                                  uint32_t bytes) const {
    return findIf(
        [&](const AsyncOp &op) { return op.readsShared(rank, offset, bytes); });
  }

  uint64_t issued() const { return lastId; }

  /// Visits the last ops that have finished, then those that are pending.
  template <class Visit>
  void forEachRecent(const Visit &visit) const {
    history.forEach([&](const std::unique_ptr<AsyncOp> &op) { visit(*op); });
    for (const auto &entry : ops)
      visit(*entry.second);
  }

private:
  /// What waits for `op` waits no more.
  void release(std::vector<uint64_t> &dependents);

  bool poison;
  uint64_t lastId = 0;
  std::unordered_map<uint64_t, std::unique_ptr<AsyncOp>> ops;
  std::vector<uint64_t> readyIds;
  Ring<std::unique_ptr<AsyncOp>, 64> history; ///< that have finished
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_ENGINE_H
