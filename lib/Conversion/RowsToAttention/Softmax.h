//===- Softmax.h - softmax in the body of tmm.rows --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: what the scalars between two products compute.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_ROWSTOATTENTION_SOFTMAX_H
#define TC_LIB_CONVERSION_ROWSTOATTENTION_SOFTMAX_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include <optional>
#include <string>

namespace tc {

/// softmax over the columns of `scale` times a product, plus a bias, where row
/// i sees the columns j <= i + `diagonal`, and j > i + `after`.
struct Softmax {
  double scale = 1;
  /// Null without one; from dimensions of the rows to those of the bias.
  mlir::Value bias;
  mlir::AffineMap mapOfBias;
  std::optional<int64_t> diagonal, after;
  /// Whether a row whose scores are all -infinity is 0, as in attention.
  bool isZeroWithoutKeys = false;
};

/// What `rows` computes of the product `scores`, its operand `number`, whose
/// epilogue is read as a part of its body; nothing, and why, in `why`, where it
/// is no softmax.
std::optional<Softmax> findSoftmax(tmm::RowsOp rows, unsigned number,
                                   tmm::MatmulOp scores, std::string &why);

} // namespace tc

#endif // TC_LIB_CONVERSION_ROWSTOATTENTION_SOFTMAX_H
