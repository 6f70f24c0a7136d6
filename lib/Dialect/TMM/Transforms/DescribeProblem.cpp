//===- DescribeProblem.cpp - what a kernel computes, as data ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of operations are those of docs/KernelDescription.md: what a reader
// without MLIR calls them.
//
//===----------------------------------------------------------------------===//

#include "DescribeProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc::tmm;

bool tc::tmm::isKernelOperand(MatmulOp op, Value extra) {
  return extra != op.getD() && !matchPattern(extra, m_Constant());
}

bool tc::tmm::isFastTanhEnough(MatmulOp op) {
  return getElementTypeOrSelf(op.getD().getType()).isBF16();
}

/// The name of a step's operation. `isFastTanh`: tanh is the fast one.
static std::string nameOfStep(Operation *op, bool isFastTanh) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](arith::AddFOp) { return "add"; })
      .Case([](arith::SubFOp) { return "sub"; })
      .Case([](arith::MulFOp) { return "mul"; })
      .Case([](arith::DivFOp) { return "div"; })
      .Case([](arith::NegFOp) { return "neg"; })
      .Case([](arith::MaximumFOp) { return "maximum"; })
      .Case([](arith::MinimumFOp) { return "minimum"; })
      .Case([](arith::MaxNumFOp) { return "maxnum"; })
      .Case([](arith::MinNumFOp) { return "minnum"; })
      .Case([](arith::CmpFOp cmp) {
        return "cmp_" + stringifyCmpFPredicate(cmp.getPredicate()).str();
      })
      .Case([](arith::SelectOp) { return "select"; })
      .Case<arith::ExtFOp, arith::TruncFOp>([](auto) { return "convert"; })
      .Case([](arith::AndIOp) { return "and"; })
      .Case([](arith::OrIOp) { return "or"; })
      .Case([](arith::XOrIOp) { return "xor"; })
      .Case([](math::AbsFOp) { return "abs"; })
      .Case([](math::ClampFOp) { return "clamp"; })
      .Case([&](math::TanhOp) { return isFastTanh ? "tanh_fast" : "tanh"; })
      // ceil, erf, exp, exp2, floor, fma, log, log2, roundeven, rsqrt, sqrt and
      // trunc have their names.
      .Default(
          [](Operation *op) { return op->getName().stripDialect().str(); });
}

/// A constant of the epilogue as a float.
static FloatAttr asFloat(Builder &b, Attribute constant) {
  if (auto value = dyn_cast<FloatAttr>(constant))
    return value;
  return b.getF32FloatAttr(cast<IntegerAttr>(constant).getValue().isZero() ? 0
                                                                           : 1);
}

/// The steps of the epilogue of `op`, and the name of what it yields.
static void describeEpilogue(MatmulOp op, NamedAttrList &attrs) {
  Builder b(op.getContext());
  Block &block = op.getEpilogue()->front();
  DenseMap<Value, Attribute> names;
  names[block.getArgument(0)] = b.getStringAttr("acc");
  // The launch operand of each extra operand, -1 where it is part of the
  // kernel.
  SmallVector<int64_t> operands;
  SmallVector<Attribute> along;
  int64_t next = 3;
  for (auto [index, extra] : llvm::enumerate(op.getExtras())) {
    Attribute &name = names[block.getArgument(index + 1)];
    name = b.getStringAttr("x" + std::to_string(index));
    Attribute constant;
    if (matchPattern(extra, m_Constant(&constant)))
      name = asFloat(b, constant);
    operands.push_back(extra == op.getD()           ? 2
                       : isKernelOperand(op, extra) ? next++
                                                    : -1);
    std::optional<Along> dim = op.getAlongOf(index);
    along.push_back(dim ? Attribute(b.getStringAttr(stringifyAlong(*dim)))
                        : b.getUnitAttr());
  }
  SmallVector<Attribute> steps;
  for (Operation &inner : block.without_terminator()) {
    Value result = inner.getResult(0);
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      names[result] = asFloat(b, constant.getValue());
      continue;
    }
    auto name = b.getStringAttr("t" + std::to_string(steps.size()));
    names[result] = name;
    SmallVector<Attribute> arguments;
    for (Value operand : inner.getOperands())
      arguments.push_back(names.lookup(operand));
    NamedAttrList step;
    step.set("name", name);
    step.set("op", b.getStringAttr(nameOfStep(&inner, isFastTanhEnough(op))));
    step.set("args", b.getArrayAttr(arguments));
    step.set("type", TypeAttr::get(result.getType()));
    steps.push_back(step.getDictionary(op.getContext()));
  }
  // A constant result is a step too, so that the result is always a name.
  Value yielded = cast<YieldOp>(block.getTerminator()).getValue();
  Attribute result = names.lookup(yielded);
  if (!isa<StringAttr>(result)) {
    NamedAttrList step;
    step.set("name", b.getStringAttr("t" + std::to_string(steps.size())));
    step.set("op", b.getStringAttr("convert"));
    step.set("args", b.getArrayAttr(result));
    step.set("type", TypeAttr::get(yielded.getType()));
    result = step.get("name");
    steps.push_back(step.getDictionary(op.getContext()));
  }
  attrs.set("epilogue", b.getDenseI64ArrayAttr(operands));
  attrs.set("epilogue_along", b.getArrayAttr(along));
  attrs.set("epilogue_steps", b.getArrayAttr(steps));
  attrs.set("epilogue_result", result);
}

DictionaryAttr tc::tmm::describeProblem(MatmulOp op) {
  Builder b(op.getContext());
  NamedAttrList attrs;
  attrs.set("a", b.getI64IntegerAttr(0));
  attrs.set("b", b.getI64IntegerAttr(1));
  attrs.set("d", b.getI64IntegerAttr(2));
  if (op.getTransposeA())
    attrs.set("transpose_a", b.getUnitAttr());
  if (op.getTransposeB())
    attrs.set("transpose_b", b.getUnitAttr());
  if (op.getAccumulate())
    attrs.set("accumulate", b.getUnitAttr());
  attrs.set("accumulator", TypeAttr::get(b.getF32Type()));
  if (op.hasEpilogue())
    describeEpilogue(op, attrs);
  return attrs.getDictionary(op.getContext());
}
