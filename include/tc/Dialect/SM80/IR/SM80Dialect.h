//===- SM80Dialect.h - the sm80 dialect -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect alone; SM80.h has its operations and attributes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM80_IR_SM80DIALECT_H
#define TC_DIALECT_SM80_IR_SM80DIALECT_H

#include "mlir/IR/Dialect.h"

#include "tc/Dialect/SM80/IR/SM80Dialect.h.inc"

#endif // TC_DIALECT_SM80_IR_SM80DIALECT_H
