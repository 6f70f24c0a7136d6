//===- DecodeContext.cpp - reading modifiers and operands -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operand rules of PTX ISA 9.0, "Instruction Operands" and "Operand Size
// Exceeding Instruction-Type Size". Errors are kept by the FunctionDecoder.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/FunctionDecoder.h"

#include <cstring>

namespace tc::emu {

using ast::Operand;

DecodeContext::DecodeContext(FunctionDecoder &decoder,
                             const ast::Instruction &source, DecodedInst &inst,
                             std::vector<std::string_view> modifiers,
                             std::string_view base)
    : base(base), source(source), inst(inst), decoder(decoder),
      modifiers(std::move(modifiers)) {}

void DecodeContext::fail(std::string message) {
  decoder.fail("unsupported instruction '" + std::string(source.text) +
                   "': " + message,
               source.line);
}

bool DecodeContext::failed() const { return decoder.failed(); }

std::string_view DecodeContext::target() const {
  return decoder.module.source->target;
}

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

bool DecodeContext::take(std::string_view modifier) {
  for (std::string_view &m : modifiers)
    if (m == modifier) {
      m = {};
      return true;
    }
  return false;
}

std::string_view
DecodeContext::takeOneOf(std::initializer_list<std::string_view> choices) {
  for (std::string_view &m : modifiers)
    for (std::string_view choice : choices)
      if (m == choice) {
        m = {};
        return choice;
      }
  return {};
}

std::string_view DecodeContext::takePrefix(std::string_view prefix) {
  for (std::string_view &m : modifiers)
    if (!m.empty() && m.substr(0, prefix.size()) == prefix) {
      std::string_view found = m;
      m = {};
      return found;
    }
  return {};
}

std::string_view DecodeContext::takeNext() {
  for (std::string_view &m : modifiers)
    if (!m.empty()) {
      std::string_view found = m;
      m = {};
      return found;
    }
  return {};
}

std::string_view DecodeContext::peek() const {
  for (std::string_view m : modifiers)
    if (!m.empty())
      return m;
  return {};
}

Type DecodeContext::takeType() {
  std::string_view next = peek();
  Type type = parseType(next);
  if (type == Type::None) {
    fail(next.empty() ? "expected a type"
                      : "expected a type, got ." + std::string(next));
    return Type::B32;
  }
  takeNext();
  return type;
}

Space DecodeContext::takeSpace() {
  static const std::pair<std::string_view, Space> kSpaces[] = {
      {"global", Space::Global},
      {"shared", Space::SharedCta},
      {"shared::cta", Space::SharedCta},
      {"shared::cluster", Space::SharedCluster},
      {"local", Space::Local},
      {"param", Space::Param},
      {"param::entry", Space::Param},
      {"param::func", Space::Param},
      {"const", Space::Const}};
  for (const auto &row : kSpaces)
    if (take(row.first))
      return row.second;
  return Space::Generic;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

const Operand &DecodeContext::operand(unsigned i) const {
  static const Operand kNone = [] {
    Operand operand;
    operand.kind = Operand::Kind::Int;
    return operand;
  }();
  return i < source.operands.size() ? source.operands[i] : kNone;
}

bool DecodeContext::expectOperands(unsigned min, unsigned max) {
  if (numOperands() >= min && numOperands() <= max)
    return true;
  fail("expected " + std::to_string(min) +
       (min == max ? "" : " to " + std::to_string(max)) + " operands, got " +
       std::to_string(numOperands()));
  return false;
}

unsigned DecodeContext::registerBits(const Operand &operand) const {
  if (!operand.isName())
    return 0;
  Type type = Type::None;
  if (decoder.findRegister(operand.name, type))
    return type == Type::Pred ? 1 : bitsOf(type);
  unsigned bits = 0;
  if (operand.name.substr(0, 1) == "%" &&
      decoder.findSpecial(operand.name, bits))
    return bits;
  return 0;
}

/// Converts a literal of a floating-point type to the bits of `type`.
static uint64_t floatBits(const Operand &operand, Type type) {
  bool toDouble = type == Type::F64;
  if (operand.isDouble == toDouble)
    return operand.bits;
  if (toDouble) {
    float single;
    uint32_t bits = uint32_t(operand.bits);
    memcpy(&single, &bits, 4);
    double number = single;
    uint64_t result;
    memcpy(&result, &number, 8);
    return result;
  }
  double number;
  memcpy(&number, &operand.bits, 8);
  float single = float(number);
  uint32_t result;
  memcpy(&result, &single, 4);
  return result;
}

/// A number as operand.
Src DecodeContext::literal(const Operand &operand, Type type) {
  unsigned bits = bitsOf(type);
  uint64_t value = operand.bits;
  if (operand.kind == Operand::Kind::Float) {
    if (bits < 32) {
      fail("expected an integer literal for a 16-bit type");
      return {};
    }
    if (type != Type::B64 || !operand.isDouble)
      value = floatBits(operand, type);
  }
  if (bits == 128) {
    fail("expected a register, got a number");
    return {};
  }
  if (bits == 64)
    return decoder.constant64(value);
  return decoder.constant32(
      uint32_t(bits < 32 ? value & ((1ull << bits) - 1) : value));
}

/// A register, `slot` of type `registerType`, as operand.
Src DecodeContext::registerValue(const Operand &operand, unsigned bits,
                                 const Dst &slot, Type registerType) {
  // ptxas takes a sum here; the ISA has it in addresses only.
  if (operand.offset != 0) {
    fail("expected a register, got '" + std::string(operand.name) +
         "' and an offset, which only an address in brackets can have");
    return {};
  }
  unsigned have = bitsOf(registerType);
  // An 8-bit value sits in the low bits of a wider register.
  bool narrow = bits == 8 && (have == 16 || have == 32);
  if (registerType == Type::Pred || (have != bits && !narrow)) {
    fail("expected a " + std::to_string(bits) + "-bit register, got '" +
         std::string(operand.name) + "' of type ." + toString(registerType));
    return {};
  }
  inst.reads.push_back(slot.reg);
  return valueOf(slot);
}

/// The address of a variable as operand.
Src DecodeContext::addressOf(const Operand &operand, unsigned bits) {
  Symbol *symbol = decoder.lookup(operand.name);
  if (const ast::Function *function = decoder.module.findFunction(operand.name);
      function && !symbol && bits == 64)
    return decoder.constant64(decoder.module.addressOf(*function));
  if (!symbol || symbol->kind != Symbol::Kind::Variable) {
    fail("unknown name '" + std::string(operand.name) + "'");
    return {};
  }
  if (bits != 32 && bits != 64) {
    fail("expected a 32 or 64-bit type for the address of '" +
         std::string(operand.name) + "'");
    return {};
  }
  uint64_t value = symbol->address + uint64_t(operand.offset);
  if (symbol->space == Space::SharedCta)
    return decoder.sharedAddress(uint32_t(value), bits, source);
  if (symbol->functionParam)
    value += kFuncParamBase;
  // Variables of the constant window are addressed from its start.
  if (symbol->space == Space::Const)
    value -= kConstWindow;
  return bits == 64 ? decoder.constant64(value)
                    : decoder.constant32(uint32_t(value));
}

Src DecodeContext::src(const Operand &operand, Type type) {
  unsigned bits = bitsOf(type);
  if (type == Type::Pred)
    return predicate(operand);
  if (operand.kind == Operand::Kind::Int ||
      operand.kind == Operand::Kind::Float)
    return literal(operand, type);
  if (!operand.isName() || operand.negated) {
    fail("expected a register or a number as operand");
    return {};
  }
  Type registerType = Type::None;
  if (std::optional<Dst> slot =
          decoder.findRegister(operand.name, registerType))
    return registerValue(operand, bits, *slot, registerType);
  unsigned specialBits = 0;
  if (std::optional<Dst> slot =
          decoder.findSpecial(operand.name, specialBits)) {
    if (bits > specialBits) {
      fail("'" + std::string(operand.name) + "' has " +
           std::to_string(specialBits) + " bits");
      return {};
    }
    return valueOf(*slot);
  }
  return addressOf(operand, bits);
}

Src DecodeContext::predicate(const Operand &operand) {
  Type type = Type::None;
  std::optional<Dst> slot;
  if (operand.isName())
    slot = decoder.findRegister(operand.name, type);
  if (!slot || type != Type::Pred) {
    fail("expected a predicate register" +
         (operand.isName() ? ", got '" + std::string(operand.name) + "'"
                           : std::string()));
    return {};
  }
  Src result = valueOf(*slot);
  result.negated = operand.negated;
  inst.reads.push_back(slot->reg);
  return result;
}

Dst DecodeContext::dst(const Operand &operand, Type type) {
  Dst result;
  if (type == Type::Pred)
    return predicateDst(operand);
  if (operand.isSink())
    return result;
  Type registerType = Type::None;
  std::optional<Dst> slot;
  if (operand.isName() && !operand.negated)
    slot = decoder.findRegister(operand.name, registerType);
  unsigned bits = bitsOf(type), have = bitsOf(registerType);
  if (!slot || registerType == Type::Pred ||
      (have != bits && !(bits == 8 && have <= 32))) {
    fail("expected a " + std::to_string(bits) + "-bit destination register" +
         (operand.isName() ? ", got '" + std::string(operand.name) + "'"
                           : std::string()));
    return result;
  }
  inst.writes.push_back(slot->reg);
  return *slot;
}

Dst DecodeContext::predicateDst(const Operand &operand) {
  Dst result;
  if (operand.isSink())
    return result;
  Type type = Type::None;
  std::optional<Dst> slot;
  if (operand.isName() && !operand.negated)
    slot = decoder.findRegister(operand.name, type);
  if (!slot || type != Type::Pred) {
    fail("expected a predicate register as destination" +
         (operand.isName() ? ", got '" + std::string(operand.name) + "'"
                           : std::string()));
    return result;
  }
  inst.writes.push_back(slot->reg);
  return *slot;
}

std::vector<Src> DecodeContext::srcVector(const Operand &operand, Type type) {
  std::vector<Src> result;
  if (operand.kind == Operand::Kind::Vector)
    for (const Operand &element : operand.elems)
      result.push_back(src(element, type));
  else
    result.push_back(src(operand, type));
  return result;
}

std::vector<Dst> DecodeContext::dstVector(const Operand &operand, Type type) {
  std::vector<Dst> result;
  if (operand.kind == Operand::Kind::Vector)
    for (const Operand &element : operand.elems)
      result.push_back(dst(element, type));
  else
    result.push_back(dst(operand, type));
  return result;
}

MemRef DecodeContext::memRef(const Operand &operand, Space space) {
  MemRef mem;
  mem.space = space;
  if (operand.kind != Operand::Kind::Address) {
    fail("expected an address in brackets");
    return mem;
  }
  if (operand.elems.size() > 2) {
    fail("expected at most a vector after the address");
    return mem;
  }
  const Operand &baseOperand = operand.elems[0];
  mem.offset = operand.offset + baseOperand.offset;
  if (baseOperand.kind == Operand::Kind::Int) {
    mem.base = decoder.constant64(baseOperand.bits);
    mem.base64 = true;
    return mem;
  }
  Type type = Type::None;
  if (std::optional<Dst> slot = decoder.findRegister(baseOperand.name, type)) {
    unsigned bits = bitsOf(type);
    bool narrowOk = space != Space::Generic && space != Space::Global;
    if (type == Type::Pred || (bits != 64 && !(bits == 32 && narrowOk))) {
      fail("expected a 64-bit address register, got '" +
           std::string(baseOperand.name) + "' of type ." + toString(type));
      return mem;
    }
    mem.base = valueOf(*slot);
    mem.base64 = bits == 64;
    inst.reads.push_back(slot->reg);
    return mem;
  }
  Symbol *symbol = decoder.lookup(baseOperand.name);
  if (!symbol || symbol->kind != Symbol::Kind::Variable) {
    fail("unknown name '" + std::string(baseOperand.name) + "'");
    return mem;
  }
  bool sharedAccess =
      space == Space::SharedCta || space == Space::SharedCluster;
  if (space != Space::Generic && symbol->space != space &&
      !(sharedAccess && symbol->space == Space::SharedCta)) {
    fail("'" + std::string(baseOperand.name) + "' is not in the ." +
         toString(space) + " space");
    return mem;
  }
  if (symbol->space == Space::SharedCta) {
    if (space == Space::Generic)
      mem.space = Space::SharedCta;
    mem.base = valueOf(decoder.special(SpecialReg::SmemBase));
    mem.offset += int64_t(symbol->address);
    return mem;
  }
  if (symbol->functionParam)
    mem.space = Space::Local;
  else if (space == Space::Generic)
    mem.space = symbol->space;
  uint64_t address = symbol->address;
  if (symbol->space == Space::Const)
    address -= kConstWindow;
  mem.base = decoder.constant64(address);
  mem.base64 = true;
  return mem;
}

int64_t DecodeContext::immediate(const Operand &operand) {
  if (operand.kind != Operand::Kind::Int) {
    fail("expected an integer literal");
    return 0;
  }
  return int64_t(operand.bits);
}

} // namespace tc::emu
