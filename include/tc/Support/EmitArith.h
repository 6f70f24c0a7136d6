//===- EmitArith.h - integers that kernels compute with ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes, coordinates and slots are i32 in a kernel; memrefs take indices.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_EMITARITH_H
#define TC_SUPPORT_EMITARITH_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tc {

/// An i32 constant.
inline mlir::Value emitI32(mlir::OpBuilder &builder, mlir::Location loc,
                           int64_t value) {
  return mlir::arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                            value);
}

/// `value` (i32) as an index.
inline mlir::Value emitIndex(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value value) {
  return builder.createOrFold<mlir::arith::IndexCastOp>(
      loc, builder.getIndexType(), value);
}

} // namespace tc

#endif // TC_SUPPORT_EMITARITH_H
