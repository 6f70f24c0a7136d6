//===- AttentionHost.h - hosts of kernels of attention ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: what the hosts of kernels of attention and of its
// gradients have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ATTENTION_ATTENTIONHOST_H
#define TC_LIB_KERNELS_ATTENTION_ATTENTIONHOST_H

#include "AttentionGrid.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

namespace tc::tmm {

/// Coordinates have 32 bits, and sums of two of them, too.
inline constexpr int64_t kMaxAttentionRows =
    std::numeric_limits<int32_t>::max() / 4;
/// Dimensions of a batch: coordinates of tensor maps.
inline constexpr unsigned kMaxAttentionBatchRank = 3;

/// The sizes of attention, index, on the host.
struct AttentionSizes {
  mlir::Value queries, keys;
  /// Those of the batch of Q, and of K.
  llvm::SmallVector<mlir::Value> batch, shared;
};

/// A kernel whose tiles are rows of Q, or of K.
class AttentionHost : public TileKernel {
public:
  int64_t getThreads() const override { return getGrid().scores.threads; }
  unsigned getPTXVersion() const override {
    return getGrid().scores.ptxVersion;
  }
  llvm::SmallVector<mlir::Type> getArgumentTypes() const override;
  mlir::Value emitWork(mlir::OpBuilder &host) override;
  llvm::SmallVector<mlir::Value> emitOperands(mlir::OpBuilder &host,
                                              mlir::gpu::GPUFuncOp) override;
  llvm::SmallVector<mlir::Value> emitGrid(mlir::OpBuilder &host) override;

protected:
  using Value = mlir::Value;

  explicit AttentionHost(mlir::Operation *op) : root(op), loc(op->getLoc()) {}

  virtual const GridShape &getGrid() const = 0;

  /// Notes the `sizes`, and in `form` what is known of them. Tiles are of the
  /// keys with `isOfKeys`, else of the queries.
  void setSizes(mlir::OpBuilder &host, AttentionSizes sizes, bool isOfKeys,
                std::optional<int64_t> diagonal, std::optional<int64_t> window,
                GridForm &form);
  /// Checks `condition` here, or on the host.
  mlir::LogicalResult require(mlir::OpBuilder &host, Value condition,
                              const llvm::Twine &what);
  /// Checks that sizes are coordinates and that batches divide.
  mlir::LogicalResult requireBatch(mlir::OpBuilder &host, unsigned dim);
  mlir::LogicalResult requireRows(mlir::OpBuilder &host);
  Value constant(mlir::OpBuilder &host, int64_t value) {
    return mlir::arith::ConstantIndexOp::create(host, loc, value);
  }
  Value equal(mlir::OpBuilder &host, Value a, Value b) {
    return host.createOrFold<mlir::arith::CmpIOp>(
        loc, mlir::arith::CmpIPredicate::eq, a, b);
  }

  mlir::Operation *root;
  mlir::Location loc;
  AttentionSizes sizes;
  llvm::SmallVector<Value> shares;
  /// What the launch passes as matrices.
  llvm::SmallVector<Value> views;

private:
  /// The rows that tiles are of, and their batch.
  Value rows;
  llvm::SmallVector<Value> rowBatch;
  /// The sizes that are not constants.
  llvm::SmallVector<Value> dynamic;
};

/// Refuses tensors, and batches of more than `kMaxAttentionBatchRank`
/// dimensions.
mlir::LogicalResult checkAttentionOperands(mlir::Operation *op,
                                           unsigned batchRank);

/// `memref` with a last dimension of 1 element, at `host`.
mlir::Value addColumn(mlir::OpBuilder &host, mlir::Location loc,
                      mlir::Value memref);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ATTENTION_ATTENTIONHOST_H
