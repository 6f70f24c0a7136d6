//===- MatmulChecker.h - One matrix against float64 -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Runtime/Reference: the sums of one matrix of a batch, how far off
// they may be, and whether what a kernel left is within that.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_REFERENCE_MATMULCHECKER_H
#define TC_LIB_RUNTIME_REFERENCE_MATMULCHECKER_H

#include "Runtime/Reference/Quantization.h"
#include "Runtime/Reference/ReferenceOperands.h"

#include <array>
#include <optional>
#include <vector>

namespace tc::runtime {

/// Rows that share one pass over B, and columns of a strip.
constexpr int64_t kStripRows = 4, kStripColumns = 256;

/// What the MMA makes of one output element: its sum and how far off it may be.
struct Sum {
  double value = 0, bound = 0, magnitudes = 0, peak = 0;
};

using StripSums = std::array<Sum, kStripColumns>;

/// Statistics of a range of rows.
struct Partial {
  ErrorSummary summary;
  double errorSum = 0;
  uint64_t finite = 0;
  bool allExact = true;
  Amax amax;
};

/// Everything that the row blocks share.
class MatmulChecker {
public:
  /// Of matrix `number` of the batch, whose A is `a`.
  MatmulChecker(const MatmulProblem &problem, unsigned group, int64_t number,
                Dense a);

  Partial checkRows(int64_t firstRow, int64_t lastRow) const;

  static std::optional<ScaleSlice>
  scalesOf(const std::optional<MatrixView> &scales,
           const MatmulProblem &problem, int64_t number) {
    if (!scales || problem.scaleColumns != 0)
      return std::nullopt;
    return ScaleSlice{Slice(*scales, problem.batch, number, scalesRank),
                      problem.scaleBlock, isNarrowScaled(problem)};
  }

private:
  void accumulate(int64_t row, int64_t rows, int64_t column, int64_t columns,
                  int64_t firstK, int64_t lastK, StripSums *sums) const;
  void accumulateBlocks(int64_t row, int64_t rows, int64_t column,
                        int64_t columns, StripSums *sums) const;
  void checkElement(int64_t row, int64_t column, const Sum &sum,
                    Interval &forBlock, Partial &partial) const;
  bool isExact(const Sum &sum, double c, double alignedAs) const;
  struct Overflow {
    bool up, down;
  };
  Overflow findOverflow(const Sum &sum, double c, double exact,
                        double bound) const;
  /// Whether numbers among the products, or C, can become the infinity opposite
  /// to `exact`, which is one.
  bool canOppose(int64_t row, int64_t column, double c, double exact) const;
  /// The factors of f32 of the block that `k` is in, as the kernel multiplies
  /// them.
  double factorOf(int64_t row, int64_t column, int64_t k) const {
    return static_cast<float>(readAt(*factorA, row, k / promotedK)) *
           static_cast<float>(
               readAt(*factorB, column / problem.scaleColumns, k / promotedK));
  }
  /// What products with a subnormal factor count as where terms are aligned: it
  /// has the smallest exponent of its type, and the product more than its own.
  double subnormalProducts(int64_t row, int64_t column) const {
    return std::max(a.subnormal[row] * b.largest[column],
                    a.largest[row] * b.subnormal[column]);
  }
  Interval boundAccumulator(int64_t row, int64_t column, const Sum &sum,
                            double c, double exact, double bound) const;
  void checkEpilogue(int64_t row, int64_t column, const Interval &acc,
                     double got, Interval &forBlock, Partial &partial) const;
  /// Whether an element is right, how far off it may be, and the part of that
  /// which it is off.
  struct Judgement {
    bool isGood;
    double bound, ratio;
  };
  Judgement judge(int64_t row, int64_t column, const Sum &sum, double c,
                  double exact, double unrounded, bool isExactHere,
                  double got) const;
  Interval evaluateEpilogue(int64_t row, int64_t column, const Interval &acc,
                            Interval &amaxOf) const;
  void checkInterval(int64_t row, int64_t column, const Interval &expected,
                     double got, Partial &partial,
                     const char *output = "D") const;
  void checkBlock(int64_t row, int64_t column, const Interval *values,
                  Partial &partial) const;
  void note(int64_t row, int64_t column, double exact, double got, double bound,
            double ratio, bool isGood, Partial &partial,
            const char *output = "D") const;

  const MatmulProblem &problem;
  const unsigned group;
  /// Of the matrix in the batch.
  const int64_t number;
  Dense a, b;
  Slice d;
  /// Elements of K whose sum is multiplied by factors of f32; 0: none.
  const int64_t promotedK;
  std::optional<Slice> c, scaleD, factorA, factorB;
  /// Where the operands of the epilogue are, empty for scalars.
  std::vector<std::optional<Slice>> extras;
  bool isHalf = false, isInteger = false;
  double stepRounding = 0, alignment = 0, floorPerStep = 0;
  int productBit = 0;
  double exactBelow = 0;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_REFERENCE_MATMULCHECKER_H
