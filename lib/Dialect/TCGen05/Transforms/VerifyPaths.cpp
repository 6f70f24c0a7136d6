//===- VerifyPaths.cpp - allocations and accesses in order ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations of a kernel, and loads and stores that are not waited for, along
// its paths. Of branches whose conditions are not related nothing is known:
// what one warp allocates another one frees.
//
// Regions are compared where they are static slices of the same value.
//
//===----------------------------------------------------------------------===//

#include "KernelPaths.h"
#include "KernelRules.h"
#include "tc/Support/ISA.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

namespace {

class KernelChecks : public KernelPaths {
protected:
  LogicalResult visit(Operation *op, Facts &facts) override;

private:
  LogicalResult visitAlloc(AllocOp op, Facts &facts);
  LogicalResult verifyColumnsInUse(AllocOp op, const Facts &facts);
  LogicalResult visitDealloc(DeallocOp op, Facts &facts);
  LogicalResult verifyAllFreed(Operation *op, const Facts &facts);
  LogicalResult visitAccess(Operation *op, Facts &facts);
  LogicalResult verifyWaited(OpOperand &operand, const Facts &facts);
};

} // namespace

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

// tcgen05_kernel_c5. Of the allocations on one path, whose choices the others
// share.
LogicalResult KernelChecks::verifyColumnsInUse(AllocOp op, const Facts &facts) {
  SmallVector<const Fact *> live;
  for (const Fact &fact : facts)
    if (fact.kind == FactKind::Live && isSure(fact))
      live.push_back(&fact);
  auto sharesPath = [&](const Fact *fact, const Choices &choices) {
    return llvm::all_of(fact->path, [&](const Choice &choice) {
      return llvm::is_contained(choices, choice) ||
             llvm::is_contained(path, choice);
    });
  };
  for (const Fact *longest : live) {
    int64_t columns = op.getColumns();
    SmallVector<AllocOp> others;
    for (const Fact *fact : live)
      if (sharesPath(fact, longest->path)) {
        others.push_back(cast<AllocOp>(fact->op));
        columns += others.back().getColumns();
      }
    if (columns <= kTmemColumns)
      continue;
    InFlightDiagnostic diagnostic =
        op.emitError() << "expected at most " << kTmemColumns
                       << " columns to be allocated at a time, got " << columns
                       << " " << cite(ISASection::TmemAllocation);
    for (AllocOp other : others)
      diagnostic.attachNote(other.getLoc())
          << other.getColumns() << " columns are allocated here";
    return diagnostic;
  }
  return success();
}

LogicalResult KernelChecks::visitAlloc(AllocOp op, Facts &facts) {
  for (const Fact &fact : facts) {
    if (!isSure(fact))
      continue;
    if (fact.kind == FactKind::Relinquished) {
      // tcgen05_kernel_c4
      InFlightDiagnostic diagnostic =
          op.emitError()
          << "expected no allocation after the permit is given up "
          << cite(ISASection::TmemAllocInstructions);
      diagnostic.attachNote(fact.op->getLoc()) << "given up here";
      return diagnostic;
    }
    if (fact.kind == FactKind::Live && fact.about == op.getSlot()) {
      // tcgen05_kernel_c2
      InFlightDiagnostic diagnostic =
          op.emitError() << "expected the allocation of the slot to be freed "
                            "before the slot is written again "
                         << cite(ISASection::TmemAllocInstructions);
      diagnostic.attachNote(fact.op->getLoc()) << "allocated here";
      return diagnostic;
    }
  }
  if (failed(verifyColumnsInUse(op, facts)))
    return failure();
  // tcgen05_kernel_c6
  for (const Fact &fact : facts) {
    auto last = dyn_cast<AllocOp>(fact.op);
    if (fact.kind != FactKind::Last || !isSure(fact) ||
        op.getColumns() <= last.getColumns())
      continue;
    InFlightDiagnostic diagnostic =
        op.emitError() << "expected at most " << last.getColumns()
                       << " columns, those of the allocation before, got "
                       << op.getColumns() << " "
                       << cite(ISASection::TmemAllocation);
    diagnostic.attachNote(last.getLoc()) << "the allocation before";
    return diagnostic;
  }
  llvm::erase_if(facts, [&](const Fact &fact) {
    return isPossible(fact) &&
           (fact.kind == FactKind::Last ||
            (fact.kind == FactKind::Freed && fact.about == op.getSlot()));
  });
  add(facts, FactKind::Live, op, op.getSlot());
  add(facts, FactKind::Last, op, Value());
  return success();
}

