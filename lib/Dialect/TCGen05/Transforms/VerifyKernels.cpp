//===- VerifyKernels.cpp - rules that span operations -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that no order of operations matters to; those of paths and of
// collectors are in files of their own.
//
//===----------------------------------------------------------------------===//

#include "KernelRules.h"
#include "tc/Dialect/TCGen05/Transforms/Passes.h"
#include "tc/Support/ISA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tc::tcgen05 {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "tc/Dialect/TCGen05/Transforms/Passes.h.inc"
} // namespace tc::tcgen05

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

std::optional<int64_t> tc::tcgen05::findTmemColumns(gpu::GPUFuncOp kernel) {
  std::optional<int64_t> columns;
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  ArrayAttr targets = module ? module.getTargetsAttr() : ArrayAttr();
  if (targets)
    for (auto target : targets.getAsRange<Attribute>())
      if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target))
        if (const TargetFacts *facts = getTarget(nvvm.getChip()))
          columns = std::min(columns.value_or(facts->tmemColumns),
                             facts->tmemColumns);
  return columns;
}

//===----------------------------------------------------------------------===//
// One cta_group
//===----------------------------------------------------------------------===//

// tcgen05_kernel_c1. ptxas refuses others, without a source location.
static LogicalResult verifyOneGroup(gpu::GPUFuncOp kernel) {
  Operation *first = nullptr;
  IntegerAttr group;
  // The kernel, and the functions that it calls.
  llvm::SmallSetVector<Operation *, 4> functions;
  functions.insert(kernel);
  auto visit = [&](Operation *op) {
    if (auto call = dyn_cast<CallOpInterface>(op))
      if (Operation *callee = call.resolveCallable())
        functions.insert(callee);
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
  };
  for (unsigned index = 0; index < functions.size(); ++index)
    if (functions[index]->walk(visit).wasInterrupted())
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

std::optional<Columns> tc::tcgen05::getColumns(Value region) {
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
    // C15 refuses what is out of range.
    if (!column || *column < 0 || *column > kTmemMostColumns)
      return std::nullopt;
    columns.first += *column;
    columns.root = slice.getSource();
    DataPath layout = slice.getResult().getType().getLayout();
    if (slice.getSource().getType().getLayout() == DataPath::Raw &&
        (layout == DataPath::C || layout == DataPath::F))
      columns.lanes = slice.getLane() == 0 ? 1 : 2;
  }
  columns.isAllocation = columns.root.getDefiningOp<AddressOp>() != nullptr;
  columns.root = getOrigin(columns.root);
  return columns;
}

/// Whether two values are equal: results of operations that depend on nothing
/// but equal operands.
static bool isEqual(Value left, Value right, unsigned depth = 8) {
  if (left == right)
    return true;
  Operation *op = left.getDefiningOp(), *other = right.getDefiningOp();
  return depth > 0 && op && other && isPure(op) && op->getNumRegions() == 0 &&
         cast<OpResult>(left).getResultNumber() ==
             cast<OpResult>(right).getResultNumber() &&
         OperationEquivalence::isEquivalentTo(
             op, other,
             [&](Value operand, Value otherOperand) {
               return success(isEqual(operand, otherOperand, depth - 1));
             },
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

Value tc::tcgen05::getSlot(Value slot) {
  while (auto cast = slot.getDefiningOp<memref::CastOp>())
    slot = cast.getSource();
  Operation *op = slot.getDefiningOp();
  if (!op || !isPure(op))
    return slot;
  // The first operation of the kernel that gives it.
  Value first = slot;
  op->getParentOfType<gpu::GPUFuncOp>().walk<WalkOrder::PreOrder>(
      [&](Operation *other) {
        if (other->getName() != op->getName() || other == op)
          return other == op ? WalkResult::interrupt() : WalkResult::advance();
        Value equal = other->getResult(cast<OpResult>(slot).getResultNumber());
        if (!isEqual(slot, equal))
          return WalkResult::advance();
        first = equal;
        return WalkResult::interrupt();
      });
  return first;
}

bool tc::tcgen05::isKnownSlot(Value slot) {
  if (auto argument = dyn_cast<BlockArgument>(slot))
    return isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()) &&
           argument.getOwner()->isEntryBlock();
  Operation *op = slot.getDefiningOp();
  if (op->getNumRegions() != 0 || isa<arith::SelectOp>(op))
    return false;
  return hasEffect<MemoryEffects::Allocate>(op) ||
         (isPure(op) && llvm::all_of(op->getOperands(), [](Value operand) {
            return matchPattern(operand, m_Constant()) ||
                   (isa<MemRefType>(operand.getType()) && isKnownSlot(operand));
          }));
}

Value tc::tcgen05::getOrigin(Value region) {
  while (Operation *op = region.getDefiningOp()) {
    if (auto address = dyn_cast<AddressOp>(op))
      return getSlot(address.getSlot());
    if (!isa<SliceOp, WarpWindowOp>(op))
      break;
    region = op->getOperand(0);
  }
  return region;
}

bool tc::tcgen05::isWritten(OpOperand &operand) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(operand.getOwner());
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances, [&](MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()) &&
           effect.getEffectValue<OpOperand *>() == &operand;
  });
}

