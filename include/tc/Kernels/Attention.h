//===- Attention.h - kernels of attention -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_KERNELS_ATTENTION_H
#define TC_KERNELS_ATTENTION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tc::tmm {

/// Lets tmm.attention become kernels.
void registerAttentionKernels(mlir::DialectRegistry &registry);
/// Lets tmm.attention_backward become kernels.
void registerAttentionBackwardKernels(mlir::DialectRegistry &registry);

} // namespace tc::tmm

#endif // TC_KERNELS_ATTENTION_H
