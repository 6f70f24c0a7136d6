//===- RowsProblems.cpp - What launches compute of rows ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads "rows". An operation that has no reference is no error: the launch
// runs, and the check says that it does not know it.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Description/DescriptionReader.h"

#include <cstdlib>
#include <limits>

using namespace tc;
using namespace tc::runtime;

/// Dimensions of operands and of rows, at most.
static constexpr int64_t kMostDims = 64;

/// A buffer or a part of it, with "dims", "adds" and "pieces".
bool DescriptionReader::readRowsOperand(const JsonValue &object, size_t rank,
                                        RowsOperandSpec &operand) {
  Optional dims, adds, pieces;
  std::vector<JsonValue> entries;
  if (!readOperand(object, operand.operand) || !require(dims, object, "dims") ||
      !set(entries, dims->elements()) || !find(adds, object, "adds") ||
      !find(pieces, object, "pieces"))
    return false;
  for (const JsonValue &entry : entries) {
    int64_t dim = 0;
    if (!set(dim, entry.asInteger(-1, static_cast<int64_t>(rank) - 1)))
      return false;
    operand.dims.emplace_back();
    if (dim >= 0)
      operand.dims.back() = static_cast<size_t>(dim);
  }
  operand.adds.assign(operand.dims.size(), 0);
  operand.isPiece = bool(pieces);
  if (!adds)
    return true;
  if (!set(entries, adds->elements()))
    return false;
  if (entries.size() != operand.dims.size())
    return fail(adds->error("expected " + std::to_string(operand.dims.size()) +
                            " entries, as \"dims\" has, got " +
                            std::to_string(entries.size())));
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  for (size_t at = 0; at < entries.size(); ++at)
    if (!set(operand.adds[at], entries[at].asInteger(-most, most)))
      return false;
  return true;
}

/// The bits of an integer type; 0: it is none.
static unsigned getIntegerBits(const std::string &type) {
  if (type == "index")
    return 64;
  for (const char *name : {"i8", "i16", "i32", "i64"})
    if (type == name)
      return static_cast<unsigned>(std::atoi(name + 1));
  return 0;
}

bool DescriptionReader::readRowsStep(const JsonValue &object,
                                     std::vector<std::string> &names,
                                     RowsSpec &rows) {
  RowsStep step;
  std::string name, type;
  Optional args;
  std::vector<JsonValue> values;
  if (!optionalString(object, "name", name) ||
      !optionalString(object, "op", step.step.op) ||
      !optionalString(object, "type", type) || !require(args, object, "args") ||
      !set(values, args->elements()))
    return false;
  if (name.empty())
    return fail(object.error("expected a member \"name\", got none"));
  if (!isNoNumber(object, name))
    return false;
  step.integerBits = getIntegerBits(type);
  if (step.integerBits == 0 && type != "i1") {
    step.step.type = findDType(type);
    if (!step.step.type || !getInfo(*step.step.type).isFloat)
      return fail(object.error("expected \"type\" to be i1, an integer, index "
                               "or a float type, got '" +
                               type + "'"));
  }
  const std::string reduce = "reduce_";
  if (step.step.op == "index") {
    step.kind = RowsStep::Kind::Index;
    int64_t dim = 0;
    if (values.size() != 1)
      return fail(args->error("expected a dimension, got " +
                              std::to_string(values.size()) + " arguments"));
    if (!set(dim, values[0].asInteger(
                      0, static_cast<int64_t>(rows.sizes.size()) - 1)))
      return false;
    step.dim = static_cast<size_t>(dim);
    values.clear();
  } else if (step.step.op == "pick") {
    step.kind = RowsStep::Kind::Pick;
  } else if (step.step.op.compare(0, reduce.size(), reduce) == 0) {
    step.kind = RowsStep::Kind::Reduce;
    step.step.op.erase(0, reduce.size());
  }
  for (const JsonValue &value : values)
    if (!readArgument(value, names, step.step.args.emplace_back()))
      return false;
  if (Status status = checkRowsStep(step); !status && rows.obstacle.empty())
    rows.obstacle = status.error().message;
  names.push_back(name);
  rows.steps.push_back(std::move(step));
  return true;
}

bool DescriptionReader::readRows(const JsonValue &object) {
  RowsSpec rows;
  rows.where = object.where();
  Optional sizes, launch, formula, results;
  if (!require(formula, object, "formula") ||
      !set(rows.formula, formula->asString()) ||
      !require(sizes, object, "sizes") || !expressions(*sizes, rows.sizes) ||
      !require(launch, object, "launch") ||
      !require(results, object, "results"))
    return false;
  if (rows.sizes.empty() || static_cast<int64_t>(rows.sizes.size()) > kMostDims)
    return fail(sizes->error("expected 1 to " + std::to_string(kMostDims) +
                             " sizes, got " +
                             std::to_string(rows.sizes.size())));
  int64_t number = 0;
  if (!set(number,
           launch->asInteger(0, static_cast<int64_t>(out.launches.size()) - 1)))
    return false;
  rows.launch = static_cast<size_t>(number);
  std::vector<std::string> names;
  auto readOperands = [&](const char *key,
                          std::vector<RowsOperandSpec> &operands) {
    return readList(object, key, [&](const JsonValue &value) {
      return readRowsOperand(value, rows.sizes.size(), operands.emplace_back());
    });
  };
  if (!readOperands("operands", rows.operands) ||
      !readOperands("outputs", rows.outputs))
    return false;
  for (size_t at = 0; at < rows.operands.size(); ++at)
    names.push_back("x" + std::to_string(at));
  if (!readList(object, "steps", [&](const JsonValue &value) {
        return readRowsStep(value, names, rows);
      }))
    return false;
  std::vector<JsonValue> values;
  if (!set(values, results->elements()))
    return false;
  if (values.size() != rows.outputs.size())
    return fail(results->error(
        "expected " + std::to_string(rows.outputs.size()) +
        " entries, one for each output, got " + std::to_string(values.size())));
  for (const JsonValue &value : values)
    if (!readArgument(value, names, rows.results.emplace_back()))
      return false;
  out.rows.push_back(std::move(rows));
  return true;
}
