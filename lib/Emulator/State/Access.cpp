//===- Access.cpp - checked accesses to every state space -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "State Spaces" and "Addresses as Operands". Shared accesses also
// look at the bytes' states: never written, under asynchronous write, mbarrier.
//
//===----------------------------------------------------------------------===//

#include "State/Access.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tc::emu {

/// All lanes in the CTA's own shared memory: bounds and alignment first, then
/// states, without a branch per lane.
template <class Word>
bool Accessor::sharedAll(const uint64_t *addresses, uint64_t from,
                         uint32_t bytes, uint8_t **pointers) {
  uint64_t outside = 0, misaligned = 0;
  const uint64_t room = smem.end() - kSmemReserved - bytes;
  for (unsigned l = 0; l < 32; ++l) {
    uint64_t offset = addresses[l] - from;
    outside |= uint64_t(offset - kSmemReserved > room);
    misaligned |= offset;
  }
  if (outside || misaligned & (bytes - 1))
    return false;
  uint8_t *states = smem.stateBytes(), *data = smem.data(0);
  const unsigned words = bytes / sizeof(Word);
  constexpr Word init = Word(0x0101010101010101ull);
  Word bad = 0;
  for (unsigned l = 0; l < 32; ++l) {
    uint64_t offset = addresses[l] - from;
    for (unsigned k = 0; k < words; ++k) {
      Word state;
      memcpy(&state, states + offset + k * sizeof(Word), sizeof(Word));
      bad |= kind == AccessKind::Write ? state & Word(init << 1) : state ^ init;
    }
    pointers[l] = data + offset;
  }
  if (bad)
    return false;
  if (kind == AccessKind::Write)
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned k = 0; k < words; ++k)
        memcpy(states + (pointers[l] - data) + k * sizeof(Word), &init,
               sizeof(Word));
  return true;
}

/// Whether an observer can be told of all lanes at once: weak ones write at
/// different addresses.
bool Accessor::canTellAll(const uint64_t *addresses, uint32_t lanes) const {
  if (inst.order != MemoryOrder::Weak || kind != AccessKind::Write)
    return true;
  bool ascending = true;
  for (unsigned l = 1; l < 32; ++l)
    ascending &= addresses[l] > addresses[l - 1];
  if (ascending)
    return true;
  uint64_t sorted[32];
  unsigned count = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    sorted[count++] = addresses[__builtin_ctz(rest)];
  std::sort(sorted, sorted + count);
  return std::adjacent_find(sorted, sorted + count) == sorted + count;
}

bool Accessor::resolveAll(const uint64_t *all, Space space, uint32_t bytes,
                          uint8_t **pointers, uint32_t lanes) {
  if (!lanes)
    return false;
  // The others do as the first one.
  uint64_t addresses[32];
  for (unsigned l = 0; l < 32; ++l)
    addresses[l] = all[lanes >> l & 1 ? l : unsigned(__builtin_ctz(lanes))];
  Observer *events = w.cluster.events;
  if (events && !canTellAll(addresses, lanes))
    return false;
  bool isShared = space == Space::SharedCta || space == Space::SharedCluster;
  uint64_t from = ownBegin;
  if (space == Space::Generic && inWindow(addresses[0], kSharedWindow)) {
    isShared = true;
    from = ownWindow;
  }
  if (isShared) {
    if (smem.end() < kSmemReserved + bytes)
      return false;
    const bool fine =
        bytes >= 8   ? sharedAll<uint64_t>(addresses, from, bytes, pointers)
        : bytes == 4 ? sharedAll<uint32_t>(addresses, from, bytes, pointers)
        : bytes == 2 ? sharedAll<uint16_t>(addresses, from, bytes, pointers)
                     : sharedAll<uint8_t>(addresses, from, bytes, pointers);
    if (!fine || !events)
      return fine;
    for (uint64_t &address : addresses)
      address = address - from + ownBegin;
    events->accessAll(w, lanes, Space::SharedCluster, addresses, bytes,
                      announced(), inst);
    return true;
  }
  if (space != Space::Generic && space != Space::Global)
    return false;
  if (!isDeviceAddress(addresses[0]))
    return false;
  DeviceMemory::Range range = w.machine.memory.range(addresses[0]);
  uint64_t size = range.end - range.begin;
  if (size < bytes || (kind != AccessKind::Read && !range.writable))
    return false;
  uint64_t outside = 0, misaligned = 0;
  for (unsigned l = 0; l < 32; ++l) {
    uint64_t offset = addresses[l] - range.begin;
    outside |= uint64_t(offset > size - bytes);
    misaligned |= addresses[l];
    pointers[l] = range.data + offset;
  }
  if (outside || misaligned & (bytes - 1))
    return false;
  if (events && range.writable)
    events->accessAll(w, lanes, Space::Global, addresses, bytes, announced(),
                      inst);
  return true;
}

