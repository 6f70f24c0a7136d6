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

/// The CTAs that each CTA of a cluster, or of the grid, signals; empty for one
/// that does not act.
using Targets = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// One direction of a pipeline: from the ends that complete to those that wait.
/// Nothing of it is set where one thread issues both in an order that their
/// engines keep.
struct Direction {
  /// The ends whose work only they can wait for: they do, and if others go on,
  /// the threads of the role synchronise.
  llvm::SmallVector<const tmm::PipelineEnd *, 1> issuers;
  /// Whether the threads of the one role at both ends synchronise.
  bool synchronises = false;
  /// On what the other ends signal; null where none does.
  SignalAttrInterface signal;
  /// Arrivals that complete a phase of each signal.
  int64_t arrivals = 0;
  /// For each end that completes, whom it signals.
  llvm::SmallVector<Targets, 1> targets;
  /// Whether an arrival comes from another CTA.
  bool crosses = false;
  /// Whether one comes from threads, after the fences of the memory.
  bool isOfThreads = false;
  /// Whether they complete as soon as their engines have read the slot.
  bool onRead = false;

  bool isOrdered() const { return issuers.empty() && !synchronises && !signal; }
};

/// A pipeline and its directions.
struct PipelinePlan {
  tmm::PipelineType type;
  tmm::PipelineEnds producers, consumers;
  /// Those that fill the slot once it is free: the producers, or, where slots
  /// are shared, those of the pipeline that has the slot next.
  tmm::PipelineEnds successors;
  /// Producers to consumers: the slot is filled.
  Direction full;
  /// Consumers to successors: the slot is free.
  Direction empty;
  /// Whose CTAs signal each other.
  Scope scope = Scope::Cluster;
};

/// The kernel that a plan is made for.
struct KernelFacts {
  /// CTAs of a cluster.
  int64_t ctas = 1;
  /// CTAs of the grid, where they are known.
  std::optional<int64_t> gridCtas;
  /// Threads of a CTA.
  int64_t threads = 0;

  int64_t getCtas(Scope scope) const {
    return scope == Scope::Grid ? *gridCtas : ctas;
  }
};

/// The facts of `kernel`; emits an error where its block size is not known.
mlir::FailureOr<KernelFacts> getKernelFacts(mlir::gpu::GPUFuncOp kernel);

/// Threads of the role that `end` belongs to.
int64_t getRoleThreads(const tmm::PipelineEnd &end, const KernelFacts &facts);

/// Fills in `plan` of `op`, with completions that complete on `signal` where
/// they name no other. Emits an error at `op` where its ends cannot be
/// signalled.
mlir::LogicalResult makePlan(tmm::PipelineOp op, const KernelFacts &facts,
                             SignalAttrInterface signal, PipelinePlan &plan);

} // namespace tc

#endif // TC_LIB_CONVERSION_TMMTOSM90_PIPELINEPLAN_H
