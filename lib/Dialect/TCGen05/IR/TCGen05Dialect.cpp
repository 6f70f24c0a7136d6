//===- TCGen05Dialect.cpp - the tcgen05 dialect -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of operations, types and attributes.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TCGen05/IR/TCGen05.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tc::tcgen05;

#include "tc/Dialect/TCGen05/IR/TCGen05Dialect.cpp.inc"
#include "tc/Dialect/TCGen05/IR/TCGen05Enums.cpp.inc"

void TCGen05Dialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tc/Dialect/TCGen05/IR/TCGen05Ops.cpp.inc"
      >();
}
