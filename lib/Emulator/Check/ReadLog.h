//===- ReadLog.h - reads of memory that nothing writes ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most of what a kernel reads of global memory it does not write: weights and
// inputs. Reads alone race with nothing, so that they need no cells as long as
// nobody has written to their allocation. They are logged, and become readers
// of cells before the first write, or the first strong access, is checked.
//
// A cluster adds to a log that it has for itself as long as it runs. Whoever
// writes first to an allocation goes through all logs.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_READLOG_H
#define TC_EMULATOR_CHECK_READLOG_H

#include "Check/Shadow.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tc::emu {

class DeviceMemory;

/// For less time than it takes to sleep and to wake, so that a thread that
/// finds it held tries for a while.
class BriefLock {
public:
  void lock() {
    for (unsigned tries = 0; held.exchange(true, std::memory_order_acquire);) {
      if (++tries % 64 == 0)
        std::this_thread::yield();
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }
  void unlock() { held.store(false, std::memory_order_release); }

private:
  std::atomic<bool> held{false};
};

/// An allocation of device memory, and where its readers are.
struct ReadRegion {
  enum State : uint8_t { InLogs, Moving, InCells };
  uint64_t begin = 0, end = 0;
  std::atomic<State> state{InLogs};

  bool has(uint64_t from, uint64_t to) const {
    return from >= begin && to <= end && from < to;
  }
};

/// What clusters have read, one after the other, of allocations that nothing
/// had written.
class ReadLog {
public:
  /// `count` ranges, `pitch` bytes from one to the next.
  struct Item {
    uint64_t begin;
    Entry entry;
    uint32_t bytes, pitch, count;
  };

  explicit ReadLog(size_t regions) : parts(regions) {}

  void add(size_t region, Entry entry, uint64_t begin, uint32_t bytes) {
    std::vector<Item> &part = parts[region];
    if (!part.empty()) {
      Item &last = part.back();
      const uint64_t apart = begin - last.begin;
      if (last.entry == entry && last.bytes == bytes &&
          (last.count == 1 ? apart <= UINT32_MAX
                           : apart == uint64_t(last.pitch) * last.count)) {
        last.pitch = last.count == 1 ? uint32_t(apart) : last.pitch;
        ++last.count;
        return;
      }
    }
    part.push_back({begin, entry, bytes, 0, 1});
    ++added;
  }

  BriefLock lock;                       ///< of what follows
  std::vector<std::vector<Item>> parts; ///< by region
  size_t added = 0;                     ///< that ReadLogs has not counted
};

/// For tests: items that the logs of a launch may have, until restoreRules; 0:
/// all becomes cells at once.
void limitReads(size_t most);

/// Those of a launch.
class ReadLogs {
public:
  /// Items of all logs, of 24 bytes each. With more all becomes cells, which
  /// hold each reader once.
  static constexpr size_t kMost = size_t(1) << 23;

  /// Of all allocations but those of device code, which come and go.
  explicit ReadLogs(const DeviceMemory &memory);

  /// The number of the region that has these bytes; count() if none has all of
  /// them.
  size_t find(uint64_t begin, uint64_t end) const;
  size_t count() const { return regionCount; }
  ReadRegion &operator[](size_t region) { return regions[region]; }

  /// A log for a cluster, until it gives it back.
  ReadLog &take();
  void give(ReadLog &log);

  /// Whether all is to become cells, with what has been added to `log`, whose
  /// lock is held.
  bool isFull(ReadLog &log);

  /// Calls visit(item) with all that has been read of the region so far, the
  /// first time; others wait until it is done. The caller holds no log and no
  /// page.
  template <class Visit>
  void move(size_t region, Visit visit) {
    std::lock_guard<std::mutex> guard(lock);
    if (regions[region].state != ReadRegion::InLogs)
      return;
    regions[region].state = ReadRegion::Moving;
    for (const std::unique_ptr<ReadLog> &log : logs) {
      std::lock_guard<BriefLock> held(log->lock);
      for (const ReadLog::Item &item : log->parts[region])
        visit(item);
      items -= std::min<size_t>(items, log->parts[region].size());
      std::vector<ReadLog::Item>().swap(log->parts[region]);
    }
    regions[region].state = ReadRegion::InCells;
  }

private:
  std::unique_ptr<ReadRegion[]> regions; ///< by address
  size_t regionCount = 0;
  std::mutex lock; ///< of the logs
  std::vector<std::unique_ptr<ReadLog>> logs;
  std::vector<ReadLog *> unused;
  std::atomic<size_t> items{0};
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_READLOG_H
