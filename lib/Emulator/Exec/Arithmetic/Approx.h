//===- Approx.h - picking approximate results -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the functions of Approx.cpp and the divisions of Float.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_ARITHMETIC_APPROX_H
#define TC_EMULATOR_EXEC_ARITHMETIC_APPROX_H

#include "State/Warp.h"

namespace tc::emu {

/// The result of row `row` of the table of approximations as RunOptions::approx
/// asks for it: `rounded`, one drawn within the bound around `exact`, or the
/// recorded one. `a` and `b` are the operands' bits, `x` the value of the one
/// that bounds depend on. False, with a report, if no result was recorded.
bool pickApprox(Warp &w, const DecodedInst &inst, unsigned row, uint64_t a,
                uint64_t b, double x, double exact, uint64_t rounded,
                uint64_t &result);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_ARITHMETIC_APPROX_H
