//===- KernelFamily.cpp - ops that become kernels ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/KernelFamily.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tc::tmm;

#include "tc/Dialect/TMM/IR/KernelFamily.cpp.inc"

ConfigExplanation::~ConfigExplanation() = default;

TuningProblem::~TuningProblem() = default;

TileKernel::~TileKernel() = default;

MemRefType tc::tmm::getWorkCounterType(MLIRContext *context) {
  return MemRefType::get({}, IntegerType::get(context, 32));
}

Value tc::tmm::emitWorkCounter(OpBuilder &host, Location loc,
                               gpu::GPUFuncOp kernel) {
  auto module = host.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  MemRefType type = getWorkCounterType(host.getContext());
  auto zero =
      DenseElementsAttr::get(RankedTensorType::get({}, type.getElementType()),
                             host.getI32IntegerAttr(0));
  OpBuilder global(module.getContext());
  auto counter = memref::GlobalOp::create(
      global, loc, (kernel.getName() + "_counter").str(),
      host.getStringAttr("private"), type, zero, /*constant=*/false,
      /*alignment=*/IntegerAttr());
  SymbolTable(module).insert(counter, module.getBody()->begin());
  return memref::GetGlobalOp::create(host, loc, type, counter.getName());
}

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
