//===- TileChecks.h - what ops on tiles verify ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that ops on tiles in memory and in registers share.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_IR_TILECHECKS_H
#define TC_LIB_DIALECT_TMM_IR_TILECHECKS_H

#include "tc/Support/RegisterLayout.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tc::tmm {

/// Checks that `memref` is a matrix whose innermost dimension is contiguous,
/// with an index in `batch` for each leading dimension.
/// Of one column (`isColumn`) nothing is next to an element.
llvm::LogicalResult checkMatrix(mlir::Operation *op, llvm::StringRef operand,
                                mlir::MemRefType memref, mlir::Type elementType,
                                mlir::ValueRange batch, bool isColumn = false);

/// The same of `tensor`, a memref or the handle of a tensor.
llvm::LogicalResult checkTensor(mlir::Operation *op, llvm::StringRef operand,
                                mlir::Type tensor, mlir::Type elementType,
                                mlir::ValueRange batch);

/// Whether `value` is what a thread holds of a tile of `shape` by `layout`.
bool isThreadPart(mlir::VectorType value, llvm::ArrayRef<int64_t> shape,
                  RegisterLayoutAttrInterface layout);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_IR_TILECHECKS_H