// tcgen05_kernel_c3
LogicalResult KernelChecks::visitDealloc(DeallocOp op, Facts &facts) {
  auto address = op.getAllocation().getDefiningOp<AddressOp>();
  if (!address)
    return op.emitError() << "expected an allocation that 'tcgen05.address' "
                             "gives, whose slot says what is freed "
                          << cite(ISASection::TmemAllocInstructions);
  auto fail = [&](Operation *freed) -> LogicalResult {
    InFlightDiagnostic diagnostic =
        op.emitError() << "expected what is freed to be allocated and not "
                          "freed yet "
                       << cite(ISASection::TmemAllocInstructions);
    if (freed)
      diagnostic.attachNote(freed->getLoc()) << "freed here";
    return diagnostic;
  };
  bool isLive = false;
  int64_t columns = cast<TmemType>(op.getAllocation().getType()).getColumns();
  for (const Fact &fact : facts) {
    if (fact.about != address.getSlot())
      continue;
    if (fact.kind == FactKind::Freed && isSure(fact))
      return fail(fact.op);
    if (fact.kind != FactKind::Live || !isPossible(fact))
      continue;
    isLive = true;
    auto alloc = cast<AllocOp>(fact.op);
    if (alloc.getColumns() == columns)
      continue;
    InFlightDiagnostic diagnostic =
        op.emitError() << "expected the " << alloc.getColumns()
                       << " columns that are allocated to be freed, got "
                       << columns << " "
                       << cite(ISASection::TmemAllocInstructions);
    diagnostic.attachNote(alloc.getLoc()) << "allocated here";
    return diagnostic;
  }
  if (!isLive)
    return fail(nullptr);
  llvm::erase_if(facts, [&](const Fact &fact) {
    return fact.kind == FactKind::Live && fact.about == address.getSlot() &&
           isPossible(fact);
  });
  add(facts, FactKind::Freed, op, address.getSlot());
  return success();
}

// tcgen05_kernel_c2
LogicalResult KernelChecks::verifyAllFreed(Operation *op, const Facts &facts) {
  // One allocation may be live on several paths.
  llvm::SmallSetVector<Operation *, 4> live;
  for (const Fact &fact : facts)
    if (fact.kind == FactKind::Live)
      live.insert(fact.op);
  if (live.empty())
    return success();
  InFlightDiagnostic diagnostic =
      op->emitError() << "expected every allocation of Tensor Memory to be "
                         "freed before the kernel ends, got "
                      << live.size() << " that "
                      << (live.size() == 1 ? "is" : "are") << " not "
                      << cite(ISASection::TmemAllocInstructions);
  for (Operation *alloc : live) {
    diagnostic.attachNote(alloc->getLoc()) << "allocated here";
    for (const Fact &fact : facts)
      if (fact.kind == FactKind::Freed &&
          fact.about == cast<AllocOp>(alloc).getSlot())
        diagnostic.attachNote(fact.op->getLoc()) << "freed here on some paths";
  }
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

// tcgen05_kernel_c8
LogicalResult KernelChecks::verifyWaited(OpOperand &operand,
                                         const Facts &facts) {
  Operation *op = operand.getOwner();
  std::optional<Columns> columns = getColumns(operand.get());
  bool isWrite = isWritten(operand);
  for (const Fact &fact : facts) {
    if (!columns || fact.kind != FactKind::Pending || !isSure(fact))
      continue;
    // Reads do not disturb each other.
    bool isLoad = !isa<StOp>(fact.op);
    if ((isLoad && !isWrite) ||
        !getColumns(getAccessed(fact.op))->overlaps(*columns))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitError() << "expected a 'tcgen05.wait " << (isLoad ? "ld" : "st")
                        << "' before columns that are being "
                        << (isLoad ? "loaded" : "stored")
                        << " are accessed again "
                        << cite(ISASection::TmemOrder);
    diagnostic.attachNote(fact.op->getLoc())
        << (isLoad ? "loaded" : "stored") << " here";
    return diagnostic;
  }
  return success();
}

LogicalResult KernelChecks::visitAccess(Operation *op, Facts &facts) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<TmemType>(operand.get().getType()))
      continue;
    // tcgen05_kernel_c12
    Value origin = getOrigin(operand.get());
    for (const Fact &fact : facts) {
      if (isa<DeallocOp>(op) || fact.kind != FactKind::Freed ||
          fact.about != origin || !isSure(fact))
        continue;
      InFlightDiagnostic diagnostic =
          op->emitError() << "expected operand #" << operand.getOperandNumber()
                          << " in Tensor Memory that is allocated, got an "
                             "allocation that is freed "
                          << cite(ISASection::TmemAllocInstructions);
      diagnostic.attachNote(fact.op->getLoc()) << "freed here";
      return diagnostic;
    }
    if (failed(verifyWaited(operand, facts)))
      return failure();
  }
  if (Value region = getAccessed(op))
    if (getColumns(region))
      add(facts, FactKind::Pending, op, getOrigin(region));
  return success();
}

LogicalResult KernelChecks::visit(Operation *op, Facts &facts) {
  if (isa<gpu::ReturnOp>(op))
    return verifyAllFreed(op, facts);
  if (!isa<TCGen05Dialect>(op->getDialect()) || isa<SliceOp, WarpWindowOp>(op))
    return success();
  if (auto wait = dyn_cast<WaitOp>(op)) {
    bool stores = wait.getKind() == WaitKind::St;
    llvm::erase_if(facts, [&](const Fact &fact) {
      return fact.kind == FactKind::Pending && isPossible(fact) &&
             isa<StOp>(fact.op) == stores;
    });
    return success();
  }
  if (isa<RelinquishAllocPermitOp>(op))
    add(facts, FactKind::Relinquished, op, Value());
  if (auto alloc = dyn_cast<AllocOp>(op))
    return visitAlloc(alloc, facts);
  if (failed(visitAccess(op, facts)))
    return failure();
  if (auto dealloc = dyn_cast<DeallocOp>(op))
    return visitDealloc(dealloc, facts);
  return success();
}

LogicalResult tc::tcgen05::verifyPaths(gpu::GPUFuncOp kernel) {
  return KernelChecks().follow(kernel.getBody());
}
