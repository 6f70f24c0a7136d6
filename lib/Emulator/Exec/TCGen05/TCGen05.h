//===- TCGen05.h - parts of the tcgen05 family ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of the parts, and helpers that several of them need.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_TCGEN05_TCGEN05_H
#define TC_EMULATOR_EXEC_TCGEN05_TCGEN05_H

#include "Exec/Decode/InstructionTable.h"

namespace tc::emu {

/// alloc, dealloc, relinquish_alloc_permit.
void registerTcgen05Alloc(InstructionTable &table);
/// ld, st, wait.
void registerTcgen05LoadStore(InstructionTable &table);
/// mma, commit, fence.
void registerTcgen05Mma(InstructionTable &table);
/// cp, shift.
void registerTcgen05Copy(InstructionTable &table);

/// The value of a Tensor Memory address if it is the same in all active lanes.
bool uniformAddress(const Warp &warp, const MemRef &address, uint32_t active,
                    uint32_t &value);

/// Takes .cta_group::1 or .cta_group::2, which is mandatory; 0 on error.
unsigned takeCtaGroup(DecodeContext &context);

/// PTX ISA 9.0, "tcgen05.alloc", 9.7.16.7.1, and the other instructions: all
/// tcgen05 instructions of a kernel have the same .cta_group. Asked of those
/// that are executed; false after a report.
bool checkCtaGroup(Warp &warp, const DecodedInst &inst, unsigned ctaGroup);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_TCGEN05_TCGEN05_H
