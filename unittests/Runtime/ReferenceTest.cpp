//===- ReferenceTest.cpp - The check against float64 ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Right results pass and wrong ones fail: exact data, rounding at the edge of
// the bound, transposition, strides, batches, epilogues, threads.
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include <cmath>
#include <limits>

using namespace tc::runtime;

TEST(Reference, roundedResultsPass) {
  for (DType input : {DType::F16, DType::BF16, DType::E4M3, DType::TF32})
    for (DType output : {DType::F32, DType::F16, DType::BF16})
      for (bool hasC : {false, true}) {
        ReferenceCase test(9, 300, 40, input, output, InitKind::Normal, hasC);
        ErrorSummary summary = test.check();
        EXPECT_EQ(summary.mismatches, 0u);
        EXPECT_EQ(summary.elements, 2700u);
        EXPECT_LE(summary.maxRatio, 1);
        EXPECT_GE(summary.boundAtMax, summary.maxError);
        // Products of e4m3 fit f32 whole: nothing rounds but the output.
        EXPECT_EQ(summary.exact, input == DType::E4M3);
        EXPECT_EQ(summary.maxError > 0,
                  input != DType::E4M3 || output != DType::F32);
      }
}

TEST(Reference, integersHaveToBeExact) {
  for (DType output : {DType::F32, DType::F16, DType::BF16}) {
    ReferenceCase test(6, 6, 64, DType::BF16, output, InitKind::Integers, true);
    ErrorSummary summary = test.check();
    EXPECT_TRUE(summary.exact);
    EXPECT_EQ(summary.mismatches, 0u);
    // The next value of the output type is wrong, however near.
    double value = test.d.get(2, 3);
    uint64_t code = encode(output, value);
    test.d.set(2, 3, decode(output, code + 1));
    summary = test.check();
    EXPECT_EQ(summary.mismatches, 1u);
    EXPECT_EQ(summary.firstMismatch, (std::array<int64_t, 3>{0, 2, 3}));
    EXPECT_EQ(summary.expected, test.exact(2, 3));
    EXPECT_TRUE(std::isinf(summary.maxRatio));
  }
}

TEST(Reference, boundOfOneStepIsTheStatedOne) {
  // One product per element, K = 1, one group of 16: M = |S| = 1.
  ReferenceCase test(1, 1, 1, DType::F16, DType::F32, InitKind::Ones);
  test.a.set(0, 0, 1 + 1.0 / 1024);
  test.b.set(0, 0, 1 + 1.0 / 1024);
  const double exact = test.exact(0, 0);
  const double bound =
      (17 * std::ldexp(1.0, -25) + std::ldexp(1.0, -23)) * exact;
  // Such data is exact: one value beside makes the bound apply.
  test.c = Matrix(DType::F32, 1, 1);
  test.c.set(0, 0, std::ldexp(1.0, -40));
  test.problem.c = test.c.view();
  const double added = bound + std::ldexp(exact + bound, -24);
  auto wrongBy = [&](double error) {
    test.d.set(0, 0, exact + error);
    return test.check();
  };
  EXPECT_EQ(wrongBy(added * 0.8).mismatches, 0u);
  EXPECT_EQ(wrongBy(added * 1.3).mismatches, 1u);
  EXPECT_EQ(wrongBy(-added * 1.3).mismatches, 1u);
  EXPECT_NEAR(wrongBy(0).boundAtMax, added, added * 1e-6);
}

// A subnormal factor keeps the smallest exponent of its type, by which terms
// are aligned: 25 bits below 2^-14 the smaller product is cut, though it is
// only 15 bits below the sum.
TEST(Reference, subnormalFactorsAlignAsTheSmallestExponent) {
  ReferenceCase test(1, 1, 2, DType::F16, DType::F32, InitKind::Ones);
  test.a.set(0, 0, std::ldexp(1.0, -24));
  test.a.set(0, 1, std::ldexp(3.0, -24));
  test.b.set(1, 0, std::ldexp(1.0, -16));
  const double exact = test.exact(0, 0), sum = std::ldexp(1.0, -24);
  EXPECT_EQ(exact, sum + std::ldexp(3.0, -40));
  auto isGood = [&](double got) {
    test.d.set(0, 0, got);
    return test.check().mismatches == 0;
  };
  EXPECT_TRUE(isGood(sum + std::ldexp(1.0, -39))); // what the MMA computes
  EXPECT_TRUE(isGood(exact));
  EXPECT_FALSE(isGood(sum * 2));
  // Where the smallest exponent cuts nothing, sums stay exact.
  test.b.set(0, 0, std::ldexp(1.0, -10));
  test.b.set(1, 0, std::ldexp(1.0, -11));
  EXPECT_TRUE(isGood(test.exact(0, 0)));
  EXPECT_FALSE(isGood(test.exact(0, 0) + std::ldexp(1.0, -39)));
}

