//===- Lexer.h - tokens of PTX text -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits PTX into tokens. Opcodes with their modifiers ("ld.global.v4.f32",
// "mbarrier.try_wait.parity.shared::cta.b64") are read by a call of their own,
// since dots and digits mean something else elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_TEXT_LEXER_H
#define TC_EMULATOR_TEXT_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tc::emu {

struct Token {
  enum class Kind : uint8_t {
    End,
    Identifier, ///< name, %register, %special.x
    Directive,  ///< .name, without the dot in `text`
    Integer,
    Float,
    String,
    Punct, ///< one character
    Error  ///< `text` says what is wrong
  };
  Kind kind = Kind::End;
  std::string_view text;
  int line = 0;
  uint64_t bits = 0;     ///< Integer, Float
  bool isDouble = false; ///< Float: 64 bits
  size_t begin = 0, end = 0;
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  Token next();
  /// The opcode that starts at offset `begin` (where an identifier token did),
  /// with all its modifiers.
  Token opcode(const Token &identifier);
  /// The rest of the line, which it skips (.loc, .file).
  std::string_view takeLine();
  /// Continues at a token's end.
  void resetTo(const Token &token) {
    pos = token.end;
    line = token.line;
  }
  std::string_view source() const { return text; }

private:
  bool skipBlank();
  Token number();
  Token make(Token::Kind kind, size_t begin) const;
  Token error(const char *message, size_t begin) const;

  std::string_view text;
  size_t pos = 0;
  int line = 1;
};

} // namespace tc::emu

#endif // TC_EMULATOR_TEXT_LEXER_H
