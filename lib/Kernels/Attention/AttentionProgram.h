//===- AttentionProgram.h - the kernel of attention -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: the tile program of tmm.attention.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ATTENTION_ATTENTIONPROGRAM_H
#define TC_LIB_KERNELS_ATTENTION_ATTENTIONPROGRAM_H

#include "AttentionShape.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::tmm {

/// A kernel as its host passes it: the matrices, sizes that are dynamic, and,
/// where CTAs count their work, the counter.
struct AttentionForm {
  AttentionShape shape;
  /// Queries, keys and sizes of the batch of Q; where they are dynamic the
  /// kernel has arguments for them after the matrices, i32.
  int64_t queries, keys;
  llvm::SmallVector<int64_t> batch;
  /// Row i sees the keys j <= i + `diagonal` and j > i + `after`, as far as
  /// these are given; neither is larger than coordinates are.
  std::optional<int64_t> diagonal, after;
  /// How many of the batch of Q share one of K, in each dimension; where it is
  /// dynamic an argument follows.
  llvm::SmallVector<int64_t> shares;
};

/// Emits the body of `kernel`, which computes `op`.
void emitAttentionProgram(mlir::OpBuilder &builder, AttentionOp op,
                          const AttentionForm &form,
                          mlir::gpu::GPUFuncOp kernel);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ATTENTION_ATTENTIONPROGRAM_H
