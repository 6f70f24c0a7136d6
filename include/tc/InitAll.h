//===- InitAll.h - register every dialect and pass --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only full list of what the project adds to MLIR. Tools that work on any
// IR (tc-opt, tc-lsp-server) also register everything of upstream, which a
// stock mlir-opt that loads the plugin has; tc-compile registers what its
// pipeline needs, which is faster to start.
//
//===----------------------------------------------------------------------===//

#ifndef TC_INITALL_H
#define TC_INITALL_H

#include "tc/Compiler/Pipelines.h"
#include "tc/Conversion/Passes.h"
#include "tc/Dialect/SM90/Transforms/Passes.h"
#include "tc/Dialect/TCGen05/Transforms/Passes.h"
#include "tc/Dialect/TMM/Passes.h"
#include "tc/Target/PTX/Passes.h"
#include "tc/TransformOps/TMMTransformOps.h"
#include "tc/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

namespace tc {

/// Registers the project's dialects, with those of upstream that they need, the
/// interfaces by which dialects implement passes and translations for each
/// other, and transform.tmm.
inline void registerProjectDialects(mlir::DialectRegistry &registry) {
  registerPipelineDialects(registry);
  registerTransformExtension(registry);
}

/// Registers the project's dialects and interfaces, and all of upstream's.
inline void registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerProjectDialects(registry);
}

/// Registers the project's passes and pipelines, and none of upstream's: a name
/// is registered once.
inline void registerProjectPasses() {
  registerTCConversionPasses();
  sm90::registerSM90Passes();
  tcgen05::registerTCGen05Passes();
  tmm::registerTMMPasses();
  registerTCTargetPTXPasses();
  registerTCTransformsPasses();
  registerPipelines();
}

/// Registers the project's passes and pipelines, and upstream's passes.
inline void registerAllPasses() {
  mlir::registerAllPasses();
  registerProjectPasses();
}

} // namespace tc

#endif // TC_INITALL_H
