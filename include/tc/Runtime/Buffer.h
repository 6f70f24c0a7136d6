//===- Buffer.h - Arrays in raw memory --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of a buffer (type, shape, strides), the ways to fill one, and raw
// little-endian files. The same seed fills the same bits on every machine: the
// generator is a counter hashed with splitmix64, and nothing calls libm.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_BUFFER_H
#define TC_RUNTIME_BUFFER_H

#include "tc/Runtime/DType.h"
#include "tc/Runtime/Error.h"

#include <functional>
#include <vector>

namespace tc::runtime {

/// Where each element of an array is.
struct BufferLayout {
  DType type = DType::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< in elements, one per dimension

  /// Checks sizes and computes `bytes`. Without strides the array is dense,
  /// the last dimension the fastest. Fails on negative sizes and strides and
  /// where the size in bytes exceeds 2^62.
  static Expected<BufferLayout> create(DType type, std::vector<int64_t> shape,
                                       std::vector<int64_t> strides = {});

  /// The number of elements of the shape.
  uint64_t elements() const;
  /// Bytes from the first to the end of the last element; 0 for an empty shape.
  uint64_t bytes() const { return byteSize; }
  /// True if some bytes inside belong to no element.
  bool hasGaps() const;

  /// Calls `visit(index, element)` for each element in row-major order:
  /// `index` is the multi-index, `element` the position in storage.
  void forEach(const std::function<void(const std::vector<int64_t> &index,
                                        uint64_t element)> &visit) const;

private:
  uint64_t byteSize = 0;
};

/// How a buffer gets its first values.
enum class InitKind : uint8_t {
  Zeros,
  Ones,
  Normal,   ///< mean 0, deviation 1: the sum of twelve uniform values, minus 6
  Uniform,  ///< in [-1, 1)
  Integers, ///< random integers in [-4, 4]: products and sums stay exact
  Pattern,  ///< small integers that depend on the index alone
  Sequence, ///< 0, 1, 2, ... in row-major order, modulo what is exact
  Poison,   ///< all bits set: NaN in most formats
  /// Random metadata of a sparse matrix, of 8 codes in a word (Sparse.h).
  TwoOfFour,
  OneOfTwo,
  /// Random numbers that rise to the limit, some of them equal: where groups of
  /// so many rows end. And random numbers from 0 to the limit, both included.
  Ends,
  Counts
};

struct InitSpec {
  InitKind kind = InitKind::Zeros;
  uint64_t seed = 0;
  int64_t limit = 0; ///< Ends and Counts

  /// Reads "integers" or "integers:7".
  static Expected<InitSpec> parse(std::string_view text, uint64_t seed = 0);
};

/// The init called `name`, nothing where there is none.
std::optional<InitKind> findInitKind(std::string_view name);
/// All names, separated by spaces, for diagnostics.
std::string listInitKinds();

/// Fills `data` (layout.bytes() bytes). Bytes that belong to no element are
/// set to 0xff, so that a kernel which reads them computes NaN. Integer types
/// take Normal and Uniform as Integers; types without a sign take magnitudes,
/// ue8m0 powers of two near 1.
void fill(const BufferLayout &layout, const InitSpec &init, uint8_t *data);

/// The 0xff bytes between the elements, after a kernel ran: returns the first
/// element position outside of the shape that changed, nothing if none did.
std::optional<uint64_t> findChangedGap(const BufferLayout &layout,
                                       const std::vector<uint8_t> &before,
                                       const std::vector<uint8_t> &after);

/// A whole file as bytes. `bytes`, if given, is the size that it must have.
Expected<std::vector<uint8_t>> readFile(const std::string &path,
                                        std::optional<uint64_t> bytes = {});

/// Writes a temporary file beside `path` and renames it: no reader ever sees
/// half of it, and a failure leaves nothing behind.
Status writeFile(const std::string &path, const std::vector<uint8_t> &data);

/// Bytes of memory that buffers may take together on this machine.
uint64_t memoryLimit();

} // namespace tc::runtime

#endif // TC_RUNTIME_BUFFER_H
