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

#ifndef TC_LIB_CONVERSION_SM90TONVVM_PATTERNS_H
#define TC_LIB_CONVERSION_SM90TONVVM_PATTERNS_H

#include "tc/Dialect/SM90/IR/SM90.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tc {

/// The i32 constant `value`.
inline mlir::Value getI32(mlir::OpBuilder &builder, mlir::Location loc,
                          int64_t value) {
  return mlir::LLVM::ConstantOp::create(builder, loc,
                                        builder.getI32IntegerAttr(value));
}

/// dynamic_smem, smem_view, smem_store, stmatrix.
void populateSmemPatterns(const mlir::LLVMTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// mbarriers.
void populateMBarrierPatterns(const mlir::LLVMTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
/// Barriers, fences, elections, what dependent grids and registers wait for.
void populateSyncPatterns(const mlir::LLVMTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
/// tma_load, tma_store, bulk groups, prefetch_tensor_map.
void populateTmaPatterns(const mlir::LLVMTypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
/// wgmma.
void populateWgmmaPatterns(const mlir::LLVMTypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
/// clusterlaunchcontrol.
void populateClusterLaunchControlPatterns(
    const mlir::LLVMTypeConverter &converter,
    mlir::RewritePatternSet &patterns);
/// atom_inc, st_async.
void populateCounterPatterns(const mlir::LLVMTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

/// Whether all targets of the module of `op` have the instructions of sm_90
/// (TargetFacts::hasTma); without a module or targets they do.
bool hasSM90Instructions(mlir::Operation *op);

/// Checks that the targets of the modules below `root` have the instructions
/// that are used; fails with a diagnostic.
mlir::LogicalResult verifySM90Preconditions(mlir::Operation *root);

} // namespace tc

#endif // TC_LIB_CONVERSION_SM90TONVVM_PATTERNS_H
