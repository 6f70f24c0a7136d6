//===- LinalgToGPU.h - what is no product becomes kernels -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass convert-linalg-to-gpu.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_LINALGTOGPU_LINALGTOGPU_H
#define TC_CONVERSION_LINALGTOGPU_LINALGTOGPU_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tc {

/// An empty gpu.module at the end of `module`, for kernels on `chip`, a chip of
/// Target.h.
mlir::gpu::GPUModuleOp addKernels(mlir::ModuleOp module, llvm::StringRef chip);

#define GEN_PASS_DECL_CONVERTLINALGTOGPUPASS
#include "tc/Conversion/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_LINALGTOGPU_LINALGTOGPU_H
