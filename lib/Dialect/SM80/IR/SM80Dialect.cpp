//===- SM80Dialect.cpp - the sm80 dialect -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of operations and attributes.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM80/IR/SM80.h"
#include "tc/Support/BytecodeVersion.h"

using namespace tc::sm80;

#include "tc/Dialect/SM80/IR/SM80Dialect.cpp.inc"

#define GET_OP_CLASSES
#include "tc/Dialect/SM80/IR/SM80Ops.cpp.inc"

void SM80Dialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tc/Dialect/SM80/IR/SM80Ops.cpp.inc"
      >();
  addInterfaces<tc::VersionedBytecode>();
}
