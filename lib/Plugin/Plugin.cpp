//===- Plugin.cpp - the project in a stock mlir-opt -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mlir-opt asks of a library for --load-dialect-plugin and
// --load-pass-plugin. It has upstream's dialects and passes, so they are not
// registered here.
//
//===----------------------------------------------------------------------===//

#include "tc/InitAll.h"
#include "tc/Support/Version.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" ::mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tc", tc::kProjectVersion.data(),
          [](mlir::DialectRegistry *registry) {
            tc::registerProjectDialects(*registry);
          }};
}

extern "C" ::mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tc", tc::kProjectVersion.data(),
          [] { tc::registerProjectPasses(); }};
}
