//===- ContractionMatch.h - linalg ops that are a matmul --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a linalg operation as D = A * B or D = A * B + D, with the order of the
// rows and columns of each operand. Knows nothing of rewriting.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOTMM_CONTRACTIONMATCH_H
#define TC_LIB_CONVERSION_LINALGTOTMM_CONTRACTIONMATCH_H

#include "OperandView.h"

#include <string>

namespace tc {

/// A or B of a product.
struct ContractionOperand {
  mlir::Value value;
  /// What makes it a batch of matrices.
  OperandView view;
  /// A is stored K x M, B is stored N x K.
  bool isTransposed;
  /// Its integers of 8 bits have no sign.
  bool isUnsigned = false;
  /// Scale factors and the elements of K that share one; null without.
  mlir::Value scales = {};
  int64_t scaleBlock = 0;
  /// Rows that share a factor of f32; 0: there are none.
  int64_t scaleRows = 0;
  /// `scales` has to be put into blocks (emitScaleBlocks).
  bool hasPlainScales = false;
};

/// D[m, n] += sum over k of A[m, k] * B[k, n], with the rows of D as m, for
/// each index of the dimensions of D before these two.
struct Contraction {
  ContractionOperand a, b;
  mlir::Value d;
};

/// `type` with integers without a sign.
mlir::ShapedType getUnsigned(mlir::ShapedType type);

/// Whether an input of f32 is the same for all that is summed: then the sum is
/// one of the other input, and no product of parts is worth its while.
bool hasFactorOfSum(mlir::linalg::LinalgOp op);

/// Whether `op` multiplies and sums up over at least one dimension, in any
/// number of dimensions and any types: what the conversion must convert or
/// refuse.
bool isAnyContraction(mlir::linalg::LinalgOp op);

/// Checks that `op` adds to its output the products of two inputs, with
/// conversions that the matrix unit has. On failure `reason` says what does not
/// fit.
llvm::LogicalResult matchArithmetic(mlir::linalg::LinalgOp op,
                                    std::string &reason);

/// Reads `op` as a product of matrices, or of a batch of them, that tmm.matmul
/// can state; of f32 with `allowTf32` alone. On failure `reason` says what does
/// not fit.
mlir::FailureOr<Contraction> matchContraction(mlir::linalg::LinalgOp op,
                                              bool allowTf32,
                                              std::string &reason);

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOTMM_CONTRACTIONMATCH_H
