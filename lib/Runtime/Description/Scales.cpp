//===- Scales.cpp - blocks of scale factors ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Scales.h"

using namespace tc;

/// A block: rows, of which each fourth part is `quarterRows`, and columns.
static constexpr int64_t blockRows = 128, quarterRows = 32, blockColumns = 4;
static constexpr int64_t blockBytes = blockRows * blockColumns;

static int64_t countBlocks(int64_t size, int64_t extent) {
  return (size + extent - 1) / extent;
}

int64_t runtime::countScaleBytes(int64_t rows, int64_t columns) {
  return countBlocks(rows, blockRows) * countBlocks(columns, blockColumns) *
         blockBytes;
}

int64_t runtime::locateScale(int64_t columns, int64_t row, int64_t column) {
  int64_t block = row / blockRows * countBlocks(columns, blockColumns) +
                  column / blockColumns;
  // The rows of a block that are 32 apart are next to each other.
  return block * blockBytes + row % quarterRows * 4 * blockColumns +
         row % blockRows / quarterRows * blockColumns + column % blockColumns;
}

std::vector<uint8_t> runtime::interleaveScales(int64_t rows, int64_t columns,
                                               const uint8_t *factors,
                                               uint8_t fill) {
  std::vector<uint8_t> blocks(countScaleBytes(rows, columns), fill);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      blocks[locateScale(columns, row, column)] =
          factors[row * columns + column];
  return blocks;
}
