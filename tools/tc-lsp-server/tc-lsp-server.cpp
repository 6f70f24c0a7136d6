//===- tc-lsp-server.cpp - the dialects in an editor ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The MLIR language server with the project's dialects beside upstream's.
//
//===----------------------------------------------------------------------===//

#include "Common/LLVMOutput.h"

#include "tc/InitAll.h"
#include "tc/Support/Version.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  tc::tools::watchOutput("tc-lsp-server");
  tc::setVersionPrinter("tc-lsp-server");
  mlir::DialectRegistry registry;
  tc::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
