//===- BulkOps.h - cp.async families ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of the non-bulk copies, which share their table entry with the
// bulk ones.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_ASYNCCOPY_BULKOPS_H
#define TC_EMULATOR_EXEC_ASYNCCOPY_BULKOPS_H

#include "Exec/Decode/InstructionTable.h"

namespace tc::emu {

void registerCpAsyncInstructions(InstructionTable &table);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_ASYNCCOPY_BULKOPS_H
