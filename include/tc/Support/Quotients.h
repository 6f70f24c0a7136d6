//===- Quotients.h - quotients that have to be exact ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divisions are approximated, with a relative error of at most 2^-22, unless
// that decides which integer a quotient becomes or how it compares.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_QUOTIENTS_H
#define TC_SUPPORT_QUOTIENTS_H

#include "mlir/IR/Value.h"

namespace tc {

/// Whether `quotient` is compared, or becomes an index or another integer that
/// it is not rounded to the nearest one before, directly or by what has no
/// side effects.
bool mustBeExact(mlir::Value quotient);

} // namespace tc

#endif // TC_SUPPORT_QUOTIENTS_H
