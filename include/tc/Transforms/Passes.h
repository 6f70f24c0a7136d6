//===- Passes.h - passes between upstream dialects --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that the pipelines need and that neither upstream nor a dialect
// of the project has.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_PASSES_H
#define TC_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tc/Transforms/Passes.h.inc"

} // namespace tc

#endif // TC_TRANSFORMS_PASSES_H
