//===- Clock.h - vector clocks ----------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread or barrier knows to have happened. Threads and asynchronous
// streams count in separate spaces: a thread's component is its place in the
// cluster, a stream gets the next free index when it is first used. The
// component of an mbarrier counts its phases, that of a tcgen05 issuer its
// operations.
//
// A clock keeps apart what the text of the ISA grants and what assumptions add
// to it, with the set of assumptions that an added component needs. The former
// does not depend on which assumptions are in force.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_CLOCK_H
#define TC_EMULATOR_CHECK_CLOCK_H

#include "tc/Emulator/Assumptions.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace tc::emu {

/// Components that are missing are zero.
class Clock {
public:
  /// By the text alone.
  uint32_t get(uint32_t i) const { return i < values.size() ? values[i] : 0; }
  /// Whether each of `lanes` of the 32 from `first` on has come to `value`, by
  /// the text alone.
  bool hasAll(uint32_t first, uint32_t lanes, uint32_t value) const {
    if (first + 32 > values.size())
      return false;
    const uint32_t *from = values.data() + first;
    uint32_t below = 0;
    for (unsigned i = 0; i < 32; ++i)
      below |= from[i] < value;
    if (!below || lanes == ~0u)
      return !below;
    below = 0;
    for (unsigned i = 0; i < 32; ++i)
      below |= uint32_t(from[i] < value) << i;
    return !(below & lanes);
  }
  /// Whether component `i` has come to `value`; adds the assumptions that it
  /// takes to `used`.
  bool knows(uint32_t i, uint32_t value, AssumptionMask &used) const {
    if (get(i) >= value)
      return true;
    if (i >= added.size() || added[i].value < value)
      return false;
    used |= added[i].mask;
    return true;
  }
  void raise(uint32_t i, uint32_t value) {
    if (i >= values.size())
      values.resize(i + 1);
    values[i] = std::max(values[i], value);
  }
  /// What the assumptions of `mask` grant.
  void assume(uint32_t i, uint32_t value, AssumptionMask mask) {
    if (value <= get(i))
      return;
    if (i >= added.size())
      added.resize(i + 1);
    added[i].merge({value, mask});
  }
  void join(const Clock &other) {
    if (values.size() < other.values.size())
      values.resize(other.values.size());
    uint32_t *to = values.data();
    const uint32_t *from = other.values.data();
    for (size_t i = 0, n = other.values.size(); i < n; ++i)
      to[i] = std::max(to[i], from[i]);
    joinAdded(other, 0);
  }
  /// Joins only components [begin, end).
  void joinRange(const Clock &other, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end && i < other.values.size(); ++i)
      raise(i, other.values[i]);
    for (uint32_t i = begin; i < end && i < other.added.size(); ++i)
      assume(i, other.added[i].value, other.added[i].mask);
  }
  /// Joins what the assumptions of `mask` let pass.
  void joinAssuming(const Clock &other, AssumptionMask mask) {
    const size_t count = other.values.size();
    for (size_t i = 0; i < count; ++i)
      if (other.values[i] > get(uint32_t(i)))
        add(i, {other.values[i], mask}, count);
    joinAdded(other, mask);
  }
  /// Whether joining the other changes nothing.
  bool covers(const Clock &other) const {
    const size_t both = std::min(values.size(), other.values.size());
    bool isAnyNew = false; // without a branch for each
    for (size_t i = 0; i < both; ++i)
      isAnyNew |= other.values[i] > values[i];
    for (size_t i = both; i < other.values.size(); ++i)
      isAnyNew |= other.values[i] != 0;
    // What has been assumed is rare.
    return !isAnyNew && other.added.empty();
  }
  /// Whether nothing has ever been known.
  bool empty() const { return values.empty() && added.empty(); }
  void clear() {
    std::fill(values.begin(), values.end(), 0);
    added.clear();
  }

