//===- Memory.h - Device, managed and pinned memory -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that kernels can touch. Device memory has addresses that the host
// cannot use; managed memory and pinned memory of the host have one address for
// both.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CUDARUNTIME_CORE_MEMORY_H
#define TC_CUDARUNTIME_CORE_MEMORY_H

#include "tc/Emulator/Emulator.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tc::cuda {

/// An address as text: 0x and hexadecimal digits.
std::string hex(uint64_t address);

enum class MemoryKind : uint8_t {
  Device,
  Managed,
  Pinned,    ///< allocated by the driver
  Registered ///< allocated by the program
};

/// A box of bytes: `width` bytes of `height` rows of `depth` slices.
struct Box {
  uint64_t width = 0, height = 1, depth = 1;
};

/// One side of a copy.
struct Place {
  uint64_t address = 0;
  uint64_t pitch = 0;      ///< bytes from row to row
  uint64_t slicePitch = 0; ///< bytes from slice to slice
  /// What the program says that it is: memory of the device is not the host's.
  enum class Side : uint8_t { Any, Host, Device } side = Side::Any;
};

class Memory {
public:
  struct Allocation {
    uint64_t begin = 0, bytes = 0;
    MemoryKind kind = MemoryKind::Device;
    unsigned flags = 0; ///< as the program gave them
  };

  /// Memory filled with bytes that are no useful number.
  emu::Expected<uint64_t> allocate(uint64_t bytes, MemoryKind kind,
                                   unsigned flags = 0);
  /// An address that nothing else will have, for memory of a graph, which is
  /// allocated each time that the graph runs.
  uint64_t reserve(uint64_t bytes);
  static bool isReserved(uint64_t address);
  emu::Status allocateReserved(uint64_t address, uint64_t bytes);
  /// Bytes that graphs have allocated, and that they hold for the next launch.
  struct OfGraphs {
    uint64_t used = 0, usedHigh = 0, held = 0, heldHigh = 0;
  };
  OfGraphs ofGraphs;
  /// Lets kernels use memory of the program.
  emu::Status registerHost(void *address, uint64_t bytes, unsigned flags);
  /// Lets the host use a variable of a module by the address that it has.
  emu::Status shareWithHost(uint64_t address, uint64_t bytes);
  /// Frees what starts at `address` and is of one of `kinds`.
  emu::Status free(uint64_t address, std::initializer_list<MemoryKind> kinds);

  /// The allocation around an address, or null.
  const Allocation *find(uint64_t address) const;

  emu::Status copy(const Place &to, const Place &from, const Box &box);
  /// Fills with a value of 1, 2 or 4 bytes.
  emu::Status fill(const Place &to, uint32_t value, unsigned valueBytes,
                   const Box &box);

  uint64_t limit() const { return maxBytes; }
  /// Devices may have less than this machine lends them.
  void limitTo(uint64_t bytes) { maxBytes = std::min(maxBytes, bytes); }
  uint64_t used() const { return usedBytes; }

  /// What the emulator sees.
  emu::DeviceMemory device;

  /// The bytes of every allocation, variables of modules too.
  using Snapshot = std::map<uint64_t, std::vector<uint8_t>>;
  Snapshot snapshot() const;
  void restore(const Snapshot &from);

private:
  emu::Status checkRoom(uint64_t bytes) const;
  /// Host pointer to all of [address, address + bytes).
  emu::Expected<uint8_t *> locate(const Place &place, uint64_t address,
                                  uint64_t bytes, bool write);

  std::map<uint64_t, Allocation> allocations;
  uint64_t usedBytes = 0;
  uint64_t maxBytes = defaultLimit();
  uint64_t reserved = 0; ///< bytes of addresses
  static uint64_t defaultLimit();
};

} // namespace tc::cuda

#endif // TC_CUDARUNTIME_CORE_MEMORY_H
