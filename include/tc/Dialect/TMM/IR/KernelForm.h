//===- KernelForm.h - what passes on kernels rely on ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_KERNELFORM_H
#define TC_DIALECT_TMM_IR_KERNELFORM_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::scf {
class ForOp;
} // namespace mlir::scf

namespace tc::tmm {

/// Checks that every region of `kernel` is one block, so that its control flow
/// is that of scf: passes on tile programs place protocol ops around ops of a
/// block. Emits an error at the first op that has another.
mlir::LogicalResult verifyStructured(mlir::gpu::GPUFuncOp kernel);

/// Checks that no role of `kernel` is only declared yet: what lowers ops of
/// roles asks which one they are in. Emits an error at the first declaration.
mlir::LogicalResult verifyCut(mlir::gpu::GPUFuncOp kernel);

/// Whether `kernel` has ops of the dialect.
bool hasTileOps(mlir::gpu::GPUFuncOp kernel);

/// The kernels in `root` that have some.
llvm::SmallVector<mlir::gpu::GPUFuncOp> getTileKernels(mlir::Operation *root);

/// The value of the induction variable of `loop` in its last iteration, where
/// the bounds are constant and there is one.
std::optional<int64_t> getLastIteration(mlir::scf::ForOp loop);

} // namespace tc::tmm

#endif // TC_DIALECT_TMM_IR_KERNELFORM_H
