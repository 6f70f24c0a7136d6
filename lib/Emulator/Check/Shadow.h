//===- Shadow.h - last accesses to bytes and cells --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is shadowed in granules of 16 bytes, Tensor Memory in columns of 16
// lanes. A granule holds its last writer and the readers since; it splits
// into words, and those into bytes, when an access covers only a part. Entries
// are small numbers: the index of an access record and who of its warp made the
// access.
//
// Neighbouring lanes access neighbouring elements. An entry names its lane by
// what it would be for the first element of the granule, so that one entry
// describes a whole granule, and the bytes of it are alike.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_SHADOW_H
#define TC_EMULATOR_CHECK_SHADOW_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tc::emu {

/// record << 6 | who; 0: none. Who is the lane of the granule's first element,
/// which may be negative, and counts from kFirstLane; or one of the two others.
using Entry = uint32_t;
constexpr unsigned kNoLane = 32; ///< asynchronous work
constexpr unsigned kFirstLane = 15;
constexpr unsigned kNobody = 62;   ///< asynchronous work
constexpr unsigned kTogether = 63; ///< the lanes that the record says
constexpr Entry makeEntry(uint32_t record, unsigned lane,
                          unsigned element = 0) {
  return record << 6 |
         (lane == kNoLane ? kNobody : lane + kFirstLane - element);
}
constexpr Entry makeTogether(uint32_t record) {
  return record << 6 | kTogether;
}
constexpr uint32_t recordOf(Entry entry) { return entry >> 6; }
constexpr unsigned whoOf(Entry entry) { return entry & 63; }
/// For the element of that number of the granule; not of kTogether.
constexpr unsigned laneOf(Entry entry, unsigned element) {
  return whoOf(entry) == kNobody ? kNoLane
                                 : whoOf(entry) + element - kFirstLane;
}

struct Cell {
  Entry writer = 0;
  std::array<Entry, 2> readers{};
  uint32_t more = 0; ///< index of further readers, 0: none

  friend bool operator==(const Cell &a, const Cell &b) {
    return std::memcmp(&a, &b, sizeof(Cell)) == 0; // no padding
  }
};

/// As long as it is the same, the numbers of a shadow's lists are of the same
/// lists.
struct ListAge {
  const void *shadow = nullptr;
  uint64_t reuses = 0;

  friend bool operator==(const ListAge &a, const ListAge &b) {
    return a.shadow == b.shadow && a.reuses == b.reuses;
  }
};

/// What came of a visit to a cell: no more are to be visited, or what became of
/// it is what becomes of the next one like it, or not, as that is of others.
enum class Visited : uint8_t { Stop, Alike, Once };

/// What accesses by one actor have done to cells of a shadow: a cell like one
/// that was found good is good. Most are like one of a few.
template <size_t Ways>
class Alikes {
public:
  void clear() { known = 0; }

  /// What becomes of a cell like this one; null: not known.
  const Cell *find(const Cell &cell, const ListAge &age) const {
    const size_t i = slotOf(cell);
    return known >> i & 1 && before[i] == cell &&
                   (!(cell.more | after[i].more) || ages[i] == age)
               ? &after[i]
               : nullptr;
  }
  void remember(const Cell &then, const Cell &now, const ListAge &age) {
    const size_t i = slotOf(then);
    known |= uint32_t(1) << i;
    before[i] = then;
    after[i] = now;
    ages[i] = age;
  }

private:
  /// The slices of an operand have different readers, whose records are near
  /// each other.
  static size_t slotOf(const Cell &cell) {
    return (recordOf(cell.writer) + recordOf(cell.readers[0])) % Ways;
  }
  uint32_t known = 0; ///< a bit per slot
  std::array<Cell, Ways> before, after;
  std::array<ListAge, Ways> ages;
};
/// Of an access to few bytes, and of one to whole boxes.
using Alike = Alikes<1>;
using ManyAlike = Alikes<16>;

/// Further readers of cells. Threads of a whole grid read some words: what a
/// reader has read before is looked for among the latest alone, and in all of
/// the list when it has doubled. Cells that the same have read share a list,
/// unless it is long.
struct Readers {
  static constexpr size_t kFew = 64;
  std::vector<Entry> list;
  size_t most = kFew; ///< entries, before it is looked through
  /// The first ones of the list came before the writer, strong accesses that
  /// are in no order with it: writes, too.
  uint32_t kept = 0;
  uint32_t cells = 0; ///< that have this list
  /// The cluster of the latest reader, and its warps that may be in the list,
  /// by a bit of their number.
  uint64_t cluster = 0, warps = 0;

  bool isLong() const { return list.size() > kFew; }
  std::vector<Entry>::const_iterator begin() const { return list.begin(); }
  std::vector<Entry>::const_iterator end() const { return list.end(); }
  void clear() {
    list.clear();
    most = kFew;
    kept = 0;
    cluster = warps = 0;
  }
};

