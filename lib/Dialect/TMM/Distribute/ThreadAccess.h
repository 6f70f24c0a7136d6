//===- ThreadAccess.h - a thread's part of a matrix -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores of the elements of a register tile that one thread holds, by
// the layout of the tile.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_DISTRIBUTE_THREADACCESS_H
#define TC_LIB_DIALECT_TMM_DISTRIBUTE_THREADACCESS_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc::tmm {

/// What the executing thread holds by `layout` of the tile of type `tile` that
/// `op` reads; zero outside of the matrix. Emitted at the insertion point of
/// `builder`.
mlir::Value emitThreadFetch(mlir::OpBuilder &builder, FetchOp op,
                            mlir::VectorType tile,
                            RegisterLayoutAttrInterface layout);

/// The elements of the rows of `op`, whose result is `tile` in `layout`, at the
/// places that a thread holds.
mlir::Value emitThreadGather(mlir::OpBuilder &builder, GatherOp op,
                             mlir::VectorType tile,
                             RegisterLayoutAttrInterface layout);

/// Has the executing thread ask for the lines of the cache in which it would
/// hold elements of the tile of `op`.
void emitThreadPrefetch(mlir::OpBuilder &builder, PrefetchOp op,
                        RegisterLayoutAttrInterface layout);

/// Stores `value`, what the executing thread holds by `layout` of the tile of
/// `shape` that `op` writes.
void emitThreadStore(mlir::OpBuilder &builder, StoreOp op, mlir::Value value,
                     llvm::ArrayRef<int64_t> shape,
                     RegisterLayoutAttrInterface layout);

/// What the executing thread holds of the result of `op` on a tile of `shape`,
/// of which `value` is what it holds.
mlir::Value emitThreadConvert(mlir::OpBuilder &builder, ConvertLayoutOp op,
                              mlir::Value value, llvm::ArrayRef<int64_t> shape);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_DISTRIBUTE_THREADACCESS_H
