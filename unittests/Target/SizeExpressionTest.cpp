//===- SizeExpressionTest.cpp - expressions of descriptions -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folding and printing. The reader of the runtime is the other half: what is
// printed here must parse there with the same value.
//
//===----------------------------------------------------------------------===//

#include "Target/PTX/SizeExpression.h"

#include "gtest/gtest.h"

using tc::SizeExpression;
using Kind = SizeExpression::Kind;

namespace {

SizeExpression size(const char *name) { return SizeExpression::name(name); }
SizeExpression get(Kind kind, SizeExpression lhs, SizeExpression rhs) {
  return SizeExpression::get(kind, lhs, rhs);
}

TEST(SizeExpression, PrintsOnlyNeededParentheses) {
  SizeExpression m = size("M"), n = size("N"), k = size("K");
  EXPECT_EQ((m * n + k).str(), "M * N + K");
  EXPECT_EQ(((m + n) * k).str(), "(M + N) * K");
  EXPECT_EQ((m * (n * k)).str(), "M * (N * K)");
  EXPECT_EQ((m * n * k).str(), "M * N * K");
  EXPECT_EQ(get(Kind::Sub, m, get(Kind::Sub, n, k)).str(), "M - (N - K)");
  EXPECT_EQ(get(Kind::CeilDiv, m + n, SizeExpression(128)).str(),
            "(M + N) ceildiv 128");
  EXPECT_EQ(get(Kind::Min, m, get(Kind::Max, n, k)).str(), "min(M, max(N, K))");
  SizeExpression equal = get(Kind::Equal, m, n);
  EXPECT_EQ(get(Kind::Equal, equal, get(Kind::Less, n, k)).str(),
            "(M == N) == (N < K)");
  EXPECT_EQ((equal * k).str(), "(M == N) * K");
  EXPECT_EQ(get(Kind::Or, get(Kind::And, equal, get(Kind::Less, n, k)),
                get(Kind::LessEqual, k, m))
                .str(),
            "M == N and N < K or K <= M");
}

TEST(SizeExpression, FoldsConstants) {
  auto fold = [](Kind kind, int64_t lhs, int64_t rhs) {
    return SizeExpression::get(kind, lhs, rhs).constant();
  };
  EXPECT_EQ(fold(Kind::Add, 2, 3), 5);
  EXPECT_EQ(fold(Kind::CeilDiv, 7, 4), 2);
  EXPECT_EQ(fold(Kind::CeilDiv, -7, 4), -1);
  EXPECT_EQ(fold(Kind::FloorDiv, -7, 4), -2);
  EXPECT_EQ(fold(Kind::Mod, -7, 4), 1);
  EXPECT_EQ(fold(Kind::Max, 7, 4), 7);
  EXPECT_EQ(fold(Kind::LessEqual, 4, 4), 1);
  // What has no value stays for the reader to refuse.
  EXPECT_EQ(fold(Kind::Mod, 7, 0), std::nullopt);
  EXPECT_EQ(fold(Kind::Mul, INT64_MAX, 2), std::nullopt);
}

TEST(SizeExpression, FoldsWhatSizesCannotBe) {
  SizeExpression m = size("M");
  EXPECT_EQ((m + 0).str(), "M");
  EXPECT_EQ((m * 1).str(), "M");
  EXPECT_EQ((m * 0).constant(), 0);
  EXPECT_EQ(get(Kind::Max, m, 0).str(), "M");
  EXPECT_EQ(get(Kind::Max, get(Kind::Max, m, 1), 1).str(), "max(M, 1)");
  EXPECT_EQ(get(Kind::Less, m, 0).constant(), 0);
  EXPECT_EQ(get(Kind::Less, 0, m).str(), "M != 0");
  EXPECT_EQ(get(Kind::LessEqual, 0, m).constant(), 1);
  EXPECT_EQ(get(Kind::Equal, m, m).constant(), 1);
  EXPECT_EQ(get(Kind::Mod, m * 16, 8).constant(), 0);
  // A difference may be negative.
  SizeExpression difference = get(Kind::Sub, m, 5);
  EXPECT_EQ(get(Kind::Max, difference, 0).str(), "max(M - 5, 0)");
}

TEST(SizeExpression, Negates) {
  SizeExpression m = size("M"), n = size("N");
  EXPECT_EQ(get(Kind::Equal, m, n).logicalNot().str(), "M != N");
  EXPECT_EQ(get(Kind::Less, m, n).logicalNot().str(), "N <= M");
  EXPECT_EQ(get(Kind::And, get(Kind::Less, m, n), get(Kind::NotEqual, m, 3))
                .logicalNot()
                .str(),
            "N <= M or M == 3");
  EXPECT_EQ(m.logicalNot().str(), "M == 0");
}

} // namespace
