//===- Lowering.h - patterns for tile programs ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_UNITS_TCGEN05_LOWERING_H
#define TC_LIB_UNITS_TCGEN05_LOWERING_H

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/EmitArith.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tc {

/// An accumulator or scale factors in Tensor Memory; null if the tile is
/// elsewhere.
tcgen05::TmemType getTmemTileType(tmm::BufferType buffer);
/// Accumulators of an instruction that `tile` has, next to each other.
int64_t getAccumulators(tmm::BufferType tile);
/// `depth` regions `slot`, one after the other.
tcgen05::TmemType getTmemRingType(tcgen05::TmemType slot, int64_t depth);

/// Checks that this chip can execute the tile program `kernel`, and that the
/// lowering knows how: control flow, and which warps read accumulators.
mlir::LogicalResult verifyTilePreconditions(mlir::gpu::GPUFuncOp kernel);

void populateMmaPatterns(mlir::TypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
void populateTilePatterns(mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
void populateStoragePatterns(mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace tc

#endif // TC_LIB_UNITS_TCGEN05_LOWERING_H
