//===- EpilogueSteps.cpp - what an epilogue computes, as data ---*- C++ -*-===//
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

#include "Describer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace tc;
using llvm::json::OStream;

std::string tc::nameOfStep(Operation *op) {
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
      // Sums of integers are numbers here; all of these predicates have a sign.
      .Case([](arith::CmpIOp cmp) {
        StringRef name = stringifyCmpIPredicate(cmp.getPredicate());
        name.consume_front("s");
        return "cmp_o" + name.str();
      })
      .Case([](arith::MaxSIOp) { return "maximum"; })
      .Case([](arith::MinSIOp) { return "minimum"; })
      .Case([](arith::SelectOp) { return "select"; })
      .Case<arith::ExtFOp, arith::SIToFPOp, arith::TruncFOp>(
          [](auto) { return "convert"; })
      .Case([](arith::AndIOp) { return "and"; })
      .Case([](arith::OrIOp) { return "or"; })
      .Case([](arith::XOrIOp) { return "xor"; })
      .Case([](math::AbsFOp) { return "abs"; })
      .Case([](math::ClampFOp) { return "clamp"; })
      .Case([](math::TanhOp tanh) {
        return bitEnumContainsAll(tanh.getFastmath(), arith::FastMathFlags::afn)
                   ? "tanh_fast"
                   : "tanh";
      })
      // ceil, erf, exp, exp2, floor, fma, log, log2, roundeven, rsqrt, sqrt and
      // trunc have their names.
      .Default(
          [](Operation *op) { return op->getName().stripDialect().str(); });
}

llvm::json::Value tc::describeFloat(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

llvm::json::Value tc::describeConstant(Attribute constant) {
  if (auto integer = dyn_cast<IntegerAttr>(constant)) {
    if (integer.getType().isInteger(1))
      return integer.getValue().isZero() ? 0.0 : 1.0;
    return double(integer.getInt());
  }
  APFloat value = cast<FloatAttr>(constant).getValue();
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return describeFloat(value.convertToDouble());
}

/// Whether nameValues gave a constant, and no name.
static bool isNumber(const llvm::json::Value &name) {
  std::optional<StringRef> text = name.getAsString();
  return !text || llvm::is_contained({"inf", "-inf", "nan"}, *text);
}

/// The name of each value of the region, a number where it is constant.
static DenseMap<Value, llvm::json::Value> nameValues(tmm::ProblemOp problem) {
  Block &block = problem.getEpilogue()->front();
  DenseMap<Value, llvm::json::Value> names;
  auto set = [&](Value value, llvm::json::Value name) {
    names.try_emplace(value, std::move(name));
  };
  set(block.getArgument(0), "acc");
  for (auto [index, extra] : llvm::enumerate(problem.getExtras())) {
    Value argument = block.getArgument(index + 1);
    Attribute constant;
    if (matchPattern(extra, m_Constant(&constant)))
      set(argument, describeConstant(constant));
    else
      set(argument, "x" + std::to_string(index));
  }
  int64_t number = 0;
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      set(op.getResult(0), describeConstant(constant.getValue()));
    else
      set(op.getResult(0), "t" + std::to_string(number++));
  }
  return names;
}

void tc::writeStep(OStream &json, const llvm::json::Value &name,
                   StringRef operation, ArrayRef<llvm::json::Value> args,
                   Type type) {
  json.object([&] {
    json.attribute("name", name);
    json.attribute("op", operation);
    json.attributeArray("args", [&] {
      for (const llvm::json::Value &argument : args)
        json.value(argument);
    });
    json.attribute("type", type.isInteger(1) ? "i1"
                           : type.isIndex()  ? "index"
                                             : nameOfElementType(type));
  });
}

void tc::writeEpilogueSteps(OStream &json, tmm::ProblemOp problem) {
  Block &block = problem.getEpilogue()->front();
  DenseMap<Value, llvm::json::Value> names = nameValues(problem);
  auto yield = cast<tmm::YieldOp>(block.getTerminator());
  llvm::json::Value result = names.find(yield.getValue())->second;
  llvm::json::Value amax = nullptr;
  if (problem.getAmax())
    amax = names.find(yield.getValues()[1])->second;
  json.attributeArray("steps", [&] {
    int64_t steps = 0;
    for (Operation &op : block.without_terminator()) {
      if (isa<arith::ConstantOp>(op))
        continue;
      SmallVector<llvm::json::Value> args;
      for (Value operand : op.getOperands())
        args.push_back(names.find(operand)->second);
      Value value = op.getResult(0);
      writeStep(json, names.find(value)->second, nameOfStep(&op), args,
                value.getType());
      ++steps;
    }
    // A constant that is yielded is a step too, so that what is yielded is
    // always a name.
    for (auto [output, value] : {std::pair(&result, yield.getValue()),
                                 std::pair(&amax, yield.getValues().back())}) {
      if (output->kind() == llvm::json::Value::Null || !isNumber(*output))
        continue;
      llvm::json::Value name("t" + std::to_string(steps++));
      writeStep(json, name, "convert", *output, value.getType());
      *output = name;
    }
  });
  json.attribute("result", result);
  if (problem.getAmax())
    json.attribute("amax", amax);
}
