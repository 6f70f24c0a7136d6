//===- MmaSync.h - mma.sync with a kind -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_MMA_MMASYNC_H
#define TC_EMULATOR_EXEC_MMA_MMASYNC_H

#include "Exec/Decode/InstructionTable.h"

#include <vector>

namespace tc::emu {

/// Where the values of registers are, those of all lanes for each.
std::vector<const uint32_t *> lanes(const Warp &w,
                                    const std::vector<Src> &sources);

/// Decodes mma.sync with the modifier `kind` ("kind::mxf4"), which is taken.
void decodeMmaSyncKind(DecodeContext &context, std::string_view kind);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_MMA_MMASYNC_H
