//===- Passes.h - passes of the PTX target ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass that replaces gpu.module by gpu.binary.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_PTX_PASSES_H
#define TC_TARGET_PTX_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tc/Target/PTX/Passes.h.inc"

} // namespace tc

#endif // TC_TARGET_PTX_PASSES_H
