//===- TCGen05Dialect.h - the tcgen05 dialect -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect alone; TCGen05.h has its operations, types and attributes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05DIALECT_H
#define TC_DIALECT_TCGEN05_IR_TCGEN05DIALECT_H

#include "mlir/IR/Dialect.h"

#include "tc/Dialect/TCGen05/IR/TCGen05Dialect.h.inc"

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05DIALECT_H
