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

/// The tiles of a kernel, which its CTAs share out, and what the matrix unit
/// makes of them.
struct GridShape {
  /// Rows of a part, and parts of a CTA.
  int64_t rows, parts;
  /// CTAs of the grid at most.
  int64_t ctas;
  /// Batches whose tiles with as much work come one after the other; they
  /// divide all batches.
  int64_t group;
  /// Whether tiles differ in their work, so that CTAs count what is left
  /// instead of sharing tiles out evenly.
  bool counts;
  /// Registers of a thread of a role that stores, and of one of another role.
  int64_t ownRegisters, otherRegisters;
  /// The parts of the products that give scores.
  TileParts scores;

  /// Rows of a CTA.
  int64_t getRows() const { return rows * parts; }
};

/// Tiles of a kernel of tmm.attention; rows are queries.
struct AttentionShape : GridShape {
  /// Keys that a CTA reads at a time.
  int64_t keys;
  /// Columns of the tiles of Q and K, and of V and O: those of the operands,
  /// rounded up to what a swizzle repeats.
  int64_t columns, outColumns;
  /// Blocks of K and V that are on their way or read.
  int64_t stages;
  /// Columns of O that are stored at a time, and how many of them wait for it.
  int64_t storeColumns, storeStages;
  /// By how much the largest score that a row subtracts may be smaller than
  /// that of the blocks so far, in units of log2.
  double slack;
  /// The parts of the second product.
  TileParts sums;
};

/// A product of tiles: M x N, with K. B's tile has rows of `columns` columns,
/// along K with `isBKMajor`; `stored` columns of the result are stored at a
/// time.
struct AttentionProduct {
  int64_t m, n, k, columns, stored;
  bool isBKMajor;
};

/// What `unit` makes of `product`, of elements of type `element`, with results
/// that are stored as `out`. Emits an error at `op` where it has nothing.
mlir::FailureOr<TileParts> getAttentionParts(mlir::Operation *op,
                                             const MatrixUnitModel &unit,
                                             const AttentionProduct &product,
                                             mlir::Type element,
                                             mlir::Type out);

/// Columns of tiles are multiples of this.
inline constexpr int64_t kAttentionColumnStep = 16;
/// Blocks in shared memory, at most.
inline constexpr int64_t kMaxAttentionStages = 4;
/// Barriers beside tiles, at most, in bytes.
inline constexpr int64_t kAttentionBarrierBytes = 1024;
/// Registers of a thread of a role that multiplies itself, and of another one.
inline constexpr int64_t kMultiplyingRegisters = 240, kLoadingRegisters = 24;

/// Bytes of the swizzle of tiles of 16-bit elements with `columns` columns.
int64_t getAttentionSwizzle(int64_t columns);
/// Tiles with the most work come first. Those of as many of `batches` are mixed
/// for that as this returns: the `bytes` of each that they read, and read
/// again, stay in the L2 cache.
int64_t chooseAttentionGroup(int64_t batches, int64_t bytes);
/// Chooses `stages`, two at least, as far as `fits` says so; false where two do
/// not fit.
bool chooseAttentionStages(int64_t &stages, llvm::function_ref<bool()> fits);

/// Chooses the tiles of `op` for `chip`. Emits an error where there are none.
mlir::FailureOr<AttentionShape> chooseAttentionShape(AttentionOp op,
                                                     llvm::StringRef chip);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ATTENTION_ATTENTIONSHAPE_H
