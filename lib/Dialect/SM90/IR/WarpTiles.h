//===- WarpTiles.h - what wgmma and mma.sync multiply -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types of both, and the tiles in shared memory that both read.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_SM90_IR_WARPTILES_H
#define TC_LIB_DIALECT_SM90_IR_WARPTILES_H

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/ISA.h"

namespace tc::sm90 {

/// Checks the element types of A, B and the accumulator, which `section` lists.
mlir::LogicalResult
verifyWarpTypes(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                mlir::Type a, mlir::Type b, mlir::Type d, ISASection section);

/// The sections that state K, the layouts, and which types are MN-major.
struct WarpTileSections {
  ISASection shape, layout, major;
};

/// Checks the layout of operand `name`, a tile of `type`, and its K elements
/// from `offset` on.
mlir::LogicalResult
verifyWarpTile(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
               llvm::StringRef name, mlir::MemRefType type, int64_t offset,
               int64_t k, const WarpTileSections &sections);

} // namespace tc::sm90

#endif // TC_LIB_DIALECT_SM90_IR_WARPTILES_H
