//===- ScalesTest.cpp - Blocks of scale factors -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Scales.h"

#include "gtest/gtest.h"

#include <fstream>
#include <set>
#include <sstream>

using namespace tc::runtime;

namespace {

/// test/Formats/scales.txt, written by hand for 256 rows and 8 columns.
TEST(Scales, places) {
  std::ifstream file(TC_SCALES);
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream in(line);
    int64_t row, column, byte;
    ASSERT_TRUE(in >> row >> column >> byte) << line;
    EXPECT_EQ(locateScale(8, row, column), byte) << line;
    ++rows;
  }
  EXPECT_GT(rows, 20);
}

TEST(Scales, placesAreOneToOne) {
  std::set<int64_t> places;
  for (int64_t row = 0; row < 384; ++row)
    for (int64_t column = 0; column < 12; ++column)
      places.insert(locateScale(12, row, column));
  EXPECT_EQ(places.size(), size_t(384 * 12));
  EXPECT_EQ(*places.rbegin(), countScaleBytes(384, 12) - 1);
}

TEST(Scales, interleave) {
  std::vector<uint8_t> factors(200 * 6);
  for (size_t i = 0; i < factors.size(); ++i)
    factors[i] = static_cast<uint8_t>(1 + i % 251);
  std::vector<uint8_t> blocks = interleaveScales(200, 6, factors.data(), 255);
  ASSERT_EQ(blocks.size(), size_t(2 * 2 * 512));
  for (int64_t row = 0; row < 200; ++row)
    for (int64_t column = 0; column < 6; ++column)
      ASSERT_EQ(blocks[locateScale(6, row, column)], factors[row * 6 + column]);
  // Row 199 is the last; column 7 is in no row.
  EXPECT_EQ(blocks[locateScale(6, 200, 0)], 255);
  EXPECT_EQ(blocks[locateScale(6, 3, 7)], 255);
  EXPECT_TRUE(interleaveScales(0, 6, nullptr).empty());
}

} // namespace
