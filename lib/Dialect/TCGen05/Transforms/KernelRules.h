//===- KernelRules.h - rules that span operations ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the passes: the parts of tcgen05-verify-kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TCGEN05_TRANSFORMS_KERNELRULES_H
#define TC_LIB_DIALECT_TCGEN05_TRANSFORMS_KERNELRULES_H

#include "tc/Dialect/TCGen05/IR/TCGen05.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::tcgen05 {

/// Columns of cells of a value, where they are known. `root` is that of
/// getOrigin.
struct Columns {
  mlir::Value root;
  int64_t first;
  int64_t count;
  /// Of 32 lanes in a window the lower 16 (1), the upper ones (2) or all.
  unsigned lanes = 3;
  /// Whether they are counted from the start of an allocation.
  bool isAllocation = false;

  bool overlaps(const Columns &other) const {
    return root == other.root && (lanes & other.lanes) &&
           first < other.first + other.count && other.first < first + count;
  }
};

/// The columns of `region`, nothing where a slice is dynamic. A window is a
/// part of the lanes of its source: the columns are the same.
std::optional<Columns> getColumns(mlir::Value region);

/// A value that stands for the word `slot`: of two that are known to be the
/// same word it is one. Places in shared memory are computed again where they
/// are needed.
mlir::Value getSlot(mlir::Value slot);

/// Whether it is known which word `slot`, from getSlot, is: one that a loop
/// carries, say, may be any.
bool isKnownSlot(mlir::Value slot);

/// What `region` is a part of: a slot that has the address of an allocation
/// where it is known, else a value of Tensor Memory.
mlir::Value getOrigin(mlir::Value region);

/// The region of `op` that a warp loads or stores; null for other operations.
mlir::Value getAccessed(mlir::Operation *op);

/// A table of a B of indices begins at a multiple of these columns: a row of it
/// is two cells.
constexpr int64_t kLookupAlignment = 2;

/// The table of the B of `op` in Tensor Memory; null where it has none.
mlir::Value getTable(mlir::Operation *op);

/// Whether `op` may change what is in the region `operand`.
bool isWritten(mlir::OpOperand &operand);

/// Columns of Tensor Memory that each target of the module of `kernel` has;
/// nothing where it names none.
std::optional<int64_t> findTmemColumns(mlir::gpu::GPUFuncOp kernel);

/// C2 to C6, C8, C12, C16 and C17: what holds on the paths of `kernel`.
llvm::LogicalResult verifyPaths(mlir::gpu::GPUFuncOp kernel);

/// C11, C13 and C14: what the collector buffers hold.
llvm::LogicalResult verifyCollectors(mlir::gpu::GPUFuncOp kernel);

} // namespace tc::tcgen05

#endif // TC_LIB_DIALECT_TCGEN05_TRANSFORMS_KERNELRULES_H
