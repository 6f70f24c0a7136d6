//===- Message.h - text of messages -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_MESSAGE_H
#define TC_SUPPORT_MESSAGE_H

#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tc {

/// A message put together from anything that prints.
template <typename... Parts>
std::string message(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  (os << ... << parts);
  return text;
}

} // namespace tc

#endif // TC_SUPPORT_MESSAGE_H
