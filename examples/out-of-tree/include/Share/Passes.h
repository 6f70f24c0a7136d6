//===- Passes.h - passes of the example -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARE_PASSES_H
#define SHARE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace share {

#define GEN_PASS_DECL
#include "Share/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Share/Passes.h.inc"

} // namespace share

#endif // SHARE_PASSES_H
