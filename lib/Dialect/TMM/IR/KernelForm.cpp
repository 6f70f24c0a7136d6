//===- KernelForm.cpp - what passes on kernels rely on ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/KernelForm.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

LogicalResult tc::tmm::verifyStructured(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel->walk<WalkOrder::PreOrder>([](Operation *op) {
    for (Region &region : op->getRegions()) {
      size_t blocks = llvm::range_size(region);
      if (blocks <= 1)
        continue;
      op->emitOpError() << "expected one block, with the control flow of scf, "
                           "got "
                        << blocks << ": lower scf to cf after tiles";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult tc::tmm::verifyCut(gpu::GPUFuncOp kernel) {
  WalkResult result =
      kernel->walk(
          [](Operation *op) {
            if (!isa<RoleOp, LoopOp, ResumeOp, DeferOp>(op))
              return WalkResult::advance();
            op->emitOpError()
                << "expected a kernel that is cut into its roles, got one "
                   "that declares them: tmm-warp-specialize comes first";
            return WalkResult::interrupt();
          });
  return failure(result.wasInterrupted());
}

bool tc::tmm::hasTileOps(gpu::GPUFuncOp kernel) {
  auto isTile = [](Operation *op) {
    return isa_and_nonnull<TMMDialect>(op->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return kernel.walk(isTile).wasInterrupted();
}

SmallVector<gpu::GPUFuncOp> tc::tmm::getTileKernels(Operation *root) {
  SmallVector<gpu::GPUFuncOp> kernels;
  root->walk([&](gpu::GPUFuncOp kernel) {
    if (kernel.isKernel() && hasTileOps(kernel))
      kernels.push_back(kernel);
  });
  return kernels;
}

std::optional<int64_t> tc::tmm::getLastIteration(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0 || *lower >= *upper ||
      loop.getUnsignedCmp())
    return std::nullopt;
  return *lower + (*upper - *lower - 1) / *step * *step;
}
