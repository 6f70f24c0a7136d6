//===- TMMTransformOps.h - schedules for tmm by hand ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An extension of the transform dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMOPS_TMMTRANSFORMOPS_H
#define TC_TRANSFORMOPS_TMMTRANSFORMOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "tc/TransformOps/TMMTransformOps.h.inc"

namespace tc {

/// Adds transform.tmm.* to the transform dialect once that is loaded.
void registerTransformExtension(mlir::DialectRegistry &registry);

} // namespace tc

#endif // TC_TRANSFORMOPS_TMMTRANSFORMOPS_H
