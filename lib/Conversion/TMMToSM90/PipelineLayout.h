//===- PipelineLayout.h - a pipeline's memory and barriers ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the kernel's prologue makes for a pipeline, as the patterns use it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TMMTOSM90_PIPELINELAYOUT_H
#define TC_LIB_CONVERSION_TMMTOSM90_PIPELINELAYOUT_H

#include "PipelinePlan.h"

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/EmitArith.h"

#include <memory>

namespace tc {

/// How one end arrives in one direction.
struct ArrivalValues {
  /// For each CTA that it signals, the signals of the direction there.
  llvm::SmallVector<mlir::Value, 1> storages;
  /// The same CTAs as a mask (i16); null where it signals its own alone, or
  /// where they are those of a grid.
  mlir::Value mask;
};

/// The values of one direction.
struct DirectionValues {
  /// The signals of this CTA; null where there are none.
  mlir::Value signals;
  /// For each end that completes.
  llvm::SmallVector<ArrivalValues, 1> arrivals;
};

/// A lowered pipeline.
struct PipelineLayout {
  PipelinePlan plan;
  /// That whose consumers free the slots: itself, or, where slots are shared,
  /// the one that has them before.
  const PipelineLayout *previous = nullptr;
  /// Whether they are free for this transaction only when the previous pipeline
  /// has released its transaction of this number, not the one a lap before.
  bool isOver = false;
  /// The storage of each buffer of a slot.
  llvm::SmallVector<mlir::Value, 2> storages;
  DirectionValues full, empty;
};

/// Allocated one by one, as plans refer to ends of other pipelines.
using PipelineLayouts =
    llvm::DenseMap<mlir::Value, std::unique_ptr<PipelineLayout>>;

/// Plans all pipelines of `kernel` and emits its prologue: storages, signals
/// and their initialisation, and the barrier after which they can be used.
/// Emits an error where a pipeline cannot be lowered.
mlir::LogicalResult layOutPipelines(mlir::gpu::GPUFuncOp kernel,
                                    PipelineLayouts &layouts);

} // namespace tc

#endif // TC_LIB_CONVERSION_TMMTOSM90_PIPELINELAYOUT_H
