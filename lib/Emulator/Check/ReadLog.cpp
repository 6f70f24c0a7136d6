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

ReadLogs::ReadLogs(const DeviceMemory &memory) {
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

GlobalPage &GlobalFootprint::page(uint64_t address) {
  std::lock_guard<std::mutex> guard(lock);
  auto &page = pages[address >> GlobalPage::kShift];
  if (!page)
    page = std::make_unique<GlobalPage>();
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
