//===- ProblemTypes.h - types that a problem can have -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the dialect: the rules of tmm.matmul for element types and scale
// factors, part of its verifier.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_IR_PROBLEMTYPES_H
#define TC_LIB_DIALECT_TMM_IR_PROBLEMTYPES_H

#include "tc/Support/Target.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>

namespace tc::tmm {

/// What is wrong, or nothing.
using Error = std::optional<std::string>;

/// Whether `space` is that of global memory. The operands are those of a host
/// function; tiles in other memories belong to the tile program.
bool isGlobalMemory(mlir::Attribute space);
/// What is wrong with the memory space of operand `name`; nothing of tensors.
Error findGlobalMemoryError(llvm::StringRef name, mlir::ShapedType type);

/// The same of strides of operand `name` that are known: addresses descend with
/// none of them.
Error findStridesError(llvm::StringRef name, llvm::ArrayRef<int64_t> strides);

/// The elements of a problem.
struct ElementTypes {
  mlir::Type a, b, d;
  /// Of scale factors, null without, and the elements that share one; 0: as
  /// many as the kind takes first.
  mlir::Type scale;
  int64_t scaleBlock;
  /// Whether elements of A and of B are adjacent along K.
  bool isAKMajor, isBKMajor;
  bool allowTf32;
  /// Of scale factors of D, null without.
  mlir::Type scaleD;
};

Error findElementTypeError(const ElementTypes &types);

/// The matrix of scale factors called `name` of `rows` rows and of `k` elements
/// along K, sizes that may be dynamic, with factors of `element` for
/// `scaleBlock` elements.
Error findScalesError(llvm::StringRef name, mlir::Type type,
                      llvm::StringRef rowName, int64_t rows, int64_t k,
                      mlir::ShapedType d, mlir::Type element,
                      int64_t scaleBlock);

/// A matrix of factors that threads apply, and what it has rows for: one for
/// `step` of `rows` rows, a size that may be dynamic.
struct ScaledRows {
  llvm::StringRef name;
  mlir::Type type;
  llvm::StringRef rowName;
  int64_t rows, step;
  /// Whether each thread reads those of many rows.
  bool isRow;
};

/// The matrix of scale factors of `scaled` and of `k` elements along K, with
/// factors of `element` for `scaleBlock` elements.
Error findPromotedScalesError(const ScaledRows &scaled, int64_t k,
                              mlir::ShapedType d, mlir::Type element,
                              int64_t scaleBlock);

/// The metadata of a sparse A of `m` rows whose products are of `kind`, over
/// `k` elements, sizes that may be dynamic.
Error findMetadataError(mlir::Type type, MmaKindFacts kind, int64_t m,
                        int64_t k, mlir::ShapedType d);

/// The dimension of `type` that runs along batch dimension `dim` of D, which
/// has `batchRank` of them; it may be of size 1.
std::optional<unsigned> matchBatchDim(mlir::ShapedType type,
                                      unsigned matrixRank, unsigned dim,
                                      unsigned batchRank);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_IR_PROBLEMTYPES_H
