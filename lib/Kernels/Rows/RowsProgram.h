//===- RowsProgram.h - the kernel of rows -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile program of tmm.rows.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ROWS_ROWSPROGRAM_H
#define TC_LIB_KERNELS_ROWS_ROWSPROGRAM_H

#include "RowsShape.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::tmm {

/// What of the iteration space an operand has, in the order of the dimensions
/// of its memref: numbers of leading dimensions, then the row, then the column,
/// or, where it is transposed, the column and the row.
struct RowsOperand {
  llvm::SmallVector<unsigned> batch;
  bool hasRow = false, hasColumn = false, isTransposed = false;
  /// Whether it is a part only along that, and what is added to a place.
  struct Piece {
    bool isPiece = false;
    int64_t offset = 0;
  } row, column;
};

/// A kernel of rows as its host passes it: memrefs whose dimensions are those
/// of the operands, and sizes.
struct RowsKernelForm {
  RowsShape shape;
  llvm::SmallVector<RowsOperand> operands;
  /// Sizes of the leading dimensions, of rows and of columns; where they are
  /// dynamic the kernel has arguments for them after those of operands.
  llvm::SmallVector<int64_t> batch;
  int64_t rows, columns;
  /// Whether the grid counts tiles of columns, too: without a reduction nothing
  /// connects them.
  bool countsColumns;
  /// What each dimension of the op is: the number of a leading one, or of the
  /// row or the column, which come after these.
  llvm::SmallVector<unsigned> places;
  /// Of the chip; 0: it is not known, or rows are not prefetched on it.
  int64_t multiprocessors = 0;
};

/// Emits the body of `kernel`, which computes `op`.
void emitRowsProgram(mlir::OpBuilder &builder, RowsOp op,
                     const RowsKernelForm &form, mlir::gpu::GPUFuncOp kernel);

/// What there is to say of the kernel of `op`.
std::unique_ptr<ConfigExplanation> explainRows(RowsOp op,
                                               const RowsKernelForm &form);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ROWS_ROWSPROGRAM_H
