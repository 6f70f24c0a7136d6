//===- Text.h - text of callers in C ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_CAPI_COMPILER_TEXT_H
#define TC_CAPI_COMPILER_TEXT_H

#include "mlir/CAPI/Support.h"

namespace tc {

/// A text that may be missing.
inline llvm::StringRef fromC(MlirStringRef text) {
  return text.data ? unwrap(text) : llvm::StringRef();
}

} // namespace tc

#endif // TC_CAPI_COMPILER_TEXT_H
