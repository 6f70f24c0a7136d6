//===- WarpAccesses.h - accesses of several lanes at once -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weak accesses of a warp, a record for all lanes, where what was there before
// is ordered by what all of them know. Whatever is not as simple goes to
// Accesses lane by lane, with the same result.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_WARPACCESSES_H
#define TC_EMULATOR_CHECK_WARPACCESSES_H

#include "Check/Accesses.h"

namespace tc::emu {

class WarpAccesses {
public:
  WarpAccesses(Accesses &accesses, Threads &threads, const Order &order)
      : accesses(accesses), threads(threads), order(order) {}

  /// By `lanes`, which know what `group` does, of `bytes` from their addresses
  /// on: of global memory or of the CTA's shared memory.
  /// No two lanes write the same bytes.
  void access(WarpState &warp, Group &group, uint32_t lanes, bool global,
              const uint64_t *addresses, uint32_t bytes, bool write,
              const DecodedInst &inst);

private:
  /// Of what was done with a record, for all lanes: it is before them; each
  /// lane's own is before it; ask Accesses.
  enum class Verdict : uint8_t { Before, Own, Ask };
  /// Lanes that access one range together: neighbours, in order, or all of them
  /// one place, or neighbours over again.
  struct Run {
    uint32_t lanes = 0;
    uint64_t begin = 0, end = 0;
    bool isOnePlace = false;
    unsigned period = 0; ///< lanes, after which they begin anew; 0: none
  };
  void findPlaces();
  bool arePlacesShared(uint32_t rest);
  Run nextRun(uint32_t rest);
  bool passRun(const Run &run);
  void logRun(const Run &run);
  uint32_t recordTogether(const Run &run);
  uint32_t recordAlone();
  Verdict judge(const Record &before);
  bool isOfSameLanes(Entry entry, const Record &before) const;
  bool isFine(Entry entry);
  bool passReader(Shadow &shadow, Cell &cell);
  bool passCell(Shadow &shadow, Cell &cell);
  bool passGranule(Shadow &shadow, uint64_t begin, uint64_t end);
  bool accessEach(uint64_t begin, uint64_t end, const Run &run);
  void prefetch(uint32_t lanes);
  template <bool Write>
  uint32_t passWords(uint32_t lanes);
  uint32_t passScattered(uint32_t rest);
  Shadow &shadowOf(uint64_t address);
  void release();
  const Record &record(Entry entry) const {
    return accesses.record(entry, global);
  }

  Accesses &accesses;
  Threads &threads;
  const Order &order;

  // The present access.
  WarpState *warp = nullptr;
  const DecodedInst *inst = nullptr;
  uint64_t number = 0; ///< of accesses so far
  bool global = false, write = false;
  uint32_t bytes = 0;
  const uint64_t *addresses = nullptr;
  uint32_t lanes = 0;
  /// Lanes that are next to the lane before, and that are at its place; the
  /// latter only once they have been asked for.
  uint32_t next = 0, same = 0;
  enum class Places : uint8_t { Unknown, Ascending, Several };
  Places places = Places::Unknown;
  uint32_t single = 0;     ///< the record of lanes on their own; 0: none so far
  unsigned perLane = 0;    ///< of that
  uint32_t lastBefore = 0; ///< a record that is before all lanes; 0: none
  Actor actor;
  Alike alike; ///< cells that `actor` has come to, of one entry
  /// Of global memory: the region whose reads are logged, with the log held.
  const ReadRegion *logged = nullptr;
  /// And its lock.
  GlobalPage *page = nullptr;
  uint64_t pageNumber = 0;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_WARPACCESSES_H
