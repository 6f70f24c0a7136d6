//===- Modifiers.h - modifiers of several families --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_DECODE_MODIFIERS_H
#define TC_EMULATOR_EXEC_DECODE_MODIFIERS_H

#include "Exec/Decode/InstructionTable.h"
#include "State/AtomicOps.h"

namespace tc::emu {

/// Takes .ca, .L1::..., .L2::... and the like; fails on unknown ones.
void takeCacheModifiers(DecodeContext &c);

/// Takes .cta, .cluster, .gpu or .sys.
Scope takeScope(DecodeContext &c, Scope otherwise);

/// Takes .multicast::cluster of 16 or 32 CTAs: the bits of its mask, 0 where it
/// is missing.
unsigned takeMulticast(DecodeContext &c);

/// Takes ".add", ".min" and so on; false if none occurs.
bool takeAtomicOp(DecodeContext &context, AtomicOp &op);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_DECODE_MODIFIERS_H
