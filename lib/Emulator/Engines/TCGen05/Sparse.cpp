//===- Sparse.cpp - metadata of a sparse A --------------------------------===//
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
// The ISA has the layouts as figures. Of 128 rows in a CTA, and of 64 and 32
// with .ws, libraries lay metadata out as here. Of 64 rows without .ws (data
// paths C and F) there is no second source: they are where the rows of D are,
// 16 in each window of 32 lanes, from the lane of D on.
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Sparse.h"

#include "State/Tmem.h"

#include <algorithm>

namespace tc::emu {

unsigned metadataColumns(const OperandType &a) { return a.bits <= 8 ? 2 : 1; }

/// Whether 16 rows are in a window of 32 lanes.
static bool isHalf(const MmaForm &form, const InstructionDescriptor &desc) {
  DataPath layout = selectDataPath(form, desc.m);
  return layout == DataPath::C || layout == DataPath::F;
}

std::string checkSparse(const MmaForm &form, const InstructionDescriptor &desc,
                        TmemAddress metadata, unsigned laneOfD) {
  unsigned expected = isHalf(form, desc) ? laneOfD : 0;
  if (metadata.lane != expected)
    return "sp-meta: expected an address of lane " + std::to_string(expected) +
           ", got lane " + std::to_string(metadata.lane) +
           " (PTX ISA 9.0, \"Data path layout organization\", 9.7.16.10.5)";
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
/// are. 16 rows are in 16 lanes, from one group to the next it is `pitch`.
static void locate(const OperandType &a, unsigned m, unsigned k, unsigned pitch,
                   unsigned &lane, unsigned &column, unsigned &bit) {
  column = 0;
  if (a.bits >= 16) {
    // Two groups of eight rows share a cell; the upper half of K is eight lanes
    // on.
    unsigned half = a.bits == 32 ? 8 : 16;
    lane = m % 8 + 8 * (k / half) + pitch * (m / 16);
    bit = k % half * 16 / half + 16 * (m / 8 % 2);
    return;
  }
  lane = m % 16 + pitch * (m / 16);
  bit = a.bits == 8 ? k : k / 2;
  column = bit / 32;
  bit %= 32;
}

static bool isZero(const OperandType &a, uint32_t bits) {
  return !bits || (!a.integer && bits == 1u << (a.bits - 1));
}

/// The four bits at `bit` of a cell. Of 64 and 32 rows, .ws has copies in the
/// other lanes, which have to agree.
static Expected<unsigned> readCode(Tmem &tmem, unsigned lane, unsigned column,
                                   unsigned bit, unsigned copyLanes,
                                   uint32_t &undefined) {
  unsigned code = 0;
  for (unsigned at = lane; at < tmemLanes; at += copyLanes) {
    if (!(*tmem.states(at, column) & cellInit)) {
      undefined = 1 + (at << 16 | column);
      return 0b0100u; // any that is legal
    }
    unsigned copy = *tmem.cells(at, column) >> bit & 15;
    if (at != lane && copy != code)
      return Error{"sp-meta: expected the same code in every copy of the rows, "
                   "got " +
                   std::to_string(code) + " at " + cellName(lane, column) +
                   " and " + std::to_string(copy) + " at " +
                   cellName(at, column)};
    code = copy;
  }
  return code;
}

Status readMetadata(Tmem &tmem, const MmaForm &form,
                    const InstructionDescriptor &desc, TmemAddress metadata,
                    const std::vector<uint32_t> &kept, bool *zeros,
                    std::vector<uint16_t> &places,
                    std::vector<uint32_t> &undefined) {
  const OperandType &a = desc.a;
  const unsigned k = desc.k, rows = desc.m / form.ctaGroup;
  const unsigned base = metadataColumn(desc, metadata);
  const unsigned chunk = a.bits == 32 ? 2 : a.bits == 4 ? 8 : 4;
  const bool half = isHalf(form, desc);
  const unsigned copyLanes = form.weightStationary ? rows : tmemLanes;
  places.clear();
  undefined.assign(rows, 0);
  places.reserve(size_t(rows) * k / 2);
  for (unsigned m = 0; m < rows; ++m)
    for (unsigned first = 0; first < k; first += chunk) {
      unsigned lane, column, bit;
      locate(a, m, first, half ? 32 : 16, lane, column, bit);
      Expected<unsigned> read =
          readCode(tmem, metadata.lane + lane, base + column, bit, copyLanes,
                   undefined[m]);
      if (!read)
        return read.takeError();
      unsigned code = *read;
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
  std::vector<uint32_t> full(kept.size() * 2);
  for (size_t i = 0; i < kept.size(); ++i)
    full[i / (k / 2) * k + places[i]] = kept[i];
  return full;
}

} // namespace tc::emu
