//===- TCGen05ToNVVM.h - convert tcgen05 to NVVM ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass, and what composes it with other conversions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCGEN05TONVVM_TCGEN05TONVVM_H
#define TC_CONVERSION_TCGEN05TONVVM_TCGEN05TONVVM_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace tc {

#define GEN_PASS_DECL_CONVERTTCGEN05TONVVMPASS
#include "tc/Conversion/Passes.h.inc"

/// Adds the conversions of Tensor Memory regions, tiles in shared memory and
/// mbarriers to addresses.
void populateTCGen05ToNVVMTypeConversions(mlir::LLVMTypeConverter &converter);

/// Adds the patterns of all op families. `converter` has the type conversions.
void populateTCGen05ToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                   mlir::RewritePatternSet &patterns);

} // namespace tc

#endif // TC_CONVERSION_TCGEN05TONVVM_TCGEN05TONVVM_H
