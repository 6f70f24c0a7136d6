//===- ReadLog.cpp - reads of memory that nothing writes ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/ReadLog.h"

#include "Check/Readers.h"
#include "tc/Emulator/Emulator.h"

namespace tc::emu {

static size_t mostItems = ReadLogs::kMost;
void limitReads(size_t most) { mostItems = most; }

bool ReadLogs::isFull(ReadLog &log) {
  // Most items are counted by the thousand.
  if (log.added < std::min<size_t>(1024, mostItems))
    return false;
  return items.fetch_add(std::exchange(log.added, 0)) > mostItems;
}

ReadLogs::ReadLogs(const DeviceMemory &memory) {
  if (!mostItems)
    return;
  const std::vector<DeviceMemory::Range> ranges = memory.ranges();
  regions = std::make_unique<ReadRegion[]>(ranges.size());
  for (const DeviceMemory::Range &range : ranges)
    if (range.writable && !isHeapAddress(range.begin)) {
      regions[regionCount].begin = range.begin;
      regions[regionCount++].end = range.end;
    }
}

size_t ReadLogs::find(uint64_t begin, uint64_t end) const {
  const ReadRegion *first = regions.get(), *last = first + regionCount;
  const ReadRegion *after = std::upper_bound(
      first, last, begin,
      [](uint64_t value, const ReadRegion &r) { return value < r.begin; });
  return after != first && after[-1].has(begin, end) ? size_t(after - 1 - first)
                                                     : regionCount;
}

ReadLog &ReadLogs::take() {
  std::lock_guard<std::mutex> guard(lock);
  if (unused.empty()) {
    logs.push_back(std::make_unique<ReadLog>(regionCount));
    return *logs.back();
  }
  ReadLog &log = *unused.back();
  unused.pop_back();
  return log;
}

void ReadLogs::give(ReadLog &log) {
  std::lock_guard<std::mutex> guard(lock);
  unused.push_back(&log);
}

namespace {
/// Pages of launches that are over: new memory costs more than to clear what
/// has been used.
class UnusedPages {
public:
  std::unique_ptr<GlobalPage> take() {
    std::unique_ptr<GlobalPage> page;
    {
      std::lock_guard<std::mutex> guard(lock);
      if (!pages.empty()) {
        page = std::move(pages.back());
        pages.pop_back();
      }
    }
    if (!page)
      return std::make_unique<GlobalPage>();
    page->shadow.clear();
    return page;
  }
  void give(std::unique_ptr<GlobalPage> page) {
    std::lock_guard<std::mutex> guard(lock);
    if (pages.size() < kMost)
      pages.push_back(std::move(page));
  }
  static UnusedPages &all() {
    // Footprints may outlive whatever is destroyed at exit.
    static UnusedPages &pages = *new UnusedPages;
    return pages;
  }

private:
  static constexpr size_t kMost = 512; ///< of 80 to 336 KiB each
  std::mutex lock;
  std::vector<std::unique_ptr<GlobalPage>> pages;
};
} // namespace

GlobalFootprint::~GlobalFootprint() {
  for (auto &page : pages)
    UnusedPages::all().give(std::move(page.second));
}

GlobalPage &GlobalFootprint::page(uint64_t address) {
  std::lock_guard<std::mutex> guard(lock);
  auto &page = pages[address >> GlobalPage::kShift];
  if (!page)
    page = UnusedPages::all().take();
  return *page;
}

GlobalPage *GlobalFootprint::findPage(uint64_t address) {
  std::lock_guard<std::mutex> guard(lock);
  auto found = pages.find(address >> GlobalPage::kShift);
  return found == pages.end() ? nullptr : found->second.get();
}

void GlobalFootprint::addReaders(const ReadLog::Item &item) {
  for (uint32_t i = 0; i < item.count; ++i) {
    uint64_t begin = item.begin + uint64_t(item.pitch) * i;
    for (const uint64_t end = begin + item.bytes; begin < end;) {
      const uint64_t first = begin % GlobalPage::kBytes,
                     last = std::min(first + (end - begin), GlobalPage::kBytes);
      GlobalPage &page = this->page(begin);
      Shadow &shadow = page.shadow;
      const HeldPage held(page);
      Alike alike;
      shadow.visitAlike(
          first, last, alike, false, [&](Cell &cell, uint64_t, uint32_t) {
            addReader(shadow, cell, item.entry, records,
                      [](const Record &, const Record &) { return false; });
            return Visited::Alike;
          });
      shadow.unifyAlike(first / Shadow::kGranule);
      shadow.unifyAlike((last - 1) / Shadow::kGranule);
      begin += last - first;
    }
  }
}

void GlobalFootprint::moveRegion(size_t region) {
  if (reads[region].state != ReadRegion::InCells)
    reads.move(region, [&](const ReadLog::Item &item) { addReaders(item); });
}

void GlobalFootprint::moveReads(uint64_t begin, uint64_t end) {
  if (const size_t region = reads.find(begin, end); region < reads.count())
    return moveRegion(region);
  for (size_t region = 0; region < reads.count(); ++region)
    if (reads[region].begin < end && begin < reads[region].end)
      moveRegion(region);
}

void GlobalFootprint::moveAllReads() {
  for (size_t region = 0; region < reads.count(); ++region)
    moveRegion(region);
}

} // namespace tc::emu
