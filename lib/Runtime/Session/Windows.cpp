//===- Windows.cpp - the windows of images as a matrix --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One element after the other, as the formula has them.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Session/Windows.h"

using namespace tc;
using namespace tc::runtime;

/// Counts `index` up within `sizes`, the last one fastest; whether it did not
/// start again.
static bool countUp(std::vector<int64_t> &index,
                    const std::vector<int64_t> &sizes) {
  for (size_t i = sizes.size(); i > 0; --i) {
    if (++index[i - 1] < sizes[i - 1])
      return true;
    index[i - 1] = 0;
  }
  return false;
}

Expected<GatheredMatrix> runtime::gatherWindows(const MatrixView &images,
                                                const WindowsSpec &windows,
                                                int64_t m, int64_t k) {
  const BufferLayout &from = *images.layout;
  const size_t rank = windows.output.size();
  const unsigned bits = getInfo(from.type).bits;
  const int64_t count = from.shape.front(), channels = from.shape.back();
  int64_t rows = count, columns = channels;
  bool fits = true;
  for (size_t i = 0; i < rank; ++i)
    fits &= !__builtin_mul_overflow(rows, windows.output[i], &rows) &&
            !__builtin_mul_overflow(columns, windows.window[i], &columns);
  if (!fits || rows != m || columns != k)
    return makeError("operand A: expected windows that are a matrix of " +
                     std::to_string(m) + "x" + std::to_string(k) + ", got " +
                     (fits
                          ? std::to_string(rows) + "x" + std::to_string(columns)
                          : "more than 2^63 rows or columns"));
  Expected<BufferLayout> layout =
      BufferLayout::create(from.type, {rows, columns}, {columns, 1});
  if (!layout)
    return layout.takeError();
  GatheredMatrix matrix{std::move(*layout), {}};
  matrix.bytes.resize(matrix.layout.bytes());
  if (rows == 0)
    return matrix;
  uint64_t next = 0;
  std::vector<int64_t> output(rank);
  for (int64_t image = 0; image < count; ++image)
    do {
      std::vector<int64_t> place(rank);
      do {
        bool isInside = true;
        int64_t first = image * from.strides.front();
        for (size_t i = 0; i < rank; ++i) {
          const int64_t at = output[i] * windows.strides[i] +
                             place[i] * windows.dilations[i] -
                             windows.padding[i];
          isInside &= at >= 0 && at < from.shape[i + 1];
          first += at * from.strides[i + 1];
        }
        for (int64_t c = 0; c < channels; ++c, ++next)
          if (isInside)
            writeElement(matrix.bytes.data(), next, bits,
                         readElement(images.data,
                                     static_cast<uint64_t>(
                                         first + c * from.strides.back()),
                                     bits));
      } while (countUp(place, windows.window));
    } while (countUp(output, windows.output));
  return matrix;
}
