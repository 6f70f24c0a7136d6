//===- TmaOps.h - tensor copies in flight -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load takes two steps per destination CTA (bytes, then complete_tx), a store
// two in all (read shared, write global).
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_ENGINES_TMA_TMAOPS_H
#define TC_EMULATOR_ENGINES_TMA_TMAOPS_H

#include "Engines/TMA/TmaBox.h"
#include "State/AtomicOps.h"
#include "State/Machine.h"

namespace tc::emu {

/// A destination CTA of a load: its rank, and the mbarrier that counts its
/// bytes.
/// What a load looks for in the bytes that it reads, to report it on its
/// mbarrier (PTX ISA 9.4, "Report Mechanisms for Asynchronous Copy Operations",
/// 9.7.10.28.1.3): a value of so many bits, in one element of each 16 bytes or
/// in each byte. 0 bits: nothing.
struct ReportPattern {
  unsigned bits = 0;
  uint32_t value = 0;
  unsigned granularity = 16;
};

struct TensorLoadTarget {
  unsigned rank;
  uint32_t barrier;
  bool written = false;
};

/// A load of the box at `position` to `shared` in each of `targets`.
std::unique_ptr<AsyncOp>
makeTensorLoad(const Warp &warp, unsigned lane, const DecodedInst &inst,
               const TensorMapDesc &map, const BoxPosition &position,
               uint32_t shared, std::vector<TensorLoadTarget> targets,
               const ReportPattern &report);

/// A store of the box at `position` from `shared`; with `reduction`, the type
/// that it works on, the reduction `op`.
std::unique_ptr<AsyncOp>
makeTensorStore(const Warp &warp, unsigned lane, const DecodedInst &inst,
                const TensorMapDesc &map, const BoxPosition &position,
                uint32_t shared, AtomicOp op, Type reduction);

} // namespace tc::emu

#endif // TC_EMULATOR_ENGINES_TMA_TMAOPS_H
