//===- Forms.h - instructions as text ---------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowering of what verifies, in lots, and a module with one function for each
// instruction whose text is its own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_LEGALITY_FORMS_H
#define TC_TEST_LEGALITY_FORMS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace tc::legality {

/// Lowers operations to NVVM, some thousand at a time.
class Lowering {
public:
  explicit Lowering(mlir::MLIRContext &context);

  /// Adds a copy of `op`; an error of the lot that became full, or nothing.
  std::string add(mlir::Operation *op);
  /// Lowers what is left.
  std::string flush();
  /// Operations that became one of NVVM each, with a legal descriptor.
  uint64_t getCount() const { return count; }

private:
  void begin();

  mlir::MLIRContext &context;
  mlir::PassManager passes;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Block *body = nullptr;
  unsigned pending = 0;
  uint64_t count = 0;
};

/// Writes a module with a function for every combination of form and modifiers
/// that verifies to the file `path`; the exit status of the tool.
int writeForms(mlir::MLIRContext &context, const std::string &path);

} // namespace tc::legality

#endif // TC_TEST_LEGALITY_FORMS_H
