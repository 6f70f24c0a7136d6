//===- Tune.h - Measures candidates of products -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TCRUN_TUNE_H
#define TC_TOOLS_TCRUN_TUNE_H

#include "Options.h"

namespace tc::run {

/// Measures all candidates of --tune, or runs them on the emulator, prints
/// what came out and writes what was asked for. False where a candidate
/// computed something wrong or could not run.
runtime::Expected<bool> tuneAll(const Options &options);

} // namespace tc::run

#endif // TC_TOOLS_TCRUN_TUNE_H
