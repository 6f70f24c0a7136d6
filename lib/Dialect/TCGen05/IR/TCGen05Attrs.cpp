//===- TCGen05Attrs.cpp - attributes of the tcgen05 dialect -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of the attributes; what they answer is in TCGen05Engines.cpp.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TCGen05/IR/TCGen05.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

#define GET_ATTRDEF_CLASSES
#include "tc/Dialect/TCGen05/IR/TCGen05Attrs.cpp.inc"

void TCGen05Dialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tc/Dialect/TCGen05/IR/TCGen05Attrs.cpp.inc"
      >();
}