private:
  struct Added {
    uint32_t value = 0;
    AssumptionMask mask = 0;
    /// The later value; of two ways to the same one the one that takes less.
    void merge(Added other) {
      if (other.value > value ||
          (other.value == value &&
           __builtin_popcount(other.mask) < __builtin_popcount(mask)))
        *this = other;
    }
  };
  /// What assumptions have added to component `i`, one of `count`. As long as
  /// nothing is new, there are none.
  void add(size_t i, Added more, size_t count) {
    if (i >= added.size())
      added.resize(count);
    added[i].merge(more);
  }
  /// What assumptions have added to the other, with `mask` besides.
  void joinAdded(const Clock &other, AssumptionMask mask) {
    const size_t count = other.added.size(), known = values.size();
    if (!count)
      return;
    const Added *from = other.added.data();
    auto merge = [&](size_t i) {
      add(i, {from[i].value, from[i].mask | mask}, count);
    };
    // Most of it is known anyway.
    const size_t both = std::min(count, known);
    constexpr size_t step = 16;
    size_t i = 0;
    for (; i + step <= both; i += step) {
      bool isAnyNew = false; // without a branch for each
      for (size_t j = i; j < i + step; ++j)
        isAnyNew |= from[j].value > values[j];
      for (size_t j = i; isAnyNew && j < i + step; ++j)
        if (from[j].value > values[j])
          merge(j);
    }
    for (; i < both; ++i)
      if (from[i].value > values[i])
        merge(i);
    for (; i < count; ++i)
      if (from[i].value)
        merge(i);
  }

  std::vector<uint32_t> values;
  std::vector<Added> added; ///< empty as long as nothing has been assumed
};

struct Knowledge {
  Clock threads, async;
  bool covers(const Knowledge &other) const {
    return threads.covers(other.threads) && async.covers(other.async);
  }
  bool empty() const { return threads.empty() && async.empty(); }
  void join(const Knowledge &other) {
    threads.join(other.threads);
    async.join(other.async);
  }
  void joinAssuming(const Knowledge &other, AssumptionMask mask) {
    threads.joinAssuming(other.threads, mask);
    async.joinAssuming(other.async, mask);
  }
  void clear() {
    threads.clear();
    async.clear();
  }
};

/// What is known of other clusters, by cluster.
struct Foreign {
  Knowledge known;
  Knowledge visible; ///< to the async proxy, global memory
  Knowledge maps;    ///< that a fence has released to the tensormap proxy
  void join(const Foreign &other) {
    known.join(other.known);
    visible.join(other.visible);
    maps.join(other.maps);
  }
};
using ForeignMap = std::map<uint64_t, Foreign>;

/// How far a synchronisation reaches: to threads of the same CTA, of the same
/// cluster, or of the same grid.
enum Reach : uint8_t { kCta, kCluster, kGrid, kReaches };

/// What the tensormap proxy sees of writes to tensor maps.
struct MapKnowledge {
  /// By fence.proxy.tensormap::generic.release: for this cluster, and for
  /// others what was theirs, by cluster.
  struct Released {
    Knowledge own;
    std::map<uint64_t, Knowledge> foreign;

    void join(const Released &other) {
      own.join(other.own);
      for (const auto &[cluster, known] : other.foreign)
        foreign[cluster].join(known);
    }
  };
  /// With any scope, for the CTA of the fence, by its rank.
  std::map<unsigned, Released> releasedToCta;
  /// With .cluster scope or wider.
  Released releasedToCluster;
  /// With .gpu scope or wider; what was others' goes with them (Foreign::maps).
  Knowledge releasedToGrid;
  /// By a fence.proxy.tensormap::generic.acquire of a CTA, by its rank and the
  /// address of the tensor map; other clusters' writes by cluster.
  struct Seen {
    Knowledge own;
    std::map<uint64_t, Knowledge> foreign;
  };
  std::map<std::pair<unsigned, uint64_t>, Seen> seen;

  void join(const MapKnowledge &other) {
    for (const auto &[rank, theirs] : other.releasedToCta)
      releasedToCta[rank].join(theirs);
    releasedToCluster.join(other.releasedToCluster);
    releasedToGrid.join(other.releasedToGrid);
    for (const auto &[place, theirs] : other.seen) {
      Seen &ours = seen[place];
      ours.own.join(theirs.own);
      for (const auto &[cluster, known] : theirs.foreign)
        ours.foreign[cluster].join(known);
    }
  }
  /// Null knows nothing.
  static void join(std::shared_ptr<const MapKnowledge> &to,
                   const std::shared_ptr<const MapKnowledge> &from) {
    if (!from || to == from)
      return;
    if (!to) {
      to = from;
      return;
    }
    auto joined = std::make_shared<MapKnowledge>(*to);
    joined->join(*from);
    to = std::move(joined);
  }
};

