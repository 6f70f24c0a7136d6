//===- Problems.h - what the tests of the model ask about -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_SCHEDULE_PROBLEMS_H
#define TC_UNITTESTS_SCHEDULE_PROBLEMS_H

#include "tc/Schedule/UnitModel.h"
#include "tc/Units/MMASync.h"
#include "tc/Units/TCGen05.h"
#include "tc/Units/WGMMA.h"

namespace tc::schedule {

/// The units of the project.
inline const UnitRegistry &units() {
  static const UnitRegistry all = [] {
    UnitRegistry all;
    for (const UnitModel *unit :
         {&getTCGen05Model(), &getWGMMAModel(), &getMMASyncModel()})
      all.add(*unit);
    return all;
  }();
  return all;
}

/// The machine of `chip`.
inline Machine machine(const char *chip = "sm_100a") {
  return Machine::get(*getTarget(chip), units());
}

/// A configuration of which nothing but the unit is chosen.
inline MatmulConfig tcgen05Config() {
  MatmulConfig config;
  config.unit = MatrixUnit(getTCGen05Model());
  return config;
}

/// A product of K-major operands of bf16.
inline MatmulProblem sizes(int64_t m, int64_t n, int64_t k) {
  MatmulProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.transposeB = true;
  return problem;
}

} // namespace tc::schedule

#endif // TC_UNITTESTS_SCHEDULE_PROBLEMS_H
