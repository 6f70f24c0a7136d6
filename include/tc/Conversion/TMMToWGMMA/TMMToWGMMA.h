//===- TMMToWGMMA.h - from tile programs to wgmma ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The wgmma instructions of sm_90a as a matrix unit, and the conversion of tile
// programs to it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TMMTOWGMMA_TMMTOWGMMA_H
#define TC_CONVERSION_TMMTOWGMMA_TMMTOWGMMA_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL_CONVERTTMMTOWGMMAPASS
#include "tc/Conversion/Passes.h.inc"

/// Registers wgmma as a matrix unit (MatrixUnitModel) with the dialect of
/// its instructions, and has the dialects of its parts loaded with the tmm
/// dialect.
void registerWGMMAUnit(mlir::DialectRegistry &registry);

} // namespace tc

#endif // TC_CONVERSION_TMMTOWGMMA_TMMTOWGMMA_H
