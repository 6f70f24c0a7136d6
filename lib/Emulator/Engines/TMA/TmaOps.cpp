//===- TmaOps.cpp - tensor copies in flight ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines/TMA/TmaOps.h"

#include <cstring>

namespace tc::emu {

namespace {

/// The part of a tensor copy that loads and stores share.
class TensorOp : public AsyncOp {
public:
  TensorOp(AsyncClass asyncClass, const Warp &warp, unsigned lane,
           const DecodedInst &inst, const TensorMapDesc &map,
           const BoxPosition &position, uint32_t shared)
      : AsyncOp(asyncClass, warp, lane, inst.line), map(map),
        position(position), shape(boxShape(map, position.fourRows)),
        shared(shared) {
    what = std::string(inst.text.substr(0, inst.text.find_first_of(" \t\n[")));
  }

  void retire() override { dense = {}; }

protected:
  /// Calls visit(offset, bytes) for the shared memory that the box covers.
  template <class Visit>
  void forEachRange(const Visit &visit) const {
    forEachSharedRange(map.swizzle, shape, smemOffset(shared), visit);
  }
  bool covers(uint32_t offset, uint32_t bytes) const {
    uint32_t begin = smemOffset(shared);
    if (offset >= begin + shape.sharedBytes || begin >= offset + bytes)
      return false;
    bool found = false;
    forEachRange([&](uint32_t from, uint32_t size) {
      found |= offset < from + size && from < offset + bytes;
    });
    return found;
  }

  Error globalFault(const Machine &machine, const BoxFault &fault,
                    bool write) const {
    return Error{describe() +
                 ": global memory of the tensor map is not accessible: " +
                 machine.explain(fault.address, fault.bytes, write)};
  }

  const TensorMapDesc map;
  const BoxPosition position;
  const BoxShape shape;
  const uint32_t shared;      ///< plain shared address of the box
  std::vector<uint8_t> dense; ///< the box's bytes between two steps
};

class TensorLoad final : public TensorOp {
public:
  using Target = TensorLoadTarget;

  TensorLoad(const Warp &warp, unsigned lane, const DecodedInst &inst,
             const TensorMapDesc &map, const BoxPosition &position,
             uint32_t shared, std::vector<Target> targets,
             const ReportPattern &report)
      : TensorOp(AsyncClass::BulkLoad, warp, lane, inst, map, position, shared),
        targets(std::move(targets)), report(report) {
    for (size_t i = 0; i < this->targets.size(); ++i)
      open.push_back(i);
  }

  void onIssue(Cluster &cluster) override {
    if (!cluster.engine.poisons())
      return;
    for (const Target &target : targets) {
      SharedMemory &smem = cluster.cta(target.rank)->smem;
      forEachRange([&](uint32_t offset, uint32_t bytes) {
        smem.mark(offset, bytes, SharedMemory::Limbo);
      });
    }
  }

  /// Destinations get their bytes and hear of them one by one, in any order
  /// (PTX ISA 9.0, "cp.async.bulk.tensor", .multicast::cluster).
  Expected<bool> step(Cluster &cluster) override {
    size_t chosen = cluster.policy.chooseTarget(open.size());
    Target &target = targets[open[chosen]];
    if (!target.written) {
      if (Status status = writeBox(cluster, target.rank); !status)
        return status.takeError();
      target.written = true;
      return false;
    }
    if (cluster.events)
      cluster.events->sync({SyncEvent::CompleteTx, nullptr, 0, this,
                            target.barrier, open[chosen], MemoryOrder::AcqRel,
                            Scope::Cluster, line});
    if (Status status = reportOn(cluster, target.barrier); !status)
      return status.takeError();
    if (Status status = cluster.mbarrierCompleteTx(
            target.barrier, shape.transaction, asArrival());
        !status) {
      Error error = status.takeError();
      error.message = describe() + ": " + error.message;
      return error;
    }
    open.erase(open.begin() + static_cast<ptrdiff_t>(chosen));
    return open.empty();
  }

  void announce(Cluster &, Observer &events) const override {
    for (const Target &target : targets) {
      events.completesOn(target.barrier);
      if (&target == targets.data())
        for (const BoxRow &row : boxRows(map, position, BoxAccess::Load))
          if (row.bytes)
            events.asyncGlobal(row.global, row.bytes, false);
      forEachRange([&](uint32_t offset, uint32_t bytes) {
        events.asyncShared(smemAddress(target.rank, offset), bytes, true);
      });
    }
  }

  bool touchesCta(unsigned rank) const override {
    for (size_t i : open)
      if (targets[i].rank == rank || smemRank(targets[i].barrier) == rank)
        return true;
    return false;
  }

  bool writesShared(unsigned rank, uint32_t offset,
                    uint32_t bytes) const override {
    if (!covers(offset, bytes))
      return false;
    for (size_t i : open)
      if (targets[i].rank == rank && !targets[i].written)
        return true;
    return false;
  }

private:
  Status writeBox(Cluster &cluster, unsigned rank) {
    Machine &machine = cluster.machine;
    SharedMemory &smem = cluster.cta(rank)->smem;
    const uint32_t offset = smemOffset(shared);
    auto read = [&](uint64_t address, uint64_t bytes) {
      return machine.readable(address, bytes);
    };
    // Only for several targets the box has to be kept.
    const bool isCopied =
        !sourcesRead && targets.size() == 1 &&
        copyBox(map, position, read, offset, smem.data(offset));
    if (!sourcesRead && !isCopied) {
      BoxFault fault = loadBox(map, position, read, dense);
      if (fault.faulted)
        return globalFault(machine, fault, false);
    }
    sourcesRead = true;
    if (report.bits && !found)
      found = findPattern(cluster);
    if (!isCopied)
      scatterBox(map.swizzle, shape, offset, dense, smem.data(offset));
    forEachRange([&](uint32_t at, uint32_t bytes) {
      smem.mark(at, bytes, SharedMemory::Init);
    });
    return {};
  }

