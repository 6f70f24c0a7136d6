//===- Error.h - Errors of the runtime --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime returns errors as values, in the emulator's types. An Error of
// the runtime always means bad input (exit status 2 of tc-run); what a kernel
// did wrong comes back in the result of a run (exit status 1).
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_ERROR_H
#define TC_RUNTIME_ERROR_H

#include "tc/Emulator/Error.h"

namespace tc::runtime {

using emu::Error;
using emu::Expected;
using emu::Status;

inline Error makeError(std::string message) {
  Error error;
  error.message = std::move(message);
  return error;
}

/// An error at a place of a file: "launch.json: buffers.A.dtype: expected ...".
inline Error makeError(const std::string &where, const std::string &what) {
  return makeError(where.empty() ? what : where + ": " + what);
}

} // namespace tc::runtime

#endif // TC_RUNTIME_ERROR_H
