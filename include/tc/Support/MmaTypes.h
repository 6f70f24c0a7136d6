//===- MmaTypes.h - element types of matrix products ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which element types the kinds of tcgen05.mma multiply, as MLIR's types (PTX
// ISA, "Kinds of tcgen05.mma"), how they lie in shared memory, and which scale
// factors they take. Shapes of the kinds are in Target.h.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_MMATYPES_H
#define TC_SUPPORT_MMATYPES_H

#include "tc/Support/Target.h"

#include "mlir/IR/Types.h"
#include "mlir/Support/TypeID.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tc {

/// Whether `kind` multiplies elements of `type`. Signless i8 has a sign.
bool isMmaInput(MmaKindFacts kind, mlir::Type type);
/// The element types that `kind` multiplies, in words: "f16 or bf16".
std::string getMmaInputNames(MmaKindFacts kind);
/// The element types of all kinds that take scale factors `scale` for `block`
/// elements (0: for any number of them), or, null, of all kinds without.
std::string getMmaInputNames(mlir::Type scale, int64_t block);
/// The code of `type` in the instruction descriptor of `kind`, which
/// multiplies it (PTX ISA, "Instruction descriptor").
unsigned getMmaInputCode(MmaKindFacts kind, mlir::Type type);
/// Bits that an element of `type` takes in shared memory for `kind` (PTX ISA,
/// "Packing formats of elements in Shared Memory"); `wide`: for an instruction
/// that reads 64 bytes of a row, 0 where there is none.
unsigned getMmaSmemBits(MmaKindFacts kind, mlir::Type type, bool wide = false);
/// The same of A in Tensor Memory.
unsigned getMmaTmemBits(MmaKindFacts kind, mlir::Type type, bool wide = false);

/// B as indices into tables (PTX ISA 9.4, "Decompression of input matrices"):
/// bits of an index, entries of a table of f8E4M3FN, the columns of B that
/// share one, and the indices of a row that share a descriptor.
constexpr unsigned kLookupBits = 3;
constexpr int64_t kLookupEntries = 8;
constexpr int64_t kLookupColumns = 8;
constexpr int64_t kLookupRow = 128;
/// Bits of shared memory for an index of a row, the packed bits first.
constexpr unsigned kLookupSmemBits = 4;
/// Whether elements of `type` are such indices.
bool isMmaIndex(mlir::Type type);
/// Whether `kind` reads elements of `type` also where they are adjacent along M
/// or N (PTX ISA, "Transpose and Negate Operations").
bool hasMmaTranspose(MmaKindFacts kind, mlir::Type type);
/// What follows, in a diagnostic that refuses an operand adjacent along M or N:
/// why, where the ISA does not say so.
llvm::StringRef getMmaTransposeNote(MmaKindFacts kind);
/// Whether D is of integers.
bool hasMmaIntegerSum(MmaKindFacts kind);
/// Whether the types of A and B may differ.
bool isMmaMix(MmaKindFacts kind);

/// Scale factors that a kind takes (PTX ISA, "Valid combinations of
/// scale_vectorsize with types and MMA-Kind"), or that threads apply to its
/// sums.
struct MmaScales {
  MmaKindFacts kind;
  /// The type of a factor, and its code in the instruction descriptor.
  mlir::TypeID type;
  llvm::StringRef name;
  unsigned code;
  /// Elements of K that share a factor.
  int64_t block;
  /// Whether sm_107a and sm_107f alone read them (PTX ISA 9.4, 9.7.18.10.7.1).
  bool needsSm107 = false;
};

/// The scale factors of type `scale`, one for `block` elements, that `kind`
/// takes, or null.
const MmaScales *findMmaScales(MmaKindFacts kind, mlir::Type scale,
                               int64_t block);
/// Elements of K that share a factor of type `scale` in products of `kind`; 0
/// where there are no such factors. Of a kind that is not block-scaled they are
/// applied by threads, which multiply the sum of each block by them.
int64_t getMmaScaleBlock(MmaKindFacts kind, mlir::Type scale);
/// What scale factors `kind` takes, in words: "f8E8M0FNU for 32 elements".
std::string getMmaScaleNames(MmaKindFacts kind);
/// Whether `type` is that of a scale factor of any kind, and the names of such
/// types, in words.
bool isMmaScale(mlir::Type type);
std::string getMmaScaleTypeNames();
/// For how many elements factors of `type` are in any kind, in words.
std::string getMmaScaleBlockNames(mlir::Type type);

/// The kind that multiplies elements `a` by elements `b`, with scale factors
/// `scale`, null without, one for `block` elements (0: as many as the kind
/// takes first); nothing where there is none.
std::optional<MmaKindFacts> findMmaKind(mlir::Type a, mlir::Type b,
                                        mlir::Type scale = {},
                                        int64_t block = 0);
/// Whether no kind multiplies elements of `type`, a number of 16 bits or more:
/// f64, i16, i32, i64.
bool isOfNoMmaKind(mlir::Type type);
/// Whether sums of `a` times `b` of `kind` can be f16.
bool hasMmaHalfSum(MmaKindFacts kind, mlir::Type a, mlir::Type b);
/// The type of sums of `kind`: i32, or f32, whatever else there may be.
mlir::Type getMmaSumType(MmaKindFacts kind, mlir::MLIRContext *context);

} // namespace tc

#endif // TC_SUPPORT_MMATYPES_H
