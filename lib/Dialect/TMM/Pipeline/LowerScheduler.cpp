//===- LowerScheduler.cpp - work items become numbers -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scheduler becomes the values that its rule computes from the tile space, a
// work item the numbers that it consists of, also where loops carry it. Which
// numbers those are, and all arithmetic on them, comes from the scheduler
// attribute (SchedulerAttrInterface).
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/KernelForm.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tc::tmm {
#define GEN_PASS_DEF_LOWERSCHEDULERPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;

namespace {

struct LowerSchedulerPass
    : tc::tmm::impl::LowerSchedulerPassBase<LowerSchedulerPass> {
  void runOnOperation() override;
};

/// The state of each scheduler of a kernel.
using States = DenseMap<Operation *, SmallVector<Value>>;

/// Base of the patterns: finds the scheduler of an op, whose rule emits what
/// replaces it.
template <typename Op>
struct WorkPattern : OpConversionPattern<Op> {
  WorkPattern(TypeConverter &converter, MLIRContext *context,
              const States &states)
      : OpConversionPattern<Op>(converter, context), states(states) {}

  /// `emit` of the rule of the scheduler of `op`, with its space and state.
  template <typename Emit>
  auto ask(Op op, Emit emit) const {
    auto scheduler = op.getScheduler().template getDefiningOp<SchedulerOp>();
    return emit(scheduler.getRule(), scheduler.getTileSpace(),
                ValueRange(states.find(scheduler)->second));
  }

  const States &states;
};

using Rule = SchedulerAttrInterface;

struct FirstWorkPattern : WorkPattern<FirstWorkOp> {
  using WorkPattern::WorkPattern;
  LogicalResult matchAndRewrite(FirstWorkOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Value> work =
        ask(op, [&](Rule rule, TileSpace space, ValueRange state) {
          return rule.emitFirst(b, op.getLoc(), space, state);
        });
    b.replaceOpWithMultiple(op, {ValueRange(work)});
    return success();
  }
};

struct NextWorkPattern : WorkPattern<NextWorkOp> {
  using WorkPattern::WorkPattern;
  LogicalResult matchAndRewrite(NextWorkOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Value> work =
        ask(op, [&](Rule rule, TileSpace space, ValueRange state) {
          return rule.emitNext(b, op.getLoc(), space, state, adaptor.getWork());
        });
    b.replaceOpWithMultiple(op, {ValueRange(work)});
    return success();
  }
};

struct WorkAtPattern : WorkPattern<WorkAtOp> {
  using WorkPattern::WorkPattern;
  LogicalResult matchAndRewrite(WorkAtOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Value> work =
        ask(op, [&](Rule rule, TileSpace space, ValueRange state) {
          return rule.emitAt(b, op.getLoc(), space, state,
                             adaptor.getNumber().front());
        });
    b.replaceOpWithMultiple(op, {ValueRange(work)});
    return success();
  }
};

struct WorkCountPattern : WorkPattern<WorkCountOp> {
  using WorkPattern::WorkPattern;
  LogicalResult matchAndRewrite(WorkCountOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, ask(op, [&](Rule rule, TileSpace space, ValueRange state) {
                  return rule.emitCount(b, op.getLoc(), space, state);
                }));
    return success();
  }
};

struct WorkValidPattern : WorkPattern<WorkValidOp> {
  using WorkPattern::WorkPattern;
  LogicalResult matchAndRewrite(WorkValidOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, ask(op, [&](Rule rule, TileSpace space, ValueRange state) {
                  return rule.emitValid(b, op.getLoc(), space, state,
                                        adaptor.getWork());
                }));
    return success();
  }
};

/// An op whose results are among those of emitItem.
template <typename Op>
struct ItemPattern : WorkPattern<Op> {
  using WorkPattern<Op>::WorkPattern;
  LogicalResult matchAndRewrite(
      Op op, typename Op::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
      ConversionPatternRewriter &b) const override {
    WorkItem item =
        this->ask(op, [&](Rule rule, TileSpace space, ValueRange state) {
          return rule.emitItem(b, op.getLoc(), space, state, adaptor.getWork());
        });
    b.replaceOp(op, select(op, item));
    return success();
  }
  static SmallVector<Value> select(WorkTileOp, const WorkItem &item) {
    return {item.row, item.col, item.firstBlock, item.blockCount};
  }
  static SmallVector<Value> select(WorkEndOp, const WorkItem &item) {
    return {item.end};
  }
  static SmallVector<Value> select(WorkBatchOp, const WorkItem &item) {
    return {item.problem};
  }
};

} // namespace

