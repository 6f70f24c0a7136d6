//===- Access.h - checked accesses to every state space ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resolves one lane's address to a host pointer, with alignment, bounds and
// state checked. An Accessor is made per instruction: it remembers the last
// global allocation, so that 32 neighbouring lanes search once.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_ACCESS_H
#define TC_EMULATOR_STATE_ACCESS_H

#include "State/Machine.h"

namespace tc::emu {

enum class AccessKind : uint8_t { Read, Write, Atomic, Reduction };

class Accessor {
public:
  Accessor(Warp &warp, const DecodedInst &inst, AccessKind kind)
      : w(warp), inst(inst), kind(kind), smem(warp.cta.smem),
        ownBegin(smemAddress(warp.cta.rank, 0)),
        ownWindow(kSharedWindow + ownBegin),
        ownEnd(warp.cluster.events ? 0 : smem.end()) {}

  /// Host pointer of `bytes` bytes at `address` of `space` for `lane`; null
  /// after a report. Writes mark shared and local bytes as initialised.
  uint8_t *resolve(uint64_t address, Space space, unsigned lane,
                   uint32_t bytes) {
    if (!(address & (bytes - 1))) {
      if (space <= Space::Global) {
        if (address - begin <= span && address - begin + bytes <= span)
          return base + (address - begin);
        if (space == Space::Generic && address - ownWindow < ownEnd)
          if (uint8_t *own = ownShared(uint32_t(address - ownWindow), bytes))
            return own;
      } else if (space <= Space::SharedCluster && address - ownBegin < ownEnd) {
        if (uint8_t *own = ownShared(uint32_t(address - ownBegin), bytes))
          return own;
      }
    }
    return resolveSlow(address, space, lane, bytes);
  }

  /// Host pointers of all of `lanes` at once. False if a lane needs resolve():
  /// nothing has happened then.
  bool resolveAll(const uint64_t *addresses, Space space, uint32_t bytes,
                  uint8_t **pointers, uint32_t lanes = ~0u);

  /// Reads of shared and local memory that was never written are undefined
  /// values; the lanes that made one.
  bool mayBeUndefined = false;
  uint32_t undefinedLanes = 0;
  /// The states of bytes that resolve has found in shared or local memory (0:
  /// undefined), or null elsewhere.
  uint8_t *statesOf(const uint8_t *pointer) const {
    return placeOf(pointer).states;
  }
  /// What made an undefined byte so: this read of it, if nothing did before.
  OriginId originOf(const uint8_t *pointer) const;
  /// Bytes that have been written hold no value. False: memory that others can
  /// see for good.
  bool undefine(const uint8_t *pointer, uint32_t bytes, OriginId origin) const;
  /// The same, written with an undefined source; false after a report.
  bool storeUndefined(const Src &source, unsigned lane, const uint8_t *to,
                      uint32_t bytes) const;
  /// The same for one byte of the source, which may have a value.
  bool storeByte(const Src &source, unsigned lane, unsigned byte,
                 const uint8_t *to) const;

private:
  struct Place {
    uint8_t *states = nullptr;
    Cta *cta = nullptr; ///< null: local memory
    uint32_t at = 0;    ///< in the CTA, or in the local memory of all lanes
  };
  Place placeOf(const uint8_t *pointer) const;
  bool canTellAll(const uint64_t *addresses, uint32_t lanes) const;
  template <class Word>
  bool sharedAll(const uint64_t *addresses, uint64_t from, uint32_t bytes,
                 uint8_t **pointers);
  /// The CTA's own shared memory; null leaves the rest to resolveSlow.
  uint8_t *ownShared(uint32_t offset, uint32_t bytes) {
    if (!smem.inBounds(offset, bytes))
      return nullptr;
    if (kind == AccessKind::Write) {
      if (!smem.isWritable(offset, bytes))
        return nullptr;
      smem.mark(offset, bytes, SharedMemory::Init);
    } else if (!smem.isReadable(offset, bytes)) {
      return nullptr;
    }
    return smem.data(offset);
  }

  Observer::Access announced() const {
    return kind == AccessKind::Read     ? Observer::Access::Read
           : kind == AccessKind::Write  ? Observer::Access::Write
           : kind == AccessKind::Atomic ? Observer::Access::Atomic
                                        : Observer::Access::Reduction;
  }
  uint8_t *resolveSlow(uint64_t address, Space space, unsigned lane,
                       uint32_t bytes);
  uint8_t *shared(uint32_t address, bool ownOnly, uint32_t bytes,
                  unsigned lane);
  uint8_t *local(uint64_t offset, unsigned lane, uint32_t bytes);
  uint8_t *fail(std::string message, unsigned lane);

  Warp &w;
  const DecodedInst &inst;
  AccessKind kind;
  SharedMemory &smem;
  const uint64_t ownBegin, ownWindow, ownEnd;
  uint64_t begin = 1, span = 0;
  uint8_t *base = nullptr;
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_ACCESS_H
