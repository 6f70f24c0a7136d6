//===- RegisterLayout.h - who holds a register tile -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of RegisterLayout.td, and what follows from its answers for
// every layout.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_REGISTERLAYOUT_H
#define TC_SUPPORT_REGISTERLAYOUT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace tc {

/// Registers `first` to `first + length - 1` of a thread, which hold `length`
/// elements of a row. `row` and `column` are those of the first one, as
/// distances from the thread's own.
struct RegisterRun {
  int64_t first, length;
  int64_t row, column;

  bool operator==(const RegisterRun &other) const {
    return first == other.first && length == other.length && row == other.row &&
           column == other.column;
  }
};

} // namespace tc

#include "tc/Support/RegisterLayoutAttrInterfaces.h.inc"

namespace tc {

/// What one thread holds of a register tile of type `tile`: a vector of rank 1.
mlir::VectorType getThreadType(RegisterLayoutAttrInterface layout,
                               mlir::VectorType tile);

/// The registers of a thread that hold the part of `part` rows and columns that
/// starts at (`row`, `column`) of a tile of `shape`, in the order of those of a
/// tile of shape `part`. None where a thread does not hold the same elements of
/// the part as of a tile of that shape.
std::optional<llvm::SmallVector<int64_t>>
getRegistersOfPart(RegisterLayoutAttrInterface layout,
                   llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> part,
                   int64_t row, int64_t column);

} // namespace tc

#endif // TC_SUPPORT_REGISTERLAYOUT_H
