//===- TmemLayoutsTest.cpp - layouts of Tensor Memory -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No two elements are in one place, all places exist, and the layouts have the
// columns that the shapes need.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/TmemLayouts.h"
#include "tc/Support/MmaShapes.h"

#include "gtest/gtest.h"

#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

using namespace tc;

using Cell = std::tuple<int64_t, int64_t, int64_t, unsigned>;

static Cell toCell(const TmemPlace &place) {
  return {place.cta, place.lane, place.column, place.bit};
}

// Every legal M and N, in the layout that the form writes.
TEST(TmemLayouts, accumulatorsAreBijective) {
  for (const MmaShapeFacts &shapes : getMmaShapes())
    for (const DataPathFacts &layout : getDataPaths()) {
      bool written = shapes.weightStationary
                         ? layout.weightStationary
                         : (shapes.dense && layout.dense) ||
                               (shapes.sparse && layout.sparse);
      bool hasM = false;
      for (int64_t m : shapes.m)
        hasM |= m == layout.m;
      if (!written || !hasM || layout.ctaGroup != shapes.ctaGroup)
        continue;
      for (int64_t n = 8; n <= 256; n += 8) {
        if (!shapes.n.contains(n))
          continue;
        std::set<Cell> cells;
        for (int64_t m = 0; m < layout.m; ++m)
          for (int64_t column = 0; column < n; ++column) {
            TmemPlace place = getAccumulatorPlace(layout, m, column, n);
            EXPECT_LT(place.lane, kTmemLanes);
            EXPECT_LT(place.column, n / layout.folds);
            EXPECT_LT(place.cta, layout.ctaGroup);
            cells.insert(toCell(place));
          }
        EXPECT_EQ(cells.size(), size_t(layout.m * n))
            << layout.name << " N = " << n;
      }
    }
}

TEST(TmemLayouts, scalesAreBijective) {
  for (bool split : {false, true})
    for (int64_t rows = 16; rows <= 256; rows += 16) {
      std::set<Cell> cells;
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t block = 0; block < kScaleBlocks; ++block)
          for (int64_t copy = 0; copy < getScaleCopies(split); ++copy) {
            TmemPlace place = getScalePlace(row, block, split, rows);
            place.lane += copy * kTmemWindowLanes;
            EXPECT_LT(place.lane, kTmemLanes);
            EXPECT_LT(place.column, kTmemColumns);
            cells.insert(toCell(place));
          }
      EXPECT_EQ(cells.size(),
                size_t(rows * kScaleBlocks * getScaleCopies(split)));
    }
}

// The places that were written by hand.
TEST(TmemLayouts, scalesAreWhereTheTableHasThem) {
  std::ifstream file(TC_SCALES);
  unsigned places = 0;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#')
      continue;
    ++places;
    int64_t row, block, byte, lane, column, byteOfCell;
    std::istringstream(line) >> row >> block >> byte >> lane >> column >>
        byteOfCell;
    TmemPlace place =
        getScalePlace(row % 128, block % kScaleBlocks, /*split=*/false, 128);
    EXPECT_EQ(place.lane, lane) << line;
    EXPECT_EQ(place.column, column) << line;
    EXPECT_EQ(place.bit, 8 * byteOfCell) << line;
  }
  EXPECT_EQ(places, 28u);
}

TEST(TmemLayouts, metadataFillsItsCells) {
  for (const DataPathFacts &layout : getDataPaths())
    for (auto [bits, k, columns] :
         {std::tuple<unsigned, int64_t, int64_t>(32, 16, 1),
          {16, 32, 1},
          {8, 64, 2},
          {4, 128, 2}}) {
      if (!layout.sparse && !layout.weightStationary)
        continue;
      std::set<Cell> chunks;
      for (int64_t m = 0; m < layout.getRows(); ++m)
        for (int64_t first = 0; first < k; first += getMetadataChunk(bits))
          for (int64_t copy = 0; copy < layout.folds; ++copy) {
            TmemPlace place = getMetadataPlace(layout, bits, m, first);
            place.lane += copy * layout.getFoldLanes();
            EXPECT_LT(place.lane, kTmemLanes);
            EXPECT_LT(place.column, columns);
            EXPECT_EQ(place.bit % 4, 0u);
            EXPECT_LT(place.bit, 32u);
            chunks.insert(toCell(place));
          }
      // Four bits for each chunk, and no bit of a cell is left over.
      EXPECT_EQ(chunks.size() * 4,
                size_t(layout.getRows() * layout.folds * columns * 32))
          << layout.name << " " << bits;
    }
}

TEST(TmemLayouts, registersAreBijective) {
  for (TmemAccessShape shape :
       {TmemAccessShape::L32x32b, TmemAccessShape::L16x64b,
        TmemAccessShape::L16x128b, TmemAccessShape::L16x256b,
        TmemAccessShape::L16x32bx2}) {
    const TmemAccessFacts &facts = getTmemAccess(shape);
    for (int64_t n = 1; n <= facts.maxRepetition; n *= 2) {
      // The halves of 16x32bx2 follow each other.
      int64_t offset = shape == TmemAccessShape::L16x32bx2 ? n : 0;
      std::set<Cell> cells;
      for (int64_t t = 0; t < kWarpThreads; ++t)
        for (int64_t r = 0; r < n * facts.registers; ++r) {
          TmemPlace place = getAccessPlace(shape, t, r, offset);
          EXPECT_LT(place.lane, facts.lanes);
          EXPECT_LT(place.column, facts.columns * n + offset);
          cells.insert(toCell(place));
        }
      EXPECT_EQ(cells.size(), size_t(kWarpThreads * n * facts.registers));
    }
  }
}
