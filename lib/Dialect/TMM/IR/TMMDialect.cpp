//===- TMMDialect.cpp - the tmm dialect -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the types, attributes and operations of the dialect.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

using namespace mlir;
using namespace tc::tmm;

#include "tc/Dialect/TMM/IR/TMMDialect.cpp.inc"

LogicalResult TMMDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  return op->emitError() << "expected no discardable attribute of dialect tmm, "
                            "got '"
                         << attribute.getName().strref()
                         << "': the operations of tmm carry what decides";
}

void TMMDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "tc/Dialect/TMM/IR/TMMOps.cpp.inc"
      >();
}
