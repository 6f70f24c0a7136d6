//===- ThreadQuantize.h - a thread's part of quantised rows -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the threads do for outputs beside D: factors of blocks of a row, stores
// of them, and the largest of a tile.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_DISTRIBUTE_THREADQUANTIZE_H
#define TC_LIB_DIALECT_TMM_DISTRIBUTE_THREADQUANTIZE_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc::tmm {

/// What a thread holds of both results of a tmm.quantize.
struct ThreadQuantized {
  mlir::Value elements, scales;
};

/// The part of `op` of a thread that holds rows by `layout`, or parts of rows
/// in whole blocks, of a tile of `shape`; the tile of `op` is what the thread
/// holds already.
ThreadQuantized emitThreadQuantize(mlir::OpBuilder &builder, QuantizeOp op,
                                   llvm::ArrayRef<int64_t> shape,
                                   RegisterLayoutAttrInterface layout);

/// Stores `value`, what the executing thread holds by `layout` of the tile of
/// factors of `shape` that `op` writes.
void emitThreadScaleStore(mlir::OpBuilder &builder, StoreOp op,
                          mlir::Value value, llvm::ArrayRef<int64_t> shape,
                          RegisterLayoutAttrInterface layout);

/// What the thread holds by `layout` of the result of `op` on a tile of
/// `shape`.
mlir::Value emitThreadCrop(mlir::OpBuilder &builder, CropOp op,
                           llvm::ArrayRef<int64_t> shape,
                           RegisterLayoutAttrInterface layout);

/// Reduces what the threads of a warp hold by `layout` of the tile of `shape`
/// of `op`; one of them writes.
void emitThreadAtomicMax(mlir::OpBuilder &builder, AtomicMaxOp op,
                         llvm::ArrayRef<int64_t> shape,
                         RegisterLayoutAttrInterface layout);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_DISTRIBUTE_THREADQUANTIZE_H
