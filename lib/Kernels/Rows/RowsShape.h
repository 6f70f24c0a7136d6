//===- RowsShape.h - who holds which part of which rows ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile of a kernel of rows and the threads that hold it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ROWS_ROWSSHAPE_H
#define TC_LIB_KERNELS_ROWS_ROWSSHAPE_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc::tmm {

/// The tile of a CTA.
struct RowsShape {
  /// Its rows, and columns. A row that has more is read tile by tile.
  int64_t rows, columns;
  ThreadRowsAttr layout;
  /// Whether each reduction fetches the row again, from the L1 cache: registers
  /// for two CTAs hold it as it is in memory, but not what is computed of it.
  bool fetchesAgain = false;
  /// Whether what is read leaves no line in the L1 cache. On an H200 rows that
  /// are only reduced take 7 % less time so, and CTAs of 1,024 threads up to
  /// 10 % less; others, which write as much as they read, 4 % more.
  bool readsNontemporal = false;
  /// Of a square: whether the columns of one operand are only added up, so that
  /// loads are unrolled until registers are scarce.
  bool onlyReducesOne = false;

  /// CTAs that a multiprocessor must have registers for; 0: any number is well.
  int64_t getCtas() const {
    if (onlyReducesOne)
      return 4;
    return getThreads() == 512 || fetchesAgain ? 2 : 0;
  }
  int64_t getThreads() const { return layout.getThreads({rows, columns}); }
};

/// What `op` is computed with. A function of the numbers of rows and columns,
/// as far as they are static, and of the types alone: so are the bits of its
/// sums.
/// Where operands have rows and columns exchanged in memory (`isTransposed`), a
/// square, so that threads read both along memory.
RowsShape chooseRowsShape(RowsOp op, bool isTransposed);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ROWS_ROWSSHAPE_H
