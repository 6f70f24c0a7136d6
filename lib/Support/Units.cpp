//===- Units.cpp - what surrounds matrix units ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of Units.h.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Units.h"

namespace tc {

int64_t getScaleBlock(MmaKindFacts kind) {
  switch (kind) {
  case MmaKindFacts::MXF8F6F4:
  case MmaKindFacts::MXF4:
    return 32;
  case MmaKindFacts::MXF4NVF4:
    return 16;
  default:
    return 0;
  }
}

} // namespace tc
