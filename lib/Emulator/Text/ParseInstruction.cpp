//===- ParseInstruction.cpp - statements and operands ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Instruction Statements" and "Instruction Operands". Bodies are
// kept flat: blocks are marked by begin and end, since only names are scoped.
//
//===----------------------------------------------------------------------===//

#include "Text/ParserImpl.h"

namespace tc::emu {

using ast::Operand;
using ast::Statement;
using ast::VarSpace;

bool Parser::parseBody(ast::Function &function) {
  for (unsigned depth = 1; depth && !failed();) {
    if (token.kind == Token::Kind::End)
      return fail("expected '}' at the end of function '" +
                  std::string(function.name) + "', got " + got());
    parseStatement(function, depth);
  }
  return !failed();
}

bool Parser::parseStatement(ast::Function &function, unsigned &depth) {
  Statement statement;
  statement.line = token.line;
  if (takePunct('{')) {
    if (++depth > maxBlocks)
      return fail("expected at most " + std::to_string(maxBlocks) +
                      " nested blocks",
                  statement.line);
    statement.kind = Statement::Kind::BlockBegin;
    function.body.push_back(statement);
    return !failed();
  }
  if (takePunct('}')) {
    if (--depth) {
      statement.kind = Statement::Kind::BlockEnd;
      function.body.push_back(statement);
    }
    return !failed();
  }
  if (takePunct(';'))
    return true;
  if (token.kind == Token::Kind::Directive) {
    if (isLocation()) {
      parseLocation();
      return !failed();
    }
    if (takeDirective("pragma")) {
      advance();
      return expectPunct(';', "after .pragma");
    }
    if (takeDirective("section"))
      return parseSection();
    bool isExtern = false;
    if (takeDirective("extern"))
      isExtern = true;
    VarSpace space;
    if (token.kind == Token::Kind::Directive &&
        variableSpace(token.text, space)) {
      advance();
      size_t first = function.variables.size();
      if (!parseVariables(space, isExtern, function.variables))
        return false;
      statement.kind = Statement::Kind::Decl;
      for (size_t i = first; i < function.variables.size(); ++i) {
        statement.index = uint32_t(i);
        function.body.push_back(statement);
      }
      return true;
    }
    return fail("unsupported directive " + got() + " in a function body");
  }
  if (token.kind == Token::Kind::Identifier) {
    Token name = token;
    Token after = lexer.next();
    lexer.resetTo(name);
    if (after.kind == Token::Kind::Punct && after.text == ":")
      return parseLabelOrTable(function, name);
  }
  return parseInstruction(function);
}

bool Parser::parseLabelOrTable(ast::Function &function, const Token &name) {
  Statement statement;
  statement.line = name.line;
  statement.name = name.text;
  statement.kind = Statement::Kind::Label;
  advance(); // name
  advance(); // ':'
  const bool isTable = takeDirective("branchtargets");
  if (isTable || takeDirective("calltargets")) {
    statement.kind =
        isTable ? Statement::Kind::Table : Statement::Kind::Targets;
    do
      statement.labels.push_back(
          expectName(isTable ? "a label" : "a function"));
    while (takePunct(','));
    expectPunct(';', isTable ? "after .branchtargets" : "after .calltargets");
  } else if (takeDirective("callprototype")) {
    statement.kind = Statement::Kind::Prototype;
    statement.index = uint32_t(function.prototypes.size());
    if (!parsePrototype(function.prototypes.emplace_back()))
      return false;
  }
  function.body.push_back(std::move(statement));
  return !failed();
}

/// PTX ISA 9.0, ".callprototype", 11.3.3.
bool Parser::parsePrototype(ast::Prototype &prototype) {
  if (isPunct('(') && !parseParams(prototype.results))
    return false;
  expectName("'_'");
  ast::Function directives; // .noreturn and the ABI's: no meaning here
  return parseParams(prototype.params) && parseFunctionDirectives(directives) &&
         expectPunct(';', "after .callprototype");
}

bool Parser::parseInstruction(ast::Function &function) {
  ast::Instruction inst;
  size_t begin = token.begin;
  inst.line = token.line;
  if (takePunct('@')) {
    inst.guarded = true;
    inst.guardNegated = takePunct('!');
    inst.guard = expectName("a predicate");
  }
  if (token.kind != Token::Kind::Identifier)
    return fail("expected an instruction, got " + got());
  Token opcode = lexer.opcode(token);
  inst.line = opcode.line;
  inst.opcode = opcode.text;
  advance();
  while (!isPunct(';') && !failed()) {
    Operand operand;
    if (!parseOperand(operand))
      return false;
    inst.operands.push_back(std::move(operand));
    if (!takePunct(','))
      break;
  }
  size_t end = token.begin;
  if (!expectPunct(';', "at the end of the instruction"))
    return false;
  inst.text = lexer.source().substr(begin, end - begin);
  Statement statement;
  statement.line = inst.line;
  statement.index = uint32_t(function.instructions.size());
  function.instructions.push_back(std::move(inst));
  function.body.push_back(statement);
  return true;
}

bool Parser::parseElements(Operand &operand, char close) {
  while (!isPunct(close) && !failed()) {
    Operand element;
    if (!parseOperand(element))
      return false;
    operand.elems.push_back(std::move(element));
    if (!takePunct(','))
      break;
  }
  return expectPunct(close, "at the end of a list");
}

bool Parser::parseAddress(Operand &operand) {
  operand.kind = Operand::Kind::Address;
  Operand base;
  if (!parsePrimary(base))
    return false;
  if (base.kind != Operand::Kind::Name && base.kind != Operand::Kind::Int)
    return fail("expected a register, a variable or a number in an address");
  operand.elems.push_back(std::move(base));
  while (isPunct('+') || isPunct('-')) {
    bool minus = isPunct('-');
    advance();
    minus ^= takePunct('-');
    uint64_t offset = expectInteger("an offset");
    operand.offset =
        int64_t(uint64_t(operand.offset) + (minus ? 0 - offset : offset));
  }
  while (takePunct(',')) {
    Operand further;
    if (!parseOperand(further))
      return false;
    operand.elems.push_back(std::move(further));
  }
  return expectPunct(']', "at the end of an address");
}

bool Parser::parsePrimary(Operand &operand) {
  switch (token.kind) {
  case Token::Kind::Identifier:
    operand.kind =
        token.text == "_" ? Operand::Kind::Sink : Operand::Kind::Name;
    operand.name = token.text;
    if (token.text == "WARP_SZ") {
      operand.kind = Operand::Kind::Int;
      operand.bits = 32;
    }
    break;
  case Token::Kind::Integer:
    operand.kind = Operand::Kind::Int;
    operand.bits = token.bits;
    break;
  case Token::Kind::Float:
    operand.kind = Operand::Kind::Float;
    operand.bits = token.bits;
    operand.isDouble = token.isDouble;
    break;
  default:
    return fail("expected an operand, got " + got());
  }
  advance();
  return !failed();
}

bool Parser::parseOperand(Operand &operand) {
  if (++nesting > maxNesting)
    return fail("expected at most " + std::to_string(maxNesting) +
                " levels of brackets in an operand");
  bool good = parseOperandAt(operand);
  --nesting;
  return good;
}

/// What follows the name of a register or variable to pick a part of it: a
/// selector of video instructions (PTX ISA 9.0, "Video Instructions"), an
/// element of a vector or an array.
bool Parser::parsePart(Operand &operand) {
  if (token.kind == Token::Kind::Directive) {
    advance();
  } else {
    advance(); // '['
    Operand index;
    if (!parsePrimary(index))
      return false;
    if (takePunct('+'))
      expectInteger("an offset");
    expectPunct(']', "after an index");
  }
  Operand part;
  part.kind = Operand::Kind::Part;
  part.elems.push_back(std::move(operand));
  operand = std::move(part);
  return !failed();
}

/// A number, a name or a part of what it names, with a sign.
bool Parser::parseScalar(Operand &operand) {
  const bool minus = takePunct('-');
  const bool flipped = !minus && takePunct('~');
  if (!parsePrimary(operand))
    return false;
  if (operand.kind == Operand::Kind::Name) {
    const bool isPart = token.kind == Token::Kind::Directive || isPunct('[');
    if (isPart && !parsePart(operand))
      return false;
  }
  if (flipped) {
    if (operand.kind != Operand::Kind::Int)
      return fail("expected an integer after '~'");
    operand.bits = ~operand.bits;
  } else if (minus && operand.kind == Operand::Kind::Int) {
    operand.bits = 0 - operand.bits;
  } else if (minus && operand.kind == Operand::Kind::Float) {
    operand.bits ^= operand.isDouble ? 1ull << 63 : 1ull << 31;
  } else if (minus) { // vmad negates registers
    Operand negative;
    negative.kind = Operand::Kind::Part;
    negative.elems.push_back(std::move(operand));
    operand = std::move(negative);
  }
  return !failed();
}

bool Parser::parseOperandAt(Operand &operand) {
  if (takePunct('{')) {
    operand.kind = Operand::Kind::Vector;
    if (!parseElements(operand, '}'))
      return false;
  } else if (takePunct('(')) {
    operand.kind = Operand::Kind::List;
    return parseElements(operand, ')');
  } else if (takePunct('[')) {
    return parseAddress(operand);
  } else if (takePunct('!')) {
    if (!parsePrimary(operand))
      return false;
    operand.negated = true;
  } else if (!parseScalar(operand)) {
    return false;
  }
  // variable + offset as a value (mov.u64 %rd, array+16)
  if (operand.kind == Operand::Kind::Name && (isPunct('+') || isPunct('-'))) {
    bool minus = isPunct('-');
    advance();
    uint64_t offset = expectInteger("an offset");
    operand.offset = int64_t(minus ? 0 - offset : offset);
  }
  if (takePunct('|')) {
    Operand pair;
    pair.kind = Operand::Kind::Pair;
    pair.elems.push_back(std::move(operand));
    Operand second;
    bool negated = takePunct('!');
    if (!parsePrimary(second))
      return false;
    second.negated = negated;
    pair.elems.push_back(std::move(second));
    operand = std::move(pair);
  }
  return !failed();
}

} // namespace tc::emu