/// The schedulers of `kernel`, after a check that each use names one of them
/// and that all have work items of the same numbers.
static FailureOr<SmallVector<SchedulerOp>>
collectSchedulers(gpu::GPUFuncOp kernel) {
  SmallVector<SchedulerOp> schedulers;
  kernel.walk([&](SchedulerOp op) { schedulers.push_back(op); });
  for (SchedulerOp op : schedulers) {
    if (op.getRule().getWorkTypes() == schedulers[0].getRule().getWorkTypes())
      continue;
    InFlightDiagnostic diag =
        op.emitOpError() << "expected work items of the same numbers from all "
                            "schedulers of a kernel, got "
                         << op.getRule();
    diag.attachNote(schedulers[0].getLoc())
        << "another scheduler here, " << schedulers[0].getRule();
    return diag;
  }
  WalkResult result = kernel.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<SchedulerType>(operand.get().getType()))
        continue;
      bool known = isa<FirstWorkOp, NextWorkOp, WorkAtOp, WorkCountOp,
                       WorkValidOp, WorkTileOp, WorkEndOp, WorkBatchOp>(op) &&
                   operand.get().getDefiningOp<SchedulerOp>();
      if (known)
        continue;
      InFlightDiagnostic diag =
          op->emitOpError()
          << "expected the scheduler of a work item to be the result of a "
             "tmm.scheduler that is used directly, got operand "
          << operand.getOperandNumber();
      diag.attachNote(operand.get().getLoc()) << "made here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return schedulers;
}

static LogicalResult lowerScheduler(gpu::GPUFuncOp kernel) {
  FailureOr<SmallVector<SchedulerOp>> schedulers = collectSchedulers(kernel);
  if (failed(schedulers))
    return failure();
  if (schedulers->empty())
    return success();
  if (failed(verifyStructured(kernel)))
    return failure();
  MLIRContext *context = kernel.getContext();
  States states;
  OpBuilder b(context);
  for (SchedulerOp op : *schedulers) {
    b.setInsertionPoint(op);
    states[op] = op.getRule().emitState(b, op.getLoc(), op.getTileSpace());
  }

  SmallVector<Type> numbers = schedulers->front().getRule().getWorkTypes();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [=](WorkType,
          SmallVectorImpl<Type> &out) -> std::optional<LogicalResult> {
        llvm::append_range(out, numbers);
        return success();
      });
  RewritePatternSet patterns(context);
  patterns.add<FirstWorkPattern, NextWorkPattern, WorkAtPattern,
               WorkCountPattern, WorkValidPattern, ItemPattern<WorkTileOp>,
               ItemPattern<WorkEndOp>, ItemPattern<WorkBatchOp>>(
      converter, context, states);
  ConversionTarget target(*context);
  target.addIllegalOp<FirstWorkOp, NextWorkOp, WorkAtOp, WorkCountOp,
                      WorkValidOp, WorkTileOp, WorkEndOp, WorkBatchOp>();
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return converter.isLegal(op); });
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  SmallVector<Operation *> body;
  for (Operation &op : kernel.getBody().front())
    body.push_back(&op);
  if (failed(applyPartialConversion(body, target, std::move(patterns))))
    return failure();
  for (SchedulerOp op : *schedulers)
    op.erase();
  return success();
}

void LowerSchedulerPass::runOnOperation() {
  SmallVector<gpu::GPUFuncOp> kernels;
  getOperation()->walk(
      [&](gpu::GPUFuncOp kernel) { kernels.push_back(kernel); });
  for (gpu::GPUFuncOp kernel : kernels)
    if (failed(lowerScheduler(kernel)))
      return signalPassFailure();
}
