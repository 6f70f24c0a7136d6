//===- Rows.h - kernels of rows ---------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_KERNELS_ROWS_H
#define TC_KERNELS_ROWS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tc::tmm {

/// Lets tmm.rows become kernels.
void registerRowKernels(mlir::DialectRegistry &registry);

} // namespace tc::tmm

#endif // TC_KERNELS_ROWS_H