uint8_t *Accessor::fail(std::string message, unsigned lane) {
  w.fail(ReportKind::Memory, inst, message + ", lane " + std::to_string(lane));
  return nullptr;
}

uint8_t *Accessor::shared(uint32_t address, bool ownOnly, uint32_t bytes,
                          unsigned lane) {
  unsigned rank = smemRank(address);
  uint32_t offset = smemOffset(address);
  if (ownOnly && rank != w.cta.rank)
    return fail("shared::cta address of CTA rank " + std::to_string(rank) +
                    " used by rank " + std::to_string(w.cta.rank),
                lane);
  Cta *cta = w.cluster.cta(rank);
  if (!cta)
    return fail("shared address names CTA rank " + std::to_string(rank) +
                    " of a cluster of " + std::to_string(w.cluster.ctas.size()),
                lane);
  if (cta->exited)
    return fail("shared memory of " + cta->name() + ", which has exited", lane);
  SharedMemory &smem = cta->smem;
  bool write = kind == AccessKind::Write;
  if (!smem.inBounds(offset, bytes))
    return fail("out of bounds of shared memory: " +
                    smem.explain(offset, bytes, write),
                lane);
  bool legal =
      write ? smem.isWritable(offset, bytes) : smem.isReadable(offset, bytes);
  if (!legal && mayBeUndefined && smem.isWritable(offset, bytes)) {
    undefinedLanes |= 1u << lane;
    legal = true;
  }
  if (!legal)
    return fail(std::string(write ? "write to" : "read of") +
                    " shared memory: " + smem.explain(offset, bytes, write) +
                    w.cluster.culprit(rank, offset, bytes),
                lane);
  if (write)
    smem.mark(offset, bytes, SharedMemory::Init);
  if (w.cluster.events)
    w.cluster.events->access(w, lane, Space::SharedCluster, address, bytes,
                             announced(), inst);
  return smem.data(offset);
}

uint8_t *Accessor::local(uint64_t offset, unsigned lane, uint32_t bytes) {
  uint32_t size = w.machine.kernel.localBytes;
  if (bytes > size || offset > size - bytes)
    return fail("out of bounds of local memory: expected an offset below " +
                    std::to_string(size) + ", got " + std::to_string(offset) +
                    " with " + std::to_string(bytes) + " bytes",
                lane);
  size_t at = size_t(lane) * size + offset;
  if (kind == AccessKind::Write) {
    memset(&w.localState[at], 1, bytes);
  } else {
    for (uint32_t i = 0; i < bytes; ++i)
      if (!w.localState[at + i] && mayBeUndefined)
        undefinedLanes |= 1u << lane;
      else if (!w.localState[at + i])
        return fail("read of local memory that was never written, offset " +
                        std::to_string(offset + i),
                    lane);
  }
  return &w.local[at];
}

Accessor::Place Accessor::placeOf(const uint8_t *pointer) const {
  auto within = [&](const uint8_t *begin, size_t size) {
    return pointer >= begin && pointer < begin + size;
  };
  if (within(w.local.data(), w.local.size())) {
    auto at = uint32_t(pointer - w.local.data());
    return {&w.localState[at], nullptr, at};
  }
  for (const auto &cta : w.cluster.ctas)
    if (within(cta->smem.data(0), cta->smem.end())) {
      auto at = uint32_t(pointer - cta->smem.data(0));
      return {cta->smem.stateBytes() + at, cta.get(), at};
    }
  return {};
}

