//===- OperandRewrites.h - inputs that no matrix unit takes -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions whose inputs are made anew, by an elementwise operation before
// the product: integers that the body makes floats of, f32 as parts.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOTMM_OPERANDREWRITES_H
#define TC_LIB_CONVERSION_LINALGTOTMM_OPERANDREWRITES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace tc {

/// How products of f32 are made of those that matrix units have.
enum class F32Products {
  /// They are not.
  Refused,
  /// By plain kernels, without a matrix unit.
  Fma,
  /// Without the low 13 bits of each element.
  Tf32,
  /// As sums of products of parts.
  Tf32x3,
  Bf16x3,
  Bf16x9,
};

/// The kind of this name; "": the most exact one of the matrix units; "narrow":
/// the same, after tc-prepare-products has rounded what it may.
std::optional<F32Products> symbolizeF32Products(llvm::StringRef name);

/// An output for as many elements as `sizes` say: tensor.empty or an
/// allocation.
mlir::Value makeOutput(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::ArrayRef<mlir::OpFoldResult> sizes,
                       mlir::Type element, bool isTensor);

/// The sizes of `value`, a tensor or memref.
llvm::SmallVector<mlir::OpFoldResult>
getSizes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// Takes conversions of integers to floats out of the bodies of contractions
/// in `root`.
void hoistIntegerConversions(mlir::Operation *root);

/// Splits inputs of f32 of contractions in `root` into parts as `kind` says,
/// one of those that have parts. `isChoice`: nobody asked for it, so a remark
/// says that it was chosen.
void splitF32Products(mlir::Operation *root, F32Products kind, bool isChoice);

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOTMM_OPERANDREWRITES_H
