//===- Memory.cpp - shared memory of one CTA ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Byte states are compared eight at a time: reads of shared memory are frequent
// and nearly always legal.
//
//===----------------------------------------------------------------------===//

#include "State/Memory.h"

#include <cstring>

namespace tc::emu {

const char *toString(Space space) {
  switch (space) {
  case Space::Generic:
    return "generic";
  case Space::Global:
    return "global";
  case Space::SharedCta:
    return "shared::cta";
  case Space::SharedCluster:
    return "shared::cluster";
  case Space::Local:
    return "local";
  case Space::Param:
    return "param";
  case Space::Const:
    return "const";
  }
  return "";
}

SharedMemory::SharedMemory(uint32_t size)
    : limit(kSmemReserved + size), bytes(limit), states(limit) {
  memset(states.data(), Uninit, limit);
}

/// PTX ISA 9.0, "Special Registers: %reserved_smem_offset_<2>", 10.29, says
/// nothing of their sizes; cooperative_groups take 288 bytes of the second.
uint32_t SharedMemory::lendReserved(unsigned part) {
  constexpr uint32_t size = 288, begin = kSmemReserved - 2 * size;
  if (first == kSmemReserved) {
    first = begin;
    memset(data(begin), 0, 2 * size);
    mark(begin, 2 * size, Init);
  }
  return begin + part * size;
}

bool SharedMemory::isReadableRange(uint32_t offset, uint32_t size) const {
  const uint8_t *s = states.data() + offset;
  for (; size >= 8; size -= 8, s += 8) {
    uint64_t word;
    memcpy(&word, s, 8);
    if (word != 0x0101010101010101ull)
      return false;
  }
  for (; size; --size, ++s)
    if (*s != Init)
      return false;
  return true;
}

bool SharedMemory::isWritableRange(uint32_t offset, uint32_t size) const {
  const uint8_t *s = states.data() + offset;
  for (; size >= 8; size -= 8, s += 8) {
    uint64_t word;
    memcpy(&word, s, 8);
    if (word & 0x0202020202020202ull) // Limbo or Barrier
      return false;
  }
  for (; size; --size, ++s)
    if (*s & 2)
      return false;
  return true;
}

void SharedMemory::undefine(uint32_t offset, uint32_t size, OriginId origin) {
  mark(offset, size, Uninit);
  for (uint32_t at = offset / 2; at < (offset + size + 1) / 2; ++at)
    origins.set(at, origin, limit / 2 + 1);
}

uint32_t SharedMemory::findUndefined(uint32_t offset, uint32_t size) const {
  if (!isReadable(offset, size))
    for (uint32_t at = offset; at < offset + size; ++at)
      if (states.data()[at] == Uninit)
        return at;
  return 0;
}

void SharedMemory::undefine(uint32_t offset,
                            const std::vector<OriginId> &origins,
                            uint32_t element) {
  for (uint32_t i = 0; i < origins.size(); ++i)
    if (origins[i])
      undefine(offset + i / element * element, element, origins[i]);
}

std::string SharedMemory::explain(uint32_t offset, uint32_t size,
                                  bool write) const {
  if (!inBounds(offset, size))
    return "expected an offset in [" + std::to_string(kSmemReserved) + ", " +
           std::to_string(limit) + "), got " + std::to_string(offset) +
           " with " + std::to_string(size) + " bytes";
  for (uint32_t i = offset; i < offset + size; ++i) {
    std::string where = "byte at offset " + std::to_string(i);
    if (states.data()[i] == Barrier)
      return where + " belongs to the mbarrier initialised on line " +
             std::to_string(live.at(i & ~7u).initLine);
    if (states.data()[i] == Limbo)
      return where + " is being written by asynchronous work that has not been "
                     "waited for";
    if (states.data()[i] == Uninit && !write)
      return where + (originOf(i) ? " was written with an undefined value"
                                  : " was never written");
  }
  return "";
}

Mbarrier *SharedMemory::barrier(uint32_t offset) {
  auto it = live.find(offset);
  return it == live.end() ? nullptr : &it->second;
}

Mbarrier *SharedMemory::createBarrier(uint32_t offset) {
  if (offset % 8 || !inBounds(offset, 8) || live.count(offset))
    return nullptr;
  mark(offset, 8, Barrier);
  return &live[offset];
}

void SharedMemory::destroyBarrier(uint32_t offset) {
  live.erase(offset);
  // The bytes hold nothing that a program may read.
  undefine(offset, 8, 0);
}

} // namespace tc::emu
