//===- Sizes.h - dimensions without what computes them ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_INPUT_SIZES_H
#define TC_LIB_TRANSFORMS_INPUT_SIZES_H

#include "mlir/IR/Builders.h"

namespace tc {

/// Dimension `dim` of `value`, from what is known without computing it, so that
/// it is no use of what may be fused; null where that is nothing.
mlir::OpFoldResult findSize(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value value, int64_t dim);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_INPUT_SIZES_H
