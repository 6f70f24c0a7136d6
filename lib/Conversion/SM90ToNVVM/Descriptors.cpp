//===- Descriptors.cpp - matrix descriptors of wgmma ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"

using namespace mlir;
using namespace tc;

static uint64_t getSwizzleCode(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return 0;
  case Swizzle::B128:
    return 1;
  case Swizzle::B64:
    return 2;
  case Swizzle::B32:
    return 3;
  case Swizzle::B128Atom32:
  case Swizzle::B128Atom32Flip8:
  case Swizzle::B128Atom64:
    break;
  }
  // The verifier of wgmma.mma_async refuses the others.
  llvm_unreachable("swizzle without a code of wgmma");
}

uint64_t tc::getWgmmaDescriptorBits(SmemTileLayoutInterface layout) {
  return getMatrixStrides(layout).encode() |
         getSwizzleCode(layout.getTileSwizzle()) << 62;
}
