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

#ifndef TC_LIB_DIALECT_TMM_PIPELINE_FORGOTTENVALUES_H
#define TC_LIB_DIALECT_TMM_PIPELINE_FORGOTTENVALUES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace tc::tmm {

/// The results of ops that a role, or an instance of it, does not execute:
/// poison, which nothing may read. Loops and branches may carry it.
class ForgottenValues {
public:
  /// Erases `op`; what used its results uses poison.
  void erase(mlir::Operation *op);

  /// A use of that poison, or of what becomes of it: by an op with effects, by
  /// one that decides whether or how often such ops run, or by the terminator
  /// of `end`; null if there is none. `origin` becomes the location of the
  /// value that is not there.
  mlir::OpOperand *findReader(mlir::Block *end, mlir::Location &origin);

  /// Has loops and branches in `region` not carry what findReader followed,
  /// where it found no reader, and erases what only computed with that.
  void drop(mlir::Region &region);

private:
  mlir::OpOperand *findReader(mlir::Value poison, mlir::Block *end);

  llvm::SmallVector<mlir::Value> poisons;
  /// What findReader followed.
  llvm::SetVector<mlir::Value> reached;
};

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_PIPELINE_FORGOTTENVALUES_H
