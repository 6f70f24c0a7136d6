//===- RowsDescription.cpp - what kernels of rows compute -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes "rows": operands with the dimensions that they have, and the body as
// steps, like those of an epilogue. What has no name here is written by the
// name of its operation, and whoever checks says that it does not know it.
//
//===----------------------------------------------------------------------===//

#include "Describer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;
using llvm::json::OStream;

void Describer::collectRows(tmm::RowProblemOp op) {
  // Without a launch there is nothing to compute.
  if (!op.getLaunch())
    return;
  HostRows result;
  result.op = op;
  for (Value memref : op->getOperands()) {
    HostOperand &operand = result.operands.emplace_back();
    operand.memref = memref;
    operand.root = HostReader::findRoot(memref);
    // The launch cannot be described, either, and says so.
    if (!operand.root || !reader.getBuffers().contains(operand.root))
      return;
    operand.isWhole = HostReader::isWholeBuffer(memref);
    operand.coversAll = HostReader::coversBuffer(memref);
  }
  rows.push_back(std::move(result));
}

LogicalResult Describer::readRows(HostRows &rows) {
  for (HostOperand &operand : rows.operands) {
    FailureOr<HostView> view = reader.readView(operand.memref);
    if (failed(view))
      return failure();
    operand.view = *view;
  }
  for (auto [operand, dim] : rows.op.getSizeSources())
    rows.sizes.push_back(rows.operands[operand].view.sizes[dim]);
  return success();
}

/// The name of an operation of a body.
static std::string nameOfRowStep(Operation *op) {
  bool isTruth = op->getResult(0).getType().isInteger(1);
  auto ofTruth = [&](StringRef name) {
    return op->getOperand(0).getType().isInteger(1) ? std::string("convert")
                                                    : name.str();
  };
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](tmm::RowReduceOp reduction) {
        return "reduce_" +
               vector::stringifyCombiningKind(reduction.getKind()).str();
      })
      .Case([](tmm::RowPickOp) { return "pick"; })
      .Case([](tmm::RowIndexOp) { return "index"; })
      .Case([](arith::AddIOp) { return "add"; })
      .Case([](arith::SubIOp) { return "sub"; })
      .Case([](arith::MulIOp) { return "mul"; })
      .Case<arith::IndexCastOp, arith::ExtSIOp>([](auto) { return "convert"; })
      .Case([&](arith::ExtUIOp) { return ofTruth("extui"); })
      .Case([&](arith::UIToFPOp) { return ofTruth("uitofp"); })
      .Case([](arith::FPToSIOp) { return "trunc"; })
      // Those of floats have their names.
      .Case([](arith::CmpIOp cmp) {
        StringRef name = arith::stringifyCmpIPredicate(cmp.getPredicate());
        return name.starts_with("u") ? "cmpi_" + name.str() : nameOfStep(cmp);
      })
      // Bits of integers are no truth values.
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>([&](Operation *bits) {
        return isTruth ? nameOfStep(bits)
                       : bits->getName().stripDialect().str();
      })
      .Default([](Operation *other) { return nameOfStep(other); });
}

/// Writes "steps" of the body and "results", the names of what it yields.
static void writeBody(OStream &json, tmm::RowProblemOp op) {
  Block &block = op.getBody().front();
  DenseMap<Value, llvm::json::Value> names;
  for (BlockArgument argument : block.getArguments())
    names.try_emplace(argument, "x" + std::to_string(argument.getArgNumber()));
  int64_t number = 0;
  json.attributeArray("steps", [&] {
    // A kernel reads the last bit of the byte of a truth value.
    for (BlockArgument argument : block.getArguments()) {
      if (!argument.getType().isInteger(1))
        continue;
      llvm::json::Value name("t" + std::to_string(number++));
      writeStep(json, name, "andi", {names.find(argument)->second, 1},
                IntegerType::get(op.getContext(), 8));
      names.find(argument)->second = name;
    }
    for (Operation &inner : block.without_terminator()) {
      Value value = inner.getResult(0);
      if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
        names.try_emplace(value, describeConstant(constant.getValue()));
        continue;
      }
      SmallVector<llvm::json::Value> args;
      for (Value operand : inner.getOperands())
        args.push_back(names.find(operand)->second);
      if (auto index = dyn_cast<tmm::RowIndexOp>(inner))
        args.push_back(int64_t(index.getDim()));
      llvm::json::Value name("t" + std::to_string(number++));
      writeStep(json, name, nameOfRowStep(&inner), args, value.getType());
      names.try_emplace(value, name);
    }
  });
  json.attributeArray("results", [&] {
    for (Value value : block.getTerminator()->getOperands())
      json.value(names.find(value)->second);
  });
}

void Describer::writeRows(OStream &json, HostRows &rows) {
  size_t ins = rows.op.getIns().size();
  std::string formula;
  for (size_t at = ins; at < rows.operands.size(); ++at)
    formula +=
        (formula.empty() ? "" : ", ") + nameOf(rows.operands[at].root).str();
  formula += " = rows(";
  for (size_t at = 0; at < ins; ++at)
    formula += (at ? ", " : "") + nameOf(rows.operands[at].root).str();
  auto write = [&](size_t first, size_t last) {
    for (size_t at = first; at < last; ++at)
      json.object([&] {
        writeOperand(json, rows.operands[at]);
        SmallVector<int64_t> pieces;
        SmallVector<std::pair<int64_t, int64_t>> places;
        for (AffineExpr expr : rows.op.getMapOf(at).getResults()) {
          auto place = tmm::getPlace(expr);
          places.push_back(place ? std::pair<int64_t, int64_t>(*place)
                                 : std::pair<int64_t, int64_t>(-1, 0));
          if (place && rows.op.isPiece(at, place->first))
            pieces.push_back(place->first);
        }
        // A dimension of the maps, or -1: the only element.
        json.attributeArray("dims", [&] {
          for (auto [dim, offset] : places)
            json.value(dim);
        });
        if (pieces.empty())
          return;
        json.attributeArray("adds", [&] {
          for (auto [dim, offset] : places)
            json.value(offset);
        });
        json.attributeArray("pieces", [&] {
          for (int64_t dim : pieces)
            json.value(dim);
        });
      });
  };
  json.object([&] {
    json.attribute("formula", formula + ")");
    writeList(json, "sizes", rows.sizes);
    json.attributeArray("operands", [&] { write(0, ins); });
    json.attributeArray("outputs", [&] { write(ins, rows.operands.size()); });
    writeBody(json, rows.op);
    json.attribute("launch", rows.number);
  });
}
