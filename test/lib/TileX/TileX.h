//===- TileX.h - a made-up matrix unit --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tile engine X, which no chip has. Nothing outside of this folder knows it but
// the list of test/lib/CMakeLists.txt.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_LIB_TILEX_TILEX_H
#define TC_TEST_LIB_TILEX_TILEX_H

#include "tc/Support/Pipelining.h"

#include "mlir/IR/Dialect.h"
#include "mlir/Transforms/DialectConversion.h"

#include "TileXDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "TileXAttrs.h.inc"

namespace tc {

namespace schedule {
class UnitModel;
} // namespace schedule

namespace tile_x {

/// Rows of an accumulator that each warp holds.
constexpr int64_t kWarpRows = 32;

/// What the unit is to configurations.
const schedule::UnitModel &getModel();

/// Adds the patterns of the ops on tiles that the unit executes.
void populatePatterns(mlir::TypeConverter &converter,
                      mlir::RewritePatternSet &patterns);

} // namespace tile_x
} // namespace tc

#endif // TC_TEST_LIB_TILEX_TILEX_H
