//===- ThreadReduce.h - a thread's part of reduced rows ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions along the rows of register tiles, and their opposite.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_DISTRIBUTE_THREADREDUCE_H
#define TC_LIB_DIALECT_TMM_DISTRIBUTE_THREADREDUCE_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::tmm {

/// Why the threads of `op` in `kernel`, which hold tiles in `layout`, cannot
/// exchange what they hold; empty: they can.
std::string explainBadExchange(mlir::Operation *op,
                               RegisterLayoutAttrInterface layout,
                               mlir::gpu::GPUFuncOp kernel);

/// The values of the rows that a thread holds of the tile of `shape` that `op`
/// reduces; the tile of `op` is what the thread holds already. May give
/// `kernel` shared memory.
mlir::Value emitThreadReduce(mlir::OpBuilder &builder, ReduceOp op,
                             llvm::ArrayRef<int64_t> shape,
                             mlir::gpu::GPUFuncOp kernel);

/// What a thread holds of the transposed tile of `shape`, of which it holds
/// that of `op` already. Gives `kernel` shared memory.
mlir::Value emitThreadTranspose(mlir::OpBuilder &builder, TransposeOp op,
                                llvm::ArrayRef<int64_t> shape,
                                mlir::gpu::GPUFuncOp kernel);

/// What a thread holds of the result, a tile of `shape`.
mlir::Value emitThreadBroadcast(mlir::OpBuilder &builder, BroadcastOp op,
                                llvm::ArrayRef<int64_t> shape);
mlir::Value emitThreadPositions(mlir::OpBuilder &builder, PositionsOp op,
                                llvm::ArrayRef<int64_t> shape);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_DISTRIBUTE_THREADREDUCE_H
