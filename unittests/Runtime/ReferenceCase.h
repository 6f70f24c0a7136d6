//===- ReferenceCase.h - Products to be checked -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_RUNTIME_REFERENCECASE_H
#define TC_UNITTESTS_RUNTIME_REFERENCECASE_H

#include "tc/Runtime/Reference.h"

#include <gtest/gtest.h>

namespace tc::runtime {

struct Matrix {
  Matrix(DType type, int64_t rows, int64_t columns,
         std::vector<int64_t> strides = {})
      : layout(
            *BufferLayout::create(type, {rows, columns}, std::move(strides))),
        bytes(layout.bytes()) {
    fill(layout, {InitKind::Zeros, 0}, bytes.data());
  }
  Matrix &init(InitKind kind, uint64_t seed = 1) {
    fill(layout, {kind, seed}, bytes.data());
    return *this;
  }
  unsigned bits() const { return getInfo(layout.type).bits; }
  uint64_t at(int64_t row, int64_t column) const {
    return static_cast<uint64_t>(row * layout.strides[0] +
                                 column * layout.strides[1]);
  }
  double get(int64_t row, int64_t column) const {
    return decode(layout.type,
                  readElement(bytes.data(), at(row, column), bits()));
  }
  void set(int64_t row, int64_t column, double value) {
    writeElement(bytes.data(), at(row, column), bits(),
                 encode(layout.type, value));
  }
  MatrixView view(bool transposed = false) const {
    return {&layout, bytes.data(), transposed};
  }

  BufferLayout layout;
  std::vector<uint8_t> bytes;
};

/// A problem of its own matrices, with D set to the exact result rounded once.
struct ReferenceCase {
  ReferenceCase(int64_t m, int64_t n, int64_t k, DType input, DType output,
                InitKind kind, bool hasC = false)
      : a(input, m, k), b(input, k, n), c(output, m, n), d(output, m, n) {
    a.init(kind, 1);
    b.init(kind, 2);
    c.init(kind, 3);
    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.a = a.view();
    problem.b = b.view();
    problem.d = d.view();
    if (hasC)
      problem.c = c.view();
    for (int64_t row = 0; row < m; ++row)
      for (int64_t column = 0; column < n; ++column)
        d.set(row, column, exact(row, column));
  }
  double exact(int64_t row, int64_t column) const {
    double sum = problem.c ? c.get(row, column) : 0;
    for (int64_t k = 0; k < problem.k; ++k)
      sum += a.get(row, k) * b.get(k, column);
    return sum;
  }
  ErrorSummary check(unsigned threads = 1) {
    auto summary = checkMatmul(problem, threads);
    EXPECT_TRUE(summary) << summary.error().message;
    return summary ? *summary : ErrorSummary();
  }

  Matrix a, b, c, d;
  MatmulProblem problem;
};

} // namespace tc::runtime

#endif // TC_UNITTESTS_RUNTIME_REFERENCECASE_H
