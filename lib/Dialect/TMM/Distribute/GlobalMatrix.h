//===- GlobalMatrix.h - matrices that threads access ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a memref in global memory tells of its extents and of the alignment of
// its rows.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_DISTRIBUTE_GLOBALMATRIX_H
#define TC_LIB_DIALECT_TMM_DISTRIBUTE_GLOBALMATRIX_H

#include "mlir/IR/Builders.h"

namespace tc::tmm {

/// A matrix that threads read and write directly, or a vector, whose elements
/// are its columns.
struct GlobalMatrix {
  /// Rank 2 or 1 after the dimensions of a batch, in global memory.
  mlir::Value memref;
  /// Extents in elements, i32; a vector has no rows.
  mlir::Value rows, cols;
  /// Where rows start that is not known when compiling: strides and the offset
  /// in elements, i32, or'ed; low bits count. Null if all are known.
  mlir::Value starts;
  /// What divides the number of columns and the elements before each row,
  /// as far as is known when compiling.
  int64_t divisor;
  /// What divides the elements before each row, not counting `starts`.
  int64_t startDivisor;
  /// Whether the elements of a row are next to each other.
  bool isAdjacent;
};

/// The facts of `memref`, whose last dimension (a vector) or last two are those
/// of the matrix. Sizes and strides that the type does not have are those of
/// the memref.reinterpret_cast that made it, else its metadata; what has to be
/// computed is computed after the definition of `memref`.
GlobalMatrix getGlobalMatrix(mlir::OpBuilder &builder, mlir::Value memref,
                             bool isVector);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_DISTRIBUTE_GLOBALMATRIX_H
