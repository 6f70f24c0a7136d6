//===- Memory.h - shared memory of one CTA ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes of shared memory with one state per byte: uninitialised, initialised,
// in limbo (an asynchronous write is under way) or part of a live mbarrier.
// Offsets are those of the shared address (from kSmemReserved up).
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_MEMORY_H
#define TC_EMULATOR_STATE_MEMORY_H

#include "State/Address.h"
#include "State/Mbarrier.h"
#include "State/Storage.h"
#include "State/Undefined.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace tc::emu {

class SharedMemory {
public:
  enum ByteState : uint8_t { Uninit = 0, Init = 1, Limbo = 2, Barrier = 3 };

  /// `bytes` of static and dynamic shared memory after the reserved part.
  explicit SharedMemory(uint32_t bytes);

  /// End of the legal offsets.
  uint32_t end() const { return limit; }
  bool inBounds(uint64_t offset, uint64_t bytes) const {
    return offset >= first && bytes <= limit && offset <= limit - bytes;
  }
  /// Lends a part of what the system keeps to code that asks for its offset:
  /// cooperative_groups, for tiles of several warps. It starts as zeros.
  uint32_t lendReserved(unsigned part);

  /// Raw bytes at `offset`; the range must be in bounds.
  uint8_t *data(uint32_t offset) { return bytes.data() + offset; }
  const uint8_t *data(uint32_t offset) const { return bytes.data() + offset; }

  /// All bytes of the range are Init.
  bool isReadable(uint32_t offset, uint32_t size) const {
    const uint8_t *s = states.data() + offset;
    if (size == 4)
      return load<uint32_t>(s) == 0x01010101u;
    if (size == 16)
      return (load<uint64_t>(s) ^ kAllInit) == 0 &&
             (load<uint64_t>(s + 8) ^ kAllInit) == 0;
    return isReadableRange(offset, size);
  }
  /// No byte of the range is Limbo or Barrier.
  bool isWritable(uint32_t offset, uint32_t size) const {
    const uint8_t *s = states.data() + offset;
    if (size == 4)
      return !(load<uint32_t>(s) & 0x02020202u);
    if (size == 16)
      return !((load<uint64_t>(s) | load<uint64_t>(s + 8)) & (kAllInit << 1));
    return isWritableRange(offset, size);
  }
  /// Why a range is not readable or writable, for a report.
  std::string explain(uint32_t offset, uint32_t size, bool write) const;

  void mark(uint32_t offset, uint32_t size, ByteState state) {
    memset(states.data() + offset, state, size);
  }
  /// The bytes hold no value; `origin` brought that in.
  void undefine(uint32_t offset, uint32_t size, OriginId origin);
  /// By byte, 0: it has a value. An element has one if all of its bytes do.
  void undefine(uint32_t offset, const std::vector<OriginId> &origins,
                uint32_t element = 1);
  OriginId originOf(uint32_t offset) const { return origins.at(offset / 2); }
  /// Offset of the first byte of the range that holds no value, 0: all do.
  uint32_t findUndefined(uint32_t offset, uint32_t size) const;

  /// One state per byte, for code that checks many ranges at once.
  uint8_t *stateBytes() { return states.data(); }
  ByteState stateOf(uint32_t offset) const {
    return ByteState(states.data()[offset]);
  }

  /// The live barrier at `offset`, or null.
  Mbarrier *barrier(uint32_t offset);
  /// Makes the eight bytes a live barrier; null if they already are one or the
  /// offset is misaligned or overlaps one.
  Mbarrier *createBarrier(uint32_t offset);
  void destroyBarrier(uint32_t offset);
  const std::map<uint32_t, Mbarrier> &barriers() const { return live; }

private:
  static constexpr uint64_t kAllInit = 0x0101010101010101ull;
  template <class Word>
  static Word load(const uint8_t *from) {
    Word word;
    memcpy(&word, from, sizeof(word));
    return word;
  }
  bool isReadableRange(uint32_t offset, uint32_t size) const;
  bool isWritableRange(uint32_t offset, uint32_t size) const;

  uint32_t first = kSmemReserved; ///< of the legal offsets
  uint32_t limit;
  Storage bytes, states;
  OriginMap origins; ///< by half words, the least that is told apart
  std::map<uint32_t, Mbarrier> live;
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_MEMORY_H
