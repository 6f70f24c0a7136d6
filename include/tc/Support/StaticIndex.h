//===- StaticIndex.h - indices that are static or a value -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations with one index that is a number or an SSA value: the pair of a
// variadic operand and an array attribute that custom<DynamicIndexList> prints.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_STATICINDEX_H
#define TC_SUPPORT_STATICINDEX_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/ValueRange.h"

namespace tc {

/// Checks that `fixed` and `dynamic` together are one index. An error names
/// `what`.
mlir::LogicalResult verifyOneIndex(mlir::Operation *op, llvm::StringRef what,
                                   llvm::ArrayRef<int64_t> fixed,
                                   mlir::ValueRange dynamic);

/// The first index: an attribute where it is static.
mlir::OpFoldResult getStaticOrDynamic(llvm::ArrayRef<int64_t> fixed,
                                      mlir::ValueRange dynamic,
                                      mlir::MLIRContext *context);

/// All indices, with attributes where they are static.
llvm::SmallVector<mlir::OpFoldResult>
getAllStaticOrDynamic(llvm::ArrayRef<int64_t> fixed, mlir::ValueRange dynamic,
                      mlir::MLIRContext *context);

/// Where the one index of `op` is a constant value that the static form may
/// have, by `isLegal`, makes it static through `set` and erases the operand: of
/// others it would not verify. Returns whether it did.
bool foldIndexOperand(mlir::Operation *op,
                      llvm::ArrayRef<mlir::Attribute> constants,
                      mlir::MutableOperandRange operand,
                      llvm::function_ref<bool(int64_t)> isLegal,
                      llvm::function_ref<void(int64_t)> set);

} // namespace tc

#endif // TC_SUPPORT_STATICINDEX_H
