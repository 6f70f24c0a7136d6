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

#include "tc/Support/Units.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace tc;

namespace {

/// An element type of A and B of one kind.
struct Input {
  TypeID type;
  StringRef name;
  /// Its code in the instruction descriptor (PTX ISA, "Instruction
  /// descriptor").
  unsigned code;
  /// Bits in shared memory.
  unsigned smemBits;
  /// Whether an operand may be adjacent along M or N.
  bool hasTranspose;
  /// Bits where an instruction reads 64 bytes of a row: in shared memory, and
  /// of A in Tensor Memory; 0 where there is no such operand.
  unsigned wideBits = 0, wideTmemBits = 0;
  /// Of integers, which have one TypeID: the type.
  unsigned width = 0;
  bool isUnsigned = false;

  bool matches(Type other) const {
    if (width == 0)
      return type == other.getTypeID();
    return isUnsigned ? other.isUnsignedInteger(width)
                      : other.isSignlessInteger(width);
  }
};

struct KindTypes {
  MmaKindFacts kind;
  ArrayRef<Input> inputs;
  /// Whether the types of A and B may differ.
  bool isMix;
  /// Whether an element is the number that its type has in MLIR, so that a
  /// matmul can become instructions of the kind.
  bool isOfNumbers = true;
  /// Why hasTranspose is false where the ISA does not say so.
  StringRef transposeNote = {};
};

} // namespace

template <typename T>
static TypeID id() {
  return TypeID::get<T>();
}

/// In the order of MmaKindFacts. Integers are told apart by their signedness
/// and have no rows of their own.
static ArrayRef<KindTypes> getKindTypes() {
  static const Input halves[] = {
      // type, name, code, bits in shared memory, transposed
      {id<Float16Type>(), "f16", 0, 16, true},
      {id<BFloat16Type>(), "bf16", 1, 16, true}};
  static const Input words[] = {{id<Float32Type>(), "f32", 2, 32, true}};
  // Fewer bits take a byte: TMA unpacks them.
  static const Input bytes[] = {
      {id<Float8E4M3FNType>(), "f8E4M3FN", 0, 8, true, 8, 8},
      {id<Float8E5M2Type>(), "f8E5M2", 1, 8, true, 8, 8},
      {id<Float6E2M3FNType>(), "f6E2M3FN", 3, 8, false},
      {id<Float6E3M2FNType>(), "f6E3M2FN", 4, 8, false},
      {id<Float4E2M1FNType>(), "f4E2M1FN", 5, 8, false}};
  // Where 64 bytes of a row are read there are no gaps: not as TMA unpacks
  // elements.
  static const Input scaledBytes[] = {
      {id<Float8E4M3FNType>(), "f8E4M3FN", 0, 8, true, 8, 8},
      {id<Float8E5M2Type>(), "f8E5M2", 1, 8, true, 8, 8},
      {id<Float6E2M3FNType>(), "f6E2M3FN", 3, 8, false, 6, 6},
      {id<Float6E3M2FNType>(), "f6E3M2FN", 4, 8, false, 6, 6},
      {id<Float4E2M1FNType>(), "f4E2M1FN", 5, 8, false, 4, 0}};
  static const Input nibbles[] = {
      {id<Float4E2M1FNType>(), "f4E2M1FN", 1, 4, false, 4, 4}};
  static const Input integers[] = {
      {id<IntegerType>(), "i8", 1, 8, true, 0, 0, 8},
      {id<IntegerType>(), "ui8", 0, 8, true, 0, 0, 8, /*isUnsigned=*/true}};
  // s1z4m11: a sign, four zeros, and a magnitude of 11 bits.
  static const Input signedMagnitudes[] = {
      {id<IntegerType>(), "i16", 3, 16, false, 0, 0, 16}};
  static const KindTypes table[] = {
      {MmaKindFacts::F16, halves, false},
      {MmaKindFacts::TF32, words, false},
      {MmaKindFacts::F8F6F4, bytes, true},
      {MmaKindFacts::I8, integers, true},
      {MmaKindFacts::MXF8F6F4, scaledBytes, true},
      {MmaKindFacts::MXF4, nibbles, true},
      {MmaKindFacts::MXF4NVF4, nibbles, true},
      {MmaKindFacts::TI16, signedMagnitudes, false, /*isOfNumbers=*/false,
       ", of which the tables of PTX ISA 9.4 disagree"},
  };
  return table;
}

