//===- Predict.cpp - the model with other constants -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What scripts/calibrate fits: the model itself, so that its formulas are not
// written a second time.
//
//===----------------------------------------------------------------------===//

#include "Tune.h"

#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Schedule/UnitModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <istream>

using namespace tc;
using llvm::StringRef;

namespace {

/// The constants of a unit that were set.
class Constants {
public:
  /// Whether there is such a constant.
  bool set(StringRef name, double value) {
    const auto *constant = llvm::find_if(
        schedule::getFittedConstants(),
        [&](const schedule::FittedConstant &c) { return c.name == name; });
    if (constant == schedule::getFittedConstants().end())
      return false;
    for (auto &[member, old] : values)
      if (member == constant->member) {
        old = value;
        return true;
      }
    values.push_back({constant->member, value});
    return true;
  }

  schedule::ModelConstants of(schedule::MatrixUnit unit) const {
    schedule::ModelConstants constants = unit->getConstants();
    for (auto [member, value] : values)
      constants.*member = value;
    return constants;
  }

private:
  std::vector<std::pair<double schedule::ModelConstants::*, double>> values;
};

} // namespace

std::string tune::predict(llvm::ArrayRef<Problem> problems, std::istream &in) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  Constants constants;
  for (std::string line; std::getline(in, line);) {
    auto [first, rest] = StringRef(line).trim().split(' ');
    if (first.empty()) {
      llvm::outs().flush();
      continue;
    }
    size_t index;
    if (first.getAsInteger(10, index)) {
      double value;
      if (rest.trim().getAsDouble(value) || !std::isfinite(value) ||
          !constants.set(first, value))
        return "expected a constant and its value, or a product and its "
               "configuration, got '" +
               line + "'";
      continue;
    }
    if (index >= problems.size())
      return "expected a product below " + std::to_string(problems.size()) +
             ", got " + first.str();
    std::string error;
    std::optional<double> cycles = problems[index].tuning->predict(
        rest, MatrixUnits::get(context.get()).getRegistry(),
        [&](schedule::MatrixUnit unit) { return constants.of(unit); }, error);
    if (!cycles)
      return error;
    llvm::outs() << llvm::format("%.6f\n", *cycles);
  }
  llvm::outs().flush();
  return "";
}
