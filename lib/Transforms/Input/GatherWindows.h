//===- GatherWindows.h - copies that convolutions need ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_INPUT_GATHERWINDOWS_H
#define TC_LIB_TRANSFORMS_INPUT_GATHERWINDOWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tc {

/// A copy of the images of the convolution `op`, its first input, with a
/// dimension for each of `loops`, of which `sizes` has the extents by number:
/// element (loops) is what the window covers there. Padding with a number is
/// part of it.
mlir::Value gatherWindows(mlir::OpBuilder &b, mlir::linalg::LinalgOp op,
                          llvm::ArrayRef<unsigned> loops,
                          llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// A copy of `filter`, of any rank, whose dimension d is `order[d]` of it.
mlir::Value transposeFilter(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value filter, llvm::ArrayRef<int64_t> order);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_INPUT_GATHERWINDOWS_H