/// The first one that fits is taken where the size of a block is not given. Of
/// f32 no unit knows: threads multiply the sum of a block by its factors.
static ArrayRef<MmaScales> getScales() {
  TypeID e8m0 = id<Float8E8M0FNUType>(), e4m3 = id<Float8E4M3FNType>(),
         f32 = id<Float32Type>();
  static const MmaScales table[] = {
      // kind, type, name, code, elements
      {MmaKindFacts::MXF4, e8m0, "f8E8M0FNU", 1, 32},
      {MmaKindFacts::MXF4NVF4, e4m3, "f8E4M3FN", 0, 16},
      {MmaKindFacts::MXF4NVF4, e8m0, "f8E8M0FNU", 1, 16},
      {MmaKindFacts::MXF4NVF4, e8m0, "f8E8M0FNU", 1, 32},
      {MmaKindFacts::MXF8F6F4, e8m0, "f8E8M0FNU", 1, 32},
      {MmaKindFacts::F8F6F4, f32, "f32", 0, 128},
  };
  return table;
}

/// Factors that only some chips read (PTX ISA 9.4, 9.7.18.10.7.1). MLIR has no
/// type of ue5m3, whose bits are those of a ui8. No matmul has them.
static ArrayRef<MmaScales> getSm107Scales() {
  TypeID e4m3 = id<Float8E4M3FNType>(), ui8 = id<IntegerType>();
  static const MmaScales table[] = {
      // kind, type, name, code, elements, needs sm_107
      {MmaKindFacts::MXF4NVF4, e4m3, "f8E4M3FN", 0, 32, true},
      {MmaKindFacts::MXF4NVF4, ui8, "ui8 (ue5m3)", 2, 16, true},
      {MmaKindFacts::MXF4NVF4, ui8, "ui8 (ue5m3)", 2, 32, true},
  };
  return table;
}

static const KindTypes &getTypes(MmaKindFacts kind) {
  return getKindTypes()[static_cast<unsigned>(kind)];
}

static const Input *findInput(MmaKindFacts kind, Type type) {
  for (const Input &input : getTypes(kind).inputs)
    if (input.matches(type))
      return &input;
  return nullptr;
}

/// "a, b or c".
template <typename T>
static std::string join(ArrayRef<T> names) {
  std::string text;
  for (auto [index, name] : llvm::enumerate(names)) {
    if (index != 0)
      text += index + 1 == names.size() ? " or " : ", ";
    text += name;
  }
  return text;
}

bool tc::isMmaInput(MmaKindFacts kind, Type type) {
  return findInput(kind, type);
}

static void addNames(MmaKindFacts kind, SmallVectorImpl<StringRef> &names) {
  for (const Input &input : getTypes(kind).inputs)
    if (!llvm::is_contained(names, input.name))
      names.push_back(input.name);
}

std::string tc::getMmaInputNames(MmaKindFacts kind) {
  SmallVector<StringRef> names;
  addNames(kind, names);
  return join(ArrayRef(names));
}

std::string tc::getMmaInputNames(Type scale, int64_t block) {
  SmallVector<StringRef> names;
  for (const KindTypes &types : getKindTypes()) {
    bool takes = !scale && !isBlockScaled(types.kind) && types.isOfNumbers;
    for (const MmaScales &scales : getScales())
      takes |= scale && scales.kind == types.kind &&
               scales.type == scale.getTypeID() &&
               (block == 0 || scales.block == block);
    if (takes)
      addNames(types.kind, names);
  }
  return join(ArrayRef(names));
}

unsigned tc::getMmaInputCode(MmaKindFacts kind, Type type) {
  return findInput(kind, type)->code;
}

unsigned tc::getMmaSmemBits(MmaKindFacts kind, Type type, bool wide) {
  const Input *input = findInput(kind, type);
  return wide ? input->wideBits : input->smemBits;
}

