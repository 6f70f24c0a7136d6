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
// its distance from the number of the element, so that one entry describes all
// that a warp accesses in a row, and the cells of it are alike.
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

/// record << 6 | who; 0: none. Who is a lane less the number of the element
/// that it accesses, modulo the size of a warp: elements are as large as what a
/// lane of the record accesses. Or it is one of the two others.
using Entry = uint32_t;
constexpr unsigned kNoLane = 32;   ///< asynchronous work
constexpr unsigned kNobody = 62;   ///< asynchronous work
constexpr unsigned kTogether = 63; ///< the lanes that the record says
constexpr Entry makeEntry(uint32_t record, unsigned lane,
                          uint64_t element = 0) {
  return record << 6 |
         (lane == kNoLane ? kNobody : unsigned(lane - element) % 32);
}
constexpr Entry makeTogether(uint32_t record) {
  return record << 6 | kTogether;
}
constexpr uint32_t recordOf(Entry entry) { return entry >> 6; }
constexpr unsigned whoOf(Entry entry) { return entry & 63; }
/// For the element of that number; not of kTogether.
constexpr unsigned laneOf(Entry entry, uint64_t element) {
  return whoOf(entry) == kNobody ? kNoLane
                                 : unsigned(whoOf(entry) + element) % 32;
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
  void clear() {
    known = 0;
    latest = Ways;
  }

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
    if (latest == i)
      latest = Ways;
    known |= uint32_t(1) << i;
    before[i] = then;
    after[i] = now;
    ages[i] = age;
  }

  /// As find, where it was the latest to be found, and of no lists.
  const Cell *again(const Cell &cell) const {
    return latest < Ways && before[latest] == cell ? &after[latest] : nullptr;
  }
  void foundPlain(const Cell *cell) { latest = size_t(cell - after.data()); }

private:
  /// The slices of an operand have different readers, whose records are near
  /// each other.
  static size_t slotOf(const Cell &cell) {
    return (recordOf(cell.writer) + recordOf(cell.readers[0])) % Ways;
  }
  uint32_t known = 0;   ///< a bit per slot
  size_t latest = Ways; ///< slot that was found last; Ways: none
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
  /// A list that cells share is copied for the first of them that has more.
  static constexpr size_t kFew = 64, kShared = 256;
  std::vector<Entry> list;
  size_t most = kFew; ///< entries, before it is looked through
  /// The first ones of the list came before the writer, strong accesses that
  /// are in no order with it: writes, too.
  uint32_t kept = 0;
  uint32_t cells = 0; ///< that have this list
  /// Whether there may be entries that later ones replace: the readers of the
  /// latest cluster are not all new, or have not been.
  bool mayRepeat = false, isClusterNew = true;
  uint64_t highest = 0; ///< of the clusters
  /// The cluster of the latest reader, and its warps that may be in the list,
  /// by a bit of their number.
  uint64_t cluster = 0, warps = 0;

  bool isLong() const { return list.size() > kShared; }
  std::vector<Entry>::const_iterator begin() const { return list.begin(); }
  std::vector<Entry>::const_iterator end() const { return list.end(); }
  void clear() {
    list.clear();
    most = kFew;
    kept = 0;
    cluster = warps = highest = 0;
    mayRepeat = false;
    isClusterNew = true;
  }
};

/// The cells of a range of memory: bytes, or, of Tensor Memory, the columns of
/// 16 lanes after those of the 16 lanes before.
class Shadow {
public:
  static constexpr uint32_t kGranule = 16, kWord = 4;

  explicit Shadow(size_t granules) : cells(granules), splits(granules) {
    readerLists.emplace_back();
    wordCells.emplace_back();
    byteCells.emplace_back();
  }

