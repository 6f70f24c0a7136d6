//===- Integer.h - integer decoders -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// add, mul and their kin are shared by integer, half and float families;
// Arithmetic.cpp looks at the type and calls one of these.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_ARITHMETIC_INTEGER_H
#define TC_EMULATOR_EXEC_ARITHMETIC_INTEGER_H

#include "Exec/Decode/InstructionTable.h"

namespace tc::emu {

void decodeIntegerAddSub(DecodeContext &c, bool subtract);
void decodeIntegerMul(DecodeContext &c);
void decodeIntegerMad(DecodeContext &c);
void decodeIntegerDivRem(DecodeContext &c, bool isRem);
void decodeIntegerMinMax(DecodeContext &c, bool isMax);
void decodeIntegerAbsNeg(DecodeContext &c, bool isNeg);

/// Floating point: f32, f64, f32x2 (Float.cpp), f16 and bf16 (Half.cpp).
void decodeFloatAddSubMul(DecodeContext &c);
void decodeFloatFma(DecodeContext &c);
void decodeFloatDiv(DecodeContext &c);
void decodeFloatMinMax(DecodeContext &c);
void decodeFloatAbsNeg(DecodeContext &c);
void decodeHalf(DecodeContext &c);
/// add, sub and fma of .f32 with 16-bit operands (MixedFloat.cpp).
void decodeMixedFloat(DecodeContext &c);
/// add, sub, mul and fma between .f32x2 and pairs of 16 bits (MixedPair.cpp).
bool isMixedPair(const DecodeContext &c);
void decodeMixedPair(DecodeContext &c);

/// Forms of PTX ISA 9.2 for packed and saturating integers
/// (PackedInteger.cpp).
bool isPackedInteger(const DecodeContext &c);
void decodePackedInteger(DecodeContext &c);

/// Whether a modifier of the opcode is a floating-point type, and which.
Type floatTypeOf(const DecodeContext &c);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_ARITHMETIC_INTEGER_H
