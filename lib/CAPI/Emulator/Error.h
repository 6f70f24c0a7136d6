//===- Error.h - errors of the C interface ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How functions of the C interface fail.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CAPI_EMULATOR_ERROR_H
#define TC_CAPI_EMULATOR_ERROR_H

#include "tc-c/Emulator.h"

#include "tc/Runtime/Error.h"

struct TcError {
  tc::runtime::Error error;
};

namespace tc {

/// Hands `error` back, where it is asked for.
inline std::nullptr_t fail(runtime::Error error, TcError **into) {
  if (into)
    *into = new TcError{std::move(error)};
  return nullptr;
}

/// Says that the parameter `name` is NULL.
inline std::nullptr_t failNull(const char *name, TcError **into) {
  return fail(runtime::makeError(name, "expected an object, got NULL"), into);
}

/// A text that may be missing.
inline std::string orEmpty(const char *text) { return text ? text : ""; }

} // namespace tc

#endif // TC_CAPI_EMULATOR_ERROR_H
