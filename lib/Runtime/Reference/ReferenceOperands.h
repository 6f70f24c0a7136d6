//===- ReferenceOperands.h - operands of a reference ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the reference: one matrix of an operand, as numbers, and the rules
// for the buffers that hold operands.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_REFERENCE_REFERENCEOPERANDS_H
#define TC_RUNTIME_REFERENCE_REFERENCEOPERANDS_H

#include "tc/Runtime/Reference.h"

#include <limits>
#include <optional>
#include <vector>

namespace tc::runtime {

/// What a block of scale factors holds.
constexpr int64_t scaleRows = 128, scaleColumns = 4;
constexpr size_t scalesRank = 5;

/// A dense row-major matrix of doubles.
struct Dense {
  std::vector<double> values;
  /// Exponent of the lowest bit set in any value: all are multiples of 2^this.
  int lowestBit = std::numeric_limits<int>::max();
  bool isFinite = true;
  /// For each line along K, what its elements count as where terms are aligned:
  /// a subnormal as the smallest normal value of its type. The largest of the
  /// subnormals, and of all elements. Where factors align alone, they are both.
  std::vector<double> subnormal, largest;
  /// Of a sparse A: whether an element is one of those that are multiplied.
  std::vector<bool> kept;
};

/// Matrix `number` of a batch; `matrixRank` dimensions are not of the batch.
struct Slice {
  Slice(const MatrixView &view, const std::vector<int64_t> &batch,
        int64_t number, size_t matrixRank = 2);

  const MatrixView *view;
  /// Its first element.
  int64_t first;
};

/// The element that is `offset` elements after the first one.
double readElementAt(const Slice &slice, int64_t offset);

double readAt(const Slice &slice, int64_t row, int64_t column);

/// The scale factors of a matrix, each of `block` elements of K.
struct ScaleSlice {
  Slice slice;
  int64_t block;
  /// Whether terms are aligned by factors alone, whatever the elements are.
  bool alignsAlone;
};

/// The matrix `view` with the factors of its rows, or with `alongColumns` of
/// its columns.
Dense densify(const Slice &view, int64_t rows, int64_t columns,
              const std::optional<ScaleSlice> &scales = std::nullopt,
              bool alongColumns = false);

/// The sparse A of matrix `number` of `problem`, m x k with zeros in place of
/// what is not kept; an error where a code of its metadata names no elements.
Expected<Dense> densifySparse(const MatmulProblem &problem, int64_t number);

/// Whether `problem` multiplies e2m1 with scale factors: groups of 16 products
/// are added exactly, and aligned by their factors.
bool isNarrowScaled(const MatmulProblem &problem);

/// Checks the shapes and types of all operands. Returns the elements of K that
/// one instruction adds up.
Expected<unsigned> checkOperands(const MatmulProblem &problem);

} // namespace tc::runtime

#endif // TC_RUNTIME_REFERENCE_REFERENCEOPERANDS_H
