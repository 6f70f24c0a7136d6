//===- ClusterTables.h - what depends on the rank of a CTA ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that each CTA of a cluster looks up by its rank: masks and ranks of
// the CTAs that it shares a tile with, or signals.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TMMTILES_CLUSTERTABLES_H
#define TC_CONVERSION_TMMTILES_CLUSTERTABLES_H

#include "tc/Support/Pipelining.h"

namespace tc {

/// The rank of the executing CTA in its cluster, i32.
mlir::Value emitClusterRank(mlir::OpBuilder &builder, mlir::Location loc);

/// The rank of the executing CTA in its cluster, or in the grid, i32.
mlir::Value emitRank(mlir::OpBuilder &builder, mlir::Location loc, Scope scope);

/// `table[rank]` as an integer of `type`, for the rank of the executing CTA in
/// `scope`. Entries below 0 are those of CTAs that do not ask.
mlir::Value emitRankTable(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::ArrayRef<int64_t> table, mlir::Type type,
                          Scope scope);

/// The members of `set` that the executing CTA has, as a mask (i16).
mlir::Value emitMembersMask(mlir::OpBuilder &builder, mlir::Location loc,
                            AgentSetAttrInterface set);

/// The position of the executing CTA among its members of `set`, i32.
mlir::Value emitPosition(mlir::OpBuilder &builder, mlir::Location loc,
                         AgentSetAttrInterface set);

} // namespace tc

#endif // TC_CONVERSION_TMMTILES_CLUSTERTABLES_H
