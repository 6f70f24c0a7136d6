//===- Tmem.cpp - Tensor Memory of one CTA --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The column allocator. It gives the lowest legal base; alignment to the size
// is what keeps power-of-two allocations from fragmenting.
//
//===----------------------------------------------------------------------===//

#include "State/Tmem.h"

#include <algorithm>
#include <cstring>

namespace tc::emu {

void Tmem::mark(unsigned lane, unsigned lanes, unsigned column,
                unsigned columns, CellState state) {
  for (unsigned l = lane; l < lane + lanes; ++l)
    memset(states(l, column), state, columns);
}

bool Tmem::isAllocated(unsigned column, unsigned columns) const {
  const unsigned end = column + columns;
  while (column < end) {
    auto holder = std::find_if(
        allocations.begin(), allocations.end(), [&](const Allocation &a) {
          return column >= a.column && column < a.column + a.columns;
        });
    if (holder == allocations.end())
      return false;
    column = holder->column + holder->columns;
  }
  return true;
}

int Tmem::allocationLine(unsigned column) const {
  for (const Allocation &a : allocations)
    if (column >= a.column && column < a.column + a.columns)
      return a.line;
  return 0;
}

unsigned Tmem::allocatedColumns() const {
  unsigned sum = 0;
  for (const Allocation &a : allocations)
    sum += a.columns;
  return sum;
}

bool Tmem::isExclusive(unsigned column) const {
  for (const Allocation &a : allocations)
    if (column == a.column)
      return a.exclusive;
  return false;
}

bool Tmem::allocateAt(unsigned column, unsigned columns, int line,
                      bool exclusive) {
  if (!columns || column + columns > kColumns)
    return false;
  for (const Allocation &a : allocations)
    if (exclusive || a.exclusive ||
        (column < a.column + a.columns && a.column < column + columns))
      return false;
  allocations.push_back({column, columns, line ? line : -1, exclusive});
  mark(0, kLanes, column, columns, Uninit);
  for (unsigned lane = 0; !origins.empty() && lane < kLanes; ++lane)
    for (unsigned c = column; c < column + columns; ++c)
      origins.set(lane * kColumns + c, 0, kLanes * kColumns);
  written = {};
  return true;
}

bool Tmem::deallocate(unsigned column, unsigned columns) {
  for (size_t i = 0; i < allocations.size(); ++i)
    if (allocations[i].column == column && allocations[i].columns == columns) {
      allocations.erase(allocations.begin() + i);
      return true;
    }
  return false;
}

} // namespace tc::emu
