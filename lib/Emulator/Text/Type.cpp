//===- Type.cpp - fundamental and packed types ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table row per type; every query reads it.
//
//===----------------------------------------------------------------------===//

#include "Text/Type.h"

#include <iterator>

namespace tc::emu {

namespace {
enum Class : uint8_t { Other, Bits, Unsigned, Signed, Float };
struct Row {
  std::string_view name;
  uint8_t size;
  Class cls;
};
} // namespace

/// In the order of enum Type.
static constexpr Row kRows[] = {
    {"", 0, Other},        {"pred", 0, Other},    {"b8", 1, Bits},
    {"b16", 2, Bits},      {"b32", 4, Bits},      {"b64", 8, Bits},
    {"b128", 16, Bits},    {"u8", 1, Unsigned},   {"u16", 2, Unsigned},
    {"u32", 4, Unsigned},  {"u64", 8, Unsigned},  {"s8", 1, Signed},
    {"s16", 2, Signed},    {"s32", 4, Signed},    {"s64", 8, Signed},
    {"f16", 2, Float},     {"f16x2", 4, Float},   {"bf16", 2, Float},
    {"bf16x2", 4, Float},  {"tf32", 4, Float},    {"f32", 4, Float},
    {"f32x2", 8, Float},   {"f64", 8, Float},     {"u16x2", 4, Unsigned},
    {"s16x2", 4, Signed},  {"u8x4", 4, Unsigned}, {"s8x4", 4, Signed},
    {"e4m3", 1, Other},    {"e5m2", 1, Other},    {"e4m3x2", 2, Other},
    {"e5m2x2", 2, Other},  {"e4m3x4", 4, Other},  {"e5m2x4", 4, Other},
    {"e2m1x2", 1, Other},  {"e2m3x2", 2, Other},  {"e3m2x2", 2, Other},
    {"e2m1x4", 2, Other},  {"e2m3x4", 4, Other},  {"e3m2x4", 4, Other},
    {"ue8m0x2", 2, Other}, {"ue5m3x2", 2, Other}, {"s2f6x2", 2, Other},
};
static_assert(std::size(kRows) == size_t(Type::S2F6x2) + 1);

Type parseType(std::string_view name) {
  for (size_t i = 1; i < std::size(kRows); ++i)
    if (kRows[i].name == name)
      return Type(i);
  return Type::None;
}

std::vector<Type> typesAtEnd(std::string_view opcode) {
  std::vector<Type> types;
  for (size_t dot = opcode.rfind('.'); dot != opcode.npos;
       dot = opcode.rfind('.')) {
    const Type type = parseType(opcode.substr(dot + 1));
    if (type == Type::None)
      break;
    types.insert(types.begin(), type);
    opcode = opcode.substr(0, dot);
  }
  return types;
}

const char *toString(Type type) { return kRows[size_t(type)].name.data(); }
unsigned sizeOf(Type type) { return kRows[size_t(type)].size; }
bool isSigned(Type type) { return kRows[size_t(type)].cls == Signed; }
bool isFloat(Type type) { return kRows[size_t(type)].cls == Float; }
bool isInteger(Type type) {
  return kRows[size_t(type)].cls == Signed ||
         kRows[size_t(type)].cls == Unsigned;
}
bool isBits(Type type) { return kRows[size_t(type)].cls == Bits; }

} // namespace tc::emu
