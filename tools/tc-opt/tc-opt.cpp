//===- tc-opt.cpp - run passes on IR ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with the project's dialects, passes and pipelines.
//
//===----------------------------------------------------------------------===//

#include "Common/LLVMOutput.h"

#include "tc/InitAll.h"
#include "tc/Support/Version.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#ifdef TC_BUILD_TEST_LIB
namespace tc {
void registerTestLib(mlir::DialectRegistry &registry); // test/lib
} // namespace tc
#endif

int main(int argc, char **argv) {
  tc::tools::watchOutput("tc-opt");
  tc::setVersionPrinter("tc-opt");
  tc::registerAllPasses();
  mlir::DialectRegistry registry;
  tc::registerAllDialects(registry);
#ifdef TC_BUILD_TEST_LIB
  tc::registerTestLib(registry);
#endif
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tc optimizer driver\n", registry));
}
