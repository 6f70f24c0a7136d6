//===- Scales.cpp - scale factors of a tcgen05.mma ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where block-scaled kinds have them in Tensor Memory (PTX ISA 9.4, "Block
// Scaling", 9.7.18.10.7).
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/MmaOp.h"

#include <algorithm>

namespace tc::emu {

std::string checkScales(const MmaValues &values,
                        const InstructionDescriptor &desc) {
  const unsigned lane = TmemAddress::decode(values.scaleA).lane;
  if (desc.scalesIn128Lanes && lane)
    return "operand sfa, lane of the address: expected 0 with scales in 128 "
           "lanes, got " +
           std::to_string(lane) +
           " (PTX ISA 9.4, \"Block Scaling\", 9.7.18.10.7)";
  const unsigned most = 4 - std::min(values.scalesPerRow, 4u);
  for (auto [id, name] :
       {std::pair(desc.scaleIdA, "SFA id"), std::pair(desc.scaleIdB, "SFB id")})
    if (id > most)
      return "instruction descriptor, " + std::string(name) +
             ": expected at most " + std::to_string(most) + " with " +
             std::to_string(values.scalesPerRow) + " scales per row, got " +
             std::to_string(id);
  return "";
}

/// Row r at lane r, four bytes in a column, from the one of `id` on.
std::vector<uint32_t> MmaOp::scalesByLane(Cluster &cluster, unsigned cta,
                                          unsigned count, Origins &undefined) {
  Tmem &tmem = cluster.cta(rankOf(cta))->tmem;
  const unsigned first = TmemAddress::decode(values.scaleA).column;
  std::vector<uint32_t> bits;
  for (unsigned row = 0; row < count; ++row)
    for (unsigned j = 0; j < stepScales(); ++j) {
      const unsigned byte = desc.scaleIdA + half * stepScales() + j,
                     column = first + byte / 4;
      if (!(*tmem.states(row, column) & cellInit))
        setOrigin(undefined, row, count,
                  cluster.cellOrigin(*this, rankOf(cta), row, column));
      bits.push_back(*tmem.cells(row, column) >> (8 * (byte % 4)) & 0xff);
    }
  return bits;
}

/// Scale factors in Tensor Memory: row (or column) x at lane x % 32 of every
/// window of 32 lanes, column x / 32, byte id + j, from the fifth byte on in
/// the next word.
Expected<std::vector<uint32_t>> MmaOp::scales(Cluster &cluster, unsigned cta,
                                              bool ofB, unsigned first,
                                              unsigned count,
                                              Origins &undefined) {
  if (!ofB && desc.scalesIn128Lanes)
    return scalesByLane(cluster, cta, count, undefined);
  Tmem &tmem = cluster.cta(rankOf(cta))->tmem;
  TmemAddress address =
      TmemAddress::decode(ofB ? values.scaleB : values.scaleA);
  unsigned id = ofB ? desc.scaleIdB : desc.scaleIdA,
           group = values.form.ctaGroup;
  // In the 2x2 data path each half of the lanes serves one half of the columns.
  bool folded = ofB && layout == DataPath::B;
  std::vector<uint32_t> bits;
  for (unsigned x = first; x < first + count; ++x) {
    unsigned y = folded ? x % (desc.n / 2) : x;
    unsigned firstWindow = folded ? 2 * (x / (desc.n / 2)) : 0,
             lastWindow = folded ? firstWindow + 2 : 4;
    for (unsigned j = 0; j < stepScales(); ++j) {
      const unsigned byte = id + half * stepScales() + j;
      const unsigned column =
          address.column + y / 32 +
          byte / 4 * scaleWordColumns(ofB ? desc.n : desc.m / group);
      uint32_t value = 0;
      for (unsigned window = firstWindow; window < lastWindow; ++window) {
        unsigned lane = y % 32 + 32 * window;
        if (!(*tmem.states(lane, column) & cellInit)) {
          setOrigin(undefined, x - first, count,
                    cluster.cellOrigin(*this, rankOf(cta), lane, column));
          break;
        }
        uint32_t copy = (*tmem.cells(lane, column) >> (8 * (byte % 4))) & 0xff;
        if (window != firstWindow && copy != value)
          return Error{std::string(ofB ? "sfb" : "sfa") +
                       ": expected the same scale in every window of 32 lanes, "
                       "got another at " +
                       cellName(lane, column)};
        value = copy;
      }
      bits.push_back(value);
    }
  }
  return bits;
}

} // namespace tc::emu
