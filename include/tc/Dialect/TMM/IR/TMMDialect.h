//===- TMMDialect.h - the tmm dialect ---------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect alone; TMMOps.h has its operations, types and attributes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMDIALECT_H
#define TC_DIALECT_TMM_IR_TMMDIALECT_H

#include "mlir/IR/Dialect.h"

#include "tc/Dialect/TMM/IR/TMMDialect.h.inc"

#endif // TC_DIALECT_TMM_IR_TMMDIALECT_H
