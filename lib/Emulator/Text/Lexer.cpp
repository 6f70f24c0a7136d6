//===- Lexer.cpp - tokens of PTX text -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Syntax": source format, identifiers and constants.
//
//===----------------------------------------------------------------------===//

#include "Text/Lexer.h"

#include <cstdlib>
#include <cstring>

namespace tc::emu {

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isHex(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
static bool isStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '%';
}
static bool isFollow(char c) { return (isStart(c) && c != '%') || isDigit(c); }

Token Lexer::make(Token::Kind kind, size_t begin) const {
  Token token;
  token.kind = kind;
  token.text = text.substr(begin, pos - begin);
  token.line = line;
  token.begin = begin;
  token.end = pos;
  return token;
}

Token Lexer::error(const char *message, size_t begin) const {
  Token token = make(Token::Kind::Error, begin);
  token.text = message;
  return token;
}

/// False if a comment does not end.
bool Lexer::skipBlank() {
  while (pos < text.size()) {
    char c = text[pos];
    if (c == '\n') {
      ++line;
      ++pos;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++pos;
    } else if (c == '/' && pos + 1 < text.size() && text[pos + 1] == '/') {
      while (pos < text.size() && text[pos] != '\n')
        ++pos;
    } else if (c == '/' && pos + 1 < text.size() && text[pos + 1] == '*') {
      size_t end = text.find("*/", pos + 2);
      if (end == std::string_view::npos)
        return false;
      for (size_t i = pos; i < end; ++i)
        line += text[i] == '\n';
      pos = end + 2;
    } else {
      break;
    }
  }
  return true;
}

std::string_view Lexer::takeLine() {
  const size_t begin = pos;
  while (pos < text.size() && text[pos] != '\n')
    ++pos;
  return text.substr(begin, pos - begin);
}

Token Lexer::number() {
  size_t begin = pos;
  auto at = [&](size_t i) { return i < text.size() ? text[i] : '\0'; };
  uint64_t value = 0;
  char second = at(pos + 1);
  // 0fHHHHHHHH and 0dHHHHHHHHHHHHHHHH give the bits of an IEEE number.
  if (at(pos) == '0' &&
      (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    bool isDouble = second == 'd' || second == 'D';
    pos += 2;
    unsigned digits = 0;
    for (; isHex(at(pos)); ++pos, ++digits)
      value =
          value << 4 | strtoul(std::string(1, at(pos)).c_str(), nullptr, 16);
    if (digits != (isDouble ? 16u : 8u))
      return error(isDouble ? "expected 16 hexadecimal digits after 0d"
                            : "expected 8 hexadecimal digits after 0f",
                   begin);
    Token token = make(Token::Kind::Float, begin);
    token.bits = value;
    token.isDouble = isDouble;
    return token;
  }
  unsigned base = 10;
  if (at(pos) == '0' && (second == 'x' || second == 'X'))
    base = 16, pos += 2;
  else if (at(pos) == '0' && (second == 'b' || second == 'B'))
    base = 2, pos += 2;
  size_t digits = pos;
  while (base == 16 ? isHex(at(pos)) : isDigit(at(pos)))
    ++pos;
  bool isReal = base == 10 && ((at(pos) == '.' && isDigit(at(pos + 1))) ||
                               at(pos) == 'e' || at(pos) == 'E');
  if (isReal) {
    if (at(pos) == '.')
      for (++pos; isDigit(at(pos));)
        ++pos;
    if (at(pos) == 'e' || at(pos) == 'E') {
      ++pos;
      if (at(pos) == '+' || at(pos) == '-')
        ++pos;
      if (!isDigit(at(pos)))
        return error("expected digits in the exponent", begin);
      while (isDigit(at(pos)))
        ++pos;
    }
    double number =
        strtod(std::string(text.substr(begin, pos - begin)).c_str(), nullptr);
    Token token = make(Token::Kind::Float, begin);
    memcpy(&token.bits, &number, 8);
    token.isDouble = true;
    return token;
  }
  if (pos == digits)
    return error("expected digits", begin);
  // A leading zero means octal.
  if (base == 10 && text[digits] == '0' && pos - digits > 1)
    base = 8;
  for (size_t i = digits; i < pos; ++i) {
    char c = text[i];
    unsigned digit = isDigit(c) ? c - '0' : (c | 32) - 'a' + 10;
    if (digit >= base)
      return error("digit does not fit the base of the number", begin);
    if (value > (~0ull - digit) / base)
      return error("integer does not fit into 64 bits", begin);
    value = value * base + digit;
  }
  if (at(pos) == 'U')
    ++pos;
  if (isFollow(at(pos)))
    return error("expected the number to end", begin);
  Token token = make(Token::Kind::Integer, begin);
  token.bits = value;
  return token;
}

Token Lexer::next() {
  if (!skipBlank())
    return error("comment does not end", pos);
  size_t begin = pos;
  if (pos >= text.size())
    return make(Token::Kind::End, begin);
  char c = text[pos];
  auto at = [&](size_t i) { return i < text.size() ? text[i] : '\0'; };
  if (isDigit(c))
    return number();
  if (isStart(c)) {
    ++pos;
    while (isFollow(at(pos)))
      ++pos;
    if (c == '%' && pos == begin + 1)
      return error("expected a register name after %", begin);
    // %tid.x and the like; also %r.x of a vector register.
    if (c == '%' && at(pos) == '.' && strchr("xyzw", at(pos + 1)) &&
        at(pos + 1) && !isFollow(at(pos + 2)))
      pos += 2;
    return make(Token::Kind::Identifier, begin);
  }
  if (c == '.' && (isStart(at(pos + 1)) && at(pos + 1) != '%')) {
    ++pos;
    while (isFollow(at(pos)) || (at(pos) == ':' && at(pos + 1) == ':') ||
           (at(pos) == ':' && at(pos - 1) == ':'))
      ++pos;
    Token token = make(Token::Kind::Directive, begin);
    token.text.remove_prefix(1);
    return token;
  }
  if (c == '"') {
    ++pos;
    while (pos < text.size() && text[pos] != '"' && text[pos] != '\n')
      pos += text[pos] == '\\' ? 2 : 1;
    if (at(pos) != '"')
      return error("string does not end", begin);
    ++pos;
    return make(Token::Kind::String, begin);
  }
  ++pos;
  if (!strchr("(){}[]<>,;:+-!@=|~*/&^?", c) || c == '\0')
    return error("unexpected character", begin);
  return make(Token::Kind::Punct, begin);
}

Token Lexer::opcode(const Token &identifier) {
  resetTo(identifier);
  size_t begin = identifier.begin;
  auto at = [&](size_t i) { return i < text.size() ? text[i] : '\0'; };
  while (at(pos) == '.' && isFollow(at(pos + 1))) {
    ++pos;
    while (isFollow(at(pos)) || at(pos) == ':')
      ++pos;
  }
  return make(Token::Kind::Identifier, begin);
}

} // namespace tc::emu
