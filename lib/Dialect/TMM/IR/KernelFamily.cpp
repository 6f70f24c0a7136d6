//===- KernelFamily.cpp - ops that become kernels ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/KernelFamily.h"

using namespace mlir;
using namespace tc::tmm;

#include "tc/Dialect/TMM/IR/KernelFamily.cpp.inc"

ConfigExplanation::~ConfigExplanation() = default;

TuningProblem::~TuningProblem() = default;

TileKernel::~TileKernel() = default;

LogicalResult tc::tmm::checkFamilies(Operation *root) {
  WalkResult result = root->walk([](Operation *op) -> WalkResult {
    Dialect *dialect = op->getDialect();
    if (!dialect || !dialect->hasPromisedInterface(
                        op->getName().getTypeID(),
                        KernelFamilyOpInterface::getInterfaceID()))
      return WalkResult::advance();
    return op->emitOpError(
        "expected its family of kernels to be registered, got none");
  });
  return failure(result.wasInterrupted());
}

KernelFamilies tc::tmm::collectFamilies(Operation *root) {
  KernelFamilies families;
  root->walk([&](KernelFamilyOpInterface op) {
    families[op->getName()].push_back(op);
  });
  return families;
}

std::string tc::tmm::refuseWindows(Operation *reader) {
  return ("what reads them is '" + reader->getName().getStringRef() + "'")
      .str();
}