unsigned tc::getMmaTmemBits(MmaKindFacts kind, Type type, bool wide) {
  const Input *input = findInput(kind, type);
  return wide ? input->wideTmemBits : input->smemBits;
}

bool tc::isMmaIndex(Type type) { return type.isSignlessInteger(kLookupBits); }

bool tc::hasMmaTranspose(MmaKindFacts kind, Type type) {
  return findInput(kind, type)->hasTranspose;
}

StringRef tc::getMmaTransposeNote(MmaKindFacts kind) {
  return getTypes(kind).transposeNote;
}

bool tc::hasMmaIntegerSum(MmaKindFacts kind) {
  return kind == MmaKindFacts::I8 || kind == MmaKindFacts::TI16;
}

bool tc::isMmaMix(MmaKindFacts kind) { return getTypes(kind).isMix; }

const MmaScales *tc::findMmaScales(MmaKindFacts kind, Type scale,
                                   int64_t block) {
  for (ArrayRef<MmaScales> table : {getScales(), getSm107Scales()})
    for (const MmaScales &scales : table)
      if (scales.kind == kind && scales.type == scale.getTypeID() &&
          scales.block == block &&
          (!isa<IntegerType>(scale) || scale.isUnsignedInteger(8)))
        return &scales;
  return nullptr;
}

std::string tc::getMmaScaleNames(MmaKindFacts kind) {
  std::string text;
  for (ArrayRef<MmaScales> table : {getScales(), getSm107Scales()})
    for (const MmaScales &scales : table)
      if (scales.kind == kind)
        text += (text.empty() ? "" : ", ") + scales.name.str() + " for " +
                std::to_string(scales.block) + " elements";
  size_t last = text.rfind(", ");
  return last == std::string::npos ? text : text.replace(last, 2, " or ");
}

bool tc::isMmaScale(Type type) {
  return llvm::any_of(getScales(), [&](const MmaScales &scales) {
    return scales.type == type.getTypeID();
  });
}

int64_t tc::getMmaScaleBlock(MmaKindFacts kind, Type scale) {
  if (isBlockScaled(kind))
    return getScaleBlock(kind);
  for (const MmaScales &scales : getScales())
    if (scale && scales.kind == kind && scales.type == scale.getTypeID())
      return scales.block;
  return 0;
}

std::string tc::getMmaScaleTypeNames() {
  SmallVector<StringRef> names;
  for (const MmaScales &scales : getScales())
    if (!llvm::is_contained(names, scales.name))
      names.push_back(scales.name);
  return join(ArrayRef(names));
}

std::string tc::getMmaScaleBlockNames(Type type) {
  SmallVector<std::string> names;
  for (const MmaScales &scales : getScales()) {
    std::string name = std::to_string(scales.block);
    if (scales.type == type.getTypeID() && !llvm::is_contained(names, name))
      names.push_back(name);
  }
  return join(ArrayRef(names));
}

std::optional<tc::MmaKindFacts> tc::findMmaKind(Type a, Type b, Type scale,
                                                int64_t block) {
  auto multiplies = [&](MmaKindFacts kind) {
    return isMmaInput(kind, a) && isMmaInput(kind, b) &&
           (a == b || isMmaMix(kind));
  };
  if (!scale) {
    for (const KindTypes &types : getKindTypes())
      if (!isBlockScaled(types.kind) && types.isOfNumbers &&
          multiplies(types.kind))
        return types.kind;
    return std::nullopt;
  }
  for (const MmaScales &scales : getScales())
    if (scales.type == scale.getTypeID() &&
        (block == 0 || block == scales.block) && multiplies(scales.kind))
      return scales.kind;
  return std::nullopt;
}

bool tc::isOfNoMmaKind(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 16 &&
         !findMmaKind(type, type);
}

bool tc::hasMmaHalfSum(MmaKindFacts kind, Type a, Type b) {
  return kind == MmaKindFacts::F8F6F4 ||
         (kind == MmaKindFacts::F16 && a.isF16() && b.isF16());
}

Type tc::getMmaSumType(MmaKindFacts kind, MLIRContext *context) {
  if (hasMmaIntegerSum(kind))
    return IntegerType::get(context, 32);
  return Float32Type::get(context);
}
