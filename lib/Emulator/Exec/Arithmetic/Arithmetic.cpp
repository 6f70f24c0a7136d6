//===- Arithmetic.cpp - opcodes shared by integers and floats -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// add, sub, mul, mad, fma, div, rem, min, max, abs and neg exist for many
// types; the type modifier decides which family decodes them.
//
//===----------------------------------------------------------------------===//

#include "Exec/Arithmetic/Integer.h"

namespace tc::emu {

Type floatTypeOf(const DecodeContext &c) {
  // The type is the opcode's last part.
  std::string_view opcode = c.source.opcode;
  Type type = parseType(opcode.substr(opcode.rfind('.') + 1));
  return isFloat(type) ? type : Type::None;
}

static bool isHalf(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 ||
         type == Type::BF16x2;
}

/// add.f32.bf16 and the like.
static bool isMixed(const DecodeContext &c, Type type) {
  const std::string_view opcode = c.source.opcode, end = ".f32.";
  size_t dot = opcode.rfind('.');
  return (type == Type::F16 || type == Type::BF16) && dot >= 4 &&
         opcode.substr(dot - 4, 5) == end &&
         (c.base == "add" || c.base == "sub" || c.base == "fma");
}

template <void (*Integer)(DecodeContext &), void (*Float)(DecodeContext &)>
static void dispatch(DecodeContext &c) {
  Type type = floatTypeOf(c);
  if (isPackedInteger(c))
    return decodePackedInteger(c);
  if (type == Type::None)
    return Integer(c);
  if (isMixedPair(c))
    return decodeMixedPair(c);
  if (isMixed(c, type))
    return decodeMixedFloat(c);
  if (isHalf(type))
    return decodeHalf(c);
  Float(c);
}

static void notInteger(DecodeContext &c) {
  c.fail("expected a floating-point type");
}
static void notFloat(DecodeContext &c) { c.fail("expected an integer type"); }

static void addInteger(DecodeContext &c) { decodeIntegerAddSub(c, false); }
static void subInteger(DecodeContext &c) { decodeIntegerAddSub(c, true); }
static void divInteger(DecodeContext &c) { decodeIntegerDivRem(c, false); }
static void remInteger(DecodeContext &c) { decodeIntegerDivRem(c, true); }
static void minInteger(DecodeContext &c) { decodeIntegerMinMax(c, false); }
static void maxInteger(DecodeContext &c) { decodeIntegerMinMax(c, true); }
static void absInteger(DecodeContext &c) { decodeIntegerAbsNeg(c, false); }
static void negInteger(DecodeContext &c) { decodeIntegerAbsNeg(c, true); }

void registerIntegerInstructions(InstructionTable &table) {
  table.add("add", dispatch<addInteger, decodeFloatAddSubMul>);
  table.add("sub", dispatch<subInteger, decodeFloatAddSubMul>);
  table.add("mul", dispatch<decodeIntegerMul, decodeFloatAddSubMul>);
  table.add("mad", dispatch<decodeIntegerMad, decodeFloatFma>);
  table.add("fma", dispatch<notInteger, decodeFloatFma>);
  table.add("div", dispatch<divInteger, decodeFloatDiv>);
  table.add("rem", dispatch<remInteger, notFloat>);
  table.add("min", dispatch<minInteger, decodeFloatMinMax>);
  table.add("max", dispatch<maxInteger, decodeFloatMinMax>);
  table.add("abs", dispatch<absInteger, decodeFloatAbsNeg>);
  table.add("neg", dispatch<negInteger, decodeFloatAbsNeg>);
}

} // namespace tc::emu
