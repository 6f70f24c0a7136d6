//===- MmaTypes.cpp - element types of matrix products ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of MmaTypes.h.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/MmaTypes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

bool tc::isMmaInput(MmaKindFacts kind, Type type) {
  switch (kind) {
  case MmaKindFacts::F16:
    return type.isF16() || type.isBF16();
  case MmaKindFacts::TF32:
    return type.isF32();
  case MmaKindFacts::F8F6F4:
  case MmaKindFacts::MXF8F6F4:
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  case MmaKindFacts::I8:
    return type.isSignlessInteger(8) || type.isUnsignedInteger(8);
  case MmaKindFacts::MXF4:
  case MmaKindFacts::MXF4NVF4:
    return false;
  }
  llvm_unreachable("unknown kind");
}

llvm::StringRef tc::getMmaInputNames(MmaKindFacts kind) {
  switch (kind) {
  case MmaKindFacts::F16:
    return "f16 or bf16";
  case MmaKindFacts::TF32:
    return "f32";
  case MmaKindFacts::F8F6F4:
  case MmaKindFacts::MXF8F6F4:
    return "f8E4M3FN or f8E5M2";
  case MmaKindFacts::I8:
    return "i8 or ui8";
  case MmaKindFacts::MXF4:
  case MmaKindFacts::MXF4NVF4:
    return "none";
  }
  llvm_unreachable("unknown kind");
}

bool tc::isMmaMix(MmaKindFacts kind) {
  return kind != MmaKindFacts::F16 && kind != MmaKindFacts::TF32;
}

std::optional<tc::MmaKindFacts> tc::findMmaKind(Type a, Type b, Type scale) {
  for (MmaKindFacts kind : {MmaKindFacts::F16, MmaKindFacts::TF32,
                            MmaKindFacts::F8F6F4, MmaKindFacts::I8}) {
    if (!scale && isMmaInput(kind, a) && isMmaInput(kind, b) &&
        (a == b || isMmaMix(kind)))
      return kind;
  }
  if (isa_and_nonnull<Float8E8M0FNUType>(scale) &&
      isMmaInput(MmaKindFacts::MXF8F6F4, a) &&
      isMmaInput(MmaKindFacts::MXF8F6F4, b))
    return MmaKindFacts::MXF8F6F4;
  return std::nullopt;
}

Type tc::getMmaSumType(MmaKindFacts kind, MLIRContext *context) {
  if (kind == MmaKindFacts::I8)
    return IntegerType::get(context, 32);
  return Float32Type::get(context);
}
