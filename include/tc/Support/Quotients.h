//===- Quotients.h - quotients that have to be exact ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divisions are approximated, by at most 2 units in the last place, unless that
// decides which integer a quotient becomes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_QUOTIENTS_H
#define TC_SUPPORT_QUOTIENTS_H

#include "mlir/IR/Value.h"

namespace tc {

/// Whether `quotient` becomes an index or another integer that it is not
/// rounded to the nearest one before, directly or by arithmetic.
bool mustBeExact(mlir::Value quotient);

} // namespace tc

#endif // TC_SUPPORT_QUOTIENTS_H
