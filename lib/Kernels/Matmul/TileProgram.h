//===- TileProgram.h - the kernel of a matmul -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: what a kernel needs of its matmul, and the tile
// program that computes it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_MATMUL_TILEPROGRAM_H
#define TC_LIB_KERNELS_MATMUL_TILEPROGRAM_H

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::tmm {

/// Whether the kernel takes extra operand `extra`: constants become part of it,
/// and D is an argument already.
bool isKernelOperand(MatmulOp op, mlir::Value extra);

/// What the kernel needs of the problem, with the sizes as the host sees them.
struct TileProblem {
  MatmulOp op;
  ConfigAttr config;
  mlir::Value m, n, k; // index, on the host
  /// The same, sizes of the batch dimensions of D.
  llvm::SmallVector<mlir::Value> batch;
  int64_t tileM, tileN, tileK;
  /// CTAs that execute a matrix instruction as one, along M.
  int64_t span;
  /// CTAs of a cluster along M (those of a span among them) and N.
  int64_t clusterM, clusterN;
  /// What the matrix unit makes of it.
  TileParts parts;
  /// Whether threads have registers for matrices of the epilogue that they load
  /// while they compute the columns before, and for the first of them while the
  /// tile is multiplied.
  bool fetchesAhead = false, fetchesEarly = false;

  int64_t clusterCtas() const { return clusterM * clusterN; }
  /// Rows of a tile that one CTA holds.
  int64_t rows() const { return tileM / span; }
  /// Rows and columns of D that a cluster computes together.
  int64_t clusterRows() const { return rows() * clusterM; }
  int64_t clusterCols() const { return tileN * clusterN; }
  /// The CTAs of a cluster with the same place in the dimensions that are not
  /// `along`: 0, within a span; 1, along M; 2, along N. Null for each alone.
  AgentSetAttrInterface getCtas(int64_t along) const;
  /// The same for copies by `by`: what threads load they load for their CTA.
  AgentSetAttrInterface getTargets(EngineAttrInterface by,
                                   int64_t along) const {
    return by == parts.load ? getCtas(along) : AgentSetAttrInterface();
  }
  /// What loads tiles of A and of B.
  EngineAttrInterface getLoadA() const { return getLoad(config.getLoadA()); }
  EngineAttrInterface getLoadB() const { return getLoad(config.getLoadB()); }
  /// What tells CTAs their next work; null where they compute it.
  EngineAttrInterface getWorkEngine() const;
  /// Whether that counts the work in memory of its own.
  bool countsWork() const;

private:
  EngineAttrInterface getLoad(std::optional<LoadEngine> load) const;
};

/// Emits the body of `kernel`, whose arguments are the matrices of `problem`,
/// the operands of its epilogue, its scale factors, the rows of its problems,
/// its dynamic sizes and its counter of work.
void emitTileProgram(mlir::OpBuilder &builder, TileProblem &problem,
                     mlir::gpu::GPUFuncOp kernel);

/// A K-block whose product threads add to sums of their own.
struct Promotion {
  /// Where the tile begins, and the number of the block.
  mlir::Value row, col, block;
  /// N.
  mlir::Value n;
  /// The factors of A and of B: a vector along M and along N for each block of
  /// K, with indices of the batch before it.
  llvm::ArrayRef<mlir::Value> scales;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>, 2> batch;
  /// The factors of the rows; and of the columns, as far as these have one, or
  /// the first and the last of them two.
  mlir::Value ofA;
  llvm::SmallVector<mlir::Value, 2> ofB;

  llvm::SmallVector<mlir::Value> getFactors() const {
    llvm::SmallVector<mlir::Value> factors = {ofA};
    factors.append(ofB.begin(), ofB.end());
    return factors;
  }
  /// Replaces as many as there are.
  void setFactors(mlir::ValueRange factors) {
    ofA = factors.front();
    ofB.assign(factors.begin() + 1, factors.end());
  }
};

/// Emits the loads of the factors of `promotion`, which are on their way while
/// the unit multiplies what comes after them.
void emitFactors(mlir::OpBuilder &builder, const TileProblem &problem,
                 Promotion &promotion);

/// Emits `sums`, a register tile, with `product` times the factors of its block
/// added: an accumulator in memory, or a register tile.
mlir::Value emitPromotion(mlir::OpBuilder &builder, const TileProblem &problem,
                          const Promotion &promotion, mlir::Value product,
                          mlir::Value sums);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_MATMUL_TILEPROGRAM_H
