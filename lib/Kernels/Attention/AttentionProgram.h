//===- AttentionProgram.h - the kernel of attention -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: the tile program of tmm.attention.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ATTENTION_ATTENTIONPROGRAM_H
#define TC_LIB_KERNELS_ATTENTION_ATTENTIONPROGRAM_H

#include "AttentionGrid.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc::tmm {

/// A kernel of tmm.attention as its host passes it.
struct AttentionForm : GridForm {
  AttentionShape shape;
};

/// Emits the body of `kernel`, which computes `op`.
void emitAttentionProgram(mlir::OpBuilder &builder, AttentionOp op,
                          const AttentionForm &form,
                          mlir::gpu::GPUFuncOp kernel);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ATTENTION_ATTENTIONPROGRAM_H
