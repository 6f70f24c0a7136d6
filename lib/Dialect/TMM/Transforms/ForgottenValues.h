//===- ForgottenValues.h - values that a role does not have -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to warp specialisation.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_TRANSFORMS_FORGOTTENVALUES_H
#define TC_LIB_DIALECT_TMM_TRANSFORMS_FORGOTTENVALUES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace tc::tmm {

/// What loops and branches carry of ops that a role, or an instance of it, does
/// not execute: poison, which nothing may read.
class ForgottenValues {
public:
  /// Puts poison in place of `value` where terminators of scf.for, scf.while
  /// and scf.if use it; leaves its other uses.
  void forget(mlir::Value value);

  /// A use in `region` of that poison, or of what becomes of it: by an op with
  /// effects, by one that decides something, or by the terminator of `end`;
  /// null if there is none. `origin` becomes the location of the value that is
  /// not there.
  mlir::OpOperand *findReader(mlir::Region &region, mlir::Block *end,
                              mlir::Location &origin);

  /// Has loops and branches not carry what findReader followed, where it found
  /// no reader: canonicalisation removes what is left.
  void drop();

private:
  mlir::OpOperand *findReader(mlir::Value poison, mlir::Block *end);

  llvm::SmallPtrSet<mlir::Operation *, 4> poisons;
  /// What findReader followed.
  llvm::SetVector<mlir::Value> reached;
  mlir::OpOperand *reader = nullptr;
};

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_TRANSFORMS_FORGOTTENVALUES_H
