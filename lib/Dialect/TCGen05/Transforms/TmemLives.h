//===- TmemLives.h - when a region of Tensor Memory is in use ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the passes: the lives of the reserved regions of a kernel.
//
// A region is in use from the first operation that accesses it until all
// threads of the CTA (of the cluster for a pair) have met after the last one:
// `tcgen05.fence before`, a barrier, `tcgen05.fence after`. Before they meet,
// its asynchronous accesses are complete: loads and stores by a `tcgen05.wait`
// of the same threads, the others by a wait for the mbarrier of the only
// `tcgen05.commit` to it, which comes after them. What is not seen to end lives
// until the kernel ends: in a loop, through a pipeline, or where a value leaves
// the sight of the analysis.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TCGEN05_TRANSFORMS_TMEMLIVES_H
#define TC_LIB_DIALECT_TCGEN05_TRANSFORMS_TMEMLIVES_H

#include "tc/Dialect/TCGen05/IR/TCGen05.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::tcgen05 {

/// From `begin` to `end`, positions of operations in the kernel's entry block.
struct TmemLife {
  int64_t begin = 0;
  int64_t end = std::numeric_limits<int64_t>::max();
  /// The last access, where the life ends before the kernel.
  mlir::Operation *last = nullptr;
  /// Whether all accesses work as well 16 lanes further up: a D of layout F,
  /// neither sparse nor with A in Tensor Memory, and loads and stores of 16
  /// lanes.
  bool fitsUpperLanes = false;

  bool overlaps(const TmemLife &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

/// The lives of `reserves`, of kernels of `ctaGroup`.
llvm::SmallVector<TmemLife> getTmemLives(mlir::gpu::GPUFuncOp kernel,
                                         llvm::ArrayRef<ReserveOp> reserves,
                                         int ctaGroup);

} // namespace tc::tcgen05

#endif // TC_LIB_DIALECT_TCGEN05_TRANSFORMS_TMEMLIVES_H
