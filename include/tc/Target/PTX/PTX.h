//===- PTX.h - LLVM IR and PTX of a gpu.module ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a gpu.module in the llvm and nvvm dialects to optimised LLVM IR and to
// PTX text, in process.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_PTX_PTX_H
#define TC_TARGET_PTX_PTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace mlir {
class DialectRegistry;
}

namespace tc {

/// Registers the dialect interfaces that translate a gpu.module to LLVM IR.
void registerPTXTranslation(mlir::DialectRegistry &registry);

/// The optimised LLVM IR of `module` as text. `module` carries an nvvm target
/// and holds only llvm and nvvm ops; failure comes with a diagnostic.
llvm::FailureOr<std::string> translateToLLVMIR(mlir::gpu::GPUModuleOp module);

/// The PTX of `module`, whose asynchronous instructions are exactly those of
/// its nvvm ops; a difference is an error that names it.
llvm::FailureOr<std::string> translateToPTX(mlir::gpu::GPUModuleOp module);

} // namespace tc

#endif // TC_TARGET_PTX_PTX_H
