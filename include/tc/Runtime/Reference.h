//===- Reference.h - Matmul in float64, with error bounds -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks D = A * B (+ C) against float64. Each element of D has a bound of its
// own, computed from the data: what an MMA that adds groups of G products into
// an accumulator with truncation, the addition of C in f32 and one rounding to
// the output type can be off at most.
//
// With M_j = max(|S_{j-1}|, largest |a b| of group j) and S_j the sum after
// group j (k ascending), F = 25 fraction bits kept by the alignment of terms,
// or as many as the problem says:
//   accumulation: sum over j of (G + 1) 2^-F M_j + 2^-min(F, 23) |S_j|
//                 (f16 accumulators: 2^-11 |S_j|)
//                 (a subnormal a or b counts as the smallest normal value of
//                 its type in M_j: it keeps that exponent)
//                 (e2m1 with factors: 5 2^-35 M_j for the first term, where
//                 M_j is |S_{j-1}| or the largest product of two factors)
//   factors of f32: M_j and S_j are those of a K-block, times its factors;
//                   adding a K-block: 2^-24 of the sum
//   addition of C: 2^-24 |D|
//   rounding: half a unit in the last place of the output type at
//             |exact| + bound; nothing for f32, which the bounds above include
// Sums of integers are exact modulo 2^32.
// Through an epilogue the bound becomes an interval (Epilogue.h), and so it
// does where D is quantised (Quantization.h). Where the data proves that every
// partial sum is exact (all terms multiples of one power of two and their
// magnitudes small), the result has to equal the exact one rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_REFERENCE_H
#define TC_RUNTIME_REFERENCE_H

#include "tc/Runtime/Buffer.h"
#include "tc/Runtime/Epilogue.h"

#include <array>

namespace tc::runtime {

/// One matrix of a problem, an array of two dimensions in raw memory, or a
/// batch of them, with leading dimensions. A leading dimension that is missing
/// or is 1 long is read with index 0, as in numpy.matmul.
struct MatrixView {
  const BufferLayout *layout = nullptr;
  const uint8_t *data = nullptr;
  bool transposed = false; ///< stored as columns x rows
  /// What its elements are read as, where that is not the layout's type but
  /// one of as many bits: tf32 for f32.
  std::optional<DType> readAs = std::nullopt;
};

/// What an epilogue reads besides the accumulator.
struct EpilogueOperand {
  enum class Kind : uint8_t { Matrix, AlongM, AlongN, Scalar };
  Kind kind = Kind::Matrix;
  MatrixView view;   ///< a vector has one dimension after those of the batch
  double scalar = 0; ///< Scalar
};

/// What is computed from each element of the accumulator.
struct Epilogue {
  std::vector<EpilogueOperand> operands;
  std::vector<EpilogueStep> steps;
  size_t result = 0; ///< number of the value that is D
  size_t amax = 0;   ///< number of the value that amax is of
};

/// D = A * B (+ C), or an epilogue of it: A is m x k, B is k x n, C and D are
/// m x n, for each index of the batch.
struct MatmulProblem {
  std::vector<int64_t> batch; ///< sizes of the leading dimensions; empty: none
  int64_t m = 0, n = 0, k = 0;
  MatrixView a, b, d;
  std::optional<MatrixView> c; ///< its values before the run
  /// Factors of `scaleBlock` elements of K each, of both operands or of none:
  /// of row r of A (column r of B) and block j, element [r / 128, j / 4, r %
  /// 32, r % 128 / 32, j % 4] after the dimensions of the batch.
  std::optional<MatrixView> scaleA, scaleB;
  int64_t scaleBlock = 32;
  /// Not 0: factors are f32, of row r of A and block j element [r, j], of
  /// column c of B [c / scaleColumns, j]. The sum of each block is multiplied
  /// by the product of its factors, rounded to f32, and added.
  int64_t scaleColumns = 0;
  /// Which elements a sparse A, m x k / 2, keeps, in blocks (Sparse.h).
  std::optional<MatrixView> metadata;
  /// An i32 for each index of the batch, which has one dimension: its rows end
  /// there, at least where they begin and at most at m. They begin at 0, or,
  /// stacked, where those of the index before end. Rows of D that are none of
  /// any index keep the bits of `dBefore`.
  std::optional<MatrixView> rows, dBefore;
  bool isStacked = false;
  /// Outputs beside D: factors of `scaleBlockD` elements of a row of D each, in
  /// blocks like those above, with N for K; and the largest absolute value,
  /// with what it was before the run.
  std::optional<MatrixView> scaleD, amax;
  int64_t scaleBlockD = 32;
  double amaxBefore = 0;
  DType accumulator = DType::F32;
  /// Fraction bits that the alignment of terms keeps; sums are truncated to as
  /// many, if they are fewer than those of the accumulator.
  int accumulatorBits = 25;
  std::optional<Epilogue> epilogue;
};

/// Largest and mean deviation from float64, and where it exceeded its bound.
struct ErrorSummary {
  double maxError = 0;   ///< of all elements that are finite in both
  double meanError = 0;  ///< over the same
  double boundAtMax = 0; ///< the bound of the element with the largest error
  double maxBound = 0;   ///< the largest bound
  double maxRatio = 0;   ///< the largest error / bound; > 1: mismatch
  bool exact = false;    ///< every element had to be exact and rounded once
  uint64_t elements = 0;
  uint64_t finite = 0; ///< of these, in both: the errors are theirs
  uint64_t mismatches = 0;
  /// Elements that could be anything: an epilogue divides by what may be 0.
  uint64_t unbounded = 0;
  /// What the first mismatch is of: D, SFD (of a block that starts at its
  /// place) or amax, which has no place.
  const char *output = "D";
  /// The first mismatch in row-major order: its matrix in the batch, row and
  /// column.
  std::array<int64_t, 3> firstMismatch{};
  double expected = 0, got = 0, bound = 0;
};

/// Products that one MMA step adds at once: 16 for f16 and bf16, 8 for tf32,
/// 32 for the narrower floats; nothing for types that the float kinds do not
/// take (PTX ISA "Tensorcore 5th Generation Instructions: Kinds", 9.7.16.2).
std::optional<unsigned> mmaGroupSize(DType type);

/// Compares D with A * B (+ C) or its epilogue, on `threads` threads (0: one
/// per core). Fails where the views do not fit m, n and k or a type is not
/// supported.
Expected<ErrorSummary> checkMatmul(const MatmulProblem &problem,
                                   unsigned threads = 0);

} // namespace tc::runtime

#endif // TC_RUNTIME_REFERENCE_H
