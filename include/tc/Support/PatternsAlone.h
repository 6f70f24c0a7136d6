//===- PatternsAlone.h - rewriting and nothing else -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_PATTERNSALONE_H
#define TC_SUPPORT_PATTERNSALONE_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tc {

/// The configuration of `applyPatternsGreedily` with which operations that no
/// pattern matches stay as they were written: nothing is folded, merged or
/// simplified beside the patterns.
inline mlir::GreedyRewriteConfig getConfigOfPatternsAlone() {
  mlir::GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  config.setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  return config;
}

} // namespace tc

#endif // TC_SUPPORT_PATTERNSALONE_H
