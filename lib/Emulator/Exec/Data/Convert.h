//===- Convert.h - conversion decoders --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of cvt.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_DATA_CONVERT_H
#define TC_EMULATOR_EXEC_DATA_CONVERT_H

#include "Exec/Decode/InstructionTable.h"

namespace tc::emu {

/// Decodes conversions to and from packed or narrow formats and tf32; false if
/// the instruction is none of them.
bool decodePackedConvert(DecodeContext &c);
/// .rs, which has been taken, and .s2f6x2.
void decodeStochasticConvert(DecodeContext &c);
void decodeFixedConvert(DecodeContext &c);

/// A source whose register may be wider than `type`; `slot` becomes 32 or 64.
Src wideSource(DecodeContext &c, const ast::Operand &operand, Type type,
               unsigned &slot);
/// The same for a destination; `registerBits` is the register's width.
Dst wideDestination(DecodeContext &c, const ast::Operand &operand, Type type,
                    unsigned &slot, unsigned &registerBits);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_DATA_CONVERT_H
