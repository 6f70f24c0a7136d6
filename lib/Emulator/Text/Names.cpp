//===- Names.cpp - symbols for people -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilers of PTX mangle names by the Itanium C++ ABI, whose demangler comes
// with the C++ library.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Names.h"

#include <algorithm>
#include <cstdlib>
#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#define TC_HAS_DEMANGLER 1
#endif

namespace tc::emu {

/// Template arguments up to here are shown.
static constexpr size_t kMaxArguments = 24;

std::string fullName(std::string_view symbol) {
  std::string name(symbol);
#ifdef TC_HAS_DEMANGLER
  if (name.compare(0, 2, "_Z") != 0)
    return name; // "i" is a C name here, not int
  int status = 0;
  if (char *text =
          abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status)) {
    name = text;
    std::free(text);
  }
#endif
  return name;
}

std::string shortName(std::string_view symbol) {
  const std::string full = fullName(symbol);
  if (full == symbol)
    return full;
  // What is in brackets of templates goes; parentheses outside of brackets at
  // the end are the parameters, those before are of a function that holds the
  // name; the last blank before any ends the type.
  std::string text;
  size_t parameters = std::string::npos, blank = 0;
  bool isInside = false;
  for (size_t i = 0; i < full.size();) {
    const char open = full[i];
    constexpr std::string_view unnamed = "(anonymous namespace)";
    if (full.compare(i, unnamed.size(), unnamed) == 0) {
      text += unnamed;
      i += unnamed.size();
      continue;
    }
    if (open != '<' && open != '(' && open != '{') {
      if (open == ' ' && !isInside)
        blank = text.size() + 1;
      text += open;
      ++i;
      continue;
    }
    size_t end = i;
    for (int depth = 0; end < full.size(); ++end) {
      const char c = full[end];
      // Those of "operator->" and the like are in no kernel's name.
      depth += (c == '<' || c == '(' || c == '{') -
               (c == '>' || c == ')' || c == '}');
      if (!depth)
        break;
    }
    end = std::min(end + 1, full.size());
    isInside |= open == '(';
    if (open == '(' && (end == full.size() || full[end] == ' '))
      parameters = text.size();
    text += open == '<' && end - i > kMaxArguments + 2
                ? "<...>"
                : full.substr(i, end - i);
    i = end;
  }
  // substr takes npos for the end.
  return text.substr(
      blank, parameters == std::string::npos ? parameters : parameters - blank);
}

} // namespace tc::emu
