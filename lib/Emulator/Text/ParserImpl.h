//===- ParserImpl.h - the recursive descent parser --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by Parser.cpp (module, functions, declarations), ParseInstruction.cpp
// (statements, operands) and ParseDebug.cpp (places in the source). Errors are
// sticky: the first one is kept and every loop ends.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_TEXT_PARSERIMPL_H
#define TC_EMULATOR_TEXT_PARSERIMPL_H

#include "Text/Ast.h"
#include "Text/Lexer.h"
#include "tc/Emulator/Error.h"

#include <map>
#include <string>
#include <unordered_map>

namespace tc::emu {

class Parser {
public:
  explicit Parser(std::string_view text) : lexer(text) { advance(); }
  bool parse(ast::Module &module);
  const Error &error() const { return failure; }

private:
  //===--- tokens ---------------------------------------------------------===//
  void advance();
  bool failed() const { return hasFailed; }
  bool fail(std::string message, int line = 0);
  bool isPunct(char c) const {
    return token.kind == Token::Kind::Punct && token.text[0] == c;
  }
  bool isDirective(std::string_view name) const {
    return token.kind == Token::Kind::Directive && token.text == name;
  }
  bool takePunct(char c);
  bool takeDirective(std::string_view name);
  bool expectPunct(char c, const char *where);
  std::string_view expectName(const char *what);
  uint64_t expectInteger(const char *what);
  /// An integer below 2^32.
  unsigned expectUnsigned(const char *what);
  std::string got() const;

  //===--- Parser.cpp -----------------------------------------------------===//
  bool parseHeader(ast::Module &module);
  bool parseTopLevel(ast::Module &module);
  bool parseFunction(ast::Module &module, bool isEntry);
  bool parseParams(std::vector<ast::Variable> &params);
  bool parseFunctionDirectives(ast::Function &function);
  void parseTriple(std::array<unsigned, 3> &triple);
  /// Everything after the space directive, up to and with the ';'.
  bool parseVariables(ast::VarSpace space, bool isExtern,
                      std::vector<ast::Variable> &out);
  bool parseVariableType(ast::Variable &variable);
  bool parseDeclarator(ast::Variable &variable);
  bool parseInitializer(ast::Variable &variable);
  bool parseSection();

  //===--- ParseDebug.cpp -------------------------------------------------===//
  bool isLocation() const { return isDirective("file") || isDirective("loc"); }
  void parseLocation();
  void parseStrings();
  void nameFunctions();
  /// Between functions nothing has a place in the source.
  void endLocation(int line);

  //===--- ParseInstruction.cpp -------------------------------------------===//
  bool parseBody(ast::Function &function);
  bool parseStatement(ast::Function &function, unsigned &depth);
  bool parseInstruction(ast::Function &function);
  bool parseLabelOrTable(ast::Function &function, const Token &name);
  bool parsePrototype(ast::Prototype &prototype);
  bool parseOperand(ast::Operand &operand);
  bool parseOperandAt(ast::Operand &operand);
  bool parsePrimary(ast::Operand &operand);
  bool parseScalar(ast::Operand &operand);
  bool parsePart(ast::Operand &operand);
  bool parseAddress(ast::Operand &operand);
  bool parseElements(ast::Operand &operand, char close);

  /// Nested brackets and braces; PTX needs three or four. Blocks are scanned
  /// once per level around them.
  static constexpr unsigned maxNesting = 64, maxBlocks = 256;

  Lexer lexer;
  Token token;
  std::vector<ast::Location> locations;
  std::map<unsigned, std::string> files;
  /// .debug_str, and where its labels are.
  std::string strings;
  std::map<std::string, size_t, std::less<>> labels;
  unsigned nesting = 0; ///< of operands and initialisers
  /// Index of a function in the module by its name.
  std::unordered_map<std::string_view, size_t> functionsByName;
  bool hasFailed = false;
  Error failure;
};

/// The space that a declaration directive names; false if it names none.
bool variableSpace(std::string_view directive, ast::VarSpace &space);

} // namespace tc::emu

#endif // TC_EMULATOR_TEXT_PARSERIMPL_H
