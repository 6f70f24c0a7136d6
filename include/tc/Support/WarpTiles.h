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

#ifndef TC_SUPPORT_WARPTILES_H
#define TC_SUPPORT_WARPTILES_H

#include "tc/Support/ISA.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace tc {

/// Whether both multiply elements of `type`, without scale factors (PTX ISA,
/// "Matrix Data-types").
bool isWarpMmaInput(mlir::Type type);

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

} // namespace tc

#endif // TC_SUPPORT_WARPTILES_H
