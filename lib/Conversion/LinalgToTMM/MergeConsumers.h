//===- MergeConsumers.h - one consumer of a product -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOTMM_MERGECONSUMERS_H
#define TC_LIB_CONVERSION_LINALGTOTMM_MERGECONSUMERS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace tc {

/// Merges elementwise consumers of the products in `root` that are read several
/// times, with those that alone read their results.
void mergeConsumers(mlir::Operation *root);

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOTMM_MERGECONSUMERS_H
