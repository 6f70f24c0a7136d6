//===- Events.h - what observers are told -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one interface between a run and those who watch it: the race checker,
// timelines, coverage, debuggers and the post-mortem. Every access and every
// synchronisation of a cluster is told in the order in which it takes effect.
// Asynchronous work is told when it is issued, with everything it will read and
// write (AsyncOp::announce), and again when it signals completion. Whoever
// reports events includes this header and never an observer.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_EVENTS_H
#define TC_EMULATOR_STATE_EVENTS_H

#include "State/Address.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tc::emu {

class AsyncOp;
class Cluster;
class Warp;
struct DecodedInst;
struct Report;
struct TmemFootprint;

enum class MemoryOrder : uint8_t { Weak, Relaxed, Acquire, Release, AcqRel };
enum class Scope : uint8_t { Cta, Cluster, Gpu, Sys };

enum class FenceKind : uint8_t {
  Memory,           ///< fence.acq_rel, .acquire, .release
  MemoryOfShared,   ///< fence.{acquire,release}.sync_restrict
  MemorySc,         ///< fence.sc, membar
  MbarrierInit,     ///< fence.mbarrier_init
  ProxyAsync,       ///< fence.proxy.async for all spaces
  ProxyAsyncGlobal, ///< fence.proxy.async.global
  ProxyAsyncShared, ///< fence.proxy.async.shared::{cta,cluster}
  ProxyAsyncReads,  ///< the same of own reads alone, by a one-way release
  ProxyOther,       ///< alias
  TensorMapRelease, ///< fence.proxy.tensormap::generic.release
  TensorMapAcquire, ///< .acquire; object: address of the tensor map
  TensorBefore,     ///< tcgen05.fence::before_thread_sync
  TensorAfter       ///< tcgen05.fence::after_thread_sync
};

struct SyncEvent {
  enum Kind : uint8_t {
    MbarrierInit,  ///< object: shared address
    MbarrierInval, ///< same
    MbarrierTx,    ///< same, a lane counts bytes without arriving
    Arrive,        ///< same, before the barrier changes; by a lane or by `op`
    CompleteTx,    ///< same, value: phase that the bytes count for
    PhaseDone,     ///< same, value: number of phases completed since init
    Wait,          ///< same, a wait has seen its phase complete; value: 1 if
                   ///< it names the phase by a state
    Poll, ///< same, a wait has not seen it; told only where a run stands for
          ///< all schedules
    BarrierArrive, ///< bar; object: rank << 8 | barrier
    BarrierDone,   ///< its count has been reached
    BarrierLeave,  ///< a waiting warp goes on
    ClusterArrive, ///< barrier.cluster
    ClusterDone,
    ClusterLeave,
    GridWait,    ///< griddepcontrol.wait
    WarpSync,    ///< bar.warp.sync
    Fence,       ///< value: FenceKind
    WaitLoads,   ///< tcgen05.wait::ld
    WaitStores,  ///< tcgen05.wait::st
    BulkWait,    ///< object: how many bulk stores of the lane have finished;
                 ///< value: 1 if only their sources have been read, 2 if only
                 ///< the async proxy gets to know
    CpAsyncWait, ///< object: how many cp.async of the lane have finished
    WgmmaWait,   ///< object: how many wgmma.mma_async of the warp have
                 ///< finished, in all warps of its warpgroup
    Converge,    ///< a warp collective: all of the lanes have come; only told
                 ///< where a run stands for all schedules
    Registers,   ///< setmaxnreg, value: 1 if it takes some
    TmemAlloc,   ///< before it; value: CTA group; object: columns
    TmemRelinquish, ///< tcgen05.relinquish_alloc_permit
    TmemFree, ///< object: rank << 32 | column << 16 | columns; value: CTA group
    CtaExit   ///< object: rank; no warp
  };
  Kind kind;
  const Warp *warp = nullptr;
  uint32_t lanes = 0;
  const AsyncOp *op = nullptr;
  uint64_t object = 0, value = 0;
  MemoryOrder order = MemoryOrder::AcqRel;
  Scope scope = Scope::Cta;
  int line = 0;
};

/// A part of an operand in shared memory: offset and size.
struct SmemPiece {
  uint32_t offset, bytes;
};

/// How a slice of a warp has ended.
enum class SliceEnd : uint8_t {
  Budget,  ///< may go on
  Yielded, ///< may go on after others have run
  Blocked, ///< no split can run
  Done,    ///< all lanes have exited
  Failed   ///< the cluster has reported an error
};

/// Watches one cluster. Of what is frequent it is told only what it asks for.
class Observer {
public:
  virtual ~Observer();

