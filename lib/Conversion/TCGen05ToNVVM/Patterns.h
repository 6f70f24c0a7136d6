//===- Patterns.h - patterns of the conversion ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each op family, and what they share.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCGEN05TONVVM_PATTERNS_H
#define TC_LIB_CONVERSION_TCGEN05TONVVM_PATTERNS_H

#include "tc/Dialect/TCGen05/IR/TCGen05.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tc {

/// The pointer type to Tensor Memory, `!llvm.ptr<6>`.
mlir::Type getTmemPointer(mlir::MLIRContext *context);

/// The address `lane` lanes after `address`.
mlir::Value offsetTmem(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value address, int64_t lane);

inline mlir::NVVM::CTAGroupKind getGroup(int group) {
  return group == 2 ? mlir::NVVM::CTAGroupKind::CTA_2
                    : mlir::NVVM::CTAGroupKind::CTA_1;
}

/// The address `columns` columns of cells after `address`.
mlir::Value offsetTmemColumns(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value address, int64_t columns);

/// Bits of an address of shared memory in a matrix descriptor on the target of
/// the module that `builder` is in.
unsigned getSmemAddressBits(mlir::OpBuilder &builder);

/// Checks what the patterns rely on and no verifier of one operation can hold.
mlir::LogicalResult verifyPreconditions(mlir::Operation *root);
/// Turns off NVVM's own check of targets where it refuses, in LLVM 22, targets
/// that have the instructions; verifyPreconditions has checked them.
void passTargetGate(mlir::Operation *root);

/// alloc, address, dealloc, relinquish_alloc_permit, slice, warp_window.
void populateMemPatterns(const mlir::LLVMTypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
/// cp, shift.
void populateCopyPatterns(const mlir::LLVMTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// mma, mma_ws, column_mask, commit.
void populateMmaPatterns(const mlir::LLVMTypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
/// mma_block_scale.
void populateMmaScalePatterns(const mlir::LLVMTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
/// ld, ld_red, st, wait, fence.
void populateLdPatterns(const mlir::LLVMTypeConverter &converter,
                        mlir::RewritePatternSet &patterns);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCGEN05TONVVM_PATTERNS_H
