//===- DescriptionProblems.cpp - What launches compute ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads "problems": products, their operands and epilogues.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Description/DescriptionReader.h"

#include <algorithm>
#include <limits>

using namespace tc;
using namespace tc::runtime;

/// {"output": [], "window": [], "strides": [], "dilations": [], "padding": []}.
bool DescriptionReader::readWindows(const JsonValue &object, size_t rank,
                                    WindowsSpec &windows) {
  struct {
    const char *key;
    std::vector<int64_t> &list;
    int64_t least;
  } const members[] = {{"output", windows.output, 1},
                       {"window", windows.window, 1},
                       {"strides", windows.strides, 1},
                       {"dilations", windows.dilations, 1},
                       {"padding", windows.padding, 0}};
  for (const auto &member : members) {
    Optional value;
    std::vector<JsonValue> entries;
    if (!require(value, object, member.key) || !set(entries, value->elements()))
      return false;
    if (entries.size() + 2 != rank)
      return fail(
          value->error("expected an entry for each dimension of images of " +
                       std::to_string(rank) +
                       " dimensions, all but the first and the last, "
                       "got " +
                       std::to_string(entries.size())));
    for (const JsonValue &entry : entries) {
      member.list.push_back(0);
      if (!set(member.list.back(),
               entry.asInteger(member.least,
                               std::numeric_limits<int32_t>::max())))
        return false;
    }
  }
  return true;
}

bool DescriptionReader::readOperand(const JsonValue &object,
                                    OperandSpec &operand, bool takesWindows) {
  operand.where = object.where();
  Optional buffer, type, transposed;
  if (!require(buffer, object, "buffer") || !find(type, object, "dtype") ||
      !find(transposed, object, "transposed"))
    return false;
  if (!bufferName(*buffer, operand.buffer) ||
      (type && !dtype(*type, operand.type.emplace())) ||
      (transposed && !set(operand.transposed, transposed->asBool())))
    return false;
  Optional shape, strides, windows;
  if (!find(shape, object, "shape") || !find(strides, object, "strides") ||
      !find(windows, object, "windows"))
    return false;
  operand.isView = shape || strides;
  if (windows && !takesWindows)
    return fail(windows->error("expected windows of operand a of a matmul "
                               "alone"));
  if (windows && !operand.isView)
    return fail(windows->error("expected \"shape\" and \"strides\" of the "
                               "images beside \"windows\", got none"));
  if (!operand.isView)
    return true;
  if (!shape || !strides)
    return fail(object.error("expected \"shape\" and \"strides\" together"));
  if (!expressions(*shape, operand.shape) ||
      !expressions(*strides, operand.strides, operand.shape.size()) ||
      !optionalExpression(object, "offset", operand.offset))
    return false;
  if (!windows)
    return true;
  if (operand.transposed)
    return fail(windows->error("expected windows that are not transposed"));
  return readWindows(*windows, operand.shape.size(), operand.windows.emplace());
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

bool DescriptionReader::readEpilogueOperand(const JsonValue &object,
                                            std::vector<std::string> &names,
                                            EpilogueSpec &epilogue) {
  using Along = EpilogueOperandSpec::Along;
  EpilogueOperandSpec operand;
  operand.where = object.where();
  std::string name, along;
  Optional scalar;
  if (!optionalString(object, "name", name) ||
      !choice(object, "along", {"m", "n"}, along) ||
      !find(scalar, object, "scalar"))
    return false;
  if (name.empty())
    return fail(object.error("expected a member \"name\", got none"));
  if (!isNoNumber(object, name))
    return false;
  if (scalar) {
    operand.along = Along::Scalar;
    if (!scalarName(*scalar, operand.scalar))
      return false;
  } else if (!readOperand(object, operand.operand)) {
    return false;
  } else {
    operand.along = along == "m"   ? Along::M
                    : along == "n" ? Along::N
                                   : Along::Matrix;
  }
  names.push_back(name);
  epilogue.operands.push_back(std::move(operand));
  return true;
}

/// The number of the value called `name` among those so far.
static std::optional<size_t> findValue(const std::vector<std::string> &names,
                                       const std::string &name) {
  auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end())
    return std::nullopt;
  return static_cast<size_t>(it - names.begin());
}

bool DescriptionReader::readArgument(const JsonValue &value,
                                     const std::vector<std::string> &names,
                                     EpilogueStep::Argument &argument) {
  if (!value.isString() || value.isFloatName())
    return set(argument.constant, value.asFloat());
  std::string text;
  if (!set(text, value.asString()))
    return false;
  argument.value = findValue(names, text);
  if (!argument.value)
    return fail(value.error("expected a number, \"acc\", an operand or a "
                            "step before this one, got '" +
                            text + "'"));
  return true;
}

