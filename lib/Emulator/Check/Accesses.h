//===- Accesses.h - accesses made so far ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_ACCESSES_H
#define TC_EMULATOR_CHECK_ACCESSES_H

#include "Check/Actor.h"

namespace tc::emu {

class Order;
class Reports;

/// How many strong accesses a cell keeps that are in no order with its last
/// write; older ones are forgotten.
constexpr unsigned kLoose = 32;

/// The cells of shared and global memory, and the records that they hold.
class Accesses {
public:
  Accesses(Threads &threads, const Order &order, const Reports &reports);
  ~Accesses();

  /// A record of this warp, now: its component, clock and place.
  Record makeRecord(const WarpState &warp, int line) const;
  Actor actorOf(WarpState &warp, unsigned lane);
  uint32_t genericRecord(WarpState &warp, const DecodedInst &inst,
                         uint32_t lanes, uint32_t bytes, bool write,
                         bool global);
  /// Of one of them.
  Entry entryOf(uint32_t index, unsigned lane, uint64_t address,
                bool global) const {
    const uint8_t perLane = record(makeTogether(index), global).perLane;
    return makeEntry(index, lane, address >> perLane);
  }
  GlobalPage &page(uint64_t address) {
    const uint64_t number = address >> GlobalPage::kShift;
    Known &known = pages[number % pages.size()];
    if (!known.page || known.number != number)
      known = {number, &shared.footprint->page(address)};
    return *known.page;
  }
  uint32_t addRecord(const Record &record, bool global);
  /// It stays where it is if it is of global memory.
  Record &recordAt(uint32_t index, bool global) {
    return global ? shared.footprint->records[index] : records[index];
  }
  const Record &record(Entry entry, bool global) const {
    return global ? shared.footprint->records[recordOf(entry)]
                  : records[recordOf(entry)];
  }
  /// Drops the records, other than of global memory, that nothing refers to any
  /// more, if there are many. No access is under way.
  void dropRecords(PendingOps &ops) {
    if (records.size() >= mostRecords)
      dropUnused(ops);
  }
  void addReader(Shadow &shadow, Cell &cell, const Actor &actor, bool global);
  /// The region of these bytes whose reads are logged, with the log held; null
  /// if they are in cells.
  ReadRegion *holdLog(uint64_t begin, uint64_t end) {
    ReadLogs &reads = shared.footprint->reads;
    const size_t region = regionOf(begin, end);
    if (region == reads.count() || reads[region].state == ReadRegion::InCells)
      return nullptr;
    log.lock.lock();
    if (reads[region].state == ReadRegion::InLogs)
      return &reads[region];
    log.lock.unlock();
    shared.footprint->moveRegion(region);
    return nullptr;
  }
  /// To the log that is held.
  void logRead(const ReadRegion &region, Entry entry, uint64_t begin,
               uint32_t bytes) {
    log.add(size_t(&region - &shared.footprint->reads[0]), entry, begin, bytes);
  }
  void releaseLog() {
    const bool isFull = shared.footprint->reads.isFull(log);
    log.lock.unlock();
    if (isFull)
      shared.footprint->moveAllReads();
  }
  /// These bytes are about to be accessed in a way that cells are needed for.
  void needCells(uint64_t begin, uint64_t end) {
    ReadLogs &reads = shared.footprint->reads;
    const size_t region = regionOf(begin, end);
    if (region == reads.count() || reads[region].state != ReadRegion::InCells)
      shared.footprint->moveReads(begin, end);
  }

  /// An aligned one.
  bool sharedWord(unsigned rank, uint32_t offset, const Actor &actor,
                  bool write);
  template <size_t Ways>
  bool sharedRange(unsigned rank, uint32_t begin, uint32_t end,
                   const Actor &actor, bool write, Alikes<Ways> &alike);
  bool globalRange(uint64_t begin, uint64_t end, const Actor &actor,
                   bool write);
  bool checkPrerequisite(uint64_t begin, uint64_t end, const Actor &actor,
                         bool write);
  void settleDoubts();

  std::vector<Record> records; ///< of shared and Tensor Memory; [0]: none
  uint64_t drops = 0;          ///< how often they got other numbers
  std::vector<std::unique_ptr<Shadow>> smem, tmem; ///< by rank

private:
  size_t regionOf(uint64_t begin, uint64_t end) {
    ReadLogs &reads = shared.footprint->reads;
    size_t &known = regions[(begin >> GlobalPage::kShift) % regions.size()];
    if (known >= reads.count() || !reads[known].has(begin, end))
      known = reads.find(begin, end);
    return known;
  }
  /// A store that races with an earlier one unless it stores the same.
  struct Doubt {
    const uint8_t *at = nullptr;
    uint8_t old[Shadow::kGranule] = {};
    unsigned bytes = 0;
    int before = 0, after = 0; ///< lines
    Report report;
    Involved involved;
  };
  void dropUnused(PendingOps &ops);
  void fullOfRecords(const Record &record);
  bool isBeforeForAll(const Record &before, const Actor &actor,
                      bool global) const;
  bool isWriterSeen(Shadow &shadow, Cell &cell, const Actor &actor, uint64_t at,
                    bool global) const;
  bool mayStoreSame(const Record &before, bool wrote, const Actor &actor,
                    bool write) const;
  void doubt(const Record &before, uint64_t at, const Actor &actor, bool global,
             Report report);
  bool raceWith(const Record &before, unsigned by, bool wrote, uint64_t at,
                const Actor &actor, bool write, bool global);
  void dependsOnChoice(const Record &before, const Record &now);
  Visited checkCell(Shadow &shadow, Cell &cell, uint64_t at, uint32_t bytes,
                    const Actor &actor, bool write, bool global);

  Threads &threads;
  const Order &order;
  const Reports &reports;
  RaceChecker &shared;
  Cluster &cluster;
  size_t mostRecords; ///< then those of no use are dropped
  std::vector<Doubt> doubts;
  /// Pages of global memory of late, by their number.
  struct Known {
    uint64_t number = 0;
    GlobalPage *page = nullptr;
  };
  std::array<Known, 256> pages;
  std::array<size_t, 16> regions{}; ///< of late, by their addresses
  ReadLog &log;
  GlobalRecords::Room room; ///< for records of global memory
};

template <size_t Ways>
bool Accesses::sharedRange(unsigned rank, uint32_t begin, uint32_t end,
                           const Actor &actor, bool write,
                           Alikes<Ways> &alike) {
  Shadow &shadow = *smem[rank];
  if (!holds(Rule::ExactBytes)) {
    begin = begin / Shadow::kGranule * Shadow::kGranule;
    end = (end + Shadow::kGranule - 1) / Shadow::kGranule * Shadow::kGranule;
  }
  return shadow.visitAlike(
      begin, end, alike, write, [&](Cell &cell, uint64_t at, uint32_t bytes) {
        return checkCell(shadow, cell, smemAddress(rank, uint32_t(at)), bytes,
                         actor, write, false);
      });
}

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_ACCESSES_H
