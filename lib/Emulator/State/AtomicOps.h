//===- AtomicOps.h - operations of atomics and reductions -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What atom, red, red.async and the bulk reductions do to one element. Clusters
// run on different threads of the host, so that every update is a
// compare-and-swap loop on the host's atomics.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_ATOMICOPS_H
#define TC_EMULATOR_STATE_ATOMICOPS_H

#include "Text/Type.h"

#include <cstdint>

namespace tc::emu {

enum class AtomicOp : uint8_t {
  Add,
  /// atom and red on f32 in global memory: subnormals count as zeros of their
  /// sign, as operands and as result. Bulk reductions keep them.
  AddFlushed,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exch,
  Cas,
  Inc,
  Dec
};

/// Whether `.op.type` exists for bulk reductions into global memory (PTX ISA
/// 9.0, "cp.reduce.async.bulk", 9.7.9.25.4.2), or into shared memory.
bool isBulkReduction(AtomicOp op, Type type, bool toGlobal);

/// Replaces the element of `type` at `at` as one action; gives the old value
/// and sets `changed` if the bits differ afterwards. `swap` is for Cas.
uint64_t atomicUpdate(AtomicOp op, Type type, uint8_t *at, uint64_t value,
                      uint64_t swap, bool &changed);

/// Applies `op` with the elements at `from` to those at `to`, one by one.
void reduceRange(AtomicOp op, Type type, uint8_t *to, const uint8_t *from,
                 uint32_t bytes);

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_ATOMICOPS_H
