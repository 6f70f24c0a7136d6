//===- SM90Dialect.h - the sm90 dialect -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect alone; SM90.h has its operations and types.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90DIALECT_H
#define TC_DIALECT_SM90_IR_SM90DIALECT_H

#include "tc/Dialect/SM80/IR/SM80Dialect.h"

#include "mlir/IR/Dialect.h"

#include "tc/Dialect/SM90/IR/SM90Dialect.h.inc"

#endif // TC_DIALECT_SM90_IR_SM90DIALECT_H
