//===- InitAll.h - register every dialect and pass --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only full list of what the project adds to MLIR. Tools that work on any
// IR (tc-opt, tc-lsp-server) also register everything of upstream; tc-compile
// registers what its pipeline needs, which is faster to start.
//
//===----------------------------------------------------------------------===//

#ifndef TC_INITALL_H
#define TC_INITALL_H

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

namespace tc {

/// Registers the project's dialects and the interfaces they implement for
/// others.
inline void registerTCDialects(mlir::DialectRegistry &registry) {}

/// Registers the project's passes.
inline void registerTCPasses() {}

/// Registers the project's dialects, upstream's, and the extensions by which
/// upstream dialects implement each other's interfaces.
inline void registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  registerTCDialects(registry);
}

/// Registers the project's passes and pipelines and upstream's.
inline void registerAllPasses() {
  mlir::registerAllPasses();
  registerTCPasses();
}

} // namespace tc

#endif // TC_INITALL_H