Value tc::tcgen05::getAccessed(Operation *op) {
  if (auto ld = dyn_cast<LdOp>(op))
    return ld.getSource();
  if (auto ld = dyn_cast<LdRedOp>(op))
    return ld.getSource();
  if (auto ld = dyn_cast<LdCompressOp>(op))
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

// tcgen05_kernel_c9
static LogicalResult verifyDisjoint(Operation *op) {
  if (isa<ShiftOp>(op))
    return success();
  SmallVector<OpOperand *> regions;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<TmemType>(operand.get().getType()))
      regions.push_back(&operand);
  if (regions.size() < 2)
    return success();
  for (OpOperand *written : regions) {
    if (!isWritten(*written))
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
    if (!columns || !columns->isAllocation || columns->first % step == 0)
      continue;
    return op->emitError() << "expected metadata from a multiple of " << step
                           << " columns of the allocation on, got column "
                           << columns->first << " "
                           << cite(ISASection::SparseMatrices);
  }
  return success();
}

Value tc::tcgen05::getTable(Operation *op) {
  if (auto mma = dyn_cast<MmaOp>(op))
    return mma.getLookup();
  if (auto mma = dyn_cast<MmaBlockScaleOp>(op))
    return mma.getLookup();
  return {};
}

// tcgen05_kernel_c18
static LogicalResult verifyTable(Operation *op) {
  Value table = getTable(op);
  std::optional<Columns> columns;
  if (table)
    columns = getColumns(table);
  if (!columns || !columns->isAllocation ||
      columns->first % kLookupAlignment == 0)
    return success();
  return op->emitError() << "expected the table of lookup from a multiple of "
                         << kLookupAlignment
                         << " columns of the allocation on, got column "
                         << columns->first << " " << cite(ISASection::LookupB);
}

// tcgen05_kernel_c15
static LogicalResult verifyColumn(Operation *op) {
  auto slice = dyn_cast<SliceOp>(op);
  if (!slice)
    return success();
  std::optional<int64_t> column = getConstantIntValue(slice.getColumn());
  return success(!column || succeeded(slice.verifyColumn(*column)));
}

static LogicalResult verifyRegions(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) {
    return WalkResult(success(
        (!getAccessed(op) || succeeded(verifyWindow(op, kernel))) &&
        succeeded(verifyDisjoint(op)) && succeeded(verifyMetadata(op)) &&
        succeeded(verifyTable(op)) && succeeded(verifyColumn(op))));
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
      failed |= mlir::failed(verifyOneGroup(kernel)) ||
                mlir::failed(verifyPaths(kernel)) ||
                mlir::failed(verifyRegions(kernel)) ||
                mlir::failed(verifyCollectors(kernel));
    });
    if (failed)
      signalPassFailure();
  }
};
} // namespace
