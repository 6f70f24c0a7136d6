//===- Statements.h - operations that state what others compute -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_KERNEL_STATEMENTS_H
#define TC_LIB_TRANSFORMS_KERNEL_STATEMENTS_H

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace tc {

/// Whether the regions of `op` state how elements of its operands are computed:
/// a form of its own, which it verifies, and no code that a thread runs.
inline bool isStatement(mlir::Operation *op) {
  return mlir::isa<mlir::DestinationStyleOpInterface,
                   tmm::KernelFamilyOpInterface, tmm::ProblemOp,
                   tmm::RowProblemOp>(op);
}

} // namespace tc

#endif // TC_LIB_TRANSFORMS_KERNEL_STATEMENTS_H
