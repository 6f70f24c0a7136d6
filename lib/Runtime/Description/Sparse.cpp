//===- Sparse.cpp - matrices with half of their elements --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Sparse.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace tc;
using namespace tc::runtime;

SparseForm SparseForm::get(unsigned bits) {
  if (bits == 32)
    return {32, 2, 1, 64};
  return {bits == 16 ? 16u : 8u, 4, 2, 128};
}

MetadataPlace runtime::locateMetadata(const SparseForm &form, int64_t row,
                                      int64_t k) {
  row %= metadataRows;
  k %= form.blockK;
  if (form.bits == 8)
    return {row, k / 32, static_cast<unsigned>(k % 32)};
  // An instruction's K in a cell: half of it is eight lanes on, and groups of
  // eight rows share the cell.
  const int64_t step = form.blockK / metadataCells, half = step / 2;
  const int64_t lane = row % 8 + 8 * (k % step / half) + 16 * (row / 16);
  const int64_t bit = k % half * 16 / half + 16 * (row / 8 % 2);
  return {lane, k / step, static_cast<unsigned>(bit)};
}

std::optional<std::array<int64_t, 2>> runtime::readCode(const SparseForm &form,
                                                        unsigned code) {
  const int64_t low = code & 3, high = code >> 2;
  if (code > 15)
    return std::nullopt;
  if (form.bits == 32) {
    if (code != 0b0100 && code != 0b1110)
      return std::nullopt;
    return std::array<int64_t, 2>{high / 2, high / 2};
  }
  if (low >= high)
    return std::nullopt;
  return std::array<int64_t, 2>{low, high};
}

std::vector<unsigned> runtime::sparseCodes(const SparseForm &form) {
  std::vector<unsigned> codes;
  for (unsigned code = 0; code < 16; ++code)
    if (readCode(form, code))
      codes.push_back(code);
  return codes;
}

std::vector<uint32_t> runtime::packMetadata(const SparseForm &form,
                                            int64_t rows, int64_t k,
                                            const uint8_t *codes) {
  const int64_t blocksM = (rows + metadataRows - 1) / metadataRows;
  const int64_t blocksK = (k + form.blockK - 1) / form.blockK;
  std::vector<uint32_t> words(
      static_cast<size_t>(blocksM * blocksK * metadataLanes * metadataCells));
  for (int64_t row = 0; row < blocksM * metadataRows; ++row)
    for (int64_t first = 0; first < blocksK * form.blockK;
         first += form.chunk) {
      const bool isInside = row < rows && first < k;
      const unsigned code =
          isInside ? codes[(row * k + first) / form.chunk] : 0b0100;
      const MetadataPlace place = locateMetadata(form, row, first);
      const int64_t block = row / metadataRows * blocksK + first / form.blockK;
      words[(block * metadataLanes + place.lane) * metadataCells +
            place.cell] |= code << place.bit;
    }
  return words;
}

Compressed runtime::compress(const SparseForm &form, int64_t rows, int64_t k,
                             const double *dense) {
  Compressed result;
  for (int64_t first = 0; first < rows * k; first += form.chunk) {
    std::array<int64_t, 4> order = {0, 1, 2, 3};
    // NaN has to stay what it is, so no number is larger.
    auto magnitude = [&](int64_t i) {
      const double value = std::fabs(dense[first + i]);
      return std::pair(std::isnan(value), std::isnan(value) ? 0 : value);
    };
    std::stable_sort(
        order.begin(), order.begin() + form.chunk,
        [&](int64_t a, int64_t b) { return magnitude(a) > magnitude(b); });
    std::sort(order.begin(), order.begin() + form.kept);
    for (int64_t i = 0; i < form.kept; ++i)
      result.values.push_back(dense[first + order[i]]);
    for (int64_t i = form.kept; i < form.chunk; ++i)
      result.isSparse &= dense[first + order[i]] == 0;
    const int64_t code = form.bits == 32 ? (order[0] == 0 ? 0b0100 : 0b1110)
                                         : order[0] + 4 * order[1];
    result.codes.push_back(static_cast<uint8_t>(code));
  }
  return result;
}
