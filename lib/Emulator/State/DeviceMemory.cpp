//===- DeviceMemory.cpp - global memory -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations in a sorted vector. Automatic addresses leave a gap between
// neighbours, so that a small overrun falls into no allocation.
//
//===----------------------------------------------------------------------===//

#include "State/Address.h"
#include "tc/Emulator/Emulator.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tc::emu {

static constexpr uint64_t kFirstAddress = 0x7'0000'0000ull;
static constexpr uint64_t kGap = 4096;

static std::string hex(uint64_t value) {
  char text[32];
  snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
  return text;
}

DeviceMemory::DeviceMemory() = default;
DeviceMemory::~DeviceMemory() = default;

Expected<uint64_t> DeviceMemory::allocate(uint64_t bytes, uint64_t alignment,
                                          uint64_t address,
                                          std::string_view name) {
  if (!alignment || (alignment & (alignment - 1)))
    return Error{"expected an alignment that is a power of two, got " +
                 std::to_string(alignment)};
  if (bytes > (1ull << 40))
    return Error{"allocation of " + std::to_string(bytes) +
                 " bytes is too "
                 "large"};
  uint64_t size = std::max<uint64_t>(bytes, 1);
  if (address) {
    if (address % alignment)
      return Error{"address " + hex(address) + " is not a multiple of " +
                   std::to_string(alignment)};
    if (Status status = checkFree(address, size); !status)
      return status.takeError();
  } else {
    address = kFirstAddress;
    for (const Allocation &a : allocations) {
      address = (address + alignment - 1) & ~(alignment - 1);
      if (address + size + kGap <= a.address)
        break;
      if (a.address + a.bytes + kGap > address)
        address = a.address + a.bytes + kGap;
    }
    address = (address + alignment - 1) & ~(alignment - 1);
    if (address >= kWindowsBegin || size > kWindowsBegin - address)
      return Error{"device memory is full"};
  }
  auto data = std::make_unique<uint8_t[]>(size);
  uint8_t *bytesAt = data.get();
  insert({address, bytes, bytesAt, std::move(data), false, std::string(name)});
  return address;
}

Status DeviceMemory::adopt(uint64_t address, uint64_t bytes, uint8_t *data,
                           std::string_view name) {
  if (Status status = checkFree(address, std::max<uint64_t>(bytes, 1)); !status)
    return status;
  insert({address, bytes, data, nullptr, false, std::string(name)});
  return {};
}

Status DeviceMemory::checkFree(uint64_t address, uint64_t size) const {
  uint64_t last = address + size - 1;
  if (address < kGlobalBegin || last < address || !isDeviceAddress(address) ||
      !isDeviceAddress(last) ||
      (address < kWindowsBegin && last >= kWindowsEnd))
    return Error{"address " + hex(address) + " is not one of global memory (" +
                 std::to_string(size) + " bytes at " + hex(kGlobalBegin) +
                 " or above, outside of [" + hex(kWindowsBegin) + ", " +
                 hex(kWindowsEnd) + "))"};
  const Allocation *before = find(last);
  if (before &&
      address <= before->address + std::max<uint64_t>(before->bytes, 1) - 1)
    return Error{"address " + hex(address) + " is taken by the allocation at " +
                 hex(before->address)};
  return {};
}

void DeviceMemory::insert(Allocation allocation) {
  auto where = std::upper_bound(
      allocations.begin(), allocations.end(), allocation.address,
      [](uint64_t value, const Allocation &a) { return value < a.address; });
  allocations.insert(where, std::move(allocation));
}

const DeviceMemory::Allocation *DeviceMemory::find(uint64_t address) const {
  auto it = std::upper_bound(
      allocations.begin(), allocations.end(), address,
      [](uint64_t value, const Allocation &a) { return value < a.address; });
  return it == allocations.begin() ? nullptr : &*(it - 1);
}

Status DeviceMemory::free(uint64_t address) {
  const Allocation *a = find(address);
  if (!a || a->address != address)
    return Error{"no allocation starts at " + hex(address)};
  allocations.erase(allocations.begin() + (a - allocations.data()));
  return {};
}

Status DeviceMemory::setReadOnly(uint64_t address, bool readOnly) {
  const Allocation *a = find(address);
  if (!a || a->address != address)
    return Error{"no allocation starts at " + hex(address)};
  allocations[a - allocations.data()].readOnly = readOnly;
  return {};
}

const uint8_t *DeviceMemory::readable(uint64_t address, uint64_t bytes) const {
  const Allocation *a = find(address);
  if (!a || bytes > a->bytes || address - a->address > a->bytes - bytes)
    return nullptr;
  return a->data + (address - a->address);
}

uint8_t *DeviceMemory::writable(uint64_t address, uint64_t bytes) {
  const Allocation *a = find(address);
  if (!a || a->readOnly || bytes > a->bytes ||
      address - a->address > a->bytes - bytes)
    return nullptr;
  return a->data + (address - a->address);
}

DeviceMemory::Range DeviceMemory::range(uint64_t address) const {
  const Allocation *a = find(address);
  if (!a || address - a->address >= a->bytes)
    return {};
  return {a->address, a->address + a->bytes, a->data, !a->readOnly};
}

std::vector<DeviceMemory::Range> DeviceMemory::ranges() const {
  std::vector<Range> result;
  for (const Allocation &a : allocations)
    result.push_back({a.address, a.address + a.bytes, a.data, !a.readOnly});
  return result;
}

Status DeviceMemory::read(uint64_t address, void *data, uint64_t bytes) const {
  if (!bytes)
    return {};
  const uint8_t *from = readable(address, bytes);
  if (!from)
    return Error{explain(address, bytes, false)};
  memcpy(data, from, bytes);
  return {};
}

Status DeviceMemory::write(uint64_t address, const void *data, uint64_t bytes) {
  if (!bytes)
    return {};
  // The host may write what kernels may only read.
  const uint8_t *to = readable(address, bytes);
  if (!to)
    return Error{explain(address, bytes, true)};
  memcpy(const_cast<uint8_t *>(to), data, bytes);
  return {};
}

std::string DeviceMemory::explain(uint64_t address, uint64_t bytes,
                                  bool write) const {
  auto nameOf = [](const Allocation &a) {
    return (a.name.empty() ? std::string("the allocation")
                           : "buffer '" + a.name + "'") +
           " at [" + hex(a.address) + ", " + hex(a.address + a.bytes) + ")";
  };
  std::string access =
      std::to_string(bytes) + " bytes at " + hex(address) + " ";
  const Allocation *before = find(address);
  if (before && write && before->readOnly &&
      address < before->address + before->bytes)
    return access + "are in " + nameOf(*before) + ", which is read-only";
  const Allocation *nearest = before;
  uint64_t distance =
      before ? address - std::min(address, before->address + before->bytes)
             : ~0ull;
  for (const Allocation &a : allocations)
    if (a.address > address && a.address - address < distance) {
      distance = a.address - address;
      nearest = &a;
    }
  if (!nearest)
    return access + "are in no allocation";
  if (address >= nearest->address &&
      address < nearest->address + nearest->bytes)
    return access + "reach past the end of " + nameOf(*nearest);
  return access + "are in no allocation; the nearest is " + nameOf(*nearest) +
         ", " + std::to_string(distance) + " bytes away";
}

} // namespace tc::emu
