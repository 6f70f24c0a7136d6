//===- SourceNames.cpp - diagnostics in the words of the input --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A diagnostic of an operation starts with its name in quotes
// (Operation::emitOpError). What passes make keeps the location of what it was
// made from, and at one place of a file the input has one operation.
//
//===----------------------------------------------------------------------===//

#include "SourceNames.h"

using namespace mlir;
using namespace tc;

SourceNames::SourceNames(ModuleOp input)
    : ScopedDiagnosticHandler(input.getContext()) {
  // Outer operations first: where several have one location, none of them was
  // read from it, and the outermost names all.
  input->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getLoc()->findInstanceOf<FileLineColLoc>())
      names.try_emplace(op->getLoc(), op->getName());
  });
  setHandler([this](Diagnostic &diag) {
    rename(diag);
    return failure();
  });
}

void SourceNames::rename(Diagnostic &diag) const {
  auto isText = [&](unsigned number, StringRef prefix) {
    const DiagnosticArgument &part = diag.getArguments()[number];
    return part.getKind() ==
               DiagnosticArgument::DiagnosticArgumentKind::String &&
           part.getAsString().starts_with(prefix);
  };
  if (diag.getArguments().size() < 3 || !isText(0, "'") || !isText(2, "' op "))
    return;
  // Of several operations that became one the first is meant.
  const OperationName *name = nullptr;
  diag.getLocation()->walk([&](Location part) {
    auto found = names.find(part);
    if (found == names.end())
      return WalkResult::advance();
    name = &found->second;
    return WalkResult::interrupt();
  });
  if (name)
    diag.getArguments()[1] = DiagnosticArgument(name->getStringRef());
}
