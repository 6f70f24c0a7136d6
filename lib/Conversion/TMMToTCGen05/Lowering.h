//===- Lowering.h - state of one kernel's lowering --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the conversion. Before any op is converted, the kernel's interface
// is rewritten (KernelInterface.cpp); the patterns look the results up here.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TMMTOTCGEN05_LOWERING_H
#define TC_LIB_CONVERSION_TMMTOTCGEN05_LOWERING_H

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tc {

/// A matrix that threads read and write directly, or a vector, whose elements
/// are its columns.
struct GlobalMatrix {
  /// Rank 2 or 1 behind the dimensions of a batch, in global memory, with the
  /// strides of the kernel's argument.
  mlir::Value memref;
  /// Extents in elements, i32; a vector has no rows.
  mlir::Value rows, cols;
  /// Where rows start that is not known when compiling: strides and the offset
  /// in elements, i32, or'ed; low bits count. Null if all are known.
  mlir::Value starts;
  /// What divides the number of columns and the elements in front of each row,
  /// as far as is known when compiling.
  int64_t divisor;
  /// What divides the elements in front of each row, not counting `starts`.
  int64_t startDivisor;
};

/// What the patterns need to know of the kernel they are in.
struct KernelLowering {
  /// Leading block arguments that rewriteInterface replaced: to be erased.
  unsigned replacedArguments = 0;
  /// The tensor map of each tmm.load and tmm.unload.
  llvm::DenseMap<mlir::Operation *, mlir::Value> tensorMaps;
  llvm::DenseMap<mlir::Value, GlobalMatrix> matrices;
};

/// Whether dimension `dim` of a matrix that tmm.load reads is one of its tensor
/// map. A batch dimension of size 1 is not: it has one index, and a stride that
/// need not suit TMA.
inline bool isMapDimension(mlir::Type matrix, unsigned dim) {
  auto type = mlir::cast<mlir::MemRefType>(matrix);
  return dim + 2 >= type.getRank() || type.getDimSize(dim) != 1;
}

/// The layout of a tile in shared memory, and its TMA slabs; null if the tile
/// is elsewhere.
mlir::MemRefType getSmemTileType(tmm::BufferType buffer);

/// Bytes from one slot of such tiles in shared memory to the next, and the
/// alignment in bytes of a slot.
int64_t getSlotStride(mlir::MemRefType tile);
int64_t getSlotAlignment(mlir::MemRefType tile);

/// The number of parts that the CTAs that receive the tile of `op` load it in,
/// along the rows of its slabs.
int64_t getCopyParts(tmm::LoadOp op);

/// An accumulator in Tensor Memory; null if the tile is elsewhere.
tcgen05::TmemType getAccumulatorType(tmm::BufferType buffer);

/// Emits `body` for the one thread that issues an op of one thread: of the CTA
/// or role, or of the first of the CTAs `span`. In an elected role there is no
/// other.
void emitIssue(mlir::OpBuilder &builder, mlir::Location loc,
               AgentSetAttrInterface span,
               llvm::function_ref<void(mlir::OpBuilder &)> body);

/// The number of the executing thread in its role, i32.
mlir::Value emitThread(mlir::OpBuilder &builder, mlir::Location loc);

/// An i32 constant.
mlir::Value emitI32(mlir::OpBuilder &builder, mlir::Location loc,
                    int64_t value);

/// `value` (i32) as an index.
mlir::Value emitIndex(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value);

/// Replaces matrices among the parameters of `kernel` by tensor maps, pointers
/// and strides, and adapts `launch`. Emits an error where a matrix cannot be
/// addressed by TMA; where that depends on dynamic sizes, a check on the host.
mlir::LogicalResult rewriteInterface(mlir::gpu::GPUFuncOp kernel,
                                     mlir::gpu::LaunchFuncOp launch,
                                     KernelLowering &lowering);

void populateTilePatterns(mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns,
                          KernelLowering &kernel);
void populateEpiloguePatterns(mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns,
                              KernelLowering &kernel);
void populateStoragePatterns(mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace tc

#endif // TC_LIB_CONVERSION_TMMTOTCGEN05_LOWERING_H
