//===- Epilogue.h - Elementwise steps as intervals --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel computes from each element of the accumulator: a list of
// steps, as the kernel description states it. A step is evaluated in float64 on
// the value and on an interval around it that holds every result a kernel may
// get, from the interval of the accumulator: each operation is widened by the
// error of the instructions that compute it and rounded outward to its type.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_EPILOGUE_H
#define TC_RUNTIME_EPILOGUE_H

#include "tc/Runtime/DType.h"
#include "tc/Runtime/Error.h"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace tc::runtime {

/// A value in float64 and what a kernel may have instead. Truth values are 0
/// and 1. NaN in a bound: nothing is known.
struct Interval {
  double low = 0, value = 0, high = 0;
  /// Whether NaN is right, too: where an infinity is right beside numbers,
  /// which multiplied by 0, say, makes NaN.
  bool mayBeNan = false;

  static Interval of(double exact) { return {exact, exact, exact}; }
  /// Whether nothing but NaN is right.
  bool isNan() const {
    return std::isnan(low) && std::isnan(value) && std::isnan(high);
  }
};

/// One operation on the values before it: number 0 is the accumulator, then the
/// operands in order, then the results of the steps.
struct EpilogueStep {
  struct Argument {
    /// A value before this step, or none: `constant`.
    std::optional<size_t> value;
    double constant = 0;
  };
  std::string op;
  std::vector<Argument> args;
  /// The type of the result; nothing for a truth value.
  std::optional<DType> type;
};

/// Checks that `step` is an operation that evaluateStep knows with as many
/// arguments as it takes. The error names it.
Status checkStep(const EpilogueStep &step);

/// The result of a checked step on its arguments.
Interval evaluateStep(const EpilogueStep &step, const Interval *args);

/// All operations that a step may have, for diagnostics and documents.
std::string listEpilogueOps();

} // namespace tc::runtime

#endif // TC_RUNTIME_EPILOGUE_H
