//===- AttentionScores.h - rules of scale and masks -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the dialect: what tmm.attention and tmm.attention_backward say of
// scores alike.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_IR_ATTENTIONSCORES_H
#define TC_LIB_DIALECT_TMM_IR_ATTENTIONSCORES_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include <cmath>

namespace tc::tmm {

/// C3 of both ops.
template <typename Op>
llvm::LogicalResult verifyAttentionScores(Op op) {
  float scale = op.getScale().convertToFloat();
  // The kernel multiplies by log2(e), too.
  if (!std::isfinite(scale * 1.4426950408889634f) || scale <= 0)
    return op.emitOpError()
           << "expected a finite scale above 0, got " << op.getScaleAttr();
  std::optional<int64_t> window = op.getWindow();
  if (window && !op.getDiagonal())
    return op.emitOpError()
           << "expected a diagonal with a window, got none: diagonal(0) is "
              "that of causal attention";
  if (window && *window < 1)
    return op.emitOpError()
           << "expected a window of at least 1, got " << *window;
  return llvm::success();
}

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_IR_ATTENTIONSCORES_H
