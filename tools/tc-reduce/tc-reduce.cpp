//===- tc-reduce.cpp - a smaller module that still fails --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-reduce with the project's dialects and passes.
//
//===----------------------------------------------------------------------===//

#include "Common/LLVMOutput.h"

#include "tc/InitAll.h"
#include "tc/Support/Version.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  tc::tools::watchOutput("tc-reduce");
  tc::setVersionPrinter("tc-reduce");
  tc::registerAllPasses();
  mlir::DialectRegistry registry;
  tc::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
