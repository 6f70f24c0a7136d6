//===- Lookup.h - B as indices into tables ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `.decompress::lut::b`: B in shared memory has 3 bits for each element, an
// index into the table of its group of 8 columns, which is in Tensor Memory
// (PTX ISA 9.4, "Decompression of input matrices", 9.7.18.10.8).
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_ENGINES_TCGEN05_LOOKUP_H
#define TC_EMULATOR_ENGINES_TCGEN05_LOOKUP_H

#include "Engines/TCGen05/Operand.h"

#include <string>

namespace tc::emu {

class Tmem;

/// Columns of N with one table, and columns of Tensor Memory that it takes up.
constexpr unsigned columnsPerTable = 8, tableColumns = 2;

/// How B is read: of each row of 128 indices one half.
void setUpIndices(SmemOperand &b);

/// Why the tables cannot be at `tables`; empty if they can.
std::string checkTables(TmemAddress tables);

/// Lanes of the tables of `columns` columns.
std::bitset<tmemLanes> lanesOfTables(TmemAddress tables, unsigned columns);

/// Puts numbers into `bits`, which has k indices of each column from `first` of
/// the CTA on. `undefined` becomes 1 + (lane << 16 | column) of a cell without
/// a value that an index picks for each, 0 where there is none; it is empty if
/// there is none at all.
void lookUp(Tmem &tmem, TmemAddress tables, unsigned first, unsigned k,
            std::vector<uint32_t> &bits, std::vector<uint32_t> &undefined);

} // namespace tc::emu

#endif // TC_EMULATOR_ENGINES_TCGEN05_LOOKUP_H
