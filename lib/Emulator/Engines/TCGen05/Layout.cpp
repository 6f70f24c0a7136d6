//===- Layout.cpp - who sits where in Tensor Memory -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D is described as rectangles rather than as one function, so that the MMA can
// work on rows of contiguous cells.
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Layout.h"

#include <algorithm>

namespace tc::emu {

std::string cellName(unsigned lane, unsigned column) {
  return "lane " + std::to_string(lane) + ", column " + std::to_string(column);
}

char toChar(DataPath layout) {
  return static_cast<char>('A' + static_cast<unsigned>(layout));
}

DataPath selectDataPath(const MmaForm &form, unsigned m) {
  if (form.ctaGroup == 2)
    return m == 256 ? DataPath::A : form.sparse ? DataPath::C : DataPath::B;
  if (m == 32)
    return DataPath::G;
  if (m == 64)
    return form.weightStationary ? DataPath::E : DataPath::F;
  return DataPath::D;
}

Expected<std::vector<DataPathPart>> dataPathParts(DataPath layout, unsigned m,
                                                  unsigned n, unsigned ctaGroup,
                                                  unsigned baseLane) {
  bool half = layout == DataPath::C || layout == DataPath::F;
  if (baseLane != 0 && !(half && baseLane == 16))
    return Error{
        std::string("lane of the address: expected 0") +
        (half ? " or 16" : "") + " for data path layout " + toChar(layout) +
        ", got " + std::to_string(baseLane) +
        " (PTX ISA 9.0, \"Data path layout organization\", 9.7.16.10.5)"};
  unsigned rows = m / ctaGroup;
  // B and E fold the columns in two, G in four.
  unsigned folds = layout == DataPath::B || layout == DataPath::E ? 2
                   : layout == DataPath::G                        ? 4
                                                                  : 1;
  // Each CTA of a pair supplies one half of B.
  unsigned pieces = std::max(folds, ctaGroup);
  std::vector<DataPathPart> parts;
  for (unsigned cta = 0; cta < ctaGroup; ++cta)
    for (unsigned piece = 0; piece < pieces; ++piece) {
      DataPathPart part;
      part.cta = cta;
      part.columns = n / pieces;
      part.firstColumn = piece * part.columns;
      part.column = folds > 1 ? 0 : part.firstColumn;
      unsigned shift = folds > 1 ? piece * (tmemLanes / folds) : 0;
      for (unsigned row = 0; row < rows; ++row)
        part.lanes.push_back(half ? baseLane + 32 * (row / 16) + row % 16
                                  : row + shift);
      parts.push_back(std::move(part));
    }
  return parts;
}

unsigned tmemALane(DataPath layout, unsigned row, unsigned baseLane) {
  if (layout == DataPath::C || layout == DataPath::F)
    return baseLane + 32 * (row / 16) + row % 16;
  return row;
}

const MoveInfo &moveInfo(MoveShape shape) {
  static constexpr MoveInfo infos[] = {
      {"32x32b", 32, 1, 1, 128},   {"16x64b", 16, 1, 2, 128},
      {"16x128b", 16, 2, 4, 64},   {"16x256b", 16, 4, 8, 32},
      {"16x32bx2", 16, 1, 1, 128},
  };
  return infos[static_cast<unsigned>(shape)];
}

MoveCell moveCell(MoveShape shape, unsigned t, unsigned r, int upperOffset) {
  switch (shape) {
  case MoveShape::L32x32b:
    return {t, r};
  case MoveShape::L16x64b:
    return {t / 4 + 8 * (t % 2), (t / 2) % 2 + 2 * r};
  case MoveShape::L16x128b:
    return {t / 4 + 8 * (r % 2), t % 4 + 4 * (r / 2)};
  case MoveShape::L16x256b:
    return {t / 4 + 8 * ((r / 2) % 2), 2 * (t % 4) + r % 2 + 8 * (r / 4)};
  case MoveShape::L16x32bx2:
    return {t % 16, r + (t >= 16 ? static_cast<unsigned>(upperOffset) : 0)};
  }
  return {0, 0};
}

} // namespace tc::emu
