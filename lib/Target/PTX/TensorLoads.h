//===- TensorLoads.h - registers of tcgen05.ld ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers that tcgen05.ld writes are written later: nothing may touch
// them before the next tcgen05.wait::ld.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_PTX_TENSORLOADS_H
#define TC_LIB_TARGET_PTX_TENSORLOADS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

namespace tc {

/// Emits an error on `root` for each function of `ptx` in which an instruction
/// reads or writes a register after a tcgen05.ld into it and before a
/// tcgen05.wait::ld, on any path (PTX ISA, "tcgen05.wait").
mlir::LogicalResult verifyTensorLoads(mlir::Operation *root,
                                      llvm::StringRef ptx);

} // namespace tc

#endif // TC_LIB_TARGET_PTX_TENSORLOADS_H
