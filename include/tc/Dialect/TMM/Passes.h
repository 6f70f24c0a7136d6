//===- Passes.h - passes on the tmm dialect ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations and registration of the passes that stay within the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_PASSES_H
#define TC_DIALECT_TMM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tc::tmm {

#define GEN_PASS_DECL
#include "tc/Dialect/TMM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tc/Dialect/TMM/Passes.h.inc"

} // namespace tc::tmm

#endif // TC_DIALECT_TMM_PASSES_H