  /// Nobody has accessed anything; keeps its storage.
  void clear() {
    std::fill(cells.begin(), cells.end(), Cell());
    std::fill(splits.begin(), splits.end(), 0);
    readerLists.resize(1);
    wordCells.resize(1);
    byteCells.resize(1);
    for (auto *each : {&freeWords, &freeBytes, &freeLists})
      each->clear();
    ++age.reuses;
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
        if ((first | last) % kWord && !isOfBytes(split))
          split = splitWords(split);
        const uint32_t step = isOfBytes(split) ? 1 : kWord;
        for (uint64_t byte = first; byte < last; byte += step)
          if (!visit(cellsOf(split)[byte / step], granule * kGranule + byte,
                     step))
            return false;
      }
      begin = granule * kGranule + last;
    }
    return true;
  }

  /// The cell of a byte will be visited soon, if there is one.
  void prefetch(uint64_t at) const {
    if (at / kGranule >= cells.size())
      return;
    __builtin_prefetch(&cells[at / kGranule], 1);
    __builtin_prefetch(&splits[at / kGranule], 1);
  }

  /// Goes from `begin` on, a multiple of the granule, through whole granules
  /// that are like others before; returns where it has come to.
  template <size_t Ways>
  uint64_t passAlike(uint64_t begin, uint64_t end, Alikes<Ways> &alike) {
    size_t granule = begin / kGranule;
    const size_t last = end / kGranule;
    while (granule < last && !splits[granule]) {
      // Most of a box is like its start, and has no lists to count.
      if (const Cell *after = alike.again(cells[granule])) {
        cells[granule++] = *after;
        continue;
      }
      const Cell *after = alike.find(cells[granule], age);
      if (!after)
        break;
      if (!(cells[granule].more | after->more))
        alike.foundPlain(after);
      assign(cells[granule++], *after);
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
        const Cell *const parts = cellsOf(split);
        bool has = false;
        for (uint32_t i = 0; i < partsOf(split); ++i)
          has |= parts[i].more;
        if (has)
          continue;
        cells[g] = parts[0];
        freeSplit(split);
        splits[g] = 0;
      }
  }
  /// Makes a granule whole if its bytes are alike.
  void unifyAlike(uint64_t granule) {
    const uint32_t split = splits[granule];
    if (!split)
      return;
    const Cell *const parts = cellsOf(split);
    const uint32_t count = partsOf(split);
    const Cell &first = parts[0];
    for (uint32_t i = 1; i < count; ++i)
      if (!(parts[i] == first))
        return;
    cells[granule] = first;
    if (first.more)
      readerLists[first.more].cells -= count - 1;
    freeSplit(split);
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
  /// Those of the words of a granule; null where its bytes have their own.
  Cell *words(uint64_t granule) {
    uint32_t &split = splits[granule];
    if (!split)
      split = splitGranule(cells[granule]);
    return isOfBytes(split) ? nullptr : wordCells[split >> 1].data();
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
    for (Words &each : wordCells)
      std::for_each(each.begin(), each.end(), visitCell);
    for (Bytes &each : byteCells)
      std::for_each(each.begin(), each.end(), visitCell);
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
      own.list.reserve(readerLists[shared].list.size() + 8);
      own = readerLists[shared];
      own.cells = 1;
    }
    return own;
  }
  /// Visits the first of the granules from `granule` to `last` that are whole
  /// and like it, if no others share its list: what becomes of it becomes of
  /// all. Returns how many they are; 0: not so, or `visit` has done nothing.
  template <class Visit>
  size_t visitSharers(size_t granule, size_t last, Visit visit) {
    const Cell before = cells[granule];
    const uint32_t count = readerLists[before.more].cells;
    if (!before.more || count < 2 || last - granule < count)
      return 0;
    for (size_t g = granule; g < granule + count; ++g)
      if (splits[g] || !(cells[g] == before))
        return 0;
    readerLists[before.more].cells = 1;
    const bool fine = visit(cells[granule]);
    // A write would have given the list back.
    readerLists[before.more].cells = count;
    if (!fine)
      return 0;
    std::fill_n(&cells[granule], count, Cell(cells[granule]));
    return count;
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
  /// The cells of a granule that is split.
  using Words = std::array<Cell, kGranule / kWord>;
  using Bytes = std::array<Cell, kGranule>;
  static bool isOfBytes(uint32_t split) { return split & 1; }
  static uint32_t partsOf(uint32_t split) {
    return isOfBytes(split) ? kGranule : kGranule / kWord;
  }
  Cell *cellsOf(uint32_t split) {
    return isOfBytes(split) ? byteCells[split >> 1].data()
                            : wordCells[split >> 1].data();
  }
  /// An unused one of `all`.
  template <class Parts>
  static uint32_t take(std::vector<Parts> &all, std::vector<uint32_t> &unused) {
    if (unused.empty()) {
      all.emplace_back();
      return uint32_t(all.size() - 1);
    }
    const uint32_t index = unused.back();
    unused.pop_back();
    return index;
  }
  void freeSplit(uint32_t split) {
    (isOfBytes(split) ? freeBytes : freeWords).push_back(split >> 1);
  }
  uint32_t splitGranule(const Cell &cell) {
    const uint32_t index = take(wordCells, freeWords);
    spread(wordCells[index].data(), kGranule / kWord, cell);
    return index << 1;
  }
  uint32_t splitWords(uint32_t split) {
    const uint32_t index = take(byteCells, freeBytes);
    for (uint32_t word = 0; word < kGranule / kWord; ++word)
      spread(&byteCells[index][word * kWord], kWord,
             wordCells[split >> 1][word]);
    freeSplit(split);
    return index << 1 | 1;
  }
  /// What was in one cell is in several.
  void spread(Cell *to, uint32_t count, const Cell &from) {
    std::fill_n(to, count, from);
    if (!from.more)
      return;
    readerLists[from.more].cells += count - 1;
    if (readerLists[from.more].isLong())
      for (uint32_t i = 1; i < count; ++i)
        ownReaders(to[i]);
  }

  std::vector<Cell> cells;
  /// Per granule, 0: whole; else an index of words << 1, or of bytes << 1 | 1.
  std::vector<uint32_t> splits;
  std::vector<Words> wordCells;
  std::vector<Bytes> byteCells;
  std::vector<uint32_t> freeWords, freeBytes;
  std::vector<Readers> readerLists;
  std::vector<uint32_t> freeLists;
  ListAge age{this};
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_SHADOW_H
