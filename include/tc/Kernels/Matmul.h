//===- Matmul.h - the family of products ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_KERNELS_MATMUL_H
#define TC_KERNELS_MATMUL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tc::tmm {

/// Lets tmm.matmul become kernels.
void registerMatmulKernels(mlir::DialectRegistry &registry);

} // namespace tc::tmm

#endif // TC_KERNELS_MATMUL_H
