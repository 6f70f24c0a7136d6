//===- InFlight.h - values that are not computed yet ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results of work that is pending at return are registers that are written
// later. A second use would have them copied before.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_INFLIGHT_H
#define TC_SUPPORT_INFLIGHT_H

#include "mlir/IR/Operation.h"

namespace tc {

/// The values that a loop or branch makes of `operand`, which it carries on;
/// none where it does not.
llvm::SmallVector<mlir::Value> getCarried(mlir::OpOperand &operand);

/// Checks that `value`, which is in flight, has one use if an op among its
/// users awaits it, as `awaits` says. Emits an error at that op.
mlir::LogicalResult
verifyAwaitedOnce(mlir::Value value,
                  llvm::function_ref<bool(mlir::Operation *)> awaits);

} // namespace tc

#endif // TC_SUPPORT_INFLIGHT_H
