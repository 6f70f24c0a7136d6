//===- SmemTiles.h - tiles in shared memory ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tile in #sm90.smem is as a memref: its layout in slabs, of which TMA
// copies one at a time, and its place in a ring of slots.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TMMTILES_SMEMTILES_H
#define TC_CONVERSION_TMMTILES_SMEMTILES_H

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc {

/// Shared memory whose tiles have `order` and a swizzle of `bytes` bytes.
MemorySpaceAttrInterface getSmemSpace(mlir::MLIRContext *context,
                                      sm90::Order order, int64_t bytes);

/// The parts of a kernel that reads its operands from shared memory: copies by
/// TMA, and where their tiles are.
TileParts getSmemParts(mlir::MLIRContext *context, const TileRequest &request);

/// The role whose threads load the tiles that TMA does not.
RoleRequest getGatherRole(const TileParts &parts);

/// `request` with operands along K but for elements of `bits` bits, which alone
/// the unit reads along M and N, too: the loads turn the others.
TileRequest readAlongK(TileRequest request, int64_t bits);

/// Sets the roles and threads of a kernel whose accumulators are in registers:
/// `warps` that multiply and store, in `turns` instances, then those that load.
void setRegisterRoles(mlir::MLIRContext *context, TileParts &parts,
                      int64_t warps, int64_t turns = 1);

/// The layout of a tile in shared memory, and its TMA slabs; null if the tile
/// is elsewhere.
mlir::MemRefType getSmemTileType(tmm::BufferType buffer);

/// `tile`, which converts B of `op`, as the instructions read it, N x K: a view
/// of the same elements where `op` has a transposed B. Null where none has
/// them.
mlir::Value emitTileB(mlir::OpBuilder &builder, tmm::MmaOp op,
                      mlir::Value tile);

/// Bytes from one slot of such tiles in shared memory to the next, and the
/// alignment in bytes of a slot.
int64_t getSlotStride(mlir::MemRefType tile);
int64_t getSlotAlignment(mlir::MemRefType tile);

/// The number of parts that the CTAs that receive the tile of `op` load it in,
/// along the rows of its slabs.
int64_t getCopyParts(tmm::LoadOp op);

/// The box of TMA, and the shape in shared memory, of a tile of scale factors
/// in blocks: rows of blocks, and rows of 256 bytes, two for each block.
llvm::SmallVector<int64_t> getBlockedBox(tmm::BufferType buffer);

} // namespace tc

#endif // TC_CONVERSION_TMMTILES_SMEMTILES_H
