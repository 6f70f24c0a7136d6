//===- BlockedOperands.h - factors and metadata of a kernel -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to tmm-tile: the operands that come in blocks, scale factors and the
// metadata of a sparse A, on their way to where the matrix unit reads them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_MATMUL_BLOCKEDOPERANDS_H
#define TC_LIB_KERNELS_MATMUL_BLOCKEDOPERANDS_H

#include "TileProgram.h"

#include <functional>

namespace tc::tmm {

/// What a K-block has of an operand that comes in blocks.
struct BlockedPart {
  mlir::Value source;
  /// Its first row, and its rows and columns.
  mlir::Value first;
  int64_t rows, columns;
  /// Where it arrives, and where the unit reads it.
  MemorySpaceAttrInterface arrives, isRead;
};

/// Emits what a kernel does with `operands`, its arguments of that kind: scale
/// factors of A and B, then metadata.
class BlockedOperands {
public:
  using BatchIndices =
      std::function<llvm::SmallVector<mlir::Value>(mlir::Value, unsigned)>;

  /// `batchIndicesOf` gives the indices of the current tile in the batch
  /// dimensions of a matrix with so many dimensions after them.
  BlockedOperands(mlir::OpBuilder &builder, mlir::Location loc,
                  TileProblem &problem, llvm::ArrayRef<mlir::Value> operands,
                  BatchIndices batchIndicesOf)
      : b(builder), loc(loc), problem(problem), operands(operands),
        batchIndicesOf(std::move(batchIndicesOf)) {}

  /// What there is for the rows of A from `row` and all columns of B from `col`
  /// on, where D has `m` rows.
  llvm::SmallVector<BlockedPart> getParts(mlir::Value row, mlir::Value col,
                                          mlir::Value m);
  /// Loads `parts` of K-block `block`. Returns the buffers.
  llvm::SmallVector<mlir::Value, 3> emitLoads(llvm::ArrayRef<BlockedPart> parts,
                                              mlir::Value block,
                                              uint64_t stages);
  /// Copies what was `loaded` of `parts` to where the unit reads it.
  llvm::SmallVector<mlir::Value, 3>
  emitCopies(llvm::ArrayRef<BlockedPart> parts,
             llvm::ArrayRef<mlir::Value> loaded);

private:
  mlir::Value constant(int64_t value);

  mlir::OpBuilder &b;
  mlir::Location loc;
  TileProblem &problem;
  llvm::ArrayRef<mlir::Value> operands;
  BatchIndices batchIndicesOf;
};

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_MATMUL_BLOCKEDOPERANDS_H
