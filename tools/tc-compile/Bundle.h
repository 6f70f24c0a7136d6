//===- Bundle.h - many kernels for several chips in one file ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tc-compile --bundle: compiles a list of products, or a module, in threads
// with a context each.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TCCOMPILE_BUNDLE_H
#define TC_TOOLS_TCCOMPILE_BUNDLE_H

#include "tc/Compiler/Compile.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>

namespace tc {

struct BundleRequest {
  /// A list of products, or a module where it ends in .mlir or .mlirbc.
  std::string inputPath;
  std::string text;
  llvm::ArrayRef<std::string> chips;
  /// PTX or Cubin.
  Level level;
  /// But for the chip.
  CompileOptions options;
  /// Threads; 0: one per core.
  unsigned jobs;
};

struct BundleResult {
  /// The bytes of the file; empty where something is wrong, which was said.
  std::string content;
  /// Whether the list is wrong, not what it asks for.
  bool isBadInput = false;
};

BundleResult makeBundle(const BundleRequest &request,
                        const mlir::DialectRegistry &registry);

} // namespace tc

#endif // TC_TOOLS_TCCOMPILE_BUNDLE_H