TEST(Reference, aMissingSliceIsFound) {
  // A dropped group of 16 out of K = 4096 has to exceed the bound.
  ReferenceCase test(8, 8, 4096, DType::BF16, DType::F32, InitKind::Normal);
  for (int64_t row = 0; row < 8; ++row)
    for (int64_t column = 0; column < 8; ++column) {
      double part = 0;
      for (int64_t k = 1024; k < 1040; ++k)
        part += test.a.get(row, k) * test.b.get(k, column);
      test.d.set(row, column, test.exact(row, column) - part);
    }
  EXPECT_GE(test.check().mismatches, 60u);
}

TEST(Reference, transpositionAndStrides) {
  for (bool aTransposed : {false, true})
    for (bool bTransposed : {false, true}) {
      ReferenceCase test(5, 7, 33, DType::BF16, DType::F32, InitKind::Integers);
      Matrix a(DType::BF16, aTransposed ? 33 : 5, aTransposed ? 5 : 33,
               {64, 1});
      Matrix b(DType::BF16, bTransposed ? 7 : 33, bTransposed ? 33 : 7,
               {1, 100});
      for (int64_t k = 0; k < 33; ++k) {
        for (int64_t m = 0; m < 5; ++m)
          a.set(aTransposed ? k : m, aTransposed ? m : k, test.a.get(m, k));
        for (int64_t n = 0; n < 7; ++n)
          b.set(bTransposed ? n : k, bTransposed ? k : n, test.b.get(k, n));
      }
      test.problem.a = a.view(aTransposed);
      test.problem.b = b.view(bTransposed);
      EXPECT_EQ(test.check().mismatches, 0u);
      // The wrong flag reads the wrong elements or does not fit at all.
      test.problem.a = a.view(!aTransposed);
      auto flipped = checkMatmul(test.problem, 1);
      EXPECT_TRUE(!flipped || flipped->mismatches != 0);
    }
}

TEST(Reference, emptyProblems) {
  ReferenceCase none(0, 5, 16, DType::BF16, DType::F32, InitKind::Normal);
  EXPECT_EQ(none.check().elements, 0u);
  // K = 0 leaves zero, or C.
  ReferenceCase zero(3, 5, 0, DType::BF16, DType::F32, InitKind::Normal);
  EXPECT_EQ(zero.check().mismatches, 0u);
  zero.d.set(1, 1, 1e-30);
  EXPECT_EQ(zero.check().mismatches, 1u);
  ReferenceCase copy(3, 5, 0, DType::BF16, DType::F32, InitKind::Normal, true);
  EXPECT_EQ(copy.check().mismatches, 0u);
  EXPECT_TRUE(copy.check().exact);
}

TEST(Reference, threadsDoNotChangeTheAnswer) {
  ReferenceCase test(37, 270, 50, DType::BF16, DType::BF16, InitKind::Normal);
  test.d.set(30, 5, 1000);
  test.d.set(29, 260, 1000);
  ErrorSummary one = test.check(1), four = test.check(4);
  EXPECT_EQ(one.firstMismatch, (std::array<int64_t, 3>{0, 29, 260}));
  EXPECT_EQ(four.firstMismatch, one.firstMismatch);
  EXPECT_EQ(four.meanError, one.meanError);
  EXPECT_EQ(four.maxError, one.maxError);
  EXPECT_EQ(four.boundAtMax, one.boundAtMax);
  EXPECT_EQ(four.mismatches, 2u);
}

namespace {

/// Three products D[i] = A[i] * B with B shared, stored as 3x4x6, 6x5, 3x4x5.
struct BatchCase {
  BatchCase()
      : a(DType::BF16, 12, 6), b(DType::BF16, 6, 5), d(DType::F32, 12, 5) {
    a.init(InitKind::Integers, 1);
    b.init(InitKind::Integers, 2);
    aBatch = *BufferLayout::create(DType::BF16, {3, 4, 6});
    dBatch = *BufferLayout::create(DType::F32, {3, 4, 5});
    problem.batch = {3};
    problem.m = 4;
    problem.n = 5;
    problem.k = 6;
    problem.a = {&aBatch, a.bytes.data(), false};
    problem.b = b.view();
    problem.d = {&dBatch, d.bytes.data(), false};
    for (int64_t row = 0; row < 12; ++row)
      for (int64_t column = 0; column < 5; ++column)
        d.set(row, column, exact(row, column));
  }
  double exact(int64_t row, int64_t column) const {
    double sum = 0;
    for (int64_t k = 0; k < 6; ++k)
      sum += a.get(row, k) * b.get(k, column);
    return sum;
  }

  Matrix a, b, d;
  BufferLayout aBatch, dBatch;
  MatmulProblem problem;
};

} // namespace

TEST(Reference, batches) {
  BatchCase test;
  auto summary = checkMatmul(test.problem, 1);
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->elements, 60u);
  EXPECT_EQ(summary->mismatches, 0u);
  EXPECT_TRUE(summary->exact);
  // Row 9 of all is row 1 of the third matrix.
  test.d.set(9, 2, test.d.get(9, 2) + 1);
  summary = checkMatmul(test.problem, 1);
  EXPECT_EQ(summary->mismatches, 1u);
  EXPECT_EQ(summary->firstMismatch, (std::array<int64_t, 3>{2, 1, 2}));
  test.problem.batch = {2};
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "operand A: expected a buffer of 2x4x6, got 3x4x6");
}

