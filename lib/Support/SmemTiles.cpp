//===- SmemTiles.cpp - tiles in shared memory as operands -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/SmemTiles.h"

#include "tc/Support/Interfaces.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

bool tc::isSmemMemRef(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref);
}

bool tc::isSmemTile(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 2 && memref.hasStaticShape() &&
         isa<SmemTileLayoutInterface>(memref.getLayout()) &&
         isSmemMemRef(memref);
}

LogicalResult tc::verifyRowStore(Operation *op, MemRefType tile, int64_t column,
                                 int64_t width) {
  // sm90_smem_store_c1, sm80_cp_async_c1, sm90_stmatrix_c1
  auto layout = dyn_cast<SmemTileLayoutInterface>(tile.getLayout());
  if (!layout || tile.getRank() != 2)
    return op->emitOpError() << "expected a tile in slabs, got " << tile;
  // sm90_smem_store_c1, sm80_cp_async_c1, sm90_stmatrix_c1
  if (Type element = tile.getElementType();
      element.isIntOrFloat() &&
      element.getIntOrFloatBitWidth() != layout.getElementBits())
    return op->emitOpError() << "expected the layout of tile to have bits = "
                             << element.getIntOrFloatBitWidth() << ", those of "
                             << element << ", got " << layout.getElementBits();
  // sm90_smem_store_c3, sm80_cp_async_c3, sm90_stmatrix_c3
  int64_t length = tile.getDimSize(layout.getContiguousDim());
  if (column % width != 0 || column > length - width)
    return op->emitOpError()
           << "expected a column that is a multiple of " << width << " up to "
           << length - width << ", got " << column;
  return success();
}
