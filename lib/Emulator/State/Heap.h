//===- Heap.h - malloc and free of device code ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and
// Operations": memory that kernels allocate, which lives from launch to launch.
// Each block is an allocation of DeviceMemory, so that what reaches past its
// end or comes after its free is found.
//
// Addresses depend on the thread and on what it allocated before, so that they
// are the same under every schedule, and no launch gives one out twice.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_HEAP_H
#define TC_EMULATOR_STATE_HEAP_H

#include "tc/Emulator/Emulator.h"

#include <map>

namespace tc::emu {

/// The heap as one launch sees it. Launches that use it have one OS thread.
class Heap {
public:
  Heap(DeviceMemory &memory, uint64_t bytes) : memory(memory), limit(bytes) {}

  /// A block for thread number `thread` of the grid; 0: no room.
  uint64_t allocate(uint64_t thread, uint64_t bytes, uint64_t alignment);
  /// Frees a block; the message of why it cannot be.
  Status free(uint64_t address, int line);
  /// The line of the free that gave the block around `address` back, or 0.
  int freedAt(uint64_t address) const;

private:
  void open();

  DeviceMemory &memory;
  const uint64_t limit;
  bool isOpen = false;
  uint64_t used = 0;                 ///< bytes of live blocks
  std::map<uint64_t, uint64_t> next; ///< free from here on, by arena
  struct Freed {
    uint64_t end = 0;
    int line = 0;
  };
  std::map<uint64_t, Freed> freed; ///< in this launch, by address
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_HEAP_H
