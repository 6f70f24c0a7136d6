//===- PtxVersion.cpp - PTX versions of instructions ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of PtxVersion.h.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/PtxVersion.h"

namespace tc {

unsigned getMmaPtxVersion(MmaKindFacts kind) {
  return isBlockScaled(kind) ? 88 : 86;
}

} // namespace tc
