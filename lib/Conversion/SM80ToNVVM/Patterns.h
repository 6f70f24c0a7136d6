//===- Patterns.h - patterns of the conversion ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each op family.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_SM80TONVVM_PATTERNS_H
#define TC_LIB_CONVERSION_SM80TONVVM_PATTERNS_H

#include "tc/Dialect/SM80/IR/SM80.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tc {

/// cp.async.
void populateCpAsyncPatterns(const mlir::LLVMTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
/// mma.sync.
void populateMmaSyncPatterns(const mlir::LLVMTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace tc

#endif // TC_LIB_CONVERSION_SM80TONVVM_PATTERNS_H
