//===- share-opt.cpp - an opt with tc's passes and one more -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Share/Passes.h"

#include "tc/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  tc::registerAllPasses();
  share::registerSharePasses();
  mlir::DialectRegistry registry;
  tc::registerAllDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "share optimizer driver\n", registry));
}
