//===- SinkScalars.cpp - scalars where they are used ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host of a launch reads no memory and computes no floats. What it would
// read of tensors without dimensions, and what is computed of that, is read and
// computed by the operations that use it.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tc {
#define GEN_PASS_DEF_SINKSCALARSPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

/// Whether `value` is an operation without loops on tensors without dimensions,
/// whose body computes its one result.
static linalg::GenericOp getPoint(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumLoops() != 0 || op->getNumResults() != 1 ||
      !op.hasPureTensorSemantics() || !isMemoryEffectFree(op))
    return {};
  bool isPlain =
      llvm::all_of(op->getOpOperands(),
                   [](OpOperand &operand) {
                     auto type =
                         dyn_cast<RankedTensorType>(operand.get().getType());
                     return type && type.getRank() == 0;
                   }) &&
      llvm::all_of(op.getBody()->without_terminator(), [](Operation &each) {
        return each.getNumResults() == 1 && each.getNumRegions() == 0;
      });
  return isPlain ? op : linalg::GenericOp();
}

namespace {

/// The scalars that the body of one operation takes from outside.
class Sinker {
public:
  Sinker(IRRewriter &rewriter, linalg::GenericOp op)
      : rewriter(rewriter), op(op) {}

  void run();

private:
  /// What is worth to be in the body: null where `value` may stay outside.
  Value sink(Value value);
  /// The element of a tensor without dimensions; the tensor as an operand, if
  /// nothing else says it.
  Value readPoint(Value tensor);
  /// `source` in the body, with `operands`, folded.
  Value clone(Operation *source, ArrayRef<Value> operands);
  Value constant(Location loc, Attribute value);

  IRRewriter &rewriter;
  linalg::GenericOp op;
  DenseMap<Value, Value> known, points;
  SmallVector<Value> added;
};

struct SinkScalarsPass : tc::impl::SinkScalarsPassBase<SinkScalarsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) { ops.push_back(op); });
    // From the last one on: those before may become dead.
    for (linalg::GenericOp op : llvm::reverse(ops))
      if (op.hasPureTensorSemantics())
        Sinker(rewriter, op).run();
  }
};

} // namespace

Value Sinker::constant(Location loc, Attribute value) {
  return arith::ConstantOp::create(rewriter, loc, cast<TypedAttr>(value));
}

Value Sinker::clone(Operation *source, ArrayRef<Value> operands) {
  Operation *copy = rewriter.clone(*source);
  copy->setOperands(operands);
  SmallVector<OpFoldResult> folded;
  if (copy->getNumResults() != 1 || failed(copy->fold(folded)) ||
      folded.size() != 1)
    return copy->getResult(0);
  Value result = dyn_cast<Value>(folded[0]);
  if (!result)
    result = constant(source->getLoc(), cast<Attribute>(folded[0]));
  rewriter.eraseOp(copy);
  return result;
}

Value Sinker::readPoint(Value tensor) {
  if (Value value = points.lookup(tensor))
    return value;
  Location loc = op.getLoc();
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)))
    return points[tensor] = constant(loc, elements.getSplatValue<Attribute>());
  if (auto from = tensor.getDefiningOp<tensor::FromElementsOp>()) {
    Value value = from.getElements()[0], sunk = sink(value);
    return points[tensor] = sunk ? sunk : value;
  }
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>()) {
    Value value = fill.getInputs()[0], sunk = sink(value);
    return points[tensor] = sunk ? sunk : value;
  }
  if (linalg::GenericOp point = getPoint(tensor)) {
    IRMapping inner;
    for (auto [operand, argument] : llvm::zip_equal(
             point->getOpOperands(), point.getBody()->getArguments()))
      if (!argument.use_empty())
        inner.map(argument, readPoint(operand.get()));
    for (Operation &each : point.getBody()->without_terminator()) {
      SmallVector<Value> operands;
      for (Value operand : each.getOperands()) {
        Value sunk = inner.lookupOrNull(operand);
        if (!sunk)
          sunk = sink(operand);
        operands.push_back(sunk ? sunk : operand);
      }
      inner.map(each.getResult(0), clone(&each, operands));
    }
    Value yielded = point.getBody()->getTerminator()->getOperand(0);
    Value sunk = inner.lookupOrNull(yielded);
    if (!sunk)
      sunk = sink(yielded);
    return points[tensor] = sunk ? sunk : yielded;
  }
  added.push_back(tensor);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  // Inputs come before what the body accumulates.
  return points[tensor] = op.getBody()->insertArgument(
             unsigned(op.getNumDpsInputs() + added.size() - 1), element, loc);
}

Value Sinker::sink(Value value) {
  if (Value found = known.lookup(value))
    return found;
  Operation *source = value.getDefiningOp();
  if (!source || op->isProperAncestor(source) ||
      source->hasTrait<OpTrait::ConstantLike>())
    return {};
  if (auto extract = dyn_cast<tensor::ExtractOp>(source)) {
    if (extract.getIndices().empty())
      return known[value] = readPoint(extract.getTensor());
    SmallVector<Value> operands = {extract.getTensor()};
    for (Value index : extract.getIndices()) {
      Value sunk = sink(index);
      operands.push_back(sunk ? sunk : index);
    }
    return known[value] = clone(source, operands);
  }
  if (source->getNumResults() != 1 || source->getNumRegions() != 0 ||
      !isMemoryEffectFree(source) ||
      !llvm::all_of(source->getOperandTypes(),
                    [](Type type) { return type.isIntOrIndexOrFloat(); }))
    return {};
  SmallVector<Value> operands;
  bool anySunk = false;
  for (Value operand : source->getOperands()) {
    Value sunk = sink(operand);
    anySunk |= bool(sunk);
    operands.push_back(sunk ? sunk : operand);
  }
  // The host computes sizes and offsets, of numbers that it is given.
  if (!anySunk && !isa<FloatType>(value.getType()))
    return {};
  return known[value] = clone(source, operands);
}

void Sinker::run() {
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(op.getRegion(), outside);
  rewriter.setInsertionPointToStart(op.getBody());
  for (Value value : outside)
    if (Value sunk = sink(value)) {
      rewriter.replaceUsesWithIf(value, sunk, [&](OpOperand &use) {
        return op->isProperAncestor(use.getOwner());
      });
    }
  // Inputs that are computed of constants and the like.
  SmallVector<Value> inputs(op.getInputs());
  for (auto [number, input] : llvm::enumerate(inputs)) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    Value argument = op.getBody()->getArgument(unsigned(number));
    if (!type || type.getRank() != 0 || argument.use_empty() ||
        (!getPoint(input) && !matchPattern(input, m_Constant())))
      continue;
    rewriter.replaceAllUsesWith(argument, readPoint(input));
  }
  if (added.empty())
    return;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  const unsigned given = op.getNumDpsInputs();
  maps.insert(maps.begin() + given, added.size(),
              AffineMap::get(op.getNumLoops(), 0, op.getContext()));
  rewriter.modifyOpInPlace(op, [&] {
    op.getInputsMutable().append(added);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}
