//===- Tmem.h - Tensor Memory of one CTA ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 128 lanes of columns of 32-bit cells with one state per cell, and the
// column allocator behind tcgen05.alloc (PTX ISA 9.0, "Tensor Memory" and
// "Tensor Memory Allocation"). Cells of one lane are contiguous.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_TMEM_H
#define TC_EMULATOR_STATE_TMEM_H

#include "State/Storage.h"
#include "State/Undefined.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tc::emu {

class Tmem {
public:
  static constexpr unsigned kLanes = 128;
  /// The most of all chips; ChipFacts::tmemColumns has those of one.
  static constexpr unsigned kColumns = 576;
  enum CellState : uint8_t { Uninit = 0, Init = 1, Limbo = 2 };

  /// The cells of `lane` from `column` on. Storage comes with the first use.
  uint32_t *cells(unsigned lane, unsigned column) {
    materialize();
    return reinterpret_cast<uint32_t *>(values.data()) + lane * kColumns +
           column;
  }
  uint8_t *states(unsigned lane, unsigned column) {
    materialize();
    return cellStates.data() + lane * kColumns + column;
  }
  void mark(unsigned lane, unsigned lanes, unsigned column, unsigned columns,
            CellState state);

  /// A written cell holds no value; `origin` brought that in.
  void undefine(unsigned lane, unsigned column, OriginId origin) {
    *states(lane, column) &= uint8_t(~Init);
    origins.set(lane * kColumns + column, origin, kLanes * kColumns);
    written = {};
  }
  OriginId originOf(unsigned lane, unsigned column) const {
    return origins.at(lane * kColumns + column);
  }

  /// Cells of `lanes` that are known to be Init, so that they need not be
  /// looked at one by one; an allocation and what is undefined take that
  /// back.
  void noteWritten(const std::bitset<kLanes> &lanes, unsigned column,
                   unsigned columns) {
    written[nextWritten++ % written.size()] = {lanes, column, columns};
  }
  bool isWritten(const std::bitset<kLanes> &lanes, unsigned column,
                 unsigned columns) const {
    for (const Written &w : written)
      if (w.column <= column && column + columns <= w.column + w.columns &&
          (lanes & ~w.lanes).none())
        return true;
    return false;
  }

  /// Allocates [column, column + columns); false if a part is taken. Cells
  /// become Uninit. `line` is kept for reports.
  bool allocateAt(unsigned column, unsigned columns, int line,
                  bool exclusive = false);
  /// Frees exactly what was allocated at once; false if nothing was.
  bool deallocate(unsigned column, unsigned columns);

  bool isAllocated(unsigned column, unsigned columns = 1) const;
  /// Whether the allocation at `column` is exclusive, which keeps all others
  /// away.
  bool isExclusive(unsigned column) const;
  /// Columns that are still allocated.
  unsigned allocatedColumns() const;
  /// Line of the allocation that holds `column`, 0 if none does.
  int allocationLine(unsigned column) const;

  /// tcgen05.alloc.cta_group::2: what the CTA's warp asks for while it waits
  /// for its peer, and the answer.
  struct PairRequest {
    unsigned columns = 0; ///< 0: none is requested
    bool exclusive = false;
    bool granted = false;
    unsigned column = 0;
  } pair;

  /// The last tcgen05.mma whose D, or a part of it, is here: how the cells
  /// are to be shown.
  struct LastMma {
    int line = 0; ///< 0: none yet
    unsigned m = 0, n = 0, ctaGroup = 1, cta = 0;
    uint32_t d = 0;       ///< the address operand
    uint8_t dataPath = 0; ///< DataPath
    enum Type : uint8_t { F32, F16, S32 } type = F32;
  } lastMma;

  bool permitRelinquished = false;
  unsigned lastAllocation = 0; ///< columns of the last alloc, 0: none yet

private:
  void materialize() {
    if (values)
      return;
    values = Storage(kLanes * kColumns * sizeof(uint32_t));
    cellStates = Storage(kLanes * kColumns);
    memset(cellStates.data(), Uninit, kLanes * kColumns);
  }
  struct Allocation {
    unsigned column, columns;
    int line;
    bool exclusive;
  };
  struct Written {
    std::bitset<kLanes> lanes;
    unsigned column = 0, columns = 0;
  };
  Storage values, cellStates;
  std::array<Written, 4> written;
  unsigned nextWritten = 0;
  OriginMap origins;
  std::vector<Allocation> allocations;
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_TMEM_H
