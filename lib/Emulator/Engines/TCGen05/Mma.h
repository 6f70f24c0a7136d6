//===- Mma.h - one tcgen05.mma in flight ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values of a tcgen05.mma's operands for one thread, checked, and the
// asynchronous operation that they become (PTX ISA 9.0, "Tensorcore 5th
// Generation Instructions: tcgen05.mma", 9.7.16.10.9).
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_ENGINES_TCGEN05_MMA_H
#define TC_EMULATOR_ENGINES_TCGEN05_MMA_H

#include "Engines/TCGen05/Operand.h"
#include "Engines/TCGen05/Ops.h"

#include <memory>

namespace tc::emu {

/// Everything a tcgen05.mma says, as raw values.
struct MmaValues {
  MmaForm form;
  uint32_t d = 0;
  uint64_t a = 0; ///< descriptor, or the address of A in Tensor Memory
  uint64_t b = 0;
  uint32_t instruction = 0;
  bool accumulate = false;
  /// D = A * B + D * 2^-scaleD.
  unsigned scaleD = 0;
  /// One bit per lane, even CTA first: not written.
  std::vector<uint32_t> disabledLanes;
  uint64_t columnMask = 0; ///< .ws: zero-column mask descriptor, 0 without
  uint32_t scaleA = 0, scaleB = 0; ///< block-scaled kinds: TMEM addresses
  uint32_t metadata = 0;           ///< sparse A: TMEM address
  uint32_t tables = 0;             ///< .decompress::lut::b: TMEM address
  /// 1, 2 or 4, and twice as many with a wide K; 0 without block scaling.
  unsigned scalesPerRow = 0;
};

/// Checks descriptors, layouts and addresses and builds the operation.
Expected<std::unique_ptr<TmemOp>> makeMma(Cluster &cluster, const Warp &warp,
                                          unsigned lane,
                                          const DecodedInst &inst,
                                          MmaValues values);

} // namespace tc::emu

#endif // TC_EMULATOR_ENGINES_TCGEN05_MMA_H
