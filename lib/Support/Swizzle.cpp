//===- Swizzle.cpp - swizzle modes of shared memory -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The swizzle functions of the PTX ISA, section "Swizzling-modes" (5.5.7).
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Swizzle.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

#include "tc/Support/SwizzleEnums.cpp.inc"

namespace tc {

SwizzleFacts getSwizzleFacts(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return {16, 128, 0, 4};
  case Swizzle::B32:
    return {32, 256, 1, 4};
  case Swizzle::B64:
    return {64, 512, 2, 4};
  case Swizzle::B128:
    return {128, 1024, 3, 4};
  case Swizzle::B128Atom32:
  case Swizzle::B128Atom32Flip8:
    return {128, 512, 2, 5};
  case Swizzle::B128Atom64:
    return {128, 256, 1, 6};
  }
  llvm_unreachable("unknown swizzle");
}

Swizzle getSwizzleOfBytes(int64_t bytes) {
  switch (bytes) {
  case 32:
    return Swizzle::B32;
  case 64:
    return Swizzle::B64;
  case 128:
    return Swizzle::B128;
  default:
    return Swizzle::None;
  }
}

int64_t applySwizzle(Swizzle swizzle, int64_t byteAddress) {
  SwizzleFacts facts = getSwizzleFacts(swizzle);
  int64_t line = (byteAddress >> 7) & ((int64_t(1) << facts.bits) - 1);
  int64_t result = byteAddress ^ (line << facts.shift);
  if (swizzle == Swizzle::B128Atom32Flip8)
    result ^= ((byteAddress >> 7) & 1) << 3;
  return result;
}

} // namespace tc
