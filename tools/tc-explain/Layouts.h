//===- Layouts.h - pictures of layouts --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tc-explain layout: where elements are in Tensor Memory, in shared memory and
// in registers, as text or SVG.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_EXPLAIN_LAYOUTS_H
#define TC_TOOLS_TC_EXPLAIN_LAYOUTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tc {

/// Prints the layout that `arguments` name; the exit status of the tool.
int explainLayout(llvm::ArrayRef<const char *> arguments);

} // namespace tc

#endif // TC_TOOLS_TC_EXPLAIN_LAYOUTS_H
