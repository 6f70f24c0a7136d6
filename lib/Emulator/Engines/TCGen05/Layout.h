//===- Layout.h - who sits where in Tensor Memory ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor Memory addresses, the data path layouts A to G of an MMA's D and A
// (PTX ISA 9.0, "Data path layout organization", 9.7.16.10.5), and the cells
// that each thread and register of tcgen05.ld and .st reaches ("Data movement
// shape", 9.7.16.2.3). Pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_ENGINES_TCGEN05_LAYOUT_H
#define TC_EMULATOR_ENGINES_TCGEN05_LAYOUT_H

#include "Engines/TCGen05/Descriptor.h"

#include <bitset>
#include <string>
#include <vector>

namespace tc::emu {

/// The columns are the most of all chips.
constexpr unsigned tmemLanes = 128, tmemColumns = 576;

/// A Tensor Memory address: lane in bits 31-16, column in bits 15-0.
struct TmemAddress {
  unsigned lane = 0, column = 0;
  static TmemAddress decode(uint32_t bits) {
    return {bits >> 16, bits & 0xffff};
  }
};

/// Cell states: Tmem's Init, and Limbo on top of what was there before.
constexpr uint8_t cellInit = 1, cellLimbo = 2;

/// "lane 3, column 17".
std::string cellName(unsigned lane, unsigned column);

/// Cells of one CTA: some lanes, a range of columns.
struct TmemFootprint {
  unsigned rank = 0; ///< of the CTA in the cluster
  std::bitset<tmemLanes> lanes;
  unsigned column = 0, columns = 0;

  bool overlaps(const TmemFootprint &other) const {
    return rank == other.rank && column < other.column + other.columns &&
           other.column < column + columns && (lanes & other.lanes).any();
  }
  bool covers(const TmemFootprint &other) const {
    return rank == other.rank && column <= other.column &&
           other.column + other.columns <= column + columns &&
           (other.lanes & ~lanes).none();
  }
};

enum class DataPath : uint8_t { A, B, C, D, E, F, G };
char toChar(DataPath layout);

/// The layout that M, the CTA group, .ws and .sp select.
DataPath selectDataPath(const MmaForm &form, unsigned m);

/// A rectangle of D in one CTA: rows [0, rows) of the CTA's part of D and
/// columns [firstColumn, firstColumn + columns) of the whole D are at
/// lane(row) and at `column` + j of the address operand.
struct DataPathPart {
  unsigned cta = 0; ///< 0 even, 1 odd CTA of the pair
  unsigned firstColumn = 0, columns = 0;
  unsigned column = 0;
  std::vector<unsigned> lanes; ///< per row, base lane included
};

/// All parts of D; each has its columns inside of one CTA's share of B. Fails
/// if the lane of the address does not fit the layout.
Expected<std::vector<DataPathPart>> dataPathParts(DataPath layout, unsigned m,
                                                  unsigned n, unsigned ctaGroup,
                                                  unsigned baseLane);

/// Lane of row `row` of A in Tensor Memory (its copies, where there are two,
/// hold the same data).
unsigned tmemALane(DataPath layout, unsigned row, unsigned baseLane);

/// Shapes of tcgen05.ld and .st.
enum class MoveShape : uint8_t {
  L32x32b,
  L16x64b,
  L16x128b,
  L16x256b,
  L16x32bx2
};

struct MoveInfo {
  std::string_view name;
  unsigned lanes;              ///< 32 or 16
  unsigned registersPerRepeat; ///< registers for .x1
  unsigned columnsPerRepeat;
  unsigned maxRepeat;
};
const MoveInfo &moveInfo(MoveShape shape);

struct MoveCell {
  unsigned lane, column;
};

/// Cell of register `r` of thread `t`, relative to the address; `upperOffset`
/// is the immediate of 16x32bx2.
MoveCell moveCell(MoveShape shape, unsigned t, unsigned r, int upperOffset);

} // namespace tc::emu

#endif // TC_EMULATOR_ENGINES_TCGEN05_LAYOUT_H
