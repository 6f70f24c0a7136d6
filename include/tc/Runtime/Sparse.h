//===- Sparse.h - matrices with half of their elements ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sparse A of tmm.matmul on the host: which elements are kept, their codes,
// and where these are in the blocks of metadata that the kernel reads. Written
// from the table in the description of tmm.matmul.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_SPARSE_H
#define TC_RUNTIME_SPARSE_H

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tc::runtime {

/// How elements of some bits are kept.
struct SparseForm {
  unsigned bits;  ///< of an element: 32 (tf32), 16 or 8
  int64_t chunk;  ///< elements of K that share a code of four bits
  int64_t kept;   ///< of them
  int64_t blockK; ///< K of a block of metadata

  /// The form of elements of `bits`; of 4 and 6 bits it is that of 8.
  static SparseForm get(unsigned bits);
};

/// A block of metadata is for 128 rows: 128 lanes of 4 cells of 32 bits.
constexpr int64_t metadataRows = 128, metadataLanes = 128, metadataCells = 4;

/// Where in its block the code of a chunk is.
struct MetadataPlace {
  int64_t lane, cell;
  unsigned bit;
};

/// The place of the chunk of row `row` that starts at element `k`.
MetadataPlace locateMetadata(const SparseForm &form, int64_t row, int64_t k);

/// The elements of a chunk that `code` names, in ascending order, `form.kept`
/// of them; nothing where it names none.
std::optional<std::array<int64_t, 2>> readCode(const SparseForm &form,
                                               unsigned code);

/// All codes that name elements in ascending order.
std::vector<unsigned> sparseCodes(const SparseForm &form);

/// The words of all blocks, ceildiv(rows, 128) x ceildiv(k, blockK) x 128 x 4,
/// from plain codes: one byte for each chunk, rows x k / chunk. What fills up
/// the blocks is the code of the first elements.
std::vector<uint32_t> packMetadata(const SparseForm &form, int64_t rows,
                                   int64_t k, const uint8_t *codes);

/// A matrix without half of its elements.
struct Compressed {
  std::vector<double> values; ///< rows x k / 2
  std::vector<uint8_t> codes; ///< as packMetadata() takes them
  bool isSparse = true;       ///< no other elements than zeros were dropped
};

/// Keeps the largest elements of each chunk of `dense`, rows x k, of equal ones
/// the first; NaN is larger than every number. `k` is a multiple of the chunk.
Compressed compress(const SparseForm &form, int64_t rows, int64_t k,
                    const double *dense);

} // namespace tc::runtime

#endif // TC_RUNTIME_SPARSE_H
