//===- Heap.cpp - malloc and free of device code --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State/Heap.h"

#include <algorithm>
#include <cstring>

namespace tc::emu {

/// Between two blocks, so that what reaches past one is found.
static constexpr uint64_t kHeapGap = 16;
/// What was never written reads as large negative numbers, not as zeros.
static constexpr int kUnwritten = 0xcd;

// Small blocks: a row has a cell of 1 KiB for each thread, so that those of
// neighbours are near each other, and a thread goes from row to row.
static constexpr uint64_t kCell = 1024, kThreads = 1 << 20;
static constexpr uint64_t kLargeBegin = kHeapBegin + (1ull << 42);
static constexpr uint64_t kRows = (kLargeBegin - kHeapBegin) / kCell / kThreads;
// Others: a thread has an arena, as far as there are some.
static constexpr uint64_t kArena = 1ull << 24;
static constexpr uint64_t kArenas = (kHeapEnd - kLargeBegin) / kArena;

static uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}
/// Threads and arenas have one table.
static uint64_t keyOfArena(uint64_t arena) { return kThreads + arena; }

/// Looks at the blocks of earlier launches.
void Heap::open() {
  isOpen = true;
  for (const DeviceMemory::Range &range : memory.ranges()) {
    if (!isHeapAddress(range.begin))
      continue;
    used += range.end - range.begin;
    // Addresses ascend, and so do the positions in what is a thread's.
    const uint64_t cell = (range.begin - kHeapBegin) / kCell;
    if (range.begin < kLargeBegin)
      next[cell % kThreads] = cell / kThreads * kCell + range.end % kCell;
    else
      next[keyOfArena((range.begin - kLargeBegin) / kArena)] =
          (range.end - kLargeBegin) % kArena;
  }
}

uint64_t Heap::allocate(uint64_t thread, uint64_t bytes, uint64_t alignment) {
  if (!isOpen)
    open();
  const uint64_t size = std::max<uint64_t>(bytes, 1);
  if (size > limit || used > limit - size)
    return 0;
  auto take = [&](uint64_t address) {
    // Not where this launch has freed one: whoever still uses that is told.
    auto after = freed.lower_bound(address + size);
    if (after != freed.begin() && std::prev(after)->second.end > address)
      return false;
    Expected<uint64_t> place = memory.allocate(size, alignment, address);
    if (!place)
      return false;
    memset(memory.writable(address, size), kUnwritten, size);
    used += size;
    return true;
  };
  if (size + kHeapGap <= kCell && alignment < kCell) {
    uint64_t &position = next[thread % kThreads];
    uint64_t at =
        alignTo(position + (position % kCell ? kHeapGap : 0), alignment);
    if (at % kCell + size + kHeapGap > kCell)
      at = alignTo(at, kCell);
    const uint64_t row = at / kCell;
    const uint64_t address =
        kHeapBegin + (row * kThreads + thread % kThreads) * kCell + at % kCell;
    if (row < kRows && take(address)) {
      position = at + size;
      return address;
    }
  }
  const uint64_t arena = thread % kArenas;
  uint64_t &position = next[keyOfArena(arena)];
  // Threads far apart share an arena, and a large block reaches into the next.
  for (uint64_t address =
           kLargeBegin + arena * kArena +
           alignTo(position + (position ? kHeapGap : 0), alignment);
       address < kHeapEnd && size < kHeapEnd - address; address += kArena)
    if (take(address)) {
      position = (address + size - kLargeBegin) % kArena;
      return address;
    }
  return 0;
}

Status Heap::free(uint64_t address, int line) {
  if (!address)
    return {};
  if (!isOpen)
    open();
  const DeviceMemory::Range range = memory.range(address);
  if (int before = freedAt(address))
    return Error{"of a block that line " + std::to_string(before) +
                 " has freed"};
  if (!isHeapAddress(address) || range.begin != address)
    return Error{"expected an address that malloc has given"};
  freed[address] = {range.end, line};
  used -= range.end - range.begin;
  return memory.free(address);
}

int Heap::freedAt(uint64_t address) const {
  auto after = freed.upper_bound(address);
  if (after == freed.begin())
    return 0;
  const Freed &before = std::prev(after)->second;
  return address < before.end ? before.line : 0;
}

} // namespace tc::emu
