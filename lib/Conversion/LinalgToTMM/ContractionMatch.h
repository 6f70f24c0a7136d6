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

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>

namespace tc {

/// D[m, n] += sum over k of A[m, k] * B[k, n], with the rows of D as m.
struct Contraction {
  mlir::Value a, b, d;
  /// A is stored K x M.
  bool transposeA;
  /// B is stored N x K.
  bool transposeB;
};

/// Whether `op` multiplies and sums up over at least one dimension, in any
/// number of dimensions and any types: what the conversion must convert or
/// refuse.
bool isAnyContraction(mlir::linalg::LinalgOp op);

/// Reads `op` as a product of two matrices that tmm.matmul can state. On
/// failure `reason` says what does not fit.
mlir::FailureOr<Contraction> matchContraction(mlir::linalg::LinalgOp op,
                                              std::string &reason);

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOTMM_CONTRACTIONMATCH_H
