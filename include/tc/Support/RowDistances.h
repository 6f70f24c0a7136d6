//===- RowDistances.h - where the rows of a matrix start --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What decides how wide copies from the rows of a matrix can be.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_ROWDISTANCES_H
#define TC_SUPPORT_ROWDISTANCES_H

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace tc {

/// A distance of which the starts of rows are sums.
struct RowDistance {
  /// The dimension whose stride it is; none: the offset in the buffer.
  std::optional<unsigned> dim;
  /// In elements; may be dynamic.
  int64_t elements;
};

/// The distances of a batch of matrices, the last two dimensions of `type`,
/// that do not follow from others: a batch dimension of size 1 has none, and
/// matrices without gaps start at multiples of the row stride. None where
/// `type` has no strides.
llvm::SmallVector<RowDistance> getRowDistances(mlir::MemRefType type);

/// Bytes, a power of two up to 16, of which the starts of the rows of `type`
/// are multiples as far as they are static, and whether all are.
struct RowAlignment {
  int64_t bytes;
  bool isKnown;
};
RowAlignment getRowAlignment(mlir::MemRefType type);

} // namespace tc

#endif // TC_SUPPORT_ROWDISTANCES_H
