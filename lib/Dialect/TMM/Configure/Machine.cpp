//===- Machine.cpp - what configurations are chosen for ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts of chips are in tc::Support; which of their units a compiler knows is
// registered.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/Configure/Machine.h"

#include "tc/Dialect/TMM/IR/MatrixUnit.h"

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;

FailureOr<schedule::Machine>
tc::tmm::getMachine(MLIRContext *context, StringRef chip,
                    const schedule::MatmulConfig &option,
                    function_ref<InFlightDiagnostic()> emitError) {
  const schedule::UnitRegistry &units =
      tc::MatrixUnits::get(context).getRegistry();
  const tc::TargetFacts *target = tc::getTarget(chip);
  schedule::Machine machine;
  if (target)
    machine = schedule::Machine::get(*target, units);
  if (!machine.sms)
    machine.sms = option.sms.value_or(0);
  if (!machine.units.empty() && machine.sms)
    return machine;
  InFlightDiagnostic diag =
      emitError() << "expected a chip with a known matrix unit and number of "
                     "multiprocessors, got '"
                  << chip << "'";
  // Without registered units there is no list.
  StringRef separator = "; known are ";
  for (const tc::TargetFacts &facts : tc::getTargets()) {
    if (units.getUnitsOf(facts).empty() || !facts.multiprocessors)
      continue;
    diag << separator << facts.chip;
    separator = ", ";
  }
  if (!machine.units.empty())
    diag << ", others with sms in the configuration";
  return diag;
}
