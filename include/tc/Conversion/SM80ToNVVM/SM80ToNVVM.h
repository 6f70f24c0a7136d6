//===- SM80ToNVVM.h - convert sm80 to NVVM ----------------------*- C++ -*-===//
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

#ifndef TC_CONVERSION_SM80TONVVM_SM80TONVVM_H
#define TC_CONVERSION_SM80TONVVM_SM80TONVVM_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace tc {

#define GEN_PASS_DECL_CONVERTSM80TONVVMPASS
#include "tc/Conversion/Passes.h.inc"

/// Adds the patterns of all op families. `converter` has the conversions of
/// tiles and mbarriers (populateSmemTypeConversions): the dialect has no types
/// of its own.
void populateSM80ToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

} // namespace tc

#endif // TC_CONVERSION_SM80TONVVM_SM80TONVVM_H
