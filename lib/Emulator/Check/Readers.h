//===- Readers.h - adds readers to cells ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A later access of the same thread or stream makes an earlier one redundant.
// `Records` gives the record of an index.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_READERS_H
#define TC_EMULATOR_CHECK_READERS_H

#include "Check/RaceChecker.h"

namespace tc::emu {

/// Whether two entries are of accesses of the same kind by the same lanes.
template <class Records>
bool isSameReader(Entry one, Entry other, const Records &records) {
  if (whoOf(one) != whoOf(other))
    return false;
  const Record &then = records[recordOf(one)], &now = records[recordOf(other)];
  return then.kind == now.kind && then.component == now.component &&
         then.perLane == now.perLane && then.period == now.period &&
         ((whoOf(one) != kTogether && !then.period) ||
          then.lanes[0] == now.lanes[0]) &&
         then.cluster == now.cluster && then.strong == now.strong &&
         then.scope == now.scope && then.write == now.write &&
         then.element == now.element;
}

/// Leaves the latest of each reader's entries that are alike.
template <class Records>
void dropReplaced(Readers &readers, const Records &records) {
  std::vector<Entry> &list = readers.list;
  // The places, from the end on, of the entries that stay, by a hash.
  const size_t size = size_t(2) << (64 - __builtin_clzll(list.size()));
  std::vector<uint32_t> places(size);
  std::vector<Entry> latest;
  for (size_t i = list.size(); i-- > readers.kept;) {
    const Record &now = records[recordOf(list[i])];
    uint64_t hash = (now.cluster << 32 ^ uint64_t(now.component) << 6 ^
                     whoOf(list[i]) ^ uint64_t(now.kind) << 58) *
                    0x9e3779b97f4a7c15ull;
    size_t place = hash >> 32 & (size - 1);
    while (places[place] &&
           !isSameReader(list[i], latest[places[place] - 1], records))
      place = (place + 1) & (size - 1);
    if (places[place])
      continue;
    latest.push_back(list[i]);
    places[place] = uint32_t(latest.size());
  }
  list.resize(readers.kept);
  list.insert(list.end(), latest.rbegin(), latest.rend());
  readers.most = std::max(Readers::kFew, 2 * list.size());
  readers.mayRepeat = false;
}

/// How far back a reader of a long list is looked for.
constexpr size_t kLately = 16;

/// `isOver(then, now)`: a copy that its issuer has seen complete is over when
/// the next one is.
template <class Records, class IsOver>
void addReader(Shadow &shadow, Cell &cell, Entry entry, const Records &records,
               IsOver isOver) {
  const Record &now = records[recordOf(entry)];
  auto replaces = [&](Entry old) {
    if (!old || old == entry)
      return true;
    const Record &then = records[recordOf(old)];
    if (then.kind == Record::BulkLoad && now.kind == Record::BulkLoad &&
        then.cluster == now.cluster && then.clock != ~0u && isOver(then, now))
      return true;
    return isSameReader(old, entry, records) && then.clock <= now.clock;
  };
  for (Entry &reader : cell.readers)
    if (replaces(reader)) {
      reader = entry;
      return;
    }
  // A bit for each warp; what is of no warp (BulkLoad) may replace others'.
  const uint64_t warp = uint64_t(1) << now.component / 32 % 64;
  bool isNew = false;
  if (cell.more) {
    const Readers &more = shadow.readers(cell);
    isNew = now.kind == Record::Generic &&
            (more.cluster != now.cluster || !(more.warps & warp));
    const size_t size = more.list.size();
    for (size_t i = size,
                least = std::max<size_t>(
                    more.kept, size > Readers::kFew ? size - kLately : 0);
         i-- > least && !isNew;)
      if (replaces(more.list[i])) {
        if (more.list[i] != entry)
          shadow.ownReaders(cell).list[i] = entry;
        return;
      }
  }
  Readers &more = shadow.ownReaders(cell);
  if (more.cluster != now.cluster) {
    // Clusters that run at the same time take turns.
    more.isClusterNew = more.list.empty() || now.cluster > more.highest;
    more.warps = 0;
  }
  more.mayRepeat |= !isNew || !more.isClusterNew;
  more.cluster = now.cluster;
  more.highest = std::max(more.highest, now.cluster);
  more.warps |= warp;
  more.list.push_back(entry);
  if (more.list.size() <= more.most)
    return;
  if (more.mayRepeat)
    dropReplaced(more, records);
  else
    more.most = 2 * more.list.size();
}

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_READERS_H
