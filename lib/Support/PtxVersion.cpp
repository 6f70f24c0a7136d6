//===- PtxVersion.cpp - PTX versions of instructions ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PtxVersion.h asks of the table of forms.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/PtxVersion.h"

#include "tc/Support/TCGen05Forms.h"

namespace tc {

unsigned getMmaPtxVersion(MmaKindFacts kind) {
  return getFacts(getMmaForms({kind}).front()).ptxVersion;
}

} // namespace tc
