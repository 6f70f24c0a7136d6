//===- Rows.h - Kernels of rows in float64 ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets what a kernel of rows computes, from the operations that its
// description lists, in float64 and on intervals (Epilogue.h): each element of
// an output has a bound of its own.
//
// Elementwise operations are steps of an epilogue. Of integers they are exact,
// and nothing is known of a result that its type does not hold. A sum of n
// values of a float type with a unit roundoff u is off by at most
//
//   (ceil(log2 n) + n / 32 + 2) u times the sum of their magnitudes,
//
// because no kernel adds more than so many after each other (tmm.reduce), on
// top of the intervals of the values. A product has the same relative error.
// Sums and products of integers are exact modulo 2^bits. The largest and the
// smallest are exact.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_ROWS_H
#define TC_RUNTIME_ROWS_H

#include "tc/Runtime/Reference.h"
#include "tc/Runtime/RowsStep.h"

namespace tc::runtime {

/// Where the elements of an operand are: for each of its dimensions the one of
/// the rows that it is, or none, where it has one element, and what is added
/// to the place.
struct RowsOperand {
  MatrixView view;
  std::vector<std::optional<size_t>> dims;
  std::vector<int64_t> adds;
  /// Whether what is outside is 0, because it is a part.
  bool isPiece = false;
};

/// outputs[r, c] = what the steps make of operands[r, c], for each row r, a
/// point of all dimensions but the last, and column c.
struct RowsProblem {
  std::vector<int64_t> sizes; ///< at least one, the columns last
  std::vector<RowsOperand> operands, outputs;
  std::vector<RowsStep> steps;
  /// For each output the value that it is.
  std::vector<EpilogueStep::Argument> results;
};

/// Compares the outputs with what the steps make of the operands, on `threads`
/// threads (0: one per core). The place of a mismatch is the number of the
/// output, the row (in row-major order) and the column. Fails where the
/// operands do not fit the sizes.
Expected<ErrorSummary> checkRows(const RowsProblem &problem,
                                 unsigned threads = 0);

} // namespace tc::runtime

#endif // TC_RUNTIME_ROWS_H
