//===- WarpFlow.h - what depends on choices in a warp -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CERTIFY_WARPFLOW_H
#define TC_EMULATOR_CERTIFY_WARPFLOW_H

#include "Certify/KernelFlow.h"
#include "Certify/Origins.h"
#include "State/Warp.h"

namespace tc::emu {

/// Lanes between a branch that depends on a choice and the instruction where
/// its ways meet again.
struct Detour {
  uint32_t end = ~0u;
  uint32_t lanes = 0, allLanes = 0; ///< that are there, that were
  OriginNumber origin = 0;
  /// Registers that the ways write; what they hold is certain on each way, and
  /// depends on the choice where they meet.
  std::vector<uint32_t> writes;
};

/// Registers that an asynchronous operation owns.
struct OwnedRegisters {
  std::vector<uint32_t> writes, reads;
  const DecodedInst *inst = nullptr;
  uint64_t number = 0; ///< wgmma: among those of the warp; 0: tcgen05.ld
};

/// The present instruction of a warp.
struct PresentInst {
  uint32_t pc = ~0u, mask = 0, active = 0;
  OriginNumber control = 0; ///< whether it is executed
  OriginNumber guard = 0;   ///< the part of it that is not a detour's
  OriginNumber elected = 0; ///< executed by the elected lane alone
  OriginNumber data = 0;    ///< its sources
  OriginNumber loaded = 0;  ///< what it has read from memory
  OriginNumber stored = 0;  ///< what it writes to memory
  OriginNumber result = 0;  ///< its registers, memory aside
  uint32_t resultLanes = 0;
  bool isRegionWrite =
      false;              ///< other lanes of the election keep what they had
  bool wasUniform = true; ///< of these, before
  bool sawAccess = false, usedColumns = false;
  std::vector<uint32_t> allocationWords; ///< that tcgen05.alloc stores
  std::vector<OriginNumber> columns;     ///< addresses of Tensor Memory
};

struct WarpFlow {
  /// By register: lanes with an origin, and it.
  std::vector<uint32_t> lanes;
  std::vector<OriginNumber> origin;
  std::vector<uint32_t> marked; ///< registers that have had one
  std::vector<Detour> detours;
  std::vector<OwnedRegisters> owned;
  OriginNumber local = 0; ///< of local memory
  uint64_t wgmmas = 0;    ///< that it has issued
  /// Lanes that are alike in all that others can see, elections aside.
  std::vector<uint32_t> classes{~0u};
  uint32_t electing = 0; ///< members of its elections; ~0u only if all
  unsigned electedLane = 0;
  /// The barriers and phases of the last failed wait, by its line.
  std::unordered_map<int, uint64_t> failed;
  PresentInst now;

  void start(const KernelFlow &kernel);
  bool isStarted() const { return !lanes.empty(); }
  bool isClean() const { return marked.empty() && detours.empty(); }

  OriginNumber at(uint32_t reg, uint32_t of) const {
    return lanes[reg] & of ? origin[reg] : 0;
  }
  /// Lanes `of` of the register depend on `on`, 0: on nothing.
  void set(uint32_t reg, uint32_t of, OriginNumber on, Origins &origins);
  /// They depend on it besides.
  void add(uint32_t reg, uint32_t of, OriginNumber on, Origins &origins);
  /// Lanes that others can tell from each other now.
  void split(uint32_t mask, uint32_t live);
};

/// Whether a failed wait of `lanes` leads back to it through registers alone,
/// so that it can be as if it had not been: with the barrier's phase it ends
/// the same way, however often it fails. Registers that it leaves changed get
/// `origin`.
bool failureLeadsBack(Warp &warp, WarpFlow &flow, const KernelFlow &kernel,
                      uint32_t pc, uint32_t lanes, OriginNumber origin,
                      Origins &origins);

} // namespace tc::emu

#endif // TC_EMULATOR_CERTIFY_WARPFLOW_H
