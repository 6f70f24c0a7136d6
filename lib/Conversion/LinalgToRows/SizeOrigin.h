//===- SizeOrigin.h - where a size comes from -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOROWS_SIZEORIGIN_H
#define TC_LIB_CONVERSION_LINALGTOROWS_SIZEORIGIN_H

#include "mlir/IR/OpDefinition.h"

namespace tc {

/// Two sizes of one origin are the same in every run; of two origins nothing is
/// known. Nothing is created to find it.
class SizeOrigin {
public:
  /// That of `value`, a ranked tensor, along `dim`.
  static SizeOrigin of(mlir::Value value, int64_t dim);
  static SizeOrigin of(mlir::OpFoldResult size);

  bool operator==(const SizeOrigin &other) const {
    return value == other.value && number == other.number;
  }
  bool operator!=(const SizeOrigin &other) const { return !(*this == other); }

private:
  SizeOrigin(mlir::Value value, int64_t number)
      : value(value), number(number) {}

  /// Null: the size is `number`. Else it is that dimension of a tensor, or the
  /// value of an index.
  mlir::Value value;
  int64_t number;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOROWS_SIZEORIGIN_H
