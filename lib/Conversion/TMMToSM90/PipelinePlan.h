//===- PipelinePlan.h - how pipelines are signalled -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowering of a pipeline follows from, as plain data: for each of its
// two directions how the other end learns of a completion, who arrives where
// and how often. Derived from the ops that use the slots and from what their
// engines and agent sets answer.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TMMTOSM90_PIPELINEPLAN_H
#define TC_LIB_CONVERSION_TMMTOSM90_PIPELINEPLAN_H

#include "tc/Dialect/TMM/IR/PipelineEnds.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tc {

/// How one end learns that the other has completed a transaction.
enum class Signal {
  /// It need not: the same thread issues both, and the engines are ordered.
  None,
  /// An mbarrier.
  Barrier,
  /// The threads of one role synchronise.
  NamedBarrier,
  /// The thread that issued groups waits for them; if others go on, they
  /// synchronise.
  Group,
};

/// The CTAs that each CTA of a cluster signals; empty for one that does not
/// act.
using Targets = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// One direction of a pipeline: from the ends that complete to those that wait.
struct Direction {
  Signal signal = Signal::Barrier;
  /// Signal::Barrier: arrivals that complete a phase of each barrier.
  int64_t arrivals = 0;
  /// For each end that completes, whom it signals.
  llvm::SmallVector<Targets, 1> targets;
  /// Whether an arrival comes from another CTA.
  bool crosses = false;
};

/// A pipeline and its directions.
struct PipelinePlan {
  tmm::PipelineType type;
  tmm::PipelineEnds producers, consumers;
  /// Producers to consumers: the slot is filled.
  Direction full;
  /// Consumers to producers: the slot is free.
  Direction empty;
  /// Whether a slot is released when work on the next one is issued.
  bool lateRelease = false;
};

/// The kernel that a plan is made for.
struct KernelFacts {
  /// CTAs of a cluster.
  int64_t ctas = 1;
  /// Threads of a CTA.
  int64_t threads = 0;
};

/// The facts of `kernel`; emits an error where its block size is not known.
mlir::FailureOr<KernelFacts> getKernelFacts(mlir::gpu::GPUFuncOp kernel);

/// Threads of the role that `end` belongs to.
int64_t getRoleThreads(const tmm::PipelineEnd &end, const KernelFacts &facts);

/// The plan of `op`. Emits an error at `op` where its ends cannot be signalled.
mlir::FailureOr<PipelinePlan> makePlan(tmm::PipelineOp op,
                                       const KernelFacts &facts);

} // namespace tc

#endif // TC_LIB_CONVERSION_TMMTOSM90_PIPELINEPLAN_H
