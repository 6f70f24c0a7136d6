//===- DescribeProblem.h - what a kernel computes, as data ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the transforms: the attribute `tmm.problem` of a launch, from
// which the kernel description says what the launch computes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_TRANSFORMS_DESCRIBEPROBLEM_H
#define TC_LIB_DIALECT_TMM_TRANSFORMS_DESCRIBEPROBLEM_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc::tmm {

/// Whether the kernel takes extra operand `extra`: constants become part of it,
/// and D is an argument already.
bool isKernelOperand(MatmulOp op, mlir::Value extra);

/// Whether the error of the fast tanh, 2^-11, is below what rounding the result
/// of `op` makes.
bool isFastTanhEnough(MatmulOp op);

/// Which launch operands are A, B and D, how they combine, and the steps of the
/// epilogue: each has a name, an operation, arguments (names or constants) and
/// a type. The launch operands are A, B, D and then the extra operands that the
/// kernel takes.
mlir::DictionaryAttr describeProblem(MatmulOp op);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_TRANSFORMS_DESCRIBEPROBLEM_H
