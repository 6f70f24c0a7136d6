//===- WrapLines.h - printed IR in lines of a page --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR prints an operation on one line, however long. White space has no
// meaning in it outside of strings and comments, so long lines can be broken.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_COMPILE_WRAPLINES_H
#define TC_TOOLS_TC_COMPILE_WRAPLINES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tc {

/// `text`, printed IR, with the lines of more than `columns` characters broken
/// at spaces, where the fewest brackets are open. What follows is indented by
/// four. Strings and comments stay whole, so that a line may be longer.
std::string wrapLines(llvm::StringRef text, size_t columns = 120);

} // namespace tc

#endif // TC_TOOLS_TC_COMPILE_WRAPLINES_H
