//===- Pipe.h - pipelined tcgen05 instructions ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pairs of tcgen05 instructions that execute in the order of their issue
// without any synchronisation (PTX ISA 9.0, "Pipelined tcgen05 Instructions",
// 9.7.16.6.2). The engine orders by them what it executes, the race checker
// what it reports.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_ENGINES_TCGEN05_PIPE_H
#define TC_EMULATOR_ENGINES_TCGEN05_PIPE_H

#include "State/Engine.h"

namespace tc::emu {

/// What of an operation on Tensor Memory the pairs depend on.
struct PipedOp {
  AsyncClass asyncClass = AsyncClass::Mma;
  unsigned ctaGroup = 1;
  /// mma: equal for two on one accumulator and of one shape.
  uint32_t accumulator = 0, shape = 0;
  /// cp: the 4x256b form.
  bool fourRows = false;
};

/// Whether `first` executes before `second`, which was issued after it.
bool isPipelined(const PipedOp &first, const PipedOp &second);

} // namespace tc::emu

#endif // TC_EMULATOR_ENGINES_TCGEN05_PIPE_H
