//===- Passes.cpp - passes in C ---------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc-c/Passes.h"

#include "tc/InitAll.h"

#include "mlir/CAPI/Pass.h"

// What TableGen makes calls createX and registerX without a namespace, and
// passes of two dialects share a name.
extern "C" {
namespace tc {
#include "tc/Conversion/Passes.capi.cpp.inc"
#include "tc/Target/PTX/Passes.capi.cpp.inc"
#include "tc/Transforms/Passes.capi.cpp.inc"
} // namespace tc
namespace tc::sm90 {
#include "tc/Dialect/SM90/Transforms/Passes.capi.cpp.inc"
} // namespace tc::sm90
namespace tc::tcgen05 {
#include "tc/Dialect/TCGen05/Transforms/Passes.capi.cpp.inc"
} // namespace tc::tcgen05
namespace tc::tmm {
#include "tc/Dialect/TMM/Passes.capi.cpp.inc"
} // namespace tc::tmm
}

void tcRegisterAllPasses(void) { tc::registerAllPasses(); }
