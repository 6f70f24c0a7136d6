//===- SM80.h - operations and attributes of sm80 ---------------*- C++ -*-===//
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

#ifndef TC_DIALECT_SM80_IR_SM80_H
#define TC_DIALECT_SM80_IR_SM80_H

#include "tc/Dialect/SM80/IR/SM80Dialect.h"
#include "tc/Support/Interfaces.h"
#include "tc/Support/Pipelining.h"
#include "tc/Support/RegisterLayout.h"
#include "tc/Support/SmemTiles.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_ATTRDEF_CLASSES
#include "tc/Dialect/SM80/IR/SM80Attrs.h.inc"

namespace tc::sm80 {

/// Whether `type` is a memref of blocks of scale factors of mma.sync.
bool isScaleTile(mlir::Type type);

} // namespace tc::sm80

#define GET_OP_CLASSES
#include "tc/Dialect/SM80/IR/SM80Ops.h.inc"

#endif // TC_DIALECT_SM80_IR_SM80_H
