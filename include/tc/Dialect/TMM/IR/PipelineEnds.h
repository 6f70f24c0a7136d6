//===- PipelineEnds.h - what acts at the ends of a pipeline -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derives from the ops that use the slots of a pipeline which roles and engines
// fill and read them, and in which CTAs. Nothing of it is declared.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_PIPELINEENDS_H
#define TC_DIALECT_TMM_IR_PIPELINEENDS_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::gpu {
class GPUFuncOp;
} // namespace mlir::gpu

namespace tc::tmm {

/// What one role does at one end of a pipeline.
struct PipelineEnd {
  /// The region of the role where the kernel is cut, else null.
  mlir::Region *region = nullptr;
  /// The name of the role on the ops where the kernel is not cut yet; may be
  /// null.
  mlir::StringAttr role;
  /// The ops that fill or read the slots.
  llvm::SmallVector<EngineOpInterface, 2> accesses;
  /// The numbers of the buffers that they use.
  llvm::SmallSetVector<unsigned, 2> buffers;
  /// Their engines, which complete together.
  llvm::SmallSetVector<EngineAttrInterface, 1> engines;
  /// The CTAs that execute them as one; null: each its own.
  AgentSetAttrInterface span;
  /// The CTAs whose slots they fill besides; empty: their own alone.
  llvm::SmallSetVector<AgentSetAttrInterface, 1> targets;
  /// Whether they write what they read: a consumer that hands back slots with
  /// something else in them.
  bool modifies = false;

  /// The engine whose completion covers the work of all.
  EngineAttrInterface getEngine() const { return engines.back(); }
  /// Whether its ops are part of every role: instances that take turns are many
  /// there, too.
  bool isOfEveryRole() const;
};

using PipelineEnds = llvm::SmallVector<PipelineEnd, 1>;

/// The roles that fill the slots of `op` between acquire and commit. Emits an
/// error at `op` where no op does, where one is no op on tiles, or where the
/// ops of one role differ in completion or span; at an op whose bytes would
/// arrive more or less often than once for each slot.
mlir::FailureOr<PipelineEnds> deriveProducers(PipelineOp op);
/// The same of the roles that read the slots between wait and release.
mlir::FailureOr<PipelineEnds> deriveConsumers(PipelineOp op);

/// Whether the role itself makes the transaction that `skip` counts, and
/// releases its slot later.
bool isHeld(SkipOp skip);

/// Checks what instances that take turns do at one end of `op`, that of its
/// producers if `isProducer`, in a kernel that is cut: all of them take part,
/// each counts what the others do, and each sees all phases of the slots that
/// it uses. Emits an error at a role, or at an op of it.
mlir::LogicalResult verifyTurns(PipelineOp op, const PipelineEnds &ends,
                                bool isProducer);

/// Checks that each state in `kernel` counts the transactions of one end of one
/// pipeline, and that each transaction goes on from the one before. Emits an
/// error at an op that uses one for another or an earlier one, at a loop that
/// does not carry one, and at an op that is no op on pipelines and no loop or
/// branch.
mlir::LogicalResult verifyStates(mlir::gpu::GPUFuncOp kernel);

} // namespace tc::tmm

#endif // TC_DIALECT_TMM_IR_PIPELINEENDS_H
