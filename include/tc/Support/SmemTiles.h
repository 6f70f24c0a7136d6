//===- SmemTiles.h - tiles in shared memory as operands ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The predicates of SmemTiles.td, and what operations that access a row of a
// tile check alike.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_SMEMTILES_H
#define TC_SUPPORT_SMEMTILES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tc {

/// Whether `type` is a memref in workgroup memory.
bool isSmemMemRef(mlir::Type type);

/// Whether `type` is a matrix in workgroup memory of static shape, with the
/// layout of a tile (SmemTileLayoutInterface).
bool isSmemTile(mlir::Type type);

/// Checks that `op` can write `width` elements of a row of `tile`, whose layout
/// is in slabs, from `column` on.
mlir::LogicalResult verifyRowStore(mlir::Operation *op, mlir::MemRefType tile,
                                   int64_t column, int64_t width);

} // namespace tc

#endif // TC_SUPPORT_SMEMTILES_H