OriginId Accessor::originOf(const uint8_t *pointer) const {
  const Place place = placeOf(pointer);
  if (OriginId known = place.cta ? place.cta->smem.originOf(place.at)
                                 : w.localOrigins.at(place.at))
    return known;
  UndefinedOrigins &all = w.cluster.undefined;
  return place.cta
             ? all.note(inst.line, inst.text, UndefinedOrigin::Shared,
                        place.cta->rank, place.at)
             : all.note(inst.line, inst.text, UndefinedOrigin::Local,
                        w.cta.rank, place.at % w.machine.kernel.localBytes);
}

bool Accessor::undefine(const uint8_t *pointer, uint32_t bytes,
                        OriginId origin) const {
  const Place place = placeOf(pointer);
  if (!place.states)
    return false;
  if (place.cta) {
    place.cta->smem.undefine(place.at, bytes, origin);
    return true;
  }
  memset(place.states, 0, bytes);
  for (uint32_t i = 0; i < bytes; ++i)
    w.localOrigins.set(place.at + i, origin, w.localState.size());
  return true;
}

bool Accessor::storeUndefined(const Src &source, unsigned lane,
                              const uint8_t *to, uint32_t bytes) const {
  if (undefine(to, bytes, w.originAt(inst, source, lane)))
    return true;
  return w.requireDefined(inst, source, 1u << lane);
}

bool Accessor::storeByte(const Src &source, unsigned lane, unsigned byte,
                         const uint8_t *to) const {
  if (!w.undefinedByte(source, lane, byte) ||
      undefine(to, 1, w.originAt(inst, source, lane)))
    return true;
  w.failUndefined(inst, source, lane, byte);
  return false;
}

uint8_t *Accessor::resolveSlow(uint64_t address, Space space, unsigned lane,
                               uint32_t bytes) {
  // PTX ISA 9.0, "Addresses as Operands", 6.4.1: truncated to the width of the
  // state space.
  if (space == Space::SharedCta || space == Space::SharedCluster)
    address = uint32_t(address);
  if (address & (bytes - 1)) {
    char text[96];
    snprintf(text, sizeof(text),
             "misaligned address: expected a multiple of %u, got 0x%llx", bytes,
             (unsigned long long)address);
    return fail(text, lane);
  }
  switch (space) {
  case Space::SharedCta:
  case Space::SharedCluster:
    return shared(uint32_t(address), space == Space::SharedCta, bytes, lane);
  case Space::Local:
    return local(address, lane, bytes);
  case Space::Param:
    if (address >= kFuncParamBase)
      return local(address - kFuncParamBase, lane, bytes);
    address += kParamWindow;
    break;
  case Space::Const:
    address += kConstWindow;
    break;
  case Space::Generic:
    if (inWindow(address, kSharedWindow))
      return shared(uint32_t(address - kSharedWindow), false, bytes, lane);
    if (inWindow(address, kLocalWindow))
      return local(address - kLocalWindow, lane, bytes);
    if (inWindow(address, kParamWindow) &&
        address - kParamWindow >= kFuncParamBase)
      return local(address - kParamWindow - kFuncParamBase, lane, bytes);
    break;
  case Space::Global:
    break;
  }
  bool write = kind != AccessKind::Read;
  uint8_t *pointer =
      write ? w.machine.writable(address, bytes)
            : const_cast<uint8_t *>(w.machine.readable(address, bytes));
  if (!pointer) {
    char text[64];
    snprintf(text, sizeof(text), "%s address 0x%llx: ",
             write ? "illegal write to" : "illegal read of",
             (unsigned long long)address);
    return fail(text + w.machine.explain(address, bytes, write), lane);
  }
  if (isDeviceAddress(address)) {
    DeviceMemory::Range range = w.machine.memory.range(address);
    begin = range.begin;
    span = range.end - range.begin;
    base = range.data;
    // With a listener every access has to come this way.
    if (w.cluster.events && range.writable) {
      span = 0;
      w.cluster.events->access(w, lane, Space::Global, address, bytes,
                               announced(), inst);
    }
  }
  return pointer;
}

} // namespace tc::emu
