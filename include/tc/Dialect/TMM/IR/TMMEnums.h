//===- TMMEnums.h - enumerations of the tmm dialect -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory spaces of tiles and the ways to hand out output tiles.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMENUMS_H
#define TC_DIALECT_TMM_IR_TMMENUMS_H

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

#include "tc/Dialect/TMM/IR/TMMEnums.h.inc"

#endif // TC_DIALECT_TMM_IR_TMMENUMS_H
