//===- SM90.h - operations and types of sm90 --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything of the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90_H
#define TC_DIALECT_SM90_IR_SM90_H

#include "tc/Dialect/SM90/IR/SM90Dialect.h"
#include "tc/Support/Interfaces.h"
#include "tc/Support/Pipelining.h"
#include "tc/Support/RegisterLayout.h"
#include "tc/Support/SmemTiles.h"
#include "tc/Support/Target.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tc/Dialect/SM90/IR/SM90Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tc/Dialect/SM90/IR/SM90Attrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tc/Dialect/SM90/IR/SM90Types.h.inc"

namespace tc::sm90 {

/// Whether `type` is a one-dimensional memref of i8 in workgroup memory.
bool isSmemBytes(mlir::Type type);

/// Whether `type` is the response of clusterlaunchcontrol.try_cancel: 16 bytes
/// in workgroup memory.
bool isLaunchResponse(mlir::Type type);

/// Whether `type` is a number of 32 bits in workgroup memory.
bool isSmemWord(mlir::Type type);

} // namespace tc::sm90

#define GET_OP_CLASSES
#include "tc/Dialect/SM90/IR/SM90Ops.h.inc"

#endif // TC_DIALECT_SM90_IR_SM90_H
