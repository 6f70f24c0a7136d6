//===- SM90ToNVVM.h - convert sm90 to NVVM ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes, and what composes them with other conversions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_SM90TONVVM_SM90TONVVM_H
#define TC_CONVERSION_SM90TONVVM_SM90TONVVM_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class DialectRegistry;
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace tc {

#define GEN_PASS_DECL_CONVERTSM90TONVVMPASS
#define GEN_PASS_DECL_CONVERTSM90KERNELPARAMSPASS
#include "tc/Conversion/Passes.h.inc"

/// Adds the conversions of mbarriers, tensor maps and tiles in shared memory to
/// addresses.
void populateSM90ToNVVMTypeConversions(mlir::LLVMTypeConverter &converter);

/// Adds the patterns of all op families but the host's. `converter` has the
/// type conversions.
void populateSM90ToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

/// Lets convert-gpu-to-nvvm and convert-to-llvm convert the dialect's types, so
/// that kernels with tensor map arguments can be converted.
void registerConvertSM90ToNVVMInterface(mlir::DialectRegistry &registry);

} // namespace tc

#endif // TC_CONVERSION_SM90TONVVM_SM90TONVVM_H
