//===- TMMToTCGen05.h - from tile programs to tcgen05 -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversion of pipelined tile programs to the tcgen05 and sm90 dialects.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TMMTOTCGEN05_TMMTOTCGEN05_H
#define TC_CONVERSION_TMMTOTCGEN05_TMMTOTCGEN05_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL_CONVERTTMMTOTCGEN05PASS
#include "tc/Conversion/Passes.h.inc"

/// Registers tcgen05 as a matrix unit (MatrixUnitModel) with its dialect,
/// and has the dialects of its parts loaded with the tmm dialect.
void registerTCGen05Unit(mlir::DialectRegistry &registry);

} // namespace tc

#endif // TC_CONVERSION_TMMTOTCGEN05_TMMTOTCGEN05_H
