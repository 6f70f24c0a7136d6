//===- MatrixUnit.cpp - the matrix units of a context -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/MatrixUnit.h"

#include "tc/Support/Target.h"

#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace tc;

const MatrixUnits &MatrixUnits::get(MLIRContext *context) {
  return *context->getOrLoadDialect<tmm::TMMDialect>()
              ->getRegisteredInterface<MatrixUnits>();
}

const MatrixUnitModel &MatrixUnits::getModel(schedule::MatrixUnit unit) const {
  for (const auto &model : models)
    if (model->getUnit() == unit)
      return *model;
  llvm_unreachable("a unit of another context");
}

FailureOr<SmallVector<schedule::MatrixUnit, 2>>
MatrixUnits::getUnitsOf(Operation *op, StringRef chip) const {
  SmallVector<schedule::MatrixUnit, 2> known;
  if (const TargetFacts *target = getTarget(chip))
    known = registry.getUnitsOf(*target);
  if (known.empty())
    return op->emitOpError() << "expected a chip with a matrix unit that "
                                "kernels are made for, got "
                             << chip;
  return known;
}
