//===- DeviceCalls.h - functions that the device provides -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vprintf, __assertfail, malloc and free, which nvcc calls as extern functions.
// A call of any other undefined function stops the run when it is executed.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_DECODE_DEVICECALLS_H
#define TC_EMULATOR_EXEC_DECODE_DEVICECALLS_H

#include "State/DecodedInst.h"

#include <string_view>
#include <vector>

namespace tc::emu {

/// Makes `inst` the call of device function `name`; `places` are the local
/// memory offsets of its arguments, then of its results.
void makeDeviceCall(std::string_view name, std::vector<uint64_t> places,
                    DecodedInst &inst);

/// Whether a kernel allocates or frees memory.
bool usesHeap(const KernelCode &kernel);

/// The execution function of a move of that many bits (1: predicate).
ExecFn moveFunction(unsigned bits);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_DECODE_DEVICECALLS_H
