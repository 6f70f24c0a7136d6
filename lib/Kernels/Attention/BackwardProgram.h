//===- BackwardProgram.h - the kernels of the gradients ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: the tile program of tmm.attention_backward.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ATTENTION_BACKWARDPROGRAM_H
#define TC_LIB_KERNELS_ATTENTION_BACKWARDPROGRAM_H

#include "AttentionGrid.h"
#include "BackwardShape.h"

namespace tc::tmm {

/// A kernel of tmm.attention_backward as its host passes it.
struct BackwardForm : GridForm {
  BackwardShape shape;
};

/// Emits the body of `kernel`, which computes `op`, of outputs of one kernel.
void emitBackwardProgram(mlir::OpBuilder &builder, AttentionBackwardOp op,
                         const BackwardForm &form, mlir::gpu::GPUFuncOp kernel);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ATTENTION_BACKWARDPROGRAM_H
