//===- Tcgen05Sparse.cpp - metadata of a sparse A -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chunk of A has four bits of metadata: two elements of tf32 (one kept), four
// of 8 and 16 bits (two kept), four pairs of 4 bits (two kept).
//
//===----------------------------------------------------------------------===//

#include "Exec/Tcgen05Sparse.h"

#include "State/Tmem.h"

#include <algorithm>

namespace tc::emu {

constexpr unsigned sparseRows = 128;

unsigned metadataColumns(const OperandType &a) { return a.bits <= 8 ? 2 : 1; }

std::string checkSparse(const MmaForm &form, const InstructionDescriptor &desc,
                        TmemAddress metadata) {
  if (form.weightStationary)
    return ".ws.sp is not supported by the emulator: the layout of its "
           "metadata exists as a figure only";
  if (desc.m / form.ctaGroup != sparseRows)
    return ".sp: expected 128 rows per CTA, got " +
           std::to_string(desc.m / form.ctaGroup) +
           ", whose metadata layout exists as a figure only";
  if (metadata.lane)
    return "sp-meta: expected an address of lane 0, got lane " +
           std::to_string(metadata.lane);
  // What other values of the selector pick is not documented.
  if (desc.a.bits >= 16 && (desc.sparsitySelector > 1 ||
                            desc.sparsitySelector < (metadata.column & 1)))
    return "sparsity selector: expected 0 or 1 with an even column of sp-meta "
           "and 1 with an odd one, got " +
           std::to_string(desc.sparsitySelector) + " with column " +
           std::to_string(metadata.column);
  return "";
}

unsigned metadataColumn(const InstructionDescriptor &desc,
                        TmemAddress metadata) {
  return desc.a.bits < 16 ? metadata.column
                          : (metadata.column & ~1u) + desc.sparsitySelector;
}

/// The four bits of the chunk that starts at element k of row m: where they
/// are.
static void locate(const OperandType &a, unsigned m, unsigned k, unsigned &lane,
                   unsigned &column, unsigned &bit) {
  column = 0;
  if (a.bits >= 16) {
    // Two groups of eight rows share a cell; the upper half of K is eight lanes
    // on.
    unsigned half = a.bits == 32 ? 8 : 16;
    lane = m % 8 + 8 * (k / half) + 16 * (m / 16);
    bit = k % half * 16 / half + 16 * (m / 8 % 2);
    return;
  }
  lane = m;
  bit = a.bits == 8 ? k : k / 2;
  column = bit / 32;
  bit %= 32;
}

static bool isZero(const OperandType &a, uint32_t bits) {
  return !bits || (!a.integer && bits == 1u << (a.bits - 1));
}

Status readMetadata(Tmem &tmem, const InstructionDescriptor &desc,
                    TmemAddress metadata, const std::vector<uint32_t> &kept,
                    bool *zeros, std::vector<uint16_t> &places) {
  const OperandType &a = desc.a;
  const unsigned k = desc.k;
  const unsigned base = metadataColumn(desc, metadata);
  const unsigned chunk = a.bits == 32 ? 2 : a.bits == 4 ? 8 : 4;
  places.clear();
  places.reserve(sparseRows * k / 2);
  for (unsigned m = 0; m < sparseRows; ++m)
    for (unsigned first = 0; first < k; first += chunk) {
      unsigned lane, column, bit;
      locate(a, m, first, lane, column, bit);
      column += base;
      if (!(*tmem.states(lane, column) & cellInit))
        return Error{"sp-meta: Tensor Memory at " + cellName(lane, column) +
                     " was never written"};
      unsigned code = *tmem.cells(lane, column) >> bit & 15;
      unsigned low = code & 3, high = code >> 2;
      // tf32: both halves of one element. Others: in order, or the one code
      // 0110 that the ISA lists besides.
      bool legal = a.bits == 32 ? code == 0b0100 || code == 0b1110
                                : low < high || code == 0b0110;
      if (!legal && zeros && a.bits != 32) {
        auto from = kept.begin() + std::ptrdiff_t(places.size());
        legal = std::all_of(from, from + chunk / 2,
                            [&](uint32_t bits) { return isZero(a, bits); });
        *zeros |= legal;
      }
      if (!legal)
        return Error{"sp-meta of row " + std::to_string(m) + ", k " +
                     std::to_string(first) + ": the code " +
                     std::to_string(code) +
                     " is undefined (PTX ISA 9.0, \"Sparse matrices\", "
                     "9.7.16.10.8)"};
      if (a.bits == 32) {
        places.push_back(uint16_t(first + (code == 0b1110)));
        continue;
      }
      unsigned width = a.bits == 4 ? 2 : 1;
      for (unsigned index : {low, high})
        for (unsigned e = 0; e < width; ++e)
          places.push_back(uint16_t(first + index * width + e));
    }
  return {};
}

std::vector<uint32_t> expandSparse(const std::vector<uint32_t> &kept,
                                   const std::vector<uint16_t> &places,
                                   unsigned k) {
  std::vector<uint32_t> full(size_t(sparseRows) * k);
  for (size_t i = 0; i < kept.size(); ++i)
    full[i / (k / 2) * k + places[i]] = kept[i];
  return full;
}

} // namespace tc::emu