/// The cells of a granule: of its words, until bytes of one differ.
struct SplitGranule {
  static constexpr uint32_t kBytes = 16, kWord = 4;
  std::array<Cell, kBytes> cells;
  bool isOfBytes = false;

  uint32_t step() const { return isOfBytes ? 1 : kWord; }
  template <class Visit>
  void forEach(Visit visit) const {
    for (uint32_t at = 0; at < kBytes; at += step())
      visit(cells[at]);
  }
};

/// The cells of a range of memory: bytes, or, of Tensor Memory, the columns of
/// 16 lanes after those of the 16 lanes before.
class Shadow {
public:
  static constexpr uint32_t kGranule = SplitGranule::kBytes,
                            kWord = SplitGranule::kWord;

  explicit Shadow(size_t granules) : cells(granules), splits(granules) {
    readerLists.emplace_back();
    splitCells.emplace_back();
  }

  /// Visits the cells of bytes [begin, end): whole granules, and the bytes of
  /// those that the range or an earlier access covers in part. `visit(cell,
  /// offset, bytes)` returns false to stop.
  template <class Visit>
  bool visit(uint64_t begin, uint64_t end, Visit visit) {
    while (begin < end) {
      uint64_t granule = begin / kGranule, first = begin % kGranule;
      uint64_t last = std::min<uint64_t>(kGranule, first + (end - begin));
      uint32_t &split = splits[granule];
      if (first == 0 && last == kGranule && !split) {
        if (!visit(cells[granule], begin, kGranule))
          return false;
      } else {
        if (!split)
          split = splitGranule(cells[granule]);
        if ((first | last) % kWord && !splitCells[split].isOfBytes)
          splitWords(split);
        const uint32_t step = splitCells[split].step();
        for (uint64_t byte = first; byte < last; byte += step)
          if (!visit(splitCells[split].cells[byte], granule * kGranule + byte,
                     step))
            return false;
      }
      begin = granule * kGranule + last;
    }
    return true;
  }

  /// The cell of a byte will be visited soon, if there is one.
  void prefetch(uint64_t at) const {
    if (at / kGranule < cells.size())
      __builtin_prefetch(&cells[at / kGranule], 1);
  }

  /// Goes from `begin` on, a multiple of the granule, through whole granules
  /// that are like others before; returns where it has come to.
  template <size_t Ways>
  uint64_t passAlike(uint64_t begin, uint64_t end, const Alikes<Ways> &alike) {
    size_t granule = begin / kGranule;
    const size_t last = end / kGranule;
    while (granule < last && !splits[granule]) {
      const Cell *found = alike.find(cells[granule], age);
      if (!found)
        break;
      const Cell before = cells[granule], after = *found;
      assign(cells[granule++], after);
      // Most of a box is like its start, and has no lists to count.
      if (before.more | after.more)
        continue;
      for (; granule < last && !splits[granule] && cells[granule] == before;
           ++granule)
        cells[granule] = after;
    }
    return granule * kGranule;
  }

  /// The same for an access like one before: goes through cells that are alike
  /// without asking `visitCell`, which says what becomes of the others. A
  /// `write` makes the bytes of whole granules alike again.
  template <size_t Ways, class Visit>
  bool visitAlike(uint64_t begin, uint64_t end, Alikes<Ways> &alike, bool write,
                  Visit visitCell) {
    while (begin < end) {
      if (begin % kGranule == 0 &&
          (begin = passAlike(begin, end, alike)) == end)
        break;
      const uint64_t next = std::min(end, (begin / kGranule + 1) * kGranule);
      const bool fine =
          visit(begin, next, [&](Cell &cell, uint64_t at, uint32_t bytes) {
            if (const Cell *after = alike.find(cell, age)) {
              assign(cell, *after);
              return true;
            }
            const Cell found = cell;
            const Visited visited = visitCell(cell, at, bytes);
            if (visited == Visited::Alike)
              remember(alike, found, cell);
            return visited != Visited::Stop;
          });
      if (!fine)
        return false;
      if (write)
        unify(begin, next);
      begin = next;
    }
    return true;
  }

