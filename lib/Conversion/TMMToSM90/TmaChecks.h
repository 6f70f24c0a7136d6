//===- TmaChecks.h - what TMA requires of a matrix --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the lowering: the rules of TMA for the addresses of a matrix,
// checked here where they are static, by the host where they are not.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TMMTOSM90_TMACHECKS_H
#define TC_LIB_CONVERSION_TMMTOSM90_TMACHECKS_H

#include "tc/Support/Target.h"
#include "tc/Support/Units.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc {

/// What TMA can address of a matrix: elements of `bits` bits, `granularity`
/// bytes at a time.
struct TmaUnit {
  int64_t bits;
  int64_t granularity = kTmaGranularity;

  /// The elements of which distances are multiples.
  int64_t elements() const;
};

/// The pitch rule of TMA for dimension `dim` of operand `name`. `stride` is in
/// elements; `advice` ends the message.
mlir::LogicalResult checkStride(mlir::OpBuilder &host,
                                mlir::gpu::LaunchFuncOp launch,
                                llvm::StringRef name, unsigned dim,
                                mlir::OpFoldResult stride,
                                llvm::StringRef advice, TmaUnit unit);

/// The same of the first element: the buffer itself is aligned.
mlir::LogicalResult checkOffset(mlir::OpBuilder &host,
                                mlir::gpu::LaunchFuncOp launch,
                                llvm::StringRef name, mlir::OpFoldResult offset,
                                TmaUnit unit);

/// The same of the length of rows that TMA stores: it writes 16 bytes as a
/// whole, those after the end of a row too.
mlir::LogicalResult checkRowEnd(mlir::OpBuilder &host,
                                mlir::gpu::LaunchFuncOp launch,
                                llvm::StringRef name,
                                mlir::OpFoldResult columns, TmaUnit unit);

/// The same of the length of rows whose elements TMA unpacks.
mlir::LogicalResult checkUnpackedRow(mlir::OpBuilder &host,
                                     mlir::gpu::LaunchFuncOp launch,
                                     llvm::StringRef name,
                                     mlir::OpFoldResult columns, TmaUnit unit);

/// The same of a distance between rows that cp.async copies: the stride of
/// `dim`, or the offset in the buffer. `advice` as above.
mlir::LogicalResult
checkCopies(mlir::OpBuilder &host, mlir::gpu::LaunchFuncOp launch,
            llvm::StringRef name, std::optional<unsigned> dim,
            llvm::StringRef advice, mlir::OpFoldResult elements, TmaUnit unit);

/// The field of the configuration that lets threads load operand `number` of a
/// kernel, after ", or"; of operands that have none, what else helps.
llvm::StringRef adviseThreads(unsigned number);

} // namespace tc

#endif // TC_LIB_CONVERSION_TMMTOSM90_TMACHECKS_H
