//===- Formats.h - the family of formats ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_KERNELS_FORMATS_H
#define TC_KERNELS_FORMATS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tc::tmm {

/// Lets tmm.encode and tmm.interleave become kernels.
void registerFormatKernels(mlir::DialectRegistry &registry);

} // namespace tc::tmm

#endif // TC_KERNELS_FORMATS_H
