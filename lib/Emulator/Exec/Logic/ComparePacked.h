//===- ComparePacked.h - comparisons of packed integers ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of set that Compare.cpp leaves to ComparePacked.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_LOGIC_COMPAREPACKED_H
#define TC_EMULATOR_EXEC_LOGIC_COMPAREPACKED_H

#include "Exec/Decode/InstructionTable.h"

namespace tc::emu {

/// Decodes set of .u8x4, .s8x4, .u16x2 and .s16x2; false for other types.
bool decodePackedSet(DecodeContext &context);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_LOGIC_COMPAREPACKED_H
