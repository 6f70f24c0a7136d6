//===- TmemShapes.cpp - data movement shapes of Tensor Memory ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of TmemShapes.h.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/TmemShapes.h"

#include <cstddef>

namespace tc {

const TmemAccessFacts &getTmemAccess(TmemAccessShape shape) {
  // name, lanes, columns, registers, largest repetition
  static constexpr TmemAccessFacts table[] = {
      {"32x32b", 32, 1, 1, 128},   {"16x64b", 16, 2, 1, 128},
      {"16x128b", 16, 4, 2, 64},   {"16x256b", 16, 8, 4, 32},
      {"16x32bx2", 16, 1, 1, 128},
  };
  return table[static_cast<size_t>(shape)];
}

const TmemCopyFacts &getTmemCopy(TmemCopyShape shape) {
  static constexpr TmemCopyFacts table[] = {
      {"128x256b", 128, 32},
      {"4x256b", 4, 32},
      {"128x128b", 128, 16},
      {"64x128b.warpx2::02_13", 64, 16},
      {"64x128b.warpx2::01_23", 64, 16},
      {"32x128b.warpx4", 32, 16},
  };
  return table[static_cast<size_t>(shape)];
}

} // namespace tc
