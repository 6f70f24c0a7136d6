//===- SM90Dialect.cpp - the sm90 dialect -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of operations and types.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tc::sm90;

#include "tc/Dialect/SM90/IR/SM90Dialect.cpp.inc"
#include "tc/Dialect/SM90/IR/SM90Enums.cpp.inc"

void SM90Dialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "tc/Dialect/SM90/IR/SM90Ops.cpp.inc"
      >();
}
