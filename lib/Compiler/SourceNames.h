//===- SourceNames.h - diagnostics in the words of the input ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_COMPILER_SOURCENAMES_H
#define TC_LIB_COMPILER_SOURCENAMES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"

namespace tc {

/// While it lives, diagnostics about an operation that a pass made name the one
/// of the input that it was made from: the one at its location.
class SourceNames : public mlir::ScopedDiagnosticHandler {
public:
  explicit SourceNames(mlir::ModuleOp input);

private:
  void rename(mlir::Diagnostic &diag) const;

  /// The operations of the input, by where they are.
  llvm::DenseMap<mlir::Location, mlir::OperationName> names;
};

} // namespace tc

#endif // TC_LIB_COMPILER_SOURCENAMES_H
