//===- Memory.cpp - Device, managed and pinned memory -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "tc/Runtime/Buffer.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace tc;
using namespace tc::cuda;

/// What was never written reads as large negative numbers, not as zeros.
static constexpr int unwritten = 0xcd;

uint64_t Memory::defaultLimit() { return runtime::memoryLimit(); }

std::string cuda::hex(uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(address));
  return text;
}

emu::Status Memory::checkRoom(uint64_t bytes) const {
  if (bytes <= maxBytes - usedBytes)
    return {};
  return emu::Error{"expected at most " + std::to_string(maxBytes - usedBytes) +
                    " bytes, a third of this machine's memory and what the "
                    "device has less what is in use, got " +
                    std::to_string(bytes)};
}

emu::Expected<uint64_t> Memory::allocate(uint64_t bytes, MemoryKind kind,
                                         unsigned flags) {
  uint64_t size = std::max<uint64_t>(bytes, 1);
  if (emu::Status status = checkRoom(size); !status)
    return status.takeError();
  uint64_t address = 0;
  uint8_t *data = nullptr;
  if (kind == MemoryKind::Device) {
    emu::Expected<uint64_t> place = device.allocate(size);
    if (!place)
      return place;
    address = *place;
    data = device.writable(address, size);
  } else {
    // Kernels and host share the address; 256 bytes as from cudaMalloc.
    void *memory = std::aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    if (!memory)
      return emu::Error{"this machine has no " + std::to_string(size) +
                        " bytes"};
    address = reinterpret_cast<uint64_t>(memory);
    data = static_cast<uint8_t *>(memory);
    if (emu::Status status = device.adopt(address, size, data); !status) {
      std::free(memory);
      return status.takeError();
    }
  }
  std::memset(data, unwritten, size);
  allocations[address] = {address, size, kind, flags};
  usedBytes += size;
  return address;
}

/// Far above what DeviceMemory chooses, and below the windows of the emulator.
static constexpr uint64_t reservedBegin = 1ull << 44, reservedEnd = 1ull << 46;

uint64_t Memory::reserve(uint64_t bytes) {
  const uint64_t address = reservedBegin + reserved;
  reserved += (bytes + 4095) / 4096 * 4096 + 4096; // a page between two
  return address;
}

bool Memory::isReserved(uint64_t address) {
  return address >= reservedBegin && address < reservedEnd;
}

emu::Status Memory::allocateReserved(uint64_t address, uint64_t bytes) {
  if (emu::Status status = checkRoom(bytes); !status)
    return status;
  emu::Expected<uint64_t> place = device.allocate(bytes, 256, address);
  if (!place)
    return place.takeError();
  std::memset(device.writable(address, bytes), unwritten, bytes);
  allocations[address] = {address, bytes, MemoryKind::Device, 0};
  usedBytes += bytes;
  OfGraphs &g = ofGraphs;
  g.used += bytes;
  g.usedHigh = std::max(g.usedHigh, g.used);
  g.held = std::max(g.held, g.used);
  g.heldHigh = std::max(g.heldHigh, g.held);
  return {};
}

emu::Status Memory::registerHost(void *address, uint64_t bytes,
                                 unsigned flags) {
  uint64_t begin = reinterpret_cast<uint64_t>(address);
  if (!bytes)
    return emu::Error{"expected at least one byte, got none"};
  if (emu::Status status =
          device.adopt(begin, bytes, static_cast<uint8_t *>(address));
      !status)
    return status;
  allocations[begin] = {begin, bytes, MemoryKind::Registered, flags};
  return {};
}

emu::Status Memory::shareWithHost(uint64_t address, uint64_t bytes) {
  const uint8_t *now = device.readable(address, bytes);
  if (!now)
    return emu::Error{device.explain(address, bytes, false)};
  if (now == reinterpret_cast<const uint8_t *>(address))
    return {};
  // Allocations of the device are a page apart, so none shares one with it.
  constexpr uint64_t page = 4096;
  const uint64_t begin = address / page * page;
  void *mapped = mmap(reinterpret_cast<void *>(begin), address + bytes - begin,
                      PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped != reinterpret_cast<void *>(begin))
    return emu::Error{"the host uses address " + hex(address) + " itself"};
  auto *shared = reinterpret_cast<uint8_t *>(address);
  std::memcpy(shared, now, bytes);
  if (emu::Status status = device.free(address); !status)
    return status;
  return device.adopt(address, bytes, shared);
}

