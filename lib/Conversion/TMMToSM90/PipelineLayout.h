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

namespace tc {

/// How one end arrives in one direction.
struct ArrivalValues {
  /// For each CTA that it signals, the mbarriers of the direction there; the
  /// own ones are !sm90.mbarrier_array, others !sm90.cluster_mbarrier_array.
  llvm::SmallVector<mlir::Value, 1> arrays;
  /// The same CTAs as a mask (i16); null where it signals its own alone.
  mlir::Value mask;
};

/// The values of one direction.
struct DirectionValues {
  /// The mbarriers of this CTA; null where the signal is none.
  mlir::Value barriers;
  /// For each end that completes.
  llvm::SmallVector<ArrivalValues, 1> arrivals;
};

/// A lowered pipeline.
struct PipelineLayout {
  PipelinePlan plan;
  /// The storage of each buffer of a slot.
  llvm::SmallVector<mlir::Value, 2> storages;
  DirectionValues full, empty;
};

using PipelineLayouts = llvm::DenseMap<mlir::Value, PipelineLayout>;

/// Plans all pipelines of `kernel` and emits its prologue: storages, mbarriers
/// and their initialisation, and the barrier after which they can be used.
/// Emits an error where a pipeline cannot be lowered.
mlir::LogicalResult layOutPipelines(mlir::gpu::GPUFuncOp kernel,
                                    PipelineLayouts &layouts);

} // namespace tc

#endif // TC_LIB_CONVERSION_TMMTOSM90_PIPELINELAYOUT_H