TEST(Reference, epilogues) {
  // D = max(acc + x[i, n], 0) * s, with a row for each matrix of the batch.
  BatchCase test;
  Matrix row(DType::F32, 3, 5);
  row.init(InitKind::Integers, 5);
  Epilogue &epilogue = test.problem.epilogue.emplace();
  epilogue.operands.resize(2);
  epilogue.operands[0] = {EpilogueOperand::Kind::AlongN, row.view(), 0};
  epilogue.operands[1] = {EpilogueOperand::Kind::Scalar, {}, 0.5};
  epilogue.steps = {{"add", {{0, 0}, {1, 0}}, DType::F32},
                    {"maximum", {{3, 0}, {std::nullopt, 0}}, DType::F32},
                    {"mul", {{4, 0}, {2, 0}}, DType::F32}};
  epilogue.result = 5;
  for (int64_t r = 0; r < 12; ++r)
    for (int64_t c = 0; c < 5; ++c)
      test.d.set(r, c,
                 std::max(test.exact(r, c) + row.get(r / 4, c), 0.0) * 0.5);
  auto summary = checkMatmul(test.problem, 1);
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->mismatches, 0u);
  EXPECT_EQ(summary->unbounded, 0u);
  // The row of the matrix before it is noticed.
  for (int64_t c = 0; c < 5; ++c)
    row.set(2, c, row.get(2, c) + 1);
  summary = checkMatmul(test.problem, 1);
  EXPECT_GT(summary->mismatches, 0u);
  EXPECT_EQ(summary->firstMismatch[0], 2);
  Matrix narrow(DType::F32, 3, 4);
  epilogue.operands[0].view = narrow.view();
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "operand X0: expected a buffer of 3x5, got 3x4");
}

TEST(Reference, integers) {
  ReferenceCase test(4, 5, 6, DType::I8, DType::I32, InitKind::Normal);
  test.problem.accumulator = DType::I32;
  ErrorSummary right = test.check();
  EXPECT_EQ(right.mismatches, 0u);
  EXPECT_TRUE(right.exact);
  test.d.set(2, 3, test.d.get(2, 3) + 1);
  EXPECT_EQ(test.check().mismatches, 1u);
  test.problem.accumulator = DType::F32;
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "accumulator: expected i32 for products of i8 and u8, got f32");
}

// Sums are modulo 2^32: what D had before takes this one over the end.
TEST(Reference, integersWrap) {
  ReferenceCase test(1, 1, 1, DType::U8, DType::I32, InitKind::Zeros,
                     /*hasC=*/true);
  test.problem.accumulator = DType::I32;
  test.a.set(0, 0, 2);
  test.b.set(0, 0, 3);
  test.c.set(0, 0, 2147483647.0);
  test.d.set(0, 0, -2147483643.0);
  EXPECT_EQ(test.check().mismatches, 0u);
  test.d.set(0, 0, 2147483647.0);
  EXPECT_EQ(test.check().mismatches, 1u);
}

// The low 13 bits of f32 are not read.
TEST(Reference, tf32OfF32) {
  ReferenceCase test(1, 1, 1, DType::F32, DType::F32, InitKind::Zeros);
  test.a.set(0, 0, 1 + std::ldexp(1.0, -10) + std::ldexp(1.0, -11));
  test.b.set(0, 0, 1);
  test.problem.a.readAs = test.problem.b.readAs = DType::TF32;
  test.d.set(0, 0, 1 + std::ldexp(1.0, -10));
  EXPECT_EQ(test.check().mismatches, 0u);
  test.d.set(0, 0, 1 + std::ldexp(1.0, -10) + std::ldexp(1.0, -11));
  EXPECT_EQ(test.check().mismatches, 1u);
}

TEST(Reference, errors) {
  ReferenceCase test(4, 5, 6, DType::BF16, DType::F32, InitKind::Normal);
  test.problem.k = 7;
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "operand A: expected a buffer of 4x7, got 4x6");
  test.problem.k = 6;
  test.problem.n = 4;
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "operand B: expected a buffer of 6x4, got 6x5");
  test.problem.n = 5;
  test.problem.accumulator = DType::BF16;
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "accumulator: expected f32 or f16, got bf16");
  test.problem.accumulator = DType::F32;
  Matrix wide(DType::F32, 4, 6);
  test.problem.a = wide.view();
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "operands A and B: expected types of one kind of tensor core, got "
            "f32 and bf16");
  test.problem.a = test.a.view();
  Matrix integers(DType::I32, 4, 5);
  test.problem.d = integers.view();
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "operand D: expected a float type, got i32");
  auto flat = BufferLayout::create(DType::F32, {20});
  test.problem.d = {&*flat, test.d.bytes.data(), false};
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "operand D: expected a buffer of 4x5, got 20");
}
