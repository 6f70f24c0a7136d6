//===- PipelineChecks.h - what lowering relies on ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is checked of the ops on a pipeline once it is known how it is
// signalled.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TMMTOSM90_PIPELINECHECKS_H
#define TC_LIB_CONVERSION_TMMTOSM90_PIPELINECHECKS_H

#include "PipelinePlan.h"

namespace tc {

/// The end of the role that holds `op` among those of its side; null where the
/// role neither fills nor reads slots.
const tmm::PipelineEnd *findEnd(const tmm::PipelineEnds &ends,
                                mlir::Operation *op);

/// Checks that whoever makes transactions of `op` uses its slots, that somebody
/// waits for work that is pending at return, that held slots are released of
/// their own pipeline, and that what producers take is written. Emits an error
/// where not.
mlir::LogicalResult verifyUses(tmm::PipelineOp op, const PipelinePlan &plan);

/// What begins and what ends a transaction: a tmm.skip where its slot is held.
struct Transaction {
  mlir::Operation *begin, *end;
};

/// Checks that each transaction in `kernel` begins and ends in one block, once
/// each: nothing uses its slot later, and its end may be in a branch for the
/// last iteration of a loop there. Emits an error at an op where not. Adds them
/// to `transactions`.
mlir::LogicalResult
verifyTransactions(mlir::gpu::GPUFuncOp kernel,
                   llvm::SmallVectorImpl<Transaction> &transactions);

/// Checks that what is pending at return is awaited before its slots are
/// released and its results used, and that held slots are released once. Emits
/// an error where not.
mlir::LogicalResult verifyInFlight(mlir::gpu::GPUFuncOp kernel,
                                   llvm::ArrayRef<Transaction> transactions);

/// Checks that the roles of `kernel` make transactions of pipelines that share
/// slots in the order in which a slot goes round them, and as many of each.
/// Emits an error where not.
mlir::LogicalResult verifySharedSlots(mlir::gpu::GPUFuncOp kernel,
                                      llvm::ArrayRef<Transaction> transactions);

} // namespace tc

#endif // TC_LIB_CONVERSION_TMMTOSM90_PIPELINECHECKS_H