emu::Status Memory::free(uint64_t address,
                         std::initializer_list<MemoryKind> kinds) {
  auto found = allocations.find(address);
  bool fits = false;
  if (found != allocations.end())
    for (MemoryKind kind : kinds)
      fits |= kind == found->second.kind;
  if (!fits)
    return emu::Error{"expected the start of an allocation of that kind, got " +
                      hex(address)};
  Allocation allocation = found->second;
  allocations.erase(found);
  if (emu::Status status = device.free(address); !status)
    return status;
  if (allocation.kind != MemoryKind::Registered)
    usedBytes -= allocation.bytes;
  if (isReserved(address))
    ofGraphs.used -= allocation.bytes;
  if (allocation.kind == MemoryKind::Managed ||
      allocation.kind == MemoryKind::Pinned)
    std::free(reinterpret_cast<void *>(address));
  return {};
}

const Memory::Allocation *Memory::find(uint64_t address) const {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  const Allocation &before = std::prev(after)->second;
  return address - before.begin < before.bytes ? &before : nullptr;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

emu::Expected<uint8_t *> Memory::locate(const Place &place, uint64_t address,
                                        uint64_t bytes, bool write) {
  bool isKnown = device.range(address).data != nullptr;
  if (place.side == Place::Side::Device || isKnown) {
    const uint8_t *data = device.readable(address, bytes);
    if (!data)
      return emu::Error{device.explain(address, bytes, write)};
    // CUDA C++ Programming Guide, "Interoperability with Host Memory API".
    if (emu::isHeapAddress(address))
      return emu::Error{"expected memory that the host has allocated, got " +
                        hex(address) + ", which a kernel has"};
    return const_cast<uint8_t *>(data);
  }
  return reinterpret_cast<uint8_t *>(address);
}

emu::Status Memory::copy(const Place &to, const Place &from, const Box &box) {
  if (!box.width || !box.height || !box.depth)
    return {};
  for (uint64_t z = 0; z < box.depth; ++z)
    for (uint64_t y = 0; y < box.height; ++y) {
      auto row = [&](const Place &place, bool write) {
        return locate(place,
                      place.address + z * place.slicePitch + y * place.pitch,
                      box.width, write);
      };
      emu::Expected<uint8_t *> source = row(from, false);
      if (!source)
        return emu::Error{"source of a copy: " + source.error().message};
      emu::Expected<uint8_t *> target = row(to, true);
      if (!target)
        return emu::Error{"destination of a copy: " + target.error().message};
      std::memmove(*target, *source, box.width);
    }
  return {};
}

emu::Status Memory::fill(const Place &to, uint32_t value, unsigned valueBytes,
                         const Box &box) {
  if (!box.width || !box.height || !box.depth)
    return {};
  if (to.address % valueBytes)
    return emu::Error{"expected an address that is a multiple of " +
                      std::to_string(valueBytes) + ", got " + hex(to.address)};
  for (uint64_t z = 0; z < box.depth; ++z)
    for (uint64_t y = 0; y < box.height; ++y) {
      emu::Expected<uint8_t *> target = locate(
          to, to.address + z * to.slicePitch + y * to.pitch, box.width, true);
      if (!target)
        return emu::Error{"memset: " + target.error().message};
      if (valueBytes == 1)
        std::memset(*target, int(value), box.width);
      else
        for (uint64_t x = 0; x < box.width; x += valueBytes)
          std::memcpy(*target + x, &value, valueBytes);
    }
  return {};
}

//===----------------------------------------------------------------------===//
// Snapshots
//===----------------------------------------------------------------------===//

Memory::Snapshot Memory::snapshot() const {
  Snapshot result;
  for (const emu::DeviceMemory::Range &range : device.ranges())
    result[range.begin].assign(range.data,
                               range.data + (range.end - range.begin));
  return result;
}

void Memory::restore(const Snapshot &from) {
  // What the kernel has allocated since is gone, what it has freed is back.
  for (const emu::DeviceMemory::Range &range : device.ranges())
    if (emu::isHeapAddress(range.begin) && !from.count(range.begin))
      (void)device.free(range.begin);
  for (const auto &[address, data] : from)
    if (emu::isHeapAddress(address) && !device.range(address).data)
      (void)device.allocate(data.size(), 1, address);
  for (const auto &[address, data] : from)
    if (!data.empty())
      (void)device.write(address, data.data(), data.size());
}
