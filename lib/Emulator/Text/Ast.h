//===- Ast.h - PTX text as data ---------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parser makes of a PTX module: variables, functions and flat bodies
// of statements. Nothing is interpreted here; names and opcodes are views into
// the source text, which the Module owns.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_TEXT_AST_H
#define TC_EMULATOR_TEXT_AST_H

#include "Text/Type.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tc::emu::ast {

/// One operand. `!p` and `-x` set `negated`.
struct Operand {
  enum class Kind : uint8_t {
    Name,    ///< register, variable, label, special register
    Int,     ///< integer literal, in `bits`
    Float,   ///< 0f, 0d or decimal literal; bits of the f32 or f64 in `bits`
    Vector,  ///< { elems }
    Address, ///< [ elems[0] + offset {, elems[1] = coordinate vector} ]; of
             ///< textures with a sampler before it
    Sink,    ///< _
    Pair,    ///< elems[0] | elems[1]
    List,    ///< ( elems ), of call
    Part     ///< of elems[0]: r.b0, v.x, a[4], -r, which no decoder takes
  };
  Kind kind = Kind::Name;
  bool negated = false;
  bool isDouble = false; ///< Float: `bits` is an f64
  std::string_view name;
  uint64_t bits = 0;
  int64_t offset = 0;
  std::vector<Operand> elems;

  bool isName() const { return kind == Kind::Name; }
  bool isSink() const { return kind == Kind::Sink; }
};

struct Instruction {
  int line = 0;
  std::string_view text; ///< the whole statement, for reports
  bool guarded = false, guardNegated = false;
  std::string_view guard;
  std::string_view opcode; ///< with modifiers: "ld.global.v4.f32"
  std::vector<Operand> operands;
};

enum class VarSpace : uint8_t { Reg, Global, Const, Shared, Local, Param };

/// A value of an initialiser: a literal, or the address of `symbol` + bits.
struct InitValue {
  uint64_t bits = 0;
  bool isFloat = false, isDouble = false;
  std::string_view symbol;
  bool generic = false; ///< generic(symbol)
  uint64_t mask = 0;    ///< mask(symbol): 0 if absent
};

struct Variable {
  VarSpace space = VarSpace::Reg;
  Type type = Type::None;
  unsigned vector = 1;
  unsigned align = 0; ///< bytes, natural if 0
  bool isExtern = false;
  bool isArray = false;
  bool unsizedArray = false;
  uint64_t elements = 1; ///< product of the array dimensions
  /// Reg: %r<10> declares %r0 to %r9.
  unsigned count = 0;
  std::string_view name;
  std::vector<InitValue> init;
  int line = 0;

  uint64_t bytes() const { return elements * vector * sizeOf(type); }
  unsigned alignment() const {
    return align ? align : unsigned(sizeOf(type)) * vector;
  }
};

struct Statement {
  enum class Kind : uint8_t {
    Inst,
    Label,
    Decl,
    BlockBegin,
    BlockEnd,
    Table,     ///< .branchtargets
    Targets,   ///< .calltargets
    Prototype, ///< .callprototype
  };
  Kind kind = Kind::Inst;
  int line = 0;
  /// Inst, Decl, Prototype: into the function's vectors.
  uint32_t index = 0;
  std::string_view name;                ///< Label, Table, Targets, Prototype
  std::vector<std::string_view> labels; ///< Table, Targets
};

struct Prototype {
  std::vector<Variable> results, params;
};

struct Function {
  std::string_view name;
  bool isEntry = false;
  bool isDeclaration = false;
  int line = 0;
  std::vector<Variable> results, params;
  std::array<unsigned, 3> reqntid{}, maxntid{}, reqnctapercluster{};
  unsigned minnctapersm = 0, maxnreg = 0, maxclusterrank = 0;
  bool explicitcluster = false, noreturn = false;
  std::vector<Instruction> instructions;
  std::vector<Variable> variables;
  std::vector<Prototype> prototypes;
  std::vector<Statement> body;
};

/// A .loc directive (PTX ISA 9.0, "Debugging Directives: .loc"): where the
/// source has what follows, up to the next one.
struct Location {
  int line = 0;                           ///< of the directive
  unsigned file = 0, row = 0, column = 0; ///< row 0: nowhere
  /// Of what was inlined: its name, and where; row 0: it was not.
  std::string function;
  unsigned callerFile = 0, callerRow = 0, callerColumn = 0;
};

struct Module {
  unsigned versionMajor = 0, versionMinor = 0;
  std::string_view target; ///< first target: "sm_100a"
  std::vector<Variable> variables;
  std::vector<Function> functions;
  /// .alias: another name, and the function that it stands for.
  std::vector<std::pair<std::string_view, std::string_view>> aliases;
  std::vector<Location> locations;       ///< by line
  std::map<unsigned, std::string> files; ///< .file: their paths
};

} // namespace tc::emu::ast

#endif // TC_EMULATOR_TEXT_AST_H