  /// After a write of whole granules their bytes are alike again, unless
  /// something has outlived it.
  void unify(uint64_t begin, uint64_t end) {
    for (uint64_t g = (begin + kGranule - 1) / kGranule;
         (g + 1) * kGranule <= end; ++g)
      if (uint32_t split = splits[g]) {
        bool has = false;
        splitCells[split].forEach([&](const Cell &cell) { has |= cell.more; });
        if (has)
          continue;
        cells[g] = splitCells[split].cells[0];
        freeSplits.push_back(split);
        splits[g] = 0;
      }
  }
  /// Makes a granule whole if its bytes are alike.
  void unifyAlike(uint64_t granule) {
    const uint32_t split = splits[granule];
    if (!split)
      return;
    const Cell &first = splitCells[split].cells[0];
    bool alike = true;
    splitCells[split].forEach(
        [&](const Cell &cell) { alike &= cell == first; });
    if (!alike)
      return;
    cells[granule] = first;
    if (first.more)
      readerLists[first.more].cells -= kGranule / splitCells[split].step() - 1;
    freeSplits.push_back(split);
    splits[granule] = 0;
  }
  template <size_t Ways>
  void remember(Alikes<Ways> &alike, const Cell &then, const Cell &now) const {
    // Long lists are not shared.
    if (!now.more || !readerLists[now.more].isLong())
      alike.remember(then, now, age);
  }
  void assign(Cell &to, const Cell &from) {
    if (from.more | to.more)
      moveList(to.more, from.more);
    to = from;
  }
  /// That of the word at `at`; null where its bytes have cells of their own.
  Cell *word(uint64_t at) {
    if (!splits[at / kGranule])
      splits[at / kGranule] = splitGranule(cells[at / kGranule]);
    SplitGranule &all = splitCells[splits[at / kGranule]];
    return all.isOfBytes ? nullptr : &all.cells[at % kGranule];
  }
  const ListAge &ageOfLists() const { return age; }
  bool isWhole(uint64_t granule) const { return !splits[granule]; }
  /// Of a granule that is whole.
  Cell &whole(uint64_t granule) { return cells[granule]; }

  /// Calls `visit` with every entry, those of unused storage included.
  template <class Visit>
  void forEachEntry(Visit visit) {
    auto visitCell = [&](Cell &cell) {
      visit(cell.writer);
      for (Entry &reader : cell.readers)
        visit(reader);
    };
    std::for_each(cells.begin(), cells.end(), visitCell);
    for (SplitGranule &split : splitCells)
      std::for_each(split.cells.begin(), split.cells.end(), visitCell);
    for (Readers &readers : readerLists)
      std::for_each(readers.list.begin(), readers.list.end(), visit);
  }

  /// Of a cell that has some.
  const Readers &readers(const Cell &cell) const {
    return readerLists[cell.more];
  }
  /// For changes: of this cell alone, made where there are none.
  Readers &ownReaders(Cell &cell) {
    const uint32_t shared = cell.more;
    if (shared && readerLists[shared].cells == 1)
      return readerLists[shared];
    cell.more = newList();
    Readers &own = readerLists[cell.more];
    if (shared) {
      --readerLists[shared].cells;
      own = readerLists[shared];
      own.cells = 1;
    }
    return own;
  }
  /// What another list says.
  void setReaders(Cell &cell, const Readers &from) {
    Readers &own = ownReaders(cell);
    own = from;
    own.cells = 1;
  }
  void setWriter(Cell &cell, Entry entry) {
    release(cell);
    cell = {entry, {}, 0};
  }

private:
  uint32_t newList() {
    auto index = uint32_t(readerLists.size());
    if (freeLists.empty()) {
      readerLists.emplace_back();
    } else {
      index = freeLists.back();
      freeLists.pop_back();
      ++age.reuses;
    }
    readerLists[index].cells = 1;
    return index;
  }
  void release(const Cell &cell) {
    if (cell.more)
      moveList(cell.more, 0);
  }
  /// A cell has the list `to` in place of `from`; 0: none.
  void moveList(uint32_t from, uint32_t to) {
    if (to)
      ++readerLists[to].cells;
    if (!from || --readerLists[from].cells)
      return;
    readerLists[from].clear();
    freeLists.push_back(from);
  }
  uint32_t splitGranule(const Cell &cell) {
    uint32_t index = uint32_t(splitCells.size());
    if (freeSplits.empty()) {
      splitCells.emplace_back();
    } else {
      index = freeSplits.back();
      freeSplits.pop_back();
    }
    splitCells[index].isOfBytes = false;
    spread(splitCells[index], 0, kGranule, kWord, cell);
    return index;
  }
  void splitWords(uint32_t index) {
    splitCells[index].isOfBytes = true;
    for (uint32_t word = 0; word < kGranule; word += kWord)
      spread(splitCells[index], word, word + kWord, 1,
             splitCells[index].cells[word]);
  }
  /// What was in one cell is in several, from `begin` to `end`.
  void spread(SplitGranule &split, uint32_t begin, uint32_t end, uint32_t step,
              const Cell &cell) {
    const Cell from = cell;
    for (uint32_t at = begin; at < end; at += step)
      split.cells[at] = from;
    if (!from.more)
      return;
    readerLists[from.more].cells += (end - begin) / step - 1;
    if (readerLists[from.more].isLong())
      for (uint32_t at = begin + step; at < end; at += step)
        ownReaders(split.cells[at]);
  }

  std::vector<Cell> cells;
  std::vector<uint32_t> splits; ///< per granule, 0: whole
  std::vector<SplitGranule> splitCells;
  std::vector<uint32_t> freeSplits;
  std::vector<Readers> readerLists;
  std::vector<uint32_t> freeLists;
  ListAge age{this};
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_SHADOW_H
