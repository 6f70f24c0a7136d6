//===- TMMToMMASync.h - from tile programs to mma.sync ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.sync as a matrix unit, and the conversion of tile programs to it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TMMTOMMASYNC_TMMTOMMASYNC_H
#define TC_CONVERSION_TMMTOMMASYNC_TMMTOMMASYNC_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL_CONVERTTMMTOMMASYNCPASS
#include "tc/Conversion/Passes.h.inc"

/// Registers mma.sync as a matrix unit (MatrixUnitModel) with the dialect
/// of its instructions, and has the dialects of its parts loaded with the tmm
/// dialect.
void registerMMASyncUnit(mlir::DialectRegistry &registry);

} // namespace tc

#endif // TC_CONVERSION_TMMTOMMASYNC_TMMTOMMASYNC_H
