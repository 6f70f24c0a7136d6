//===- Storage.cpp - large buffers that are used again --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list for the process, bounded; sizes are few: those of one kernel.
//
//===----------------------------------------------------------------------===//

#include "State/Storage.h"

#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace tc::emu {

namespace {
constexpr std::align_val_t kAlignment{64};
constexpr size_t kMostBytes = size_t(64) << 20;

/// Buffers that are not in use.
class FreeList {
public:
  ~FreeList() {
    for (auto &[bytes, size] : list)
      operator delete(bytes, kAlignment);
  }
  uint8_t *take(size_t size) {
    std::lock_guard<std::mutex> guard(lock);
    for (size_t i = list.size(); i-- > 0;)
      if (list[i].second == size) {
        uint8_t *bytes = list[i].first;
        list.erase(list.begin() + static_cast<ptrdiff_t>(i));
        total -= size;
        return bytes;
      }
    return nullptr;
  }
  bool give(uint8_t *bytes, size_t size) {
    std::lock_guard<std::mutex> guard(lock);
    // Those of an earlier kernel make room first.
    while (!list.empty() && total + size > kMostBytes) {
      operator delete(list.front().first, kAlignment);
      total -= list.front().second;
      list.erase(list.begin());
    }
    if (total + size > kMostBytes)
      return false;
    list.push_back({bytes, size});
    total += size;
    return true;
  }

private:
  std::mutex lock;
  std::vector<std::pair<uint8_t *, size_t>> list;
  size_t total = 0;
};

FreeList &freeList() {
  static FreeList list;
  return list;
}
} // namespace

Storage::Storage(size_t size) : bytes(freeList().take(size)), size(size) {
  if (!bytes)
    bytes = static_cast<uint8_t *>(operator new(size, kAlignment));
}

Storage::Storage(Storage &&other) noexcept
    : bytes(std::exchange(other.bytes, nullptr)), size(other.size) {}

Storage &Storage::operator=(Storage &&other) noexcept {
  std::swap(bytes, other.bytes);
  std::swap(size, other.size);
  return *this;
}

Storage::~Storage() {
  if (bytes && !freeList().give(bytes, size))
    operator delete(bytes, kAlignment);
}

} // namespace tc::emu
