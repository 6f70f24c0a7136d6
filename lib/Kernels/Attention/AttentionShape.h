//===- AttentionShape.h - tiles of attention --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: what a CTA holds of the operands of tmm.attention.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ATTENTION_ATTENTIONSHAPE_H
#define TC_LIB_KERNELS_ATTENTION_ATTENTIONSHAPE_H

#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc::tmm {

/// Queries of a part: those of two warpgroups, or of the lanes of Tensor
/// Memory.
inline constexpr int64_t kAttentionRows = 128;

/// Tiles of a kernel, and what the matrix unit makes of them.
struct AttentionShape {
  /// Queries of a part, and parts of a CTA; keys that it reads at a time.
  int64_t rows, parts, keys;
  /// Columns of the tiles of Q and K, and of V and O: those of the operands,
  /// rounded up to what a swizzle repeats.
  int64_t columns, outColumns;
  /// Blocks of K and V that are on their way or read.
  int64_t stages;
  /// Columns of O that are stored at a time, and how many of them wait for it.
  int64_t storeColumns, storeStages;
  /// CTAs of the grid at most.
  int64_t ctas;
  /// Batches whose tiles with as many keys come one after the other; they
  /// divide all batches.
  int64_t group;
  /// Whether tiles differ in the keys that they see, so that CTAs count what is
  /// left instead of sharing tiles out evenly.
  bool counts;
  /// Registers of a thread of a role that stores, and of one of another role.
  int64_t ownRegisters, otherRegisters;
  /// By how much the largest score that a row subtracts may be smaller than
  /// that of the blocks so far, in units of log2.
  double slack;
  /// The parts of both products.
  TileParts scores, sums;

  /// Queries of a CTA.
  int64_t getRows() const { return rows * parts; }
};

/// Chooses the tiles of `op` for `chip`. Emits an error where there are none.
mlir::FailureOr<AttentionShape> chooseAttentionShape(AttentionOp op,
                                                     llvm::StringRef chip);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ATTENTION_ATTENTIONSHAPE_H
