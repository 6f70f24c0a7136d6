//===- TileOps.h - ops on tiles that units share ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the conversions of all matrix units of kernels with TMA have in common:
// copies, requests for work, dependent launches, tiles in shared memory. A unit
// adds its own multiplication and memory.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TMMTILES_TILEOPS_H
#define TC_CONVERSION_TMMTILES_TILEOPS_H

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tc {

/// Distances within shared memory have 18 bits and no sign.
inline constexpr auto kNoWrap = mlir::arith::IntegerOverflowFlags::nsw |
                                mlir::arith::IntegerOverflowFlags::nuw;

/// Emits `body` for the one thread that issues an op of one thread: of the CTA
/// or role, or of the first of the CTAs `span`. In an elected role there is no
/// other.
void emitIssue(mlir::OpBuilder &builder, mlir::Location loc,
               AgentSetAttrInterface span,
               llvm::function_ref<void(mlir::OpBuilder &)> body);

/// The same for a value of `type` that `body` returns: it is there in that
/// thread.
mlir::Value
emitIssueOf(mlir::OpBuilder &builder, mlir::Location loc,
            AgentSetAttrInterface span, mlir::Type type,
            llvm::function_ref<mlir::Value(mlir::OpBuilder &)> body);

/// Where the slot with number `index` (i32) starts in the storage of `op`,
/// whose slots are `distance` apart.
mlir::OpFoldResult emitSlotPlace(mlir::OpBuilder &builder, tmm::TileSlotOp op,
                                 mlir::Value index, int64_t distance);

/// The storage that `op` shares memory with and that is over no other.
tmm::StorageOp getFirstStorage(tmm::StorageOp op);

/// The memory from `bytes` bytes, and `more` (index) if it is given, after the
/// start of `view` on, as `type`.
mlir::Value emitPart(mlir::OpBuilder &builder, mlir::Location loc,
                     sm90::SmemViewOp view, mlir::MemRefType type,
                     int64_t bytes, mlir::Value more = mlir::Value());

/// Adds what buffers and storages in shared memory become.
void populateSmemTileConversions(mlir::TypeConverter &converter);

/// Checks that each slot of a storage over another one is within that of the
/// first of them.
mlir::LogicalResult verifySharedSlots(mlir::gpu::GPUFuncOp kernel);

/// Adds the patterns of storages in shared memory and their slots
/// (Storages.cpp), which the patterns below contain.
void populateSmemStoragePatterns(mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);

/// Adds the patterns of the ops that no unit has for itself.
void populateSmemTilePatterns(mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns);

/// Adds the patterns of tmm.load by threads (ThreadLoads.cpp), which the
/// patterns above contain.
void populateThreadLoadPatterns(mlir::TypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

/// Adds the patterns of requests for work and of dependent launches
/// (WorkOps.cpp), which the patterns of all units contain, too.
void populateWorkPatterns(mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);

/// Converts the tmm ops of `kernel` but roles and tmm.issue by `patterns`.
mlir::LogicalResult convertTileOps(mlir::gpu::GPUFuncOp kernel,
                                   mlir::RewritePatternSet patterns);

} // namespace tc

#endif // TC_CONVERSION_TMMTILES_TILEOPS_H
