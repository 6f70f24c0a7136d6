//===- TMMAttrInterfaces.h - attribute interfaces ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes ask of attributes that any dialect may define, and the values
// that pass between them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMATTRINTERFACES_H
#define TC_DIALECT_TMM_IR_TMMATTRINTERFACES_H

#include "mlir/IR/Builders.h"

namespace tc::tmm {

/// The tiles that a scheduler deals. Values are i32 and not negative.
struct TileSpace {
  /// Extents of the problem in elements.
  mlir::Value m, n, k;
  /// The number of problems of that size; null: one.
  mlir::Value batch;
  /// M, N and K of a tile in elements.
  llvm::ArrayRef<int64_t> tile;
  /// CTAs with consecutive numbers that share each work item.
  int64_t ctas;
  /// Memory that the kernel only reads, an i32 for each problem: where the rows
  /// end that the problem has of its M. Null: each has all of them.
  mlir::Value rows = {};
  /// Whether they begin where those of the problem before end; else at 0.
  bool stacked = false;
};

/// What a valid work item is about. Values are i32.
struct WorkItem {
  /// The first row and the first column of the output tile, in elements.
  mlir::Value row, col;
  /// The row after the last one of the problem.
  mlir::Value end;
  /// The number of the problem among those of the batch.
  mlir::Value problem;
  /// The first K-block and the number of them, >= 0.
  mlir::Value firstBlock, blockCount;
};

} // namespace tc::tmm

#include "tc/Dialect/TMM/IR/TMMAttrInterfaces.h.inc"

#endif // TC_DIALECT_TMM_IR_TMMATTRINTERFACES_H
