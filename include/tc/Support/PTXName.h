//===- PTXName.h - names of kernels -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PTX takes as a name (PTX ISA 9.0, "Identifiers", 4.4).
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_PTXNAME_H
#define TC_SUPPORT_PTXNAME_H

#include "llvm/ADT/StringExtras.h"

#include <string>

namespace tc {

/// Whether `c` may be in a name after its first character.
inline bool isPTXNameChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$';
}

/// Whether `name` is an identifier of PTX.
inline bool isPTXName(llvm::StringRef name) {
  if (name.empty() || !llvm::all_of(name.drop_front(), isPTXNameChar))
    return false;
  return llvm::isAlpha(name.front()) ||
         (name.size() > 1 &&
          (name.front() == '_' || name.front() == '$' || name.front() == '%'));
}

/// `text` as a name: characters that none may have become `_`, and one goes in
/// front of a digit. "torch.aten.mm" becomes "torch_aten_mm".
inline std::string makePTXName(llvm::StringRef text) {
  std::string name = text.str();
  for (char &c : name)
    if (!isPTXNameChar(c))
      c = '_';
  if (!isPTXName(name))
    name.insert(0, "_");
  return name;
}

} // namespace tc

#endif // TC_SUPPORT_PTXNAME_H
