//===- ReferenceRowsTest.cpp - Groups of rows -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference of products whose rows a vector tells: which matrix of B a row
// is multiplied with, and which rows keep their bits.
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <string>

using namespace tc;
using namespace tc::runtime;

namespace {

/// Groups of rows of one A and D, with D as it should be after the run.
struct RowsCase {
  static constexpr int64_t m = 40, n = 24, k = 16;

  RowsCase(std::vector<int64_t> ends)
      : groups(static_cast<int64_t>(ends.size())), a(DType::BF16, m, k),
        b(DType::BF16, groups * k, n), d(DType::F32, m, n),
        before(DType::F32, m, n),
        layoutOfB(*BufferLayout::create(DType::BF16, {groups, k, n})),
        layoutOfRows(*BufferLayout::create(DType::I32, {groups})),
        rows(layoutOfRows.bytes()) {
    a.init(InitKind::Integers, 1);
    b.init(InitKind::Integers, 2);
    before.init(InitKind::Integers, 3);
    d = before;
    int64_t begin = 0;
    for (int64_t group = 0; group < groups; ++group) {
      writeElement(rows.data(), static_cast<uint64_t>(group), 32,
                   static_cast<uint32_t>(ends[group]));
      int64_t end = std::min(std::max(ends[group], begin), m);
      for (int64_t row = begin; row < end; ++row)
        for (int64_t column = 0; column < n; ++column)
          d.set(row, column, exact(group, row, column));
      begin = end;
    }
    problem.batch = {groups};
    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.a = a.view();
    problem.b = {&layoutOfB, b.bytes.data()};
    problem.d = d.view();
    problem.dBefore = before.view();
    problem.rows = MatrixView{&layoutOfRows, rows.data()};
    problem.isStacked = true;
  }
  double exact(int64_t group, int64_t row, int64_t column) const {
    double sum = 0;
    for (int64_t i = 0; i < k; ++i)
      sum += a.get(row, i) * b.get(group * k + i, column);
    return sum;
  }
  ErrorSummary check() {
    auto summary = checkMatmul(problem, 1);
    EXPECT_TRUE(summary) << summary.error().message;
    return summary ? *summary : ErrorSummary();
  }

  int64_t groups;
  Matrix a, b, d, before;
  BufferLayout layoutOfB, layoutOfRows;
  std::vector<uint8_t> rows;
  MatmulProblem problem;
};

} // namespace

TEST(ReferenceRows, eachGroupHasItsMatrix) {
  RowsCase good({3, 3, 20, 33});
  ErrorSummary summary = good.check();
  EXPECT_EQ(summary.mismatches, 0u);
  EXPECT_EQ(summary.elements, 33u * RowsCase::n);
  EXPECT_TRUE(summary.exact);
  // A row of the third group, with the matrix of the fourth.
  RowsCase bad({3, 3, 20, 33});
  for (int64_t column = 0; column < RowsCase::n; ++column)
    bad.d.set(19, column, bad.exact(3, 19, column));
  summary = bad.check();
  EXPECT_GT(summary.mismatches, 0u);
  EXPECT_EQ(summary.firstMismatch[0], 2);
  EXPECT_EQ(summary.firstMismatch[1], 19);
}

TEST(ReferenceRows, rowsOfNoGroupKeepTheirBits) {
  RowsCase bad({3, 3, 20, 33});
  bad.d.set(33, 5, bad.before.get(33, 5) + 1);
  ErrorSummary summary = bad.check();
  EXPECT_EQ(summary.mismatches, 1u);
  EXPECT_EQ(std::string(summary.output), "D, a row of no group,");
  EXPECT_EQ(summary.firstMismatch[1], 33);
  EXPECT_EQ(summary.firstMismatch[2], 5);
}

TEST(ReferenceRows, anyNumbersHaveAMeaning) {
  RowsCase wild({-7, 12, 5, 2000});
  ErrorSummary summary = wild.check();
  EXPECT_EQ(summary.mismatches, 0u);
  EXPECT_EQ(summary.elements, 40u * RowsCase::n);
  EXPECT_EQ(RowsCase({-7, -8}).check().elements, 0u);
}

TEST(ReferenceRows, errors) {
  RowsCase wrong({3, 20});
  BufferLayout three = *BufferLayout::create(DType::I32, {3});
  wrong.problem.rows->layout = &three;
  EXPECT_EQ(checkMatmul(wrong.problem, 1).error().message,
            "operand ends: expected a number for each of 2, got 3");
  BufferLayout floats = *BufferLayout::create(DType::F32, {2});
  wrong.problem.rows->layout = &floats;
  EXPECT_EQ(checkMatmul(wrong.problem, 1).error().message,
            "operand ends: expected i32, got f32");
}
