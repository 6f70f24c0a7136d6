//===- BackwardShape.h - tiles of the gradients -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: what a CTA holds of the operands of
// tmm.attention_backward.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ATTENTION_BACKWARDSHAPE_H
#define TC_LIB_KERNELS_ATTENTION_BACKWARDSHAPE_H

#include "AttentionShape.h"

namespace tc::tmm {

/// Tiles of a kernel of tmm.attention_backward. Its rows are queries for dq,
/// keys for dk and dv; it reads blocks of the others.
struct BackwardShape : GridShape {
  /// Keys, or queries, that a CTA reads at a time, and how many such blocks are
  /// on their way or read.
  int64_t block, stages;
  /// Columns of the tiles of Q and K, and of V: those of the operands, rounded
  /// up to what a swizzle repeats.
  int64_t columns, outColumns;
  /// The parts of dP, of the sums with columns of Q and of those of V.
  TileParts products, byQ, byV;
};

/// Columns of an output with `columns` that are stored at a time.
int64_t getStoredColumns(int64_t columns);

/// Chooses the tiles of `op`, which has outputs of one kernel, for `chip`.
/// Emits an error where there are none.
mlir::FailureOr<BackwardShape> chooseBackwardShape(AttentionBackwardOp op,
                                                   llvm::StringRef chip);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ATTENTION_BACKWARDSHAPE_H
