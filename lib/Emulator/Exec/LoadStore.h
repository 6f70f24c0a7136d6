//===- LoadStore.h - modifiers that loads and stores share ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Used by every family that accesses memory.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_LOADSTORE_H
#define TC_EMULATOR_EXEC_LOADSTORE_H

#include "Exec/FunctionDecoder.h"
#include "Exec/Lanes.h"

namespace tc::emu {

/// Takes .ca, .L1::..., .L2::... and the like; fails on unknown ones.
void takeCacheModifiers(DecodeContext &c);

/// Takes .cta, .cluster, .gpu or .sys.
Scope takeScope(DecodeContext &c, Scope otherwise);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_LOADSTORE_H
