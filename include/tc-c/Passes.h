//===- Passes.h - passes and pipelines in C -----------------------*- C -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each pass mlirCreateX and mlirRegisterX, as MLIR-C has them of its own:
// mlirCreateTMMTilePass, mlirRegisterTMMPasses, ...
//
//===----------------------------------------------------------------------===//

#ifndef TC_C_PASSES_H
#define TC_C_PASSES_H

#include "tc/Conversion/Passes.capi.h.inc"
#include "tc/Dialect/SM90/Transforms/Passes.capi.h.inc"
#include "tc/Dialect/TCGen05/Transforms/Passes.capi.h.inc"
#include "tc/Dialect/TMM/Passes.capi.h.inc"
#include "tc/Target/PTX/Passes.capi.h.inc"
#include "tc/Transforms/Passes.capi.h.inc"

#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers every pass and pipeline of tc and of upstream, for textual
/// pipelines (mlirParsePassPipeline): "tc-lower-to-tcgen05", "tmm-tile", ...
MLIR_CAPI_EXPORTED void tcRegisterAllPasses(void);

#ifdef __cplusplus
}
#endif

#endif // TC_C_PASSES_H
