//===- Lookup.cpp - B as indices into tables ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entry i of a table is byte i of its two cells.
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Lookup.h"

#include "State/Tmem.h"

namespace tc::emu {

void setUpIndices(SmemOperand &b) {
  b.packedBits = 3;
  b.rowBytes = 48;
  b.firstBit = b.descriptor.segment * b.rowBytes * 8 / 2;
}

std::string checkTables(TmemAddress tables) {
  constexpr const char *section =
      " (PTX ISA 9.4, \"Decompression of input matrices\", 9.7.18.10.8)";
  if (tables.column % tableColumns)
    return "operand lut, column of the address: expected a multiple of 2, "
           "got " +
           std::to_string(tables.column) + section;
  if (tables.lane % 32 || tables.lane >= tmemLanes)
    return "operand lut, lane of the address: expected 0, 32, 64 or 96, as the "
           "emulator supports no other, got " +
           std::to_string(tables.lane) + section;
  return "";
}

std::bitset<tmemLanes> lanesOfTables(TmemAddress tables, unsigned columns) {
  std::bitset<tmemLanes> lanes;
  for (unsigned group = 0; group * columnsPerTable < columns; ++group)
    lanes.set(tables.lane + group);
  return lanes;
}

void lookUp(Tmem &tmem, TmemAddress tables, unsigned first, unsigned k,
            std::vector<uint32_t> &bits, std::vector<uint32_t> &undefined) {
  undefined.clear();
  for (size_t i = 0; i < bits.size(); ++i) {
    const auto column = static_cast<unsigned>(i / k);
    const unsigned lane = tables.lane + (first + column) / columnsPerTable,
                   cell = tables.column + bits[i] / 4;
    if (!(*tmem.states(lane, cell) & cellInit)) {
      undefined.resize(bits.size() / k);
      if (!undefined[column])
        undefined[column] = 1 + (lane << 16 | cell);
    }
    bits[i] = *tmem.cells(lane, cell) >> (bits[i] % 4 * 8) & 0xff;
  }
}

} // namespace tc::emu
