//===- TileEpilogue.h - what becomes of the sums of a tile ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_MATMUL_TILEEPILOGUE_H
#define TC_LIB_KERNELS_MATMUL_TILEEPILOGUE_H

#include "TileProgram.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/IR/Builders.h"

#include <functional>

namespace tc::tmm {

/// Emits the epilogue of a tile.
class TileEpilogue {
public:
  /// What it reads and writes, as arguments of the kernel.
  struct Operands {
    mlir::Value d;
    /// What is written beside D; null: is not.
    mlir::Value scaleD, amax;
    /// The extra operands; null where they are not passed.
    llvm::ArrayRef<mlir::Value> extras;
    /// M and N.
    mlir::Value m, n;
    /// The row after the last one that the tile's problem has; null: M.
    mlir::Value end = {};
  };
  /// The indices of the tile in the batch dimensions of a matrix that has so
  /// many dimensions after them.
  using GetBatchIndices =
      std::function<llvm::SmallVector<mlir::Value>(mlir::Value, unsigned)>;

  TileEpilogue(mlir::OpBuilder &builder, mlir::Location loc,
               TileProblem &problem, const Operands &operands,
               GetBatchIndices getBatchIndices)
      : b(builder), loc(loc), problem(problem), d(operands.d),
        scaleD(operands.scaleD), amax(operands.amax), m(operands.m),
        n(operands.n), end(operands.end), extras(operands.extras),
        getBatchIndices(std::move(getBatchIndices)) {}

  /// What the first columns of the tile at `row` and `col` need of the
  /// matrices, one register tile for each.
  llvm::SmallVector<mlir::Value> emitFetches(mlir::Value row, mlir::Value col);

  /// The epilogue of the tile at `row` and `col`, whose sums are `acc`, an
  /// accumulator in memory or a register tile, if `written`, else zeros.
  /// `first`: what emitFetches has loaded, or nothing.
  void emit(mlir::Value acc, mlir::Value row, mlir::Value col,
            mlir::Value written, mlir::ValueRange first);

private:
  mlir::Value constant(int64_t value);
  bool isMatrix(unsigned index);
  mlir::VectorType tileType(mlir::Type element);
  llvm::SmallVector<bool> getInside();
  RegisterLayoutAttrInterface getFetchLayout(mlir::Type element);
  mlir::Value emitFetch(mlir::Value source, unsigned rank, mlir::Value row,
                        mlir::Value col);
  void emitPrefetches(mlir::Value row, mlir::Value col, int64_t width);
  mlir::Value emitFetched(mlir::Value tile);
  llvm::SmallVector<mlir::Value>
  emitExtras(mlir::Value row, mlir::Value col,
             llvm::ArrayRef<mlir::Value> fetched);
  llvm::SmallVector<mlir::Value>
  emitRegion(mlir::Value sum, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value emitColumns(mlir::Value acc, mlir::Value row, mlir::Value target,
                          mlir::Value column, mlir::Value written,
                          mlir::Value largest,
                          llvm::ArrayRef<mlir::Value> fetched);
  mlir::Value emitLargest(mlir::Value tile, mlir::Value row, mlir::Value col,
                          llvm::ArrayRef<bool> inside, mlir::Value largest);
  void emitOutput(mlir::Value tile, mlir::Value row, mlir::Value col,
                  llvm::ArrayRef<bool> inside);
  void emitStore(mlir::Value tile, mlir::Value row, mlir::Value col,
                 llvm::ArrayRef<bool> inside);
  void emitThreadStore(mlir::Value tile, mlir::Value row, mlir::Value col,
                       llvm::ArrayRef<bool> inside, mlir::Value until);

  mlir::OpBuilder &b;
  mlir::Location loc;
  TileProblem &problem;
  mlir::Value d, scaleD, amax, m, n, end;
  llvm::ArrayRef<mlir::Value> extras;
  GetBatchIndices getBatchIndices;
};

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_MATMUL_TILEEPILOGUE_H
