//===- Checks.h - comparisons in words --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to tc-run.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_RUN_CHECKS_H
#define TC_TOOLS_TC_RUN_CHECKS_H

#include "tc/Runtime/Session.h"

namespace tc::run {

/// Prints one comparison with float64; returns true if it is within its bound.
bool printProblem(const runtime::ProblemResult &result);
/// Prints one comparison with a file; returns true if all is within tolerance.
bool printExpectation(const runtime::ExpectResult &result);

} // namespace tc::run

#endif // TC_TOOLS_TC_RUN_CHECKS_H
