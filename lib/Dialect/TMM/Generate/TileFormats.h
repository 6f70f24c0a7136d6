//===- TileFormats.h - kernels that convert matrices ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the transforms: tmm.encode and tmm.interleave as tile programs.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_GENERATE_TILEFORMATS_H
#define TC_LIB_DIALECT_TMM_GENERATE_TILEFORMATS_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/IR/SymbolTable.h"

namespace tc::tmm {

/// Replaces the op by a kernel in `kernels` for `chip`, and its launch.
mlir::LogicalResult outlineFormat(EncodeOp op, mlir::SymbolTable &kernels,
                                  llvm::StringRef chip);
mlir::LogicalResult outlineFormat(InterleaveOp op, mlir::SymbolTable &kernels,
                                  llvm::StringRef chip);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_GENERATE_TILEFORMATS_H
