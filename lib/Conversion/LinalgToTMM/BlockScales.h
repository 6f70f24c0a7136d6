//===- BlockScales.h - operands and results with scale factors --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg writes block scales as arithmetic on a matrix of which rows and
// columns are expanded: row r is (r / 128, r mod 128 / 32, r mod 32), column c
// is (c / 4V, c mod 4V / V, c mod V), and the factor of a block is read at (r /
// 128, c / 4V, r mod 32, r mod 128 / 32, c mod 4V / V), where tmm.matmul has
// it. Factors of f32 are plain matrices: column c is (c / 128, c mod 128), row
// r is r, or (r / 128, r mod 128) where 128 rows share one, and the factor is
// read at (r, c / 128) or (r / 128, c / 128). Plain factors of fewer bits are
// read at (r, c / V), column c being (c / V, c mod V); they are put into blocks
// first.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOTMM_BLOCKSCALES_H
#define TC_LIB_CONVERSION_LINALGTOTMM_BLOCKSCALES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <string>

namespace tc {

/// A matrix as elements, adjacent along its columns, and their scale factors.
struct ScaledMatrix {
  mlir::Value elements, scales;
  /// Columns that share a factor.
  int64_t block;
  /// Rows that share a factor of f32; 0: factors of fewer bits.
  int64_t rows = 0;
  /// Factors of fewer bits are a plain matrix, not in blocks of 128 x 4.
  bool isPlain = false;
};

/// Whether `matrix` is computed by an operation that expanded rows and columns.
bool isExpandedArithmetic(mlir::Value matrix);

/// Reads `matrix`, a tensor of f32, as elements times their scale factors. On
/// failure `reason` says what does not fit.
mlir::FailureOr<ScaledMatrix> matchScaledMatrix(mlir::Value matrix,
                                                std::string &reason);

/// The type of the factors `plain` in blocks.
mlir::RankedTensorType getScaleBlocksType(mlir::Type plain);
/// The factors `plain`, a row for each row of a matrix, in blocks of 128 x 4 as
/// tmm.matmul reads them: an operation that becomes a kernel before the
/// product. What fills up the blocks repeats factors of the matrix.
mlir::Value emitScaleBlocks(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value plain);

/// Fuses what divides blocks of a product by scale factors of their largest
/// elements into the product.
void populateFuseQuantizationPatterns(mlir::RewritePatternSet &patterns);

/// Says in a remark why `op`, which divides blocks of a product, was not fused;
/// nothing for other operations.
void explainUnfusedQuantization(mlir::linalg::GenericOp op);

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOTMM_BLOCKSCALES_H
