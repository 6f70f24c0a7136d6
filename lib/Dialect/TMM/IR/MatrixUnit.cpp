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
