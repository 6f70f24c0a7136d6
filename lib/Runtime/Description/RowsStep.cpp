//===- RowsStep.cpp - Operations of kernels of rows -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operations of a body have a reference.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/RowsStep.h"

#include <limits>

using namespace tc;
using namespace tc::runtime;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static constexpr RowsReduction kReductions[] = {
    {"add", "add", 0},
    {"mul", "mul", 1},
    {"maximumf", "maximum", -kInfinity},
    {"minimumf", "minimum", kInfinity},
    {"maxnumf", "maxnum", -kInfinity},
    {"minnumf", "minnum", kInfinity},
    {"maxsi", "maximum", -kInfinity},
    {"minsi", "minimum", kInfinity},
    {"maxui", "maxui", 0},
    {"minui", "minui", -1},
    {"and", "andi", -1},
    {"or", "ori", 0},
    {"xor", "xori", 0},
};

// Signed values of fewer bits are extended: their order without a sign is that
// of all bits.
static constexpr IntegerOperation kIntegers[] = {
    {"andi", 2, [](uint64_t a, uint64_t b) { return a & b; }},
    {"ori", 2, [](uint64_t a, uint64_t b) { return a | b; }},
    {"xori", 2, [](uint64_t a, uint64_t b) { return a ^ b; }},
    {"maxui", 2, [](uint64_t a, uint64_t b) { return a > b ? a : b; }},
    {"minui", 2, [](uint64_t a, uint64_t b) { return a < b ? a : b; }},
    {"trunci", 1, [](uint64_t a, uint64_t) { return a; }},
    {"cmpi_ult", 2, [](uint64_t a, uint64_t b) { return uint64_t(a < b); }},
    {"cmpi_ule", 2, [](uint64_t a, uint64_t b) { return uint64_t(a <= b); }},
    {"cmpi_ugt", 2, [](uint64_t a, uint64_t b) { return uint64_t(a > b); }},
    {"cmpi_uge", 2, [](uint64_t a, uint64_t b) { return uint64_t(a >= b); }},
};

const IntegerOperation *runtime::findIntegerOperation(const std::string &name) {
  for (const IntegerOperation &operation : kIntegers)
    if (name == operation.name)
      return &operation;
  return nullptr;
}

const RowsReduction *runtime::findRowsReduction(const std::string &kind) {
  for (const RowsReduction &reduction : kReductions)
    if (kind == reduction.kind)
      return &reduction;
  return nullptr;
}

Status runtime::checkRowsStep(const RowsStep &step) {
  auto takes = [&](size_t count) -> Status {
    if (step.step.args.size() == count)
      return {};
    return makeError("operation '" + step.step.op + "': expected " +
                     std::to_string(count) + " arguments, got " +
                     std::to_string(step.step.args.size()));
  };
  switch (step.kind) {
  case RowsStep::Kind::Index:
    return {};
  case RowsStep::Kind::Pick:
    return takes(2);
  case RowsStep::Kind::Reduce:
    if (!findRowsReduction(step.step.op))
      return makeError("unknown reduction '" + step.step.op + "'");
    if (findIntegerOperation(findRowsReduction(step.step.op)->step) &&
        !step.integerBits)
      return makeError("reduction '" + step.step.op + "' of floats");
    if (!step.integerBits && !step.step.type)
      return makeError("reduction of truth values");
    return takes(1);
  case RowsStep::Kind::Elementwise:
    break;
  }
  // Rounding and what divides are those of floats.
  const std::string &op = step.step.op;
  if (const IntegerOperation *integer = findIntegerOperation(op);
      integer && !step.step.type)
    return takes(integer->args);
  for (const char *exact : {"add", "sub", "mul", "maximum", "minimum", "select",
                            "convert", "trunc"})
    if (op == exact)
      return checkStep(step.step);
  if (step.integerBits)
    return makeError("operation '" + op + "' of integers");
  return checkStep(step.step);
}
