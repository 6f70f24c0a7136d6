//===- CoreMatrices.h - register tiles of 8 x 8 parts -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accumulators of mma.sync and wgmma consist of matrices of 8 x 8 elements,
// dealt to the 32 lanes of a warp alike (PTX ISA, "Matrix Fragments for
// mma.m16n8k16" and "Register Fragments for wgmma.mma_async.m64nNk16").
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_COREMATRICES_H
#define TC_SUPPORT_COREMATRICES_H

#include "tc/Support/ISA.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace tc {

/// Columns of a core matrix, its rows, and the elements of a row that a thread
/// holds.
constexpr int64_t kCoreColumns = 8;
constexpr int64_t kCoreRows = 8;
constexpr int64_t kCoreRun = 2;
/// Threads that hold a row of a core matrix.
constexpr int64_t kCoreThreads = kCoreColumns / kCoreRun;

/// Whether `shape` is that of a tile of so many rows and columns each.
bool isMultipleOf(llvm::ArrayRef<int64_t> shape, int64_t rows, int64_t columns);

/// Checks that `shape` is that of a register tile of so many rows and columns
/// each; `section` of the PTX ISA says so, if there is one.
mlir::LogicalResult
verifyMultipleOf(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 llvm::ArrayRef<int64_t> shape, int64_t rows, int64_t columns,
                 std::optional<ISASection> section = std::nullopt);

/// The first row of `thread`, where each warp holds `rows` rows.
mlir::Value emitCoreRow(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value thread, int64_t rows);

/// The first column of `thread`.
mlir::Value emitCoreColumn(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value thread);

} // namespace tc

#endif // TC_SUPPORT_COREMATRICES_H
