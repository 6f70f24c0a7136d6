//===- LayoutTest.cpp - Places in Tensor Memory -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data path layouts and the cells of tcgen05.ld and .st, written the other way
// round than in the emulator: from the cell to the thread and register that the
// ISA's fragment figures print in it.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Engines/TCGen05/Layout.h"

#include "gtest/gtest.h"

#include <set>

using namespace tc::emu;

namespace {

TEST(DataPath, selection_follows_the_table) {
  auto select = [](unsigned m, unsigned ctaGroup, bool ws, bool sparse) {
    MmaForm form;
    form.ctaGroup = ctaGroup;
    form.weightStationary = ws;
    form.sparse = sparse;
    return toChar(selectDataPath(form, m));
  };
  EXPECT_EQ(select(256, 2, false, false), 'A');
  EXPECT_EQ(select(128, 2, false, false), 'B');
  EXPECT_EQ(select(128, 2, false, true), 'C');
  EXPECT_EQ(select(128, 1, false, false), 'D');
  EXPECT_EQ(select(128, 1, true, false), 'D');
  EXPECT_EQ(select(64, 1, true, false), 'E');
  EXPECT_EQ(select(64, 1, false, false), 'F');
  EXPECT_EQ(select(32, 1, true, false), 'G');
}

struct Place {
  unsigned cta, lane, column;
  bool operator==(const Place &o) const {
    return cta == o.cta && lane == o.lane && column == o.column;
  }
};

/// Where the parts put element (row of the whole D, column).
Place find(const std::vector<DataPathPart> &parts, unsigned rowsPerCta,
           unsigned m, unsigned n) {
  Place found{~0u, 0, 0};
  unsigned hits = 0;
  for (const DataPathPart &part : parts)
    if (part.cta == m / rowsPerCta && n >= part.firstColumn &&
        n < part.firstColumn + part.columns) {
      found = {part.cta, part.lanes[m % rowsPerCta],
               part.column + n - part.firstColumn};
      ++hits;
    }
  EXPECT_EQ(hits, 1u);
  return found;
}

std::vector<DataPathPart> partsOf(DataPath layout, unsigned m, unsigned n,
                                  unsigned ctaGroup, unsigned lane = 0) {
  Expected<std::vector<DataPathPart>> parts =
      dataPathParts(layout, m, n, ctaGroup, lane);
  EXPECT_TRUE(bool(parts));
  return *parts;
}

TEST(DataPath, corners_of_each_layout) {
  auto a = partsOf(DataPath::A, 256, 64, 2);
  EXPECT_EQ(find(a, 128, 200, 63), (Place{1, 72, 63}));
  EXPECT_EQ(find(a, 128, 127, 31), (Place{0, 127, 31}));
  auto b = partsOf(DataPath::B, 128, 64, 2);
  EXPECT_EQ(find(b, 64, 63, 31), (Place{0, 63, 31}));
  EXPECT_EQ(find(b, 64, 63, 32), (Place{0, 127, 0}));
  EXPECT_EQ(find(b, 64, 64, 63), (Place{1, 64, 31}));
  auto d = partsOf(DataPath::D, 128, 24, 1);
  EXPECT_EQ(find(d, 128, 77, 23), (Place{0, 77, 23}));
  auto e = partsOf(DataPath::E, 64, 128, 1);
  EXPECT_EQ(find(e, 64, 10, 63), (Place{0, 10, 63}));
  EXPECT_EQ(find(e, 64, 10, 64), (Place{0, 74, 0}));
  auto f = partsOf(DataPath::F, 64, 16, 1);
  EXPECT_EQ(find(f, 64, 15, 3), (Place{0, 15, 3}));
  EXPECT_EQ(find(f, 64, 16, 3), (Place{0, 32, 3}));
  EXPECT_EQ(find(f, 64, 63, 15), (Place{0, 111, 15}));
  auto upper = partsOf(DataPath::F, 64, 16, 1, 16);
  EXPECT_EQ(find(upper, 64, 63, 15), (Place{0, 127, 15}));
  auto c = partsOf(DataPath::C, 128, 32, 2);
  EXPECT_EQ(find(c, 64, 80, 20), (Place{1, 32, 20}));
  auto g = partsOf(DataPath::G, 32, 64, 1);
  EXPECT_EQ(find(g, 32, 5, 15), (Place{0, 5, 15}));
  EXPECT_EQ(find(g, 32, 5, 16), (Place{0, 37, 0}));
  EXPECT_EQ(find(g, 32, 31, 63), (Place{0, 127, 15}));
}

TEST(DataPath, no_two_elements_share_a_cell) {
  struct Row {
    DataPath layout;
    unsigned m, n, group;
  };
  for (Row r : {Row{DataPath::A, 256, 32, 2}, Row{DataPath::B, 128, 32, 2},
                Row{DataPath::C, 128, 32, 2}, Row{DataPath::D, 128, 32, 1},
                Row{DataPath::E, 64, 64, 1}, Row{DataPath::F, 64, 32, 1},
                Row{DataPath::G, 32, 64, 1}}) {
    auto parts = partsOf(r.layout, r.m, r.n, r.group);
    std::set<std::tuple<unsigned, unsigned, unsigned>> cells;
    for (unsigned m = 0; m < r.m; ++m)
      for (unsigned n = 0; n < r.n; ++n) {
        Place p = find(parts, r.m / r.group, m, n);
        EXPECT_LT(p.lane, 128u);
        EXPECT_TRUE(cells.insert({p.cta, p.lane, p.column}).second);
      }
  }
}

TEST(DataPath, base_lane_must_fit) {
  EXPECT_EQ(dataPathParts(DataPath::D, 128, 64, 1, 16).error().message,
            "lane of the address: expected 0 for data path layout D, got 16 "
            "(PTX ISA 9.0, \"Data path layout organization\", "
            "9.7.16.10.5)");
  EXPECT_EQ(dataPathParts(DataPath::F, 64, 64, 1, 8).error().message,
            "lane of the address: expected 0 or 16 for data path layout F, got "
            "8 (PTX ISA 9.0, \"Data path layout organization\", "
            "9.7.16.10.5)");
}

struct Holder {
  unsigned thread, reg;
};

/// Who holds the cell (lane, column), from the fragment figures.
Holder holder(MoveShape shape, unsigned lane, unsigned column) {
  switch (shape) {
  case MoveShape::L32x32b:
    return {lane, column};
  case MoveShape::L16x64b:
    return {4 * (lane % 8) + 2 * (column % 2) + lane / 8, column / 2};
  case MoveShape::L16x128b:
    return {4 * (lane % 8) + column % 4, lane / 8 + 2 * (column / 4)};
  case MoveShape::L16x256b:
    return {4 * (lane % 8) + column % 8 / 2,
            column % 2 + 2 * (lane / 8) + 4 * (column / 8)};
  case MoveShape::L16x32bx2:
    break;
  }
  return {~0u, 0};
}

TEST(MoveShapes, each_cell_has_the_holder_of_the_figures) {
  for (MoveShape shape : {MoveShape::L32x32b, MoveShape::L16x64b,
                          MoveShape::L16x128b, MoveShape::L16x256b}) {
    const MoveInfo &info = moveInfo(shape);
    for (unsigned repeat = 1; repeat <= info.maxRepeat; repeat *= 2) {
      std::set<std::pair<unsigned, unsigned>> cells;
      for (unsigned t = 0; t < 32; ++t)
        for (unsigned r = 0; r < repeat * info.registersPerRepeat; ++r) {
          MoveCell cell = moveCell(shape, t, r, 0);
          ASSERT_LT(cell.lane, info.lanes);
          ASSERT_LT(cell.column, repeat * info.columnsPerRepeat);
          ASSERT_TRUE(cells.insert({cell.lane, cell.column}).second);
          Holder h = holder(shape, cell.lane, cell.column);
          ASSERT_EQ(h.thread, t) << info.name;
          ASSERT_EQ(h.reg, r) << info.name;
        }
      EXPECT_EQ(cells.size(), info.lanes * repeat * info.columnsPerRepeat);
    }
  }
}

TEST(MoveShapes, the_upper_half_of_16x32bx2_is_offset) {
  for (unsigned t = 0; t < 32; ++t)
    for (unsigned r = 0; r < 4; ++r) {
      MoveCell cell = moveCell(MoveShape::L16x32bx2, t, r, 40);
      EXPECT_EQ(cell.lane, t % 16);
      EXPECT_EQ(cell.column, r + (t < 16 ? 0 : 40));
    }
}

TEST(TmemFootprint, overlap_needs_cta_lanes_and_columns) {
  TmemFootprint a, b;
  a.lanes.set(3);
  a.column = 8;
  a.columns = 8;
  b = a;
  EXPECT_TRUE(a.overlaps(b));
  b.column = 16;
  EXPECT_FALSE(a.overlaps(b));
  b.column = 15;
  EXPECT_TRUE(a.overlaps(b));
  b.rank = 1;
  EXPECT_FALSE(a.overlaps(b));
  b.rank = 0;
  b.lanes.reset();
  b.lanes.set(4);
  EXPECT_FALSE(a.overlaps(b));
}

} // namespace