bool DescriptionReader::readStep(const JsonValue &object,
                                 std::vector<std::string> &names,
                                 EpilogueSpec &epilogue) {
  EpilogueStep step;
  std::string name, type;
  Optional args;
  if (!optionalString(object, "name", name) ||
      !optionalString(object, "op", step.op) ||
      !optionalString(object, "type", type) || !find(args, object, "args"))
    return false;
  if (name.empty() || !args)
    return fail(object.error("expected members \"name\" and \"args\""));
  if (!isNoNumber(object, name))
    return false;
  if (type != "i1") {
    step.type = findDType(type);
    if (!step.type || !getInfo(*step.type).isFloat)
      return fail(object.error("expected \"type\" to be i1 or a float type, "
                               "got '" +
                               type + "'"));
  }
  std::vector<JsonValue> values;
  if (!set(values, args->elements()))
    return false;
  for (const JsonValue &value : values)
    if (!readArgument(value, names, step.args.emplace_back()))
      return false;
  if (Status status = checkStep(step); !status)
    return fail(object.error(status.error().message));
  names.push_back(name);
  epilogue.steps.push_back(std::move(step));
  return true;
}

bool DescriptionReader::readEpilogue(const JsonValue &object,
                                     EpilogueSpec &epilogue) {
  std::vector<std::string> names = {"acc"};
  if (!readList(object, "operands",
                [&](const JsonValue &value) {
                  return readEpilogueOperand(value, names, epilogue);
                }) ||
      !readList(object, "steps", [&](const JsonValue &value) {
        return readStep(value, names, epilogue);
      }))
    return false;
  std::string result;
  if (!optionalString(object, "result", result))
    return false;
  std::optional<size_t> number = findValue(names, result);
  if (!number)
    return fail(object.error("expected \"result\" to be the name of a value, "
                             "got '" +
                             result + "'"));
  epilogue.result = *number;
  std::string amax;
  if (!optionalString(object, "amax", amax))
    return false;
  number = findValue(names, amax.empty() ? result : amax);
  if (!number)
    return fail(object.error("expected \"amax\" to be the name of a value, got "
                             "'" +
                             amax + "'"));
  epilogue.amax = *number;
  return true;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// The formula is what people read; a formula that means anything but the
/// product that is checked must not pass unnoticed.
bool DescriptionReader::checkFormula(const JsonValue &object,
                                     const ProblemSpec &problem) {
  std::string shape;
  bool inName = false;
  for (char c : problem.formula) {
    bool isName = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (isName && !inName)
      shape += 'x';
    else if (!isName && c != ' ')
      shape += c;
    inName = isName;
  }
  const std::string a = problem.metadata    ? "x(x,x)"
                        : problem.a.windows ? "x(x)"
                                            : "x";
  std::string product = problem.scaleA       ? "x(" + a + ",x)*x(x,x)"
                        : problem.multiplyAs ? "x(" + a + ")*x(x)"
                                             : a + "*x";
  if (problem.c)
    product += "+x";
  if (problem.ends || problem.counts)
    product = "x(" + product + ",x)";
  std::string outputs = std::string("x") + (problem.scaleD ? ",x" : "") +
                        (problem.amax ? ",x" : "") + "=";
  if (shape == outputs + (problem.epilogue ? "x(" + product + ")" : product))
    return true;
  const std::string named = problem.metadata    ? "sparse(A, metadata)"
                            : problem.a.windows ? "windows(A)"
                                                : "A";
  return fail(object.error(
      std::string("expected the formula \"D") +
      (problem.scaleD ? ", SFD" : "") + (problem.amax ? ", amax" : "") + " = " +
      (problem.epilogue ? "epilogue(" : "") +
      (problem.ends     ? "grouped("
       : problem.counts ? "counted("
                        : "") +
      (problem.scaleA       ? "scaled(" + named + ", SFA) * scaled(B, SFB)"
       : problem.multiplyAs ? "tf32(" + named + ") * tf32(B)"
                            : named + " * B") +
      (problem.c ? " + C" : "") +
      (problem.ends     ? ", ends)"
       : problem.counts ? ", counts)"
                        : "") +
      (problem.epilogue ? ")" : "") + "\" " + (problem.c ? "with" : "without") +
      " an operand c, got \"" + problem.formula + "\""));
}

/// How precise sums are, and the type that factors are read as.
bool DescriptionReader::readArithmetic(const JsonValue &object,
                                       ProblemSpec &problem) {
  Optional bits;
  int64_t accumulatorBits = problem.accumulatorBits;
  if (!find(bits, object, "accumulator_bits") ||
      (bits && !set(accumulatorBits, bits->asInteger(8, 35))))
    return false;
  problem.accumulatorBits = int(accumulatorBits);
  Optional multiplyAs;
  if (!find(multiplyAs, object, "multiply_as"))
    return false;
  if (multiplyAs && !dtype(*multiplyAs, problem.multiplyAs.emplace()))
    return false;
  if (multiplyAs && problem.multiplyAs != DType::TF32)
    return fail(multiplyAs->error(std::string("expected \"tf32\", got \"") +
                                  getInfo(*problem.multiplyAs).name + "\""));
  return true;
}

/// The scale factors of A and B.
bool DescriptionReader::readScales(const JsonValue &object,
                                   ProblemSpec &problem) {
  Optional scaleA, scaleB;
  if (!find(scaleA, object, "scale_a") || !find(scaleB, object, "scale_b"))
    return false;
  if (bool(scaleA) != bool(scaleB))
    return fail(object.error("expected \"scale_a\" and \"scale_b\" together"));
  if (scaleA && (!readOperand(*scaleA, problem.scaleA.emplace()) ||
                 !readOperand(*scaleB, problem.scaleB.emplace())))
    return false;
  Optional scaleBlock;
  if (!find(scaleBlock, object, "scale_block"))
    return false;
  if (scaleBlock && !scaleA)
    return fail(scaleBlock->error("expected scale factors, got none"));
  if (scaleBlock && !set(problem.scaleBlock, scaleBlock->asInteger(1, 1024)))
    return false;
  Optional scaleColumns;
  if (!find(scaleColumns, object, "scale_columns"))
    return false;
  if (scaleColumns && !scaleA)
    return fail(scaleColumns->error("expected scale factors, got none"));
  if (scaleColumns &&
      !set(problem.scaleColumns, scaleColumns->asInteger(1, 1024)))
    return false;
  return true;
}

/// The scale factors of D, and its largest magnitude.
bool DescriptionReader::readScalesOfD(const JsonValue &object,
                                      ProblemSpec &problem) {
  Optional scaleD, amax, scaleBlockD;
  if (!find(scaleD, object, "scale_d") || !find(amax, object, "amax") ||
      !find(scaleBlockD, object, "scale_block_d") ||
      (scaleD && !readOperand(*scaleD, problem.scaleD.emplace())) ||
      (amax && !readOperand(*amax, problem.amax.emplace())) ||
      (scaleBlockD &&
       !set(problem.scaleBlockD, scaleBlockD->asInteger(1, 256))))
    return false;
  if (256 % problem.scaleBlockD != 0)
    return fail(scaleBlockD->error("expected a power of two"));
  return true;
}

bool DescriptionReader::readProblem(const JsonValue &object) {
  ProblemSpec problem;
  problem.where = object.where();
  struct {
    const char *key;
    Expression *size;
    OperandSpec *operand;
  } const required[] = {{"m", &problem.m, nullptr}, {"n", &problem.n, nullptr},
                        {"k", &problem.k, nullptr}, {"a", nullptr, &problem.a},
                        {"b", nullptr, &problem.b}, {"d", nullptr, &problem.d}};
  for (const auto &member : required) {
    Optional value;
    if (!require(value, object, member.key))
      return false;
    if (member.size
            ? !expression(*value, *member.size)
            : !readOperand(*value, *member.operand,
                           /*takesWindows=*/member.operand == &problem.a))
      return false;
  }
  Optional c, formula, accumulator, batch, epilogue, launch;
  if (!find(batch, object, "batch") || !find(epilogue, object, "epilogue") ||
      !find(launch, object, "launch") ||
      (batch && !expressions(*batch, problem.batch)) ||
      (epilogue && !epilogue->isNull() &&
       !readEpilogue(*epilogue, problem.epilogue.emplace())))
    return false;
  if (launch) {
    int64_t last = static_cast<int64_t>(out.launches.size()) - 1, number = 0;
    if (!set(number, launch->asInteger(0, last)))
      return false;
    problem.launch = static_cast<size_t>(number);
  }
  if (!find(c, object, "c") || !find(formula, object, "formula") ||
      !find(accumulator, object, "accumulator"))
    return false;
  if (c && !c->isNull() && !readOperand(*c, problem.c.emplace()))
    return false;
  if (!readArithmetic(object, problem) || !readScales(object, problem))
    return false;
  Optional metadata;
  if (!find(metadata, object, "metadata") ||
      (metadata && !readOperand(*metadata, problem.metadata.emplace())))
    return false;
  Optional ends, counts;
  if (!find(ends, object, "ends") || !find(counts, object, "counts") ||
      (ends && !readOperand(*ends, problem.ends.emplace())) ||
      (counts && !readOperand(*counts, problem.counts.emplace())))
    return false;
  if ((ends || counts) && (problem.batch.size() != 1 || (ends && counts)))
    return fail(object.error("expected \"batch\" of one dimension with "
                             "\"ends\" or \"counts\", and one of them"));
  if (!readScalesOfD(object, problem))
    return false;
  if (!formula)
    return fail(object.error("expected a member \"formula\", got none"));
  if (!set(problem.formula, formula->asString()) ||
      !checkFormula(*formula, problem) ||
      (accumulator && !dtype(*accumulator, problem.accumulator)))
    return false;
  out.problems.push_back(std::move(problem));
  return true;
}
