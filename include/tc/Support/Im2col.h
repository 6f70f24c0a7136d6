//===- Im2col.h - limits of im2col tensor maps ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an im2col tensor map and its copies can express (PTX ISA, "im2col mode";
// CUDA driver API, cuTensorMapEncodeIm2col).
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_IM2COL_H
#define TC_SUPPORT_IM2COL_H

#include <cstdint>

namespace tc {

/// Dimensions of a tensor: images, up to three of an image, channels.
constexpr int64_t kIm2colMinRank = 3, kIm2colMaxRank = 5;

/// Pixels that one copy loads.
constexpr int64_t kIm2colMaxPixels = 1024;

/// The largest step from a pixel to the next.
constexpr int64_t kIm2colMaxStep = 8;

/// Corners of the box that pixels run through are from -`corner` to `corner` -
/// 1, the offsets of a copy from 0 to `offset` - 1.
struct Im2colLimits {
  int64_t corner, offset;

  bool hasCorner(int64_t value) const {
    return value >= -corner && value < corner;
  }
};

/// The limits for tensors of `rank` dimensions.
constexpr Im2colLimits getIm2colLimits(int64_t rank) {
  return rank == 3   ? Im2colLimits{1 << 15, 1 << 16}
         : rank == 4 ? Im2colLimits{1 << 7, 1 << 8}
                     : Im2colLimits{1 << 4, 1 << 5};
}

} // namespace tc

#endif // TC_SUPPORT_IM2COL_H
