//===- Tile.h - ops become kernels and their launches -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tmm-tile does to all ops of a module, for ops that are picked.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_GENERATE_TILE_H
#define TC_DIALECT_TMM_GENERATE_TILE_H

#include "tc/Dialect/TMM/IR/KernelFamily.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tc::tmm {

/// What kernels are made for: a GPU, and the PTX version as the NVPTX back end
/// names it; the least one of the chip where empty.
struct TileTarget {
  llvm::StringRef chip, features;
};

/// A kernel, and where the host launches it.
struct TiledKernel {
  mlir::gpu::GPUFuncOp kernel;
  mlir::gpu::LaunchFuncOp launch;
};

/// Replaces each of `ops` of `module` by the launch of a kernel: in the
/// `gpu.module` that earlier kernels for `target` are in, or in a new one,
/// `@kernels`. Ops that need no kernel have none in the result. Emits an error
/// where an op has no kernel on the chip, when those before it are replaced.
mlir::FailureOr<llvm::SmallVector<TiledKernel>>
tileOps(mlir::RewriterBase &rewriter, mlir::ModuleOp module,
        llvm::ArrayRef<KernelFamilyOpInterface> ops, const TileTarget &target);

} // namespace tc::tmm

#endif // TC_DIALECT_TMM_GENERATE_TILE_H
