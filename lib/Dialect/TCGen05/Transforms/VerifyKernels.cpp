//===- VerifyKernels.cpp - rules that span operations -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the allocations of a kernel through its control flow. What one warp
// does under a condition counts as done: the warp that frees is chosen as the
// one that allocates, by a condition that no analysis relates to the other. So
// both branches of a condition are visited one after the other, bodies of loops
// once with what comes before them and once with what they leave, and the
// blocks of a function until nothing changes.
//
// Regions are compared where they are static slices of the same value.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Dialect/TCGen05/Transforms/Passes.h"
#include "tc/Support/ISA.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace tc::tcgen05 {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "tc/Dialect/TCGen05/Transforms/Passes.h.inc"
} // namespace tc::tcgen05

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

//===----------------------------------------------------------------------===//
// One cta_group
//===----------------------------------------------------------------------===//

// tcgen05_kernel_c1. ptxas refuses others, without a source location.
static LogicalResult verifyOneGroup(gpu::GPUFuncOp kernel) {
  Operation *first = nullptr;
  IntegerAttr group;
  WalkResult result = kernel.walk([&](Operation *op) {
    if (!isa<TCGen05Dialect>(op->getDialect()))
      return WalkResult::advance();
    auto attribute = dyn_cast_or_null<IntegerAttr>(
        op->getInherentAttr("cta_group").value_or(Attribute()));
    if (!attribute || (first && attribute == group))
      return WalkResult::advance();
    if (!first) {
      first = op;
      group = attribute;
      return WalkResult::advance();
    }
    InFlightDiagnostic diagnostic =
        op->emitError() << "expected cta_group " << group.getInt()
                        << ", one for all tcgen05 operations of a kernel, got "
                        << attribute.getInt() << " "
                        << cite(ISASection::CtaGroup);
    diagnostic.attachNote(first->getLoc())
        << "cta_group " << group.getInt() << " is used here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

namespace {

/// What may be true of Tensor Memory at a point of the kernel.
struct Allocations {
  /// Not freed yet, in program order.
  llvm::SmallSetVector<AllocOp, 4> live;
  /// The allocation before, freed or not.
  AllocOp last;
  RelinquishAllocPermitOp relinquished;

  /// Adds what is true on another path; returns whether that is news.
  bool join(const Allocations &other) {
    size_t before = live.size();
    live.insert(other.live.begin(), other.live.end());
    bool changed = live.size() != before;
    if (!last && other.last) {
      last = other.last;
      changed = true;
    }
    if (!relinquished && other.relinquished) {
      relinquished = other.relinquished;
      changed = true;
    }
    return changed;
  }
};

} // namespace

static LogicalResult visitAlloc(AllocOp op, Allocations &state) {
  // tcgen05_kernel_c4
  if (state.relinquished) {
    InFlightDiagnostic diagnostic =
        op.emitError() << "expected no allocation after the permit is given up "
                       << cite(ISASection::TmemAllocInstructions);
    diagnostic.attachNote(state.relinquished.getLoc()) << "given up here";
    return diagnostic;
  }
  // tcgen05_kernel_c2
  int64_t columns = op.getColumns();
  for (AllocOp other : state.live) {
    columns += other.getColumns();
    if (other.getSlot() != op.getSlot())
      continue;
    InFlightDiagnostic diagnostic =
        op.emitError() << "expected the allocation of the slot to be freed "
                          "before the slot is written again "
                       << cite(ISASection::TmemAllocInstructions);
    diagnostic.attachNote(other.getLoc()) << "allocated here";
    return diagnostic;
  }
  // tcgen05_kernel_c5
  if (columns > kTmemColumns) {
    InFlightDiagnostic diagnostic =
        op.emitError() << "expected at most " << kTmemColumns
                       << " columns to be allocated at a time, got " << columns
                       << " " << cite(ISASection::TmemAllocation);
    for (AllocOp other : state.live)
      diagnostic.attachNote(other.getLoc())
          << other.getColumns() << " columns are allocated here";
    return diagnostic;
  }
  // tcgen05_kernel_c6
  if (state.last && state.last != op &&
      op.getColumns() > state.last.getColumns()) {
    InFlightDiagnostic diagnostic =
        op.emitError() << "expected at most " << state.last.getColumns()
                       << " columns, those of the allocation before, got "
                       << op.getColumns() << " "
                       << cite(ISASection::TmemAllocation);
    diagnostic.attachNote(state.last.getLoc()) << "the allocation before";
    return diagnostic;
  }
  state.live.insert(op);
  state.last = op;
  return success();
}

// tcgen05_kernel_c3
static LogicalResult visitDealloc(DeallocOp op, Allocations &state) {
  auto address = op.getAllocation().getDefiningOp<AddressOp>();
  if (!address)
    return op.emitError() << "expected an allocation that 'tcgen05.address' "
                             "gives, whose slot says what is freed "
                          << cite(ISASection::TmemAllocInstructions);
  int64_t columns = cast<TmemType>(op.getAllocation().getType()).getColumns();
  for (AllocOp alloc : state.live) {
    if (alloc.getSlot() != address.getSlot())
      continue;
    if (alloc.getColumns() == columns) {
      state.live.remove(alloc);
      return success();
    }
    InFlightDiagnostic diagnostic =
        op.emitError() << "expected the " << alloc.getColumns()
                       << " columns that are allocated to be freed, got "
                       << columns << " "
                       << cite(ISASection::TmemAllocInstructions);
    diagnostic.attachNote(alloc.getLoc()) << "allocated here";
    return diagnostic;
  }
  return op.emitError() << "expected what is freed to be allocated and not "
                           "freed yet "
                        << cite(ISASection::TmemAllocInstructions);
}

static LogicalResult visitBlock(Block &block, Allocations &state);

/// The blocks of `region`, from `state` on; `state` becomes what is true where
/// the region is left.
static LogicalResult visitRegion(Region &region, Allocations &state) {
  if (region.empty())
    return success();
  llvm::SmallDenseMap<Block *, Allocations> entries;
  entries[&region.front()] = state;
  llvm::SmallSetVector<Block *, 8> pending;
  pending.insert(&region.front());
  Allocations left;
  while (!pending.empty()) {
    Block *block = pending.front();
    pending.erase(pending.begin());
    Allocations current = entries[block];
    if (failed(visitBlock(*block, current)))
      return failure();
    if (block->getNumSuccessors() == 0)
      left.join(current);
    for (Block *next : block->getSuccessors()) {
      bool isNew = !entries.contains(next);
      if (entries[next].join(current) || isNew)
        pending.insert(next);
    }
  }
  state = left;
  return success();
}

static LogicalResult visitBlock(Block &block, Allocations &state) {
  for (Operation &op : block) {
    if (auto alloc = dyn_cast<AllocOp>(op)) {
      if (failed(visitAlloc(alloc, state)))
        return failure();
    } else if (auto dealloc = dyn_cast<DeallocOp>(op)) {
      if (failed(visitDealloc(dealloc, state)))
        return failure();
    } else if (auto relinquish = dyn_cast<RelinquishAllocPermitOp>(op)) {
      state.relinquished = relinquish;
    } else if (isa<gpu::ReturnOp>(op) && !state.live.empty()) {
      // tcgen05_kernel_c2
      InFlightDiagnostic diagnostic =
          op.emitError() << "expected every allocation of Tensor Memory to be "
                            "freed before the kernel ends, got "
                         << state.live.size() << " that "
                         << (state.live.size() == 1 ? "is" : "are") << " not "
                         << cite(ISASection::TmemAllocInstructions);
      for (AllocOp alloc : state.live)
        diagnostic.attachNote(alloc.getLoc()) << "allocated here";
      return diagnostic;
    }
    for (int turn = 0; turn < (isa<LoopLikeOpInterface>(op) ? 2 : 1); ++turn)
      for (Region &region : op.getRegions())
        if (failed(visitRegion(region, state)))
          return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

namespace {

/// Columns of cells of a value, where they are known.
struct Columns {
  Value root;
  int64_t first;
  int64_t count;
  /// Of 32 lanes in a window the lower 16 (1), the upper ones (2) or all.
  unsigned lanes = 3;

  bool overlaps(const Columns &other) const {
    return root == other.root && (lanes & other.lanes) &&
           first < other.first + other.count && other.first < first + count;
  }
};

/// What the threads of a warp have started in a block and not waited for.
struct Pending {
  Operation *op;
  Columns columns;
};

} // namespace

/// The columns of `region`, nothing where a slice is dynamic. A window is a
/// part of the lanes of its source: the columns are the same.
static std::optional<Columns> getColumns(Value region) {
  Columns columns{region, 0, cast<TmemType>(region.getType()).getCellColumns()};
  while (Operation *op = columns.root.getDefiningOp()) {
    if (auto window = dyn_cast<WarpWindowOp>(op)) {
      columns.root = window.getSource();
      continue;
    }
    auto slice = dyn_cast<SliceOp>(op);
    if (!slice)
      break;
    std::optional<int64_t> column = getConstantIntValue(slice.getColumn());
    if (!column)
      return std::nullopt;
    columns.first += *column;
    columns.root = slice.getSource();
    DataPath layout = slice.getResult().getType().getLayout();
    if (slice.getSource().getType().getLayout() == DataPath::Raw &&
        (layout == DataPath::C || layout == DataPath::F))
      columns.lanes = slice.getLane() == 0 ? 1 : 2;
  }
  return columns;
}

/// The region of `op` that a warp loads or stores; null for other operations.
static Value getAccessed(Operation *op) {
  if (auto ld = dyn_cast<LdOp>(op))
    return ld.getSource();
  if (auto st = dyn_cast<StOp>(op))
    return st.getDestination();
  return {};
}

// tcgen05_kernel_c7
static LogicalResult verifyWindow(Operation *op, gpu::GPUFuncOp kernel) {
  Value region = getAccessed(op);
  while (auto slice = region.getDefiningOp<SliceOp>())
    region = slice.getSource();
  auto argument = dyn_cast<BlockArgument>(region);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return success();
  return op->emitError()
         << "expected a region that a 'tcgen05.warp_window' of the executing "
            "warp gives, got argument #"
         << argument.getArgNumber() << " of the kernel "
         << cite(ISASection::TmemLoadAccess);
}

// tcgen05_kernel_c8
static LogicalResult verifyWaits(Operation *op,
                                 SmallVectorImpl<Pending> &pending) {
  if (auto wait = dyn_cast<WaitOp>(op)) {
    bool loads = wait.getKind() == WaitKind::Ld;
    llvm::erase_if(pending, [&](const Pending &access) {
      return isa<LdOp>(access.op) == loads;
    });
    return success();
  }
  if (!isa<TCGen05Dialect>(op->getDialect()) || isa<SliceOp, WarpWindowOp>(op))
    return success();
  for (Value operand : op->getOperands()) {
    if (!isa<TmemType>(operand.getType()))
      continue;
    std::optional<Columns> columns = getColumns(operand);
    for (const Pending &access : pending) {
      // Loads do not disturb each other.
      bool load = isa<LdOp>(access.op);
      if (!columns || !access.columns.overlaps(*columns) ||
          (load && isa<LdOp>(op)))
        continue;
      InFlightDiagnostic diagnostic =
          op->emitError() << "expected a 'tcgen05.wait " << (load ? "ld" : "st")
                          << "' before columns that are being "
                          << (load ? "loaded" : "stored")
                          << " are accessed again "
                          << cite(ISASection::TmemOrder);
      diagnostic.attachNote(access.op->getLoc())
          << (load ? "loaded" : "stored") << " here";
      return diagnostic;
    }
  }
  if (Value region = getAccessed(op))
    if (std::optional<Columns> columns = getColumns(region))
      pending.push_back({op, *columns});
  return success();
}

// tcgen05_kernel_c9
static LogicalResult verifyDisjoint(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || isa<ShiftOp>(op))
    return success();
  SmallVector<OpOperand *> regions;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<TmemType>(operand.get().getType()))
      regions.push_back(&operand);
  if (regions.size() < 2)
    return success();
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  auto writes = [&](OpOperand *operand) {
    return llvm::any_of(instances, [&](MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect()) &&
             effect.getEffectValue<OpOperand *>() == operand;
    });
  };
  for (OpOperand *written : regions) {
    if (!writes(written))
      continue;
    std::optional<Columns> target = getColumns(written->get());
    for (OpOperand *read : regions) {
      std::optional<Columns> source = getColumns(read->get());
      if (read == written || !target || !source || !target->overlaps(*source))
        continue;
      return op->emitError()
             << "expected operand #" << read->getOperandNumber()
             << " in columns that the operation does not write, got columns "
             << source->first << " to " << source->first + source->count
             << ", operand #" << written->getOperandNumber() << " has "
             << target->first << " to " << target->first + target->count << " "
             << cite(ISASection::Mma);
    }
  }
  return success();
}

// tcgen05_kernel_c10
static LogicalResult verifyMetadata(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<TmemType>(operand.getType());
    if (!type || (type.getLayout() != DataPath::Metadata32 &&
                  type.getLayout() != DataPath::Metadata16))
      continue;
    std::optional<Columns> columns = getColumns(operand);
    // A selector of one bit takes one of two columns.
    int64_t step = type.getColumns() <= 2 ? 2 : kMetadataColumns;
    if (!columns || !columns->root.getDefiningOp<AddressOp>() ||
        columns->first % step == 0)
      continue;
    return op->emitError() << "expected metadata from a multiple of " << step
                           << " columns of the allocation on, got column "
                           << columns->first << " "
                           << cite(ISASection::SparseMatrices);
  }
  return success();
}

namespace {

/// A collector buffer: of A, or one of the four of B.
struct CollectorUse {
  /// -1 for A.
  int buffer;
  Collector use;
};

} // namespace

static std::optional<CollectorUse> getCollector(Operation *op) {
  if (auto mma = dyn_cast<MmaOp>(op))
    return CollectorUse{-1, mma.getCollectorA()};
  if (auto mma = dyn_cast<MmaBlockScaleOp>(op))
    return CollectorUse{-1, mma.getCollectorA()};
  if (auto mma = dyn_cast<MmaWsOp>(op))
    return CollectorUse{static_cast<int>(mma.getBuffer()), mma.getCollectorB()};
  return std::nullopt;
}

// tcgen05_kernel_c11
static LogicalResult verifyCollectors(gpu::GPUFuncOp kernel) {
  llvm::SmallDenseSet<int> filled;
  kernel.walk([&](Operation *op) {
    std::optional<CollectorUse> collector = getCollector(op);
    if (collector && collector->use == Collector::Fill)
      filled.insert(collector->buffer);
  });
  WalkResult result = kernel.walk([&](Operation *op) {
    std::optional<CollectorUse> collector = getCollector(op);
    if (!collector || filled.contains(collector->buffer) ||
        (collector->use != Collector::Use &&
         collector->use != Collector::LastUse))
      return WalkResult::advance();
    InFlightDiagnostic diagnostic =
        op->emitError() << "expected an operation of the kernel that fills the "
                           "collector buffer of ";
    if (collector->buffer < 0)
      diagnostic << "a";
    else
      diagnostic << "b " << collector->buffer;
    diagnostic << ", got " << stringifyCollector(collector->use) << " alone "
               << cite(ISASection::Mma);
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyRegions(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel.walk([&](Block *block) {
    SmallVector<Pending> pending;
    for (Operation &op : *block)
      if ((getAccessed(&op) && failed(verifyWindow(&op, kernel))) ||
          failed(verifyWaits(&op, pending)) || failed(verifyDisjoint(&op)) ||
          failed(verifyMetadata(&op)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct VerifyKernelsPass
    : public tc::tcgen05::impl::VerifyKernelsPassBase<VerifyKernelsPass> {
  void runOnOperation() override {
    bool failed = false;
    getOperation()->walk([&](gpu::GPUFuncOp kernel) {
      if (!kernel.isKernel())
        return;
      Allocations state;
      failed |= mlir::failed(verifyOneGroup(kernel)) ||
                mlir::failed(visitRegion(kernel.getBody(), state)) ||
                mlir::failed(verifyRegions(kernel)) ||
                mlir::failed(verifyCollectors(kernel));
    });
    if (failed)
      signalPassFailure();
  }
};
} // namespace
