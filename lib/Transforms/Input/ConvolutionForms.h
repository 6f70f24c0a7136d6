//===- ConvolutionForms.h - convolutions as they are printed ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_INPUT_CONVOLUTIONFORMS_H
#define TC_LIB_TRANSFORMS_INPUT_CONVOLUTIONFORMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace tc {

/// The attribute of the product that a convolution became, while the patterns
/// below run: what is elementwise after it is collapsed as it is.
inline constexpr llvm::StringLiteral kOfConvolution = "tc.of_convolution";

/// Whether `op` adds products of its two inputs, or in i32 of what they are
/// less scalars, their zero points.
bool isMultiplyAdd(mlir::linalg::LinalgOp op);

/// Where the elements of the tensor `value` are if it is a broadcast: the
/// tensor, and for each of its dimensions one of `value`.
std::optional<std::pair<mlir::Value, mlir::AffineMap>>
matchBroadcast(mlir::Value value);

/// Patterns that put the images of a convolution before its filter and let
/// elementwise operations see the product that it became.
void populateConvolutionFormPatterns(mlir::RewritePatternSet &patterns);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_INPUT_CONVOLUTIONFORMS_H
