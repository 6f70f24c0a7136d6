//===- OperandView.h - operands as batches of matrices ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg addresses an operand by an indexing map, tmm.matmul by the order of
// its dimensions: those of a batch first, as in numpy.matmul. This is the
// way from the one to the other: a view with dimensions of size 1 dropped or
// added, never a copy.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOTMM_OPERANDVIEW_H
#define TC_LIB_CONVERSION_LINALGTOTMM_OPERANDVIEW_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>

namespace tc {

/// How an operand becomes a batch of matrices or vectors.
struct OperandView {
  /// Groups of dimensions to collapse, each with one that is not of size 1;
  /// empty: none.
  llvm::SmallVector<mlir::ReassociationIndices> collapse;
  /// Groups of dimensions that one of the collapsed operand becomes; empty:
  /// none. The new ones are of size 1.
  llvm::SmallVector<mlir::ReassociationIndices> expand;
  /// The loops of the last dimensions, in order: the matrix or vector.
  llvm::SmallVector<unsigned, 2> matrix;

  bool isIdentity() const { return collapse.empty() && expand.empty(); }
};

/// Reads `map`, whose results are loops or zeros where the dimension of `type`
/// has size 1, as batch dimensions, the loops below `batchRank` in ascending
/// order, followed by other loops. On failure `reason` says what does not fit.
mlir::FailureOr<OperandView> matchOperandView(mlir::ShapedType type,
                                              mlir::AffineMap map,
                                              unsigned batchRank,
                                              std::string &reason);

/// The type of an operand of `type` seen through `view`; null where a memref
/// has no such view.
mlir::ShapedType getViewType(mlir::ShapedType type, const OperandView &view);

/// `operand` seen through `view`.
mlir::Value applyOperandView(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value operand, const OperandView &view);

/// The operand whose elements `op` yields unchanged into an output that it
/// walks in order, or null: a transposition, a broadcast, a copy. With
/// `orWidened` a floating-point type with more bits may hold them there.
mlir::OpOperand *findCopied(mlir::linalg::LinalgOp op, bool orWidened = false);

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOTMM_OPERANDVIEW_H
