//===- MmaTypes.h - element types of matrix products ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which element types the kinds of tcgen05.mma multiply, as MLIR's types (PTX
// ISA, "Kinds of tcgen05.mma"). Shapes of the kinds are in Target.h.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_MMATYPES_H
#define TC_SUPPORT_MMATYPES_H

#include "tc/Support/Target.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tc {

/// Whether `kind` multiplies elements of `type`. Signless i8 has a sign.
bool isMmaInput(MmaKindFacts kind, mlir::Type type);
/// The element types that `kind` multiplies, in words: "f16 or bf16"; "none"
/// where there is no type for them yet.
llvm::StringRef getMmaInputNames(MmaKindFacts kind);
/// Whether the types of A and B may differ.
bool isMmaMix(MmaKindFacts kind);
/// The kind that multiplies elements `a` by elements `b`, with scale factors
/// `scale`, null without; nothing where there is none.
std::optional<MmaKindFacts> findMmaKind(mlir::Type a, mlir::Type b,
                                        mlir::Type scale = {});
/// The type of sums of `kind`: i32, or f32, whatever else there may be.
mlir::Type getMmaSumType(MmaKindFacts kind, mlir::MLIRContext *context);

} // namespace tc

#endif // TC_SUPPORT_MMATYPES_H
