//===- Parser.cpp - modules, functions and declarations -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Directives". What does not change the meaning of a program
// (linkage, pragmas, pointer attributes of parameters) is read and dropped.
//
//===----------------------------------------------------------------------===//

#include "Text/Parser.h"

#include "Text/ParserImpl.h"
#include "tc/Emulator/Version.h"

#include <cstring>

namespace tc::emu {

using ast::Variable;
using ast::VarSpace;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

void Parser::advance() {
  if (hasFailed)
    return;
  token = lexer.next();
  if (token.kind == Token::Kind::Error)
    fail(std::string(token.text), token.line);
}

bool Parser::fail(std::string message, int line) {
  if (!hasFailed) {
    hasFailed = true;
    failure = {std::move(message), line ? line : token.line};
    token.kind = Token::Kind::End;
  }
  return false;
}

std::string Parser::got() const {
  if (token.kind == Token::Kind::End)
    return "the end of the text";
  std::string text = token.kind == Token::Kind::Directive ? "." : "";
  return "'" + text + std::string(token.text) + "'";
}

bool Parser::takePunct(char c) {
  if (!isPunct(c))
    return false;
  advance();
  return true;
}

bool Parser::takeDirective(std::string_view name) {
  if (!isDirective(name))
    return false;
  advance();
  return true;
}

bool Parser::expectPunct(char c, const char *where) {
  if (takePunct(c))
    return true;
  return fail(std::string("expected '") + c + "' " + where + ", got " + got());
}

std::string_view Parser::expectName(const char *what) {
  if (token.kind != Token::Kind::Identifier) {
    fail(std::string("expected ") + what + ", got " + got());
    return {};
  }
  std::string_view name = token.text;
  advance();
  return name;
}

uint64_t Parser::expectInteger(const char *what) {
  if (token.kind != Token::Kind::Integer) {
    fail(std::string("expected ") + what + ", got " + got());
    return 0;
  }
  uint64_t value = token.bits;
  advance();
  return value;
}

unsigned Parser::expectUnsigned(const char *what) {
  int line = token.line;
  uint64_t value = expectInteger(what);
  if (value > ~0u) {
    fail(std::string("expected ") + what + " below 2^32, got " +
             std::to_string(value),
         line);
    return 0;
  }
  return unsigned(value);
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

bool Parser::parseHeader(ast::Module &module) {
  if (!takeDirective("version"))
    return fail("expected .version at the start of the module, got " + got());
  // "9.0" is read as a real number: take its text apart.
  std::string version(token.text);
  int line = token.line;
  if (token.kind != Token::Kind::Float ||
      sscanf(version.c_str(), "%u.%u", &module.versionMajor,
             &module.versionMinor) != 2)
    return fail("expected a version number, got " + got());
  advance();
  PtxVersion number{module.versionMajor, module.versionMinor};
  if (number < kFirstPtxVersion || number > kLastPtxVersion)
    return fail("expected a PTX version from " + ptxVersions() + ", got " +
                    version,
                line);
  if (!takeDirective("target"))
    return fail("expected .target, got " + got());
  module.target = expectName("a target");
  while (takePunct(','))
    expectName("a target");
  if (takeDirective("address_size"))
    if (expectInteger("an address size") != 64 && !failed())
      return fail("expected .address_size 64", line);
  return !failed();
}

bool Parser::parseSection() {
  const bool hasStrings = isDirective("debug_str");
  if (token.kind == Token::Kind::Directive ||
      token.kind == Token::Kind::Identifier)
    advance();
  // Subsections such as .debug_info may carry further words.
  if (!expectPunct('{', "in .section"))
    return false;
  if (hasStrings)
    parseStrings();
  for (unsigned depth = 1; depth && !failed();) {
    if (token.kind == Token::Kind::End)
      return fail("expected '}' at the end of .section, got " + got());
    depth += isPunct('{');
    depth -= isPunct('}');
    advance();
  }
  return !failed();
}

bool variableSpace(std::string_view directive, VarSpace &space) {
  static const struct {
    std::string_view name;
    VarSpace space;
  } kSpaces[] = {{"reg", VarSpace::Reg},     {"global", VarSpace::Global},
                 {"const", VarSpace::Const}, {"shared", VarSpace::Shared},
                 {"local", VarSpace::Local}, {"param", VarSpace::Param}};
  for (const auto &row : kSpaces)
    if (row.name == directive) {
      space = row.space;
      return true;
    }
  return false;
}

bool Parser::parseTopLevel(ast::Module &module) {
  if (isLocation()) {
    parseLocation();
    return !failed();
  }
  if (takeDirective("section"))
    return parseSection();
  if (takeDirective("pragma")) {
    advance();
    return expectPunct(';', "after .pragma");
  }
  if (takeDirective("alias")) {
    auto &alias = module.aliases.emplace_back();
    alias.first = expectName("a function");
    expectPunct(',', "in .alias");
    alias.second = expectName("a function");
    return expectPunct(';', "after .alias");
  }
  bool isExtern = false;
  while (isDirective("visible") || isDirective("extern") ||
         isDirective("weak") || isDirective("common")) {
    isExtern |= isDirective("extern");
    advance();
  }
  if (takeDirective("entry"))
    return parseFunction(module, /*isEntry=*/true);
  if (takeDirective("func"))
    return parseFunction(module, /*isEntry=*/false);
  VarSpace space;
  if (token.kind == Token::Kind::Directive &&
      variableSpace(token.text, space) && space != VarSpace::Reg &&
      space != VarSpace::Local && space != VarSpace::Param) {
    advance();
    return parseVariables(space, isExtern, module.variables);
  }
  return fail("expected a module-level directive, got " + got());
}

bool Parser::parse(ast::Module &module) {
  if (!parseHeader(module))
    return false;
  while (!failed() && token.kind != Token::Kind::End)
    parseTopLevel(module);
  nameFunctions();
  module.locations = std::move(locations);
  module.files = std::move(files);
  return !failed();
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

bool Parser::parseVariableType(Variable &variable) {
  while (token.kind == Token::Kind::Directive) {
    if (takeDirective("align")) {
      variable.align = expectUnsigned("an alignment");
      if (!failed() && (!variable.align || variable.align > 4096 ||
                        (variable.align & (variable.align - 1))))
        return fail("expected an alignment that is a power of two up to 4096");
    } else if (takeDirective("attribute")) {
      // .attribute(.managed), .attribute(.unified(...)): host-side only.
      expectPunct('(', "after .attribute");
      for (unsigned depth = 1; depth && !failed();) {
        if (token.kind == Token::Kind::End)
          return fail("expected ')' after .attribute, got " + got());
        depth += isPunct('(');
        depth -= isPunct(')');
        advance();
      }
    } else if (takeDirective("ptr")) {
      // Attributes of a pointer parameter: a space and .align N.
      VarSpace ignored;
      if (token.kind == Token::Kind::Directive &&
          variableSpace(token.text, ignored))
        advance();
      if (takeDirective("align"))
        expectInteger("an alignment");
    } else if (isDirective("v2") || isDirective("v4")) {
      variable.vector = token.text == "v2" ? 2 : 4;
      advance();
    } else if (Type type = parseType(token.text); type != Type::None) {
      variable.type = type;
      advance();
    } else if (takeDirective("texref") || takeDirective("samplerref") ||
               takeDirective("surfref")) {
      variable.type = Type::B64; // opaque; what uses it is refused
    } else {
      return fail("expected a type, got " + got());
    }
  }
  if (variable.type == Type::None)
    return fail("expected a type, got " + got());
  return !failed();
}

constexpr uint64_t maxElements = 1ull << 40;

bool Parser::parseDeclarator(Variable &variable) {
  variable.line = token.line;
  variable.name = expectName("a variable name");
  if (takePunct('<')) {
    variable.count = expectUnsigned("a number of registers");
    expectPunct('>', "after the number of registers");
  }
  while (takePunct('[')) {
    variable.isArray = true;
    if (isPunct(']'))
      variable.unsizedArray = true;
    else if (__builtin_mul_overflow(variable.elements,
                                    expectInteger("an array size"),
                                    &variable.elements) ||
             variable.elements > maxElements)
      return fail("expected an array of at most 2^40 elements: '" +
                      std::string(variable.name) + "'",
                  variable.line);
    expectPunct(']', "after the array size");
  }
  return !failed();
}

bool Parser::parseInitializer(Variable &variable) {
  if (takePunct('{')) {
    if (++nesting > maxNesting)
      return fail("expected at most " + std::to_string(maxNesting) +
                  " levels of braces");
    while (!isPunct('}') && !failed()) {
      parseInitializer(variable);
      if (!takePunct(','))
        break;
    }
    --nesting;
    return expectPunct('}', "at the end of the initialiser");
  }
  ast::InitValue value;
  bool negative = takePunct('-');
  if (token.kind == Token::Kind::Integer) {
    value.bits = negative ? 0 - token.bits : token.bits;
    advance();
    if (takePunct('(')) { // mask(symbol): one byte of an address
      value.mask = value.bits;
      value.bits = 0;
      value.symbol = expectName("a symbol");
      expectPunct(')', "after the symbol");
    }
  } else if (token.kind == Token::Kind::Float) {
    value.isFloat = true;
    value.isDouble = token.isDouble;
    value.bits = token.bits;
    if (negative)
      value.bits ^= token.isDouble ? 1ull << 63 : 1ull << 31;
    advance();
  } else if (token.kind == Token::Kind::Identifier && !negative) {
    value.symbol = expectName("a symbol");
    if (value.symbol == "generic" && takePunct('(')) {
      value.generic = true;
      value.symbol = expectName("a symbol");
      expectPunct(')', "after the symbol");
    }
    if (isPunct('+') || isPunct('-')) {
      bool minus = isPunct('-');
      advance();
      uint64_t offset = expectInteger("an offset");
      value.bits = minus ? 0 - offset : offset;
    }
  } else {
    return fail("expected an initial value, got " + got());
  }
  variable.init.push_back(value);
  return !failed();
}

bool Parser::parseVariables(VarSpace space, bool isExtern,
                            std::vector<Variable> &out) {
  Variable prototype;
  prototype.space = space;
  prototype.isExtern = isExtern;
  if (!parseVariableType(prototype))
    return false;
  do {
    Variable variable = prototype;
    if (!parseDeclarator(variable))
      return false;
    if (takePunct('=') && !parseInitializer(variable))
      return false;
    if (variable.unsizedArray && !isExtern) {
      if (variable.init.empty())
        return fail("array '" + std::string(variable.name) +
                        "' has neither size nor initialiser",
                    variable.line);
      variable.elements = variable.init.size();
    }
    if (variable.init.size() > variable.elements * variable.vector)
      return fail("initialiser of '" + std::string(variable.name) +
                      "' has more values than the variable",
                  variable.line);
    out.push_back(std::move(variable));
  } while (takePunct(','));
  return expectPunct(';', "after a declaration");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool Parser::parseParams(std::vector<Variable> &params) {
  if (!takePunct('('))
    return !failed();
  while (!isPunct(')') && !failed()) {
    Variable variable;
    if (takeDirective("reg"))
      variable.space = VarSpace::Reg;
    else if (takeDirective("param"))
      variable.space = VarSpace::Param;
    else
      return fail("expected .param or .reg, got " + got());
    if (!parseVariableType(variable) || !parseDeclarator(variable))
      return false;
    params.push_back(std::move(variable));
    if (!takePunct(','))
      break;
  }
  return expectPunct(')', "after the parameters");
}

void Parser::parseTriple(std::array<unsigned, 3> &triple) {
  triple = {1, 1, 1};
  triple[0] = expectUnsigned("a number");
  for (unsigned i = 1; i < 3 && takePunct(','); ++i)
    triple[i] = expectUnsigned("a number");
}

bool Parser::parseFunctionDirectives(ast::Function &function) {
  while (token.kind == Token::Kind::Directive && !failed()) {
    if (takeDirective("maxntid"))
      parseTriple(function.maxntid);
    else if (takeDirective("reqntid"))
      parseTriple(function.reqntid);
    else if (takeDirective("reqnctapercluster"))
      parseTriple(function.reqnctapercluster);
    else if (takeDirective("minnctapersm"))
      function.minnctapersm = expectUnsigned("a number");
    else if (takeDirective("maxnctapersm") || takeDirective("abi_preserve") ||
             takeDirective("abi_preserve_control"))
      expectInteger("a number");
    else if (takeDirective("maxnreg"))
      function.maxnreg = expectUnsigned("a number");
    else if (takeDirective("maxclusterrank"))
      function.maxclusterrank = expectUnsigned("a number");
    else if (takeDirective("explicitcluster"))
      function.explicitcluster = true;
    else if (takeDirective("noreturn"))
      function.noreturn = true;
    else if (takeDirective("pragma")) {
      advance();
      takePunct(';');
    } else if (takeDirective("unified")) { // .unified(x, y): a linker's name
      while (!failed() && !takePunct(')')) {
        if (token.kind == Token::Kind::End)
          return fail("expected ')' after .unified, got " + got());
        advance();
      }
    } else
      return fail("unsupported function directive " + got());
  }
  return !failed();
}

bool Parser::parseFunction(ast::Module &module, bool isEntry) {
  ast::Function function;
  function.isEntry = isEntry;
  if (!isEntry && isPunct('(') && !parseParams(function.results))
    return false;
  function.line = token.line;
  function.name = expectName("a function name");
  if (!parseParams(function.params) || !parseFunctionDirectives(function))
    return false;
  if (takePunct(';')) {
    function.isDeclaration = true;
  } else {
    endLocation(function.line);
    if (!expectPunct('{', "before the function body") || !parseBody(function))
      return false;
  }
  // A definition replaces its declaration.
  auto [known, isNew] =
      functionsByName.try_emplace(function.name, module.functions.size());
  if (isNew) {
    module.functions.push_back(std::move(function));
    return !failed();
  }
  ast::Function &other = module.functions[known->second];
  if (!other.isDeclaration && !function.isDeclaration)
    return fail("function '" + std::string(function.name) +
                    "' is defined twice",
                function.line);
  if (other.isDeclaration)
    other = std::move(function);
  return !failed();
}

Expected<std::unique_ptr<ast::Module>> parseModule(std::string_view text) {
  auto module = std::make_unique<ast::Module>();
  Parser parser(text);
  if (!parser.parse(*module))
    return parser.error();
  return module;
}

} // namespace tc::emu
