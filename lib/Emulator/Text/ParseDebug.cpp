//===- ParseDebug.cpp - places in the source ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Debugging Directives". Only reports need them, so that what is
// not understood is no error: a line has no place in the source then.
//
//===----------------------------------------------------------------------===//

#include "Text/ParserImpl.h"

#include <cstdlib>

namespace tc::emu {

/// Takes a number from the front of `text`.
static bool takeNumber(std::string_view &text, unsigned &into) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t' || text[0] == ','))
    text.remove_prefix(1);
  uint64_t value = 0;
  size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9' &&
         value <= ~0u;
       ++digits)
    value = 10 * value + unsigned(text[digits] - '0');
  text.remove_prefix(digits);
  into = unsigned(value);
  return digits && value <= ~0u;
}

/// .file N "path" {, timestamp, size}
/// .loc file line column {, function_name label {+ offset}, inlined_at file
/// line column}
void Parser::parseLocation() {
  const bool isFile = token.text == "file";
  ast::Location location;
  location.line = token.line;
  std::string_view text = lexer.takeLine();
  advance();
  if (isFile) {
    const size_t begin = text.find('"'), end = text.rfind('"');
    if (takeNumber(text, location.file) && begin < end)
      files[location.file] =
          std::string(text.substr(text.find('"') + 1, end - begin - 1));
    return;
  }
  if (!takeNumber(text, location.file) || !takeNumber(text, location.row) ||
      !takeNumber(text, location.column))
    return endLocation(location.line);
  constexpr std::string_view named = "function_name", at = "inlined_at";
  const size_t name = text.find(named), caller = text.find(at);
  if (name != text.npos && caller != text.npos && name < caller) {
    std::string_view label =
        text.substr(name + named.size(), caller - name - named.size());
    for (char c : label)
      if (c != ' ' && c != '\t' && c != ',')
        location.function += c;
    text.remove_prefix(caller + at.size());
    if (!takeNumber(text, location.callerFile) ||
        !takeNumber(text, location.callerRow) ||
        !takeNumber(text, location.callerColumn))
      location.callerRow = 0;
  }
  locations.push_back(std::move(location));
}

void Parser::endLocation(int line) {
  if (!locations.empty() && locations.back().row) {
    locations.emplace_back();
    locations.back().line = line;
  }
}

/// The bytes of .debug_str and their labels, up to the '}'.
void Parser::parseStrings() {
  while (!failed() && !isPunct('}') && token.kind != Token::Kind::End) {
    if (token.kind == Token::Kind::Identifier)
      labels.emplace(token.text, strings.size());
    else if (token.kind == Token::Kind::Integer)
      strings += char(token.bits);
    advance();
  }
}

/// The names that labels of .debug_str stand for, which come last in the text.
void Parser::nameFunctions() {
  for (ast::Location &location : locations) {
    if (location.function.empty())
      continue;
    const size_t plus = location.function.find('+');
    const auto label = labels.find(location.function.substr(0, plus));
    const uint64_t offset =
        plus == std::string::npos
            ? 0
            : std::strtoull(location.function.c_str() + plus + 1, nullptr, 10);
    location.function.clear();
    if (label != labels.end() && offset < strings.size() - label->second)
      location.function = strings.c_str() + label->second + offset;
  }
}

} // namespace tc::emu
