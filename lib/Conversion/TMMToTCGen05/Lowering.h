//===- Lowering.h - state of one kernel's lowering --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the conversion. Before any op is converted, the kernel's interface
// is rewritten (KernelInterface.cpp) and its shared memory, barriers and
// accumulators are laid out (Pipelines.cpp); the patterns look the results up
// here.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TMMTOTCGEN05_LOWERING_H
#define TC_LIB_CONVERSION_TMMTOTCGEN05_LOWERING_H

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tc {

/// A matrix that threads read and write directly, or a vector, whose elements
/// are its columns.
struct GlobalMatrix {
  /// Rank 2 or 1 behind the dimensions of a batch, in global memory, with the
  /// strides of the kernel's argument.
  mlir::Value memref;
  /// Extents in elements, i32; a vector has no rows.
  mlir::Value rows, cols;
  /// Where rows start that is not known when compiling: strides and the offset
  /// in elements, i32, or'ed; low bits count. Null if all are known.
  mlir::Value starts;
  /// What divides the number of columns and the elements in front of each row,
  /// as far as is known when compiling.
  int64_t divisor;
  /// What divides the elements in front of each row, not counting `starts`.
  int64_t startDivisor;
};

/// A pipeline's memory and barriers.
struct LoweredPipeline {
  tmm::PipelineType type;
  tmm::Engine producer, consumer;
  /// !sm90.mbarrier_array<depth> of this CTA: slot filled, slot free. Null
  /// where TMA stores the slots.
  mlir::Value full, empty;
  /// The same of the leader of a pair; null in a pipeline of one CTA.
  mlir::Value leaderFull, leaderEmpty;
  /// Whether the slots go to global memory in bulk groups of one of the
  /// threads.
  bool isStoreRing() const { return consumer == tmm::Engine::tma_store; }
  /// Where what all CTAs of the pipeline do is counted.
  mlir::Value countedFull() const { return leaderFull ? leaderFull : full; }
  mlir::Value countedEmpty() const { return leaderEmpty ? leaderEmpty : empty; }
  /// For each buffer of a slot in shared memory: where slot 0 is, and the bytes
  /// from one slot to the next.
  llvm::SmallVector<int64_t> offsets, strides;
  /// For each buffer of a slot in Tensor Memory: the region of all slots.
  llvm::SmallVector<mlir::Value> regions;
};

/// What the patterns need to know of the kernel they are in.
struct KernelLowering {
  /// The kernel's dynamic shared memory.
  mlir::Value smem;
  /// CTAs that one matrix instruction spans: 1, or 2 for a pair.
  int64_t ctas = 1;
  /// True in the one thread of the CTA that issues asynchronous instructions.
  mlir::Value leader;
  /// Of a pair: true in the CTA that issues what the pair does once.
  mlir::Value inLeaderCta;
  /// Of a pair: both of the above.
  mlir::Value pairLeader;
  /// The thread's number in the CTA, i32: also its row in the tile.
  mlir::Value thread;
  /// Threads of the CTA, or of its threads role.
  int64_t threads;
  /// Leading block arguments that rewriteInterface replaced: to be erased.
  unsigned replacedArguments = 0;
  /// The tensor map of each tmm.load and tmm.unload.
  llvm::DenseMap<mlir::Operation *, mlir::Value> tensorMaps;
  llvm::DenseMap<mlir::Value, GlobalMatrix> matrices;
  llvm::DenseMap<mlir::Value, LoweredPipeline> pipelines;
};

/// Whether dimension `dim` of a matrix that tmm.load reads is one of its tensor
/// map. A batch dimension of size 1 is not: it has one index, and a stride that
/// need not suit TMA.
inline bool isMapDimension(mlir::Type matrix, unsigned dim) {
  auto type = mlir::cast<mlir::MemRefType>(matrix);
  return dim + 2 >= type.getRank() || type.getDimSize(dim) != 1;
}

/// The layout of an operand tile in shared memory, and its TMA slabs.
mlir::MemRefType getSmemTileType(tmm::BufferType buffer);

/// The accumulator in each of the `ctas` CTAs of an instruction, null if no
/// instruction writes it.
tcgen05::TmemType getAccumulatorType(tmm::BufferType buffer, int64_t ctas);

/// Emits `body` for the thread that issues the instructions of `engine`: in a
/// role of an asynchronous engine there is no other. The tensor core of a pair
/// of CTAs is driven by one thread of its leader.
void emitLeader(mlir::OpBuilder &builder, mlir::Location loc,
                KernelLowering &kernel, tmm::Engine engine,
                llvm::function_ref<void(mlir::OpBuilder &)> body);

/// An i32 constant.
mlir::Value emitI32(mlir::OpBuilder &builder, mlir::Location loc,
                    int64_t value);

/// `value` (i32) as an index.
mlir::Value emitIndex(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value);

/// Replaces matrices among the parameters of `kernel` by tensor maps, pointers
/// and strides, and adapts `launch`. Emits an error where a matrix cannot be
/// addressed by TMA; where that depends on dynamic sizes, a check on the host.
mlir::LogicalResult rewriteInterface(mlir::gpu::GPUFuncOp kernel,
                                     mlir::gpu::LaunchFuncOp launch,
                                     KernelLowering &lowering);

/// Lays out shared memory, barriers and accumulators of all pipelines, emits
/// their initialisation at the start of `kernel` and sets the dynamic shared
/// memory of `launch`. Emits an error where they do not fit.
mlir::LogicalResult layOutPipelines(mlir::gpu::GPUFuncOp kernel,
                                    mlir::gpu::LaunchFuncOp launch,
                                    KernelLowering &lowering);

/// Checks that the roles of a specialised kernel fit its threads, and notes how
/// many threads share the epilogue.
mlir::LogicalResult checkRoles(mlir::gpu::GPUFuncOp kernel,
                               KernelLowering &lowering);

/// Replaces roles by branches, once their bodies are converted.
void expandRoles(mlir::gpu::GPUFuncOp kernel, KernelLowering &lowering);

void populatePipelinePatterns(mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns,
                              KernelLowering &kernel);
void populateSchedulerPatterns(mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns);
void populateTilePatterns(mlir::TypeConverter &converter,
                          mlir::RewritePatternSet &patterns,
                          KernelLowering &kernel);
void populateEpiloguePatterns(mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns,
                              KernelLowering &kernel);

} // namespace tc

#endif // TC_LIB_CONVERSION_TMMTOTCGEN05_LOWERING_H