/// What travels along a synchronisation.
struct Message {
  Knowledge known;
  /// Besides `known`, what fences that are restricted to shared memory ordered:
  /// for accesses of that alone.
  Knowledge knownShared;
  Knowledge visibleShared, visibleGlobal; ///< to the async proxy
  /// Threads that have released their reads of shared memory to that proxy.
  Clock readsVisible;
  /// What an arrival of .cta scope publishes to another CTA: threads whose
  /// reads of shared memory are over, and what of all their accesses is before
  /// a proxy fence.
  Clock reads, fenced;
  Clock allocations;    ///< threads whose tcgen05.alloc has stored its word
  Clock tensor;         ///< tcgen05 work after a fence
  Clock inits;          ///< mbarrier.init after its fence
  uint32_t present = 0; ///< CTAs of the cluster that run, a bit per rank
  /// Phases of mbarriers that are over. Causality is enough for this one: it
  /// travels with relaxed arrivals and with the bytes of a copy, too.
  Clock phases;
  /// Threads that have come this far, of whatever order and scope the sign is;
  /// the default policy's, for clusters.
  Clock heard;
  std::shared_ptr<const MapKnowledge> maps;
  std::shared_ptr<const ForeignMap> foreign;

  void join(const Message &other) {
    known.join(other.known);
    knownShared.join(other.knownShared);
    visibleShared.join(other.visibleShared);
    visibleGlobal.join(other.visibleGlobal);
    readsVisible.join(other.readsVisible);
    reads.join(other.reads);
    fenced.join(other.fenced);
    allocations.join(other.allocations);
    tensor.join(other.tensor);
    inits.join(other.inits);
    present |= other.present;
    phases.join(other.phases);
    heard.join(other.heard);
    MapKnowledge::join(maps, other.maps);
    joinForeign(foreign, other.foreign);
  }
  void clear() {
    known.clear();
    knownShared.clear();
    visibleShared.clear();
    visibleGlobal.clear();
    readsVisible.clear();
    reads.clear();
    fenced.clear();
    allocations.clear();
    tensor.clear();
    inits.clear();
    present = 0;
    phases.clear();
    heard.clear();
    maps.reset();
    foreign.reset();
  }
  /// What every sign of the other tells, of whatever order it is.
  void tellSigns(const Message &other) {
    phases.join(other.phases);
    heard.join(other.heard);
  }
  /// Whether joining the other changes nothing, as far as it is seen easily.
  bool covers(const Message &other) const {
    return !(other.present & ~present) && known.covers(other.known) &&
           knownShared.covers(other.knownShared) &&
           visibleShared.covers(other.visibleShared) &&
           visibleGlobal.covers(other.visibleGlobal) &&
           readsVisible.covers(other.readsVisible) &&
           reads.covers(other.reads) && fenced.covers(other.fenced) &&
           allocations.covers(other.allocations) &&
           tensor.covers(other.tensor) && inits.covers(other.inits) &&
           phases.covers(other.phases) && heard.covers(other.heard) &&
           (!other.maps || other.maps == maps) &&
           (!other.foreign || other.foreign == foreign);
  }
  /// What of it is about shared memory, or needs no fence.
  Message ofShared() const {
    Message result = *this;
    result.knownShared.join(known);
    result.known.clear();
    result.visibleGlobal.clear();
    result.tensor.clear();
    result.maps.reset();
    result.foreign.reset();
    return result;
  }
  static void joinForeign(std::shared_ptr<const ForeignMap> &to,
                          const std::shared_ptr<const ForeignMap> &from) {
    if (!from || to == from)
      return;
    if (!to) {
      to = from;
      return;
    }
    auto joined = std::make_shared<ForeignMap>(*to);
    for (const auto &[cluster, theirs] : *from)
      (*joined)[cluster].join(theirs);
    to = std::move(joined);
  }
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_CLOCK_H