  enum Subject : unsigned {
    Accesses = 1, ///< and synchronisation; at most one observer of a cluster
    Slices = 2,
    Instructions = 4
  };
  /// The subjects it asks for. Asynchronous work is told to every observer.
  virtual unsigned subjects() const = 0;

  //===--- Accesses -------------------------------------------------------===//
  /// No thread sees what a reduction has read.
  enum class Access : uint8_t { Read, Write, Atomic, Reduction };
  /// A generic access of one lane; `inst` has order and scope. `space` is
  /// Global or SharedCluster, the latter with a plain shared address.
  virtual void access(const Warp &warp, unsigned lane, Space space,
                      uint64_t address, uint32_t bytes, Access access,
                      const DecodedInst &inst) {}
  /// The same of several lanes, before any of them takes effect: of one
  /// allocation of global memory or of the CTA's own shared memory, at
  /// addresses by lane, which are multiples of `bytes`. No two lanes write the
  /// same bytes by weak accesses.
  virtual void accessAll(const Warp &warp, uint32_t lanes, Space space,
                         const uint64_t *addresses, uint32_t bytes,
                         Access access, const DecodedInst &inst) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
      const auto lane = unsigned(__builtin_ctz(rest));
      this->access(warp, lane, space, addresses[lane], bytes, access, inst);
    }
  }
  virtual void sync(const SyncEvent &event) {}
  /// A copy of the lane uses the tensor map there, in global memory.
  virtual void tensorMap(const Warp &warp, unsigned lane, uint64_t address,
                         const DecodedInst &inst) {}

  //===--- asynchronous work ----------------------------------------------===//
  /// `op` has been issued; a checker asks it to announce its accesses.
  virtual void issued(const AsyncOp &op) {}
  /// `op` has done a step. After the last one it has signalled what it had to.
  virtual void stepped(const AsyncOp &op, bool finished) {}

  //===--- called by AsyncOp::announce ------------------------------------===//
  /// The op is going to arrive on this mbarrier (plain shared address).
  virtual void arrivesOn(uint32_t barrier) {}
  /// The accesses that follow complete on this mbarrier (plain shared address);
  /// what is read from global memory then on all that follow, too.
  virtual void completesOn(uint32_t barrier) {}
  virtual void asyncShared(uint32_t address, uint32_t bytes, bool write) {}
  /// The same for all parts of an operand in the CTA of that rank, from an
  /// offset on, which is read.
  virtual void asyncOperand(unsigned rank, uint32_t base,
                            const std::vector<SmemPiece> &pieces) {
    for (const SmemPiece &piece : pieces)
      asyncShared(smemAddress(rank, base + piece.offset), piece.bytes, false);
  }
  /// What is read from here on, until it is turned off, other work may wait for
  /// alone (AsyncOp::readsFirst).
  virtual void asyncFirstReads(bool on) {}
  virtual void asyncGlobal(uint64_t address, uint64_t bytes, bool write) {}
  virtual void asyncTmem(const TmemFootprint &cells, bool write) {}

  //===--- Slices ---------------------------------------------------------===//
  virtual void beginSlice(const Warp &warp) {}
  virtual void endSlice(const Warp &warp, SliceEnd end) {}

  //===--- Instructions ---------------------------------------------------===//
  /// `lanes` of the warp have come to the instruction at `pc`, whatever its
  /// guard is.
  virtual void comesTo(Warp &warp, uint32_t pc, uint32_t lanes) {}
  /// `lanes` of the warp are about to execute the instruction at `pc`; true
  /// ends the launch here.
  virtual bool stopsAt(Warp &warp, uint32_t pc, uint32_t lanes) {
    return false;
  }
  /// They have executed it.
  virtual void executed(const Warp &warp, uint32_t pc) {}
};

/// Makes choices that are the schedule's, where a run stands for all schedules.
class WaitOracle {
public:
  virtual ~WaitOracle();
  /// What an mbarrier.test_wait or try_wait does.
  enum class Outcome : uint8_t {
    Completes, ///< it suspends until the phase is complete
    Fails      ///< it says that the phase is not complete
  };
  virtual Outcome outcome(Warp &warp, const DecodedInst &inst,
                          uint32_t lanes) = 0;
};

/// Watches a launch.
class LaunchObserver {
public:
  virtual ~LaunchObserver();

  /// The observer of a cluster that begins, which ends with it; null: none.
  virtual std::unique_ptr<Observer> observe(Cluster &cluster) {
    return nullptr;
  }
  /// The cluster has failed, or a race goes on: adds to its report.
  virtual void failed(Cluster &cluster, Report &report) {}
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_EVENTS_H
