//===- Type.h - fundamental and packed types --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types that PTX opcodes and declarations name, with their sizes and
// classes (PTX ISA 9.0, "Types").
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_TEXT_TYPE_H
#define TC_EMULATOR_TEXT_TYPE_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace tc::emu {

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F32x2,
  F64,
  U16x2,
  S16x2,
  U8x4,
  S8x4,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
  E4M3x4,
  E5M2x4,
  E2M1x2,
  E2M3x2,
  E3M2x2,
  E2M1x4,
  E2M3x4,
  E3M2x4,
  UE8M0x2,
  UE5M3x2,
  S2F6x2
};

/// The type that a modifier names ("f32"), None if it names none.
Type parseType(std::string_view name);
/// The types that end an opcode, in order: those of "add.rn.f32x2.f16x2".
std::vector<Type> typesAtEnd(std::string_view opcode);
const char *toString(Type type);
/// Bytes in memory; 0 for None and Pred.
unsigned sizeOf(Type type);
inline unsigned bitsOf(Type type) { return 8 * sizeOf(type); }
bool isSigned(Type type);  ///< S8 to S64, S16x2, S8x4
bool isFloat(Type type);   ///< F16 to F64 and packed
bool isInteger(Type type); ///< U, S
bool isBits(Type type);    ///< B

} // namespace tc::emu

#endif // TC_EMULATOR_TEXT_TYPE_H
