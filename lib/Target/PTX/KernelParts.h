//===- KernelParts.h - a gpu.module in parts --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules with many kernels are cut into parts that several threads translate,
// and the text of the parts becomes one again.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_PTX_KERNELPARTS_H
#define TC_LIB_TARGET_PTX_KERNELPARTS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace tc {

/// Copies of `module` with some of its kernels each and what these refer to, in
/// the order of the kernels. None where the module has few kernels, or where
/// parts of it belong together. What the parts are depends on the module alone,
/// not on the machine.
llvm::SmallVector<mlir::OwningOpRef<mlir::gpu::GPUModuleOp>>
splitKernels(mlir::gpu::GPUModuleOp module);

/// The PTX of all parts from that of each, which begins with the same target.
std::string joinPTX(llvm::ArrayRef<std::string> parts);

} // namespace tc

#endif // TC_LIB_TARGET_PTX_KERNELPARTS_H
