//===- TMMTypes.h - types of the tmm dialect --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles, pipelines, and the values that a tile loop carries.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMTYPES_H
#define TC_DIALECT_TMM_IR_TMMTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "tc/Dialect/TMM/IR/TMMAttrs.h"
#include "tc/Dialect/TMM/IR/TMMEnums.h"

namespace tc::tmm {
/// Slots of a pipeline at most: more than any memory has, so that their bytes
/// and their numbers, which are i32, do not overflow.
constexpr int64_t kMaxSlots = 65536;
} // namespace tc::tmm

#define GET_TYPEDEF_CLASSES
#include "tc/Dialect/TMM/IR/TMMTypes.h.inc"

#endif // TC_DIALECT_TMM_IR_TMMTYPES_H
