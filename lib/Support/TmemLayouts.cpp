//===- TmemLayouts.cpp - where elements are in Tensor Memory ----*- C++ -*-===//
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

#include "tc/Support/TmemLayouts.h"

namespace tc {

llvm::ArrayRef<DataPathFacts> getDataPaths() {
  static constexpr DataPathFacts table[] = {
      // name, M, cta_group, dense, sparse, ws, folds
      {'A', 256, 2, true, true, false, 1},
      {'B', 128, 2, true, false, false, 2},
      {'C', 128, 2, false, true, false, 1},
      {'D', 128, 1, true, true, true, 1},
      {'E', 64, 1, false, false, true, 2},
      {'F', 64, 1, true, true, false, 1},
      {'G', 32, 1, false, false, true, 4},
  };
  return table;
}

const DataPathFacts *findDataPath(char name) {
  for (const DataPathFacts &facts : getDataPaths())
    if (facts.name == name)
      return &facts;
  return nullptr;
}

/// The lane of row `row` of a CTA, of the first group of columns.
static int64_t getRowLane(const DataPathFacts &layout, int64_t row) {
  // 64 rows that are not folded have 16 lanes of each window.
  if (layout.getRows() == kTmemLanes / 2 && layout.folds == 1)
    return kTmemWindowLanes * (row / 16) + row % 16;
  return row;
}

TmemPlace getAccumulatorPlace(const DataPathFacts &layout, int64_t m, int64_t n,
                              int64_t columns) {
  int64_t rows = layout.getRows(), width = columns / layout.folds;
  TmemPlace place;
  place.cta = m / rows;
  place.lane =
      getRowLane(layout, m % rows) + layout.getFoldLanes() * (n / width);
  place.column = n % width;
  return place;
}

TmemPlace getScalePlace(int64_t row, int64_t block, bool split,
                        int64_t columns) {
  TmemPlace place;
  if (split) {
    place.lane = kTmemLanes / 2 * (row / (columns / 2));
    row %= columns / 2;
  }
  place.lane += row % kTmemWindowLanes;
  place.column = row / kTmemWindowLanes;
  place.bit = static_cast<unsigned>(8 * block);
  return place;
}

int64_t getScaleCopies(bool split) {
  return kTmemLanes / kTmemWindowLanes / (split ? 2 : 1);
}

int64_t getMetadataChunk(unsigned bits) {
  return bits == 32 ? 2 : bits == 4 ? 8 : 4;
}

TmemPlace getMatrixAPlace(const DataPathFacts &layout, unsigned bits, int64_t m,
                          int64_t k) {
  TmemPlace place;
  place.cta = m / layout.getRows();
  place.lane = getRowLane(layout, m % layout.getRows());
  place.column = k * bits / 32;
  place.bit = static_cast<unsigned>(k * bits % 32);
  return place;
}

TmemPlace getMetadataPlace(const DataPathFacts &layout, unsigned bits,
                           int64_t m, int64_t k) {
  TmemPlace place;
  // 16 rows have 16 lanes, which are where those of D are.
  place.lane = getRowLane(layout, m / 16 * 16);
  if (bits >= 16) {
    // Two groups of eight rows share a cell, and the second half of K is eight
    // lanes further.
    int64_t half = bits == 32 ? 8 : 16;
    place.lane += m % 8 + 8 * (k / half);
    place.bit =
        static_cast<unsigned>(k % half * (16 / half) + 16 * (m / 8 % 2));
    return place;
  }
  int64_t bit = bits == 8 ? k : k / 2;
  place.lane += m % 16;
  place.column = bit / 32;
  place.bit = static_cast<unsigned>(bit % 32);
  return place;
}

TmemPlace getAccessPlace(TmemAccessShape shape, int64_t t, int64_t r,
                         int64_t offset) {
  TmemPlace place;
  switch (shape) {
  case TmemAccessShape::L32x32b:
    place.lane = t;
    place.column = r;
    break;
  case TmemAccessShape::L16x64b:
    place.lane = t / 4 + 8 * (t % 2);
    place.column = t / 2 % 2 + 2 * r;
    break;
  case TmemAccessShape::L16x128b:
    place.lane = t / 4 + 8 * (r % 2);
    place.column = t % 4 + 4 * (r / 2);
    break;
  case TmemAccessShape::L16x256b:
    place.lane = t / 4 + 8 * (r / 2 % 2);
    place.column = 2 * (t % 4) + r % 2 + 8 * (r / 4);
    break;
  case TmemAccessShape::L16x32bx2:
    place.lane = t % 16;
    place.column = r + (t < 16 ? 0 : offset);
    break;
  }
  return place;
}

} // namespace tc