  /// Whether the source has the value that is looked for. Which element of 16
  /// bytes is looked at no text says.
  bool findPattern(Cluster &cluster) const {
    const unsigned perChunk = 8 * report.granularity / report.bits;
    for (const BoxRow &row : boxRows(map, position, BoxAccess::Load)) {
      const uint8_t *bytes =
          row.bytes ? cluster.machine.readable(row.global, row.bytes) : nullptr;
      const uint64_t end = row.global + row.bytes, step = report.granularity;
      for (uint64_t chunk = row.global / step * step; bytes && chunk < end;
           chunk += step) {
        const size_t bit = report.bits * cluster.policy.chooseTarget(perChunk);
        const uint64_t at = chunk + bit / 8, size = (report.bits + 7) / 8;
        if (at < row.global || at + size > end)
          continue;
        uint32_t word = 0;
        std::memcpy(&word, bytes + (at - row.global), size);
        if (report.bits < 8)
          word = word >> bit % 8 & ((1u << report.bits) - 1);
        if (word == report.value)
          return true;
      }
    }
    return false;
  }

  /// Tells the barrier what was found, before it hears of the bytes.
  Status reportOn(Cluster &cluster, uint32_t address) const {
    std::string why;
    Mbarrier *barrier = found ? cluster.mbarrier(address, why) : nullptr;
    if (const char *error = barrier ? barrier->reportOn() : nullptr)
      return Error{describe() + ": " + error};
    return {};
  }

  std::vector<Target> targets;
  const ReportPattern report;
  bool found = false;
  std::vector<size_t> open; ///< targets whose barrier has not heard yet
};

class TensorStore final : public TensorOp {
public:
  TensorStore(const Warp &warp, unsigned lane, const DecodedInst &inst,
              const TensorMapDesc &map, const BoxPosition &position,
              uint32_t shared, AtomicOp op, Type reduction)
      : TensorOp(AsyncClass::BulkStore, warp, lane, inst, map, position,
                 shared),
        op(op), reduction(reduction) {}

  void onIssue(Cluster &cluster) override {
    if (!cluster.engine.poisons() || reduction != Type::None)
      return;
    for (const BoxRow &row : boxRows(map, position, BoxAccess::Store))
      if (row.bytes)
        if (uint8_t *to = cluster.machine.writable(row.global, row.bytes))
          poisonBytes(to, row.bytes);
  }

  Expected<bool> step(Cluster &cluster) override {
    Machine &machine = cluster.machine;
    if (!sourcesRead) {
      SharedMemory &smem = cluster.cta(smemRank(shared))->smem;
      std::string why;
      bool isDefined = true;
      forEachRange([&](uint32_t at, uint32_t bytes) {
        isDefined &= smem.isReadable(at, bytes);
        if (why.empty() && !smem.isWritable(at, bytes))
          why = smem.explain(at, bytes, true);
      });
      // What is outside of the tensor goes nowhere.
      if (!isDefined && why.empty())
        if (uint32_t at = findStored(
                map, position, smemOffset(shared), [&](uint32_t offset) {
                  return smem.stateOf(offset) == SharedMemory::Uninit;
                }))
          why =
              cluster.explainStore(*this, smemAddress(smemRank(shared), at), 1);
      if (!why.empty())
        return Error{describe() + ": the source is not readable: " + why};
      const uint32_t offset = smemOffset(shared);
      dense.resize(shape.denseBytes);
      gatherBox(map.swizzle, shape, offset, smem.data(offset), dense);
      sourcesRead = true;
      return false;
    }
    auto write = [&](uint64_t address, uint64_t bytes) {
      return machine.writable(address, bytes);
    };
    StoreBytes store;
    if (reduction != Type::None)
      store = [this](uint8_t *to, const uint8_t *from, uint32_t bytes) {
        reduceRange(op, reduction, to, from, bytes);
      };
    BoxFault fault = storeBox(map, position, write, dense, store);
    if (fault.faulted)
      return globalFault(machine, fault, true);
    return true;
  }

  void announce(Cluster &, Observer &events) const override {
    forEachRange([&](uint32_t offset, uint32_t bytes) {
      events.asyncShared(smemAddress(smemRank(shared), offset), bytes, false);
    });
    for (const BoxRow &row : boxRows(map, position, BoxAccess::Store))
      if (row.bytes)
        events.asyncGlobal(row.global, row.bytes, true);
  }

  bool touchesCta(unsigned rank) const override {
    return !sourcesRead && smemRank(shared) == rank;
  }

  bool readsShared(unsigned rank, uint32_t offset,
                   uint32_t bytes) const override {
    return touchesCta(rank) && covers(offset, bytes);
  }

private:
  const AtomicOp op;
  const Type reduction; ///< None: a plain store
};

} // namespace

std::unique_ptr<AsyncOp>
makeTensorLoad(const Warp &warp, unsigned lane, const DecodedInst &inst,
               const TensorMapDesc &map, const BoxPosition &position,
               uint32_t shared, std::vector<TensorLoadTarget> targets,
               const ReportPattern &report) {
  return std::make_unique<TensorLoad>(warp, lane, inst, map, position, shared,
                                      std::move(targets), report);
}

std::unique_ptr<AsyncOp>
makeTensorStore(const Warp &warp, unsigned lane, const DecodedInst &inst,
                const TensorMapDesc &map, const BoxPosition &position,
                uint32_t shared, AtomicOp op, Type reduction) {
  return std::make_unique<TensorStore>(warp, lane, inst, map, position, shared,
                                       op, reduction);
}

} // namespace tc::emu
