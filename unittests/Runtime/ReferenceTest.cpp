//===- ReferenceTest.cpp - The check against float64 ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Right results pass and wrong ones fail: exact data, rounding at the edge of
// the bound, overflow, NaN, transposition, strides, threads.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Reference.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>

using namespace tc::runtime;

namespace {

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

} // namespace

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

TEST(Reference, overflowIsThatOfTheRoundedResult) {
  ReferenceCase test(1, 4, 16, DType::F16, DType::F16, InitKind::Ones);
  const double inf = std::numeric_limits<double>::infinity();
  // Exact sums: 65504, 65520 (rounds to infinity), -65536, 0.
  const double sums[] = {65504, 65520, -65536, 0};
  for (int64_t n = 0; n < 4; ++n)
    for (int64_t k = 0; k < 16; ++k)
      test.b.set(k, n, sums[n] / 16);
  for (int64_t n = 0; n < 4; ++n)
    test.d.set(0, n, sums[n]);
  EXPECT_EQ(test.d.get(0, 1), inf);
  EXPECT_EQ(test.d.get(0, 2), -inf);
  EXPECT_EQ(test.check().mismatches, 0u);
  test.d.set(0, 0, inf);
  EXPECT_EQ(test.check().mismatches, 1u);
  test.d.set(0, 0, 65504);
  test.d.set(0, 1, 65504);
  EXPECT_EQ(test.check().mismatches, 1u);
  test.d.set(0, 1, -inf);
  EXPECT_EQ(test.check().mismatches, 1u);
}

// Sums whose bound reaches over the limit of f32.
TEST(Reference, sumsNextToTheLimit) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double most = std::numeric_limits<float>::max();
  ReferenceCase test(1, 2, 64, DType::BF16, DType::F32, InitKind::Ones);
  for (int64_t k = 0; k < 64; ++k)
    for (int64_t n = 0; n < 2; ++n)
      test.b.set(k, n, 0);
  // 2^128 - 2^104, of three numbers of bf16.
  test.b.set(0, 0, std::ldexp(255, 120));
  test.b.set(1, 0, std::ldexp(255, 112));
  test.b.set(2, 0, std::ldexp(255, 104));
  // 0, of which the first half is too large.
  for (int64_t k : {0, 1, 32, 33})
    test.b.set(k, 1, std::ldexp(k < 32 ? 255 : -255, 120));
  auto mismatches = [&](double first, double second) {
    test.d.set(0, 0, first);
    test.d.set(0, 1, second);
    return test.check().mismatches;
  };
  for (double second : {0.0, inf, -inf, nan})
    for (double first : {most, inf})
      EXPECT_EQ(mismatches(first, second), 0u) << first << " " << second;
  EXPECT_EQ(mismatches(nan, 0), 1u);
  EXPECT_EQ(mismatches(-inf, 0), 1u);
  EXPECT_EQ(mismatches(-most, 0), 1u);
  // The same through an epilogue, times 1 and times 0.
  test.problem.epilogue.emplace();
  EpilogueStep step;
  step.op = "mul";
  step.args.resize(2);
  step.args[0].value = 0;
  step.args[1].constant = 1;
  step.type = DType::F32;
  test.problem.epilogue->steps = {step};
  test.problem.epilogue->result = 1;
  for (double second : {0.0, inf, -inf, nan})
    for (double first : {most, inf})
      EXPECT_EQ(mismatches(first, second), 0u) << first << " " << second;
  EXPECT_EQ(mismatches(nan, 0), 1u);
  EXPECT_EQ(mismatches(-inf, 0), 1u);
  EXPECT_TRUE(std::isfinite(test.check().maxRatio));
  test.problem.epilogue->steps[0].args[1].constant = 0;
  for (double value : {0.0, nan})
    EXPECT_EQ(mismatches(value, value), 0u) << value;
  EXPECT_EQ(mismatches(1, 0), 1u);
  EXPECT_EQ(mismatches(inf, 0), 1u);
}

// What is too large for f16 is an infinity there, of which the bound is known.
TEST(Reference, epiloguesOverTheLimitOfD) {
  const double inf = std::numeric_limits<double>::infinity();
  ReferenceCase test(1, 1, 16, DType::BF16, DType::F16, InitKind::Ones);
  for (int64_t k = 0; k < 16; ++k)
    test.b.set(k, 0, 65536);
  test.problem.epilogue.emplace();
  for (DType type : {DType::F32, DType::F16}) {
    EpilogueStep step;
    step.op = type == DType::F32 ? "mul" : "convert";
    step.args.resize(type == DType::F32 ? 2 : 1);
    step.args[0].value = test.problem.epilogue->steps.size();
    if (type == DType::F32)
      step.args[1].constant = 3;
    step.type = type;
    test.problem.epilogue->steps.push_back(step);
  }
  test.problem.epilogue->result = 2;
  test.d.set(0, 0, inf);
  EXPECT_EQ(test.check().mismatches, 0u);
  EXPECT_EQ(test.check().unbounded, 0u);
  test.d.set(0, 0, 65504);
  EXPECT_EQ(test.check().mismatches, 1u);
}

TEST(Reference, infinityAndNaN) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ReferenceCase test(3, 1, 16, DType::BF16, DType::F32, InitKind::Ones);
  test.a.set(0, 5, inf);
  test.a.set(1, 5, inf);
  test.a.set(1, 6, -inf);
  test.d.set(0, 0, inf);
  test.d.set(1, 0, nan);
  EXPECT_EQ(test.check().mismatches, 0u);
  test.d.set(0, 0, 3);
  EXPECT_EQ(test.check().mismatches, 1u);
  test.d.set(0, 0, nan);
  EXPECT_EQ(test.check().mismatches, 1u);
  test.d.set(0, 0, inf);
  test.d.set(1, 0, 3);
  EXPECT_EQ(test.check().mismatches, 1u);
  // What was not written is NaN, where a number was due.
  test.d.set(1, 0, nan);
  test.d.set(2, 0, nan);
  EXPECT_EQ(test.check().mismatches, 1u);
}

// A sum that overflows before it meets an infinity of the other sign is NaN.
TEST(Reference, infinityMeetsOverflow) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // Of column 0 the other numbers are too large together, not of column 1.
  ReferenceCase test(1, 2, 16, DType::BF16, DType::F32, InitKind::Ones);
  test.a.set(0, 15, inf);
  for (int64_t k : {0, 1})
    test.b.set(k, 0, std::ldexp(-1, 127));
  test.b.set(0, 1, std::ldexp(-1, 127));
  for (bool hasEpilogue : {false, true}) {
    if (hasEpilogue) {
      test.problem.epilogue.emplace();
      EpilogueStep step;
      step.op = "mul";
      step.args.resize(2);
      step.args[0].value = 0;
      step.args[1].constant = 1;
      step.type = DType::F32;
      test.problem.epilogue->steps = {step};
      test.problem.epilogue->result = 1;
    }
    auto mismatches = [&](double first, double second) {
      test.d.set(0, 0, first);
      test.d.set(0, 1, second);
      return test.check().mismatches;
    };
    EXPECT_EQ(mismatches(inf, inf), 0u);
    EXPECT_EQ(mismatches(nan, inf), 0u);
    EXPECT_EQ(mismatches(nan, nan), 1u);
    EXPECT_EQ(mismatches(-inf, inf), 1u);
    EXPECT_EQ(mismatches(0, inf), 1u);
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

namespace {

/// Scale factors of `rows` rows and `k` elements along K, in blocks.
struct Scales {
  Scales(int64_t rows, int64_t k, DType type = DType::UE8M0, int64_t block = 32)
      : blocksK((k + 4 * block - 1) / (4 * block)),
        layout(*BufferLayout::create(type,
                                     {(rows + 127) / 128, blocksK, 32, 4, 4})),
        bytes(layout.bytes(), 0xff) {}
  uint8_t &at(int64_t row, int64_t block) {
    return bytes[(row / 128 * blocksK + block / 4) * 512 + row % 32 * 16 +
                 row % 128 / 32 * 4 + block % 4];
  }
  MatrixView view() const { return {&layout, bytes.data(), false}; }

  int64_t blocksK;
  BufferLayout layout;
  std::vector<uint8_t> bytes;
};

} // namespace

// Each factor of the table that was written by hand, alone: its row of D has
// twice the products of its block.
TEST(Reference, placesOfScaleFactors) {
  constexpr int64_t m = 256, k = 256;
  std::ifstream file(TC_SCALES);
  unsigned places = 0;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#')
      continue;
    ++places;
    int64_t row, block, byte;
    std::istringstream(line) >> row >> block >> byte;
    ReferenceCase test(m, 1, k, DType::E4M3, DType::F32, InitKind::Ones);
    Scales a(m, k), b(1, k);
    std::fill(a.bytes.begin(), a.bytes.end(), 127);
    std::fill(b.bytes.begin(), b.bytes.end(), 127);
    for (int64_t i = 0; i < k / 32; ++i)
      b.at(0, i) = static_cast<uint8_t>(127 + i); // which block it is
    a.bytes[static_cast<size_t>(byte)] = 128;
    test.problem.scaleA = a.view();
    test.problem.scaleB = b.view();
    for (int64_t i = 0; i < m; ++i)
      test.d.set(i, 0, 32 * (255 + (i == row ? int64_t(1) << block : 0)));
    EXPECT_EQ(test.check().mismatches, 0u) << line;
  }
  EXPECT_EQ(places, 28u);
}

// Factors that are not used are NaN: only those of rows and blocks that there
// are count.
TEST(Reference, scaleFactors) {
  constexpr int64_t m = 140, n = 5, k = 168;
  ReferenceCase test(m, n, k, DType::E4M3, DType::F32, InitKind::Integers);
  Scales a(m, k), b(n, k);
  auto exponent = [](int64_t row, int64_t block) {
    return (row * 3 + block * 5) % 4 - 1;
  };
  for (int64_t block = 0; block * 32 < k; ++block) {
    for (int64_t row = 0; row < m; ++row)
      a.at(row, block) = static_cast<uint8_t>(127 + exponent(row, block));
    for (int64_t row = 0; row < n; ++row)
      b.at(row, block) = static_cast<uint8_t>(127 - exponent(row, block));
  }
  test.problem.scaleA = a.view();
  test.problem.scaleB = b.view();
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      double sum = 0;
      for (int64_t i = 0; i < k; ++i)
        sum += std::ldexp(
            test.a.get(row, i) * test.b.get(i, column),
            static_cast<int>(exponent(row, i / 32) - exponent(column, i / 32)));
      test.d.set(row, column, sum);
    }
  ErrorSummary summary = *checkMatmul(test.problem);
  EXPECT_EQ(summary.mismatches, 0u);
  EXPECT_TRUE(summary.exact);

  // The last row and the last block, twice as much.
  ++a.at(m - 1, 5);
  summary = *checkMatmul(test.problem);
  EXPECT_NE(summary.mismatches, 0u);
  EXPECT_EQ(summary.firstMismatch[1], m - 1);
  // NaN in a column is NaN in D.
  --a.at(m - 1, 5);
  b.at(2, 5) = 0xff;
  EXPECT_EQ(checkMatmul(test.problem)->mismatches, uint64_t(m));
  for (int64_t row = 0; row < m; ++row)
    test.d.set(row, 2, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(checkMatmul(test.problem)->mismatches, 0u);
}

// e2m1 with a factor in ue4m3 for 16 elements, of which four groups are added
// exactly: terms that an alignment with 25 bits would drop have to count.
TEST(Reference, narrowScaleFactors) {
  constexpr int64_t m = 3, n = 2, k = 128;
  ReferenceCase test(m, n, k, DType::E2M1, DType::F32, InitKind::Ones);
  Scales a(m, k, DType::UE4M3, 16), b(n, k, DType::UE4M3, 16);
  constexpr uint8_t one = 0x38, two = 0x40, least = 0x01; // 2^-9
  for (int64_t block = 0; block < k / 16; ++block) {
    for (int64_t row = 0; row < m; ++row)
      a.at(row, block) = block == 5 ? two : one;
    for (int64_t row = 0; row < n; ++row)
      b.at(row, block) = block == 6 ? least : one;
  }
  test.problem.scaleA = a.view();
  test.problem.scaleB = b.view();
  test.problem.scaleBlock = 16;
  const double sum = 6 * 16.0 + 32 + 16 * std::ldexp(1.0, -9);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column)
      test.d.set(row, column, sum);
  ErrorSummary summary = *checkMatmul(test.problem);
  EXPECT_EQ(summary.mismatches, 0u);
  EXPECT_TRUE(summary.exact);
  // Not exact any more: the last place of the factors is too low. The bound
  // stays below what a step of 25 fraction bits could lose.
  for (int64_t row = 0; row < m; ++row)
    a.at(row, 0) = 0x7e;
  a.at(0, 1) = b.at(0, 1) = least;
  summary = *checkMatmul(test.problem);
  EXPECT_NE(summary.mismatches, 0u);
  EXPECT_LT(summary.maxBound, 4 * std::ldexp(448 * 16, -23));
}

// Factors of f32 for 128 elements of K, of B for 128 columns: each block is
// multiplied by the product of its factors.
TEST(Reference, largeBlocks) {
  constexpr int64_t m = 5, n = 140, k = 300;
  ReferenceCase test(m, n, k, DType::E4M3, DType::F32, InitKind::Integers);
  Matrix ofA(DType::F32, m, 3), ofB(DType::F32, 2, 3);
  ofA.init(InitKind::Normal, 7);
  ofB.init(InitKind::Normal, 8);
  test.problem.scaleA = ofA.view();
  test.problem.scaleB = ofB.view();
  test.problem.scaleBlock = test.problem.scaleColumns = 128;
  auto product = [&](int64_t row, int64_t column, int64_t block) {
    double sum = 0;
    for (int64_t i = block * 128; i < std::min<int64_t>(k, block * 128 + 128);
         ++i)
      sum += test.a.get(row, i) * test.b.get(i, column);
    return sum;
  };
  auto compute = [&] {
    for (int64_t row = 0; row < m; ++row)
      for (int64_t column = 0; column < n; ++column) {
        float sum = 0;
        for (int64_t block = 0; block < 3; ++block) {
          auto factor = static_cast<float>(ofA.get(row, block)) *
                        static_cast<float>(ofB.get(column / 128, block));
          sum = std::fma(static_cast<float>(product(row, column, block)),
                         factor, sum);
        }
        test.d.set(row, column, sum);
      }
  };
  compute();
  EXPECT_EQ(test.check().mismatches, 0u);
  EXPECT_LT(test.check().maxBound, 1e-2);
  // One factor of a row, then one of the columns after 128.
  ofA.set(3, 2, ofA.get(3, 2) * 1.01);
  EXPECT_EQ(test.check().firstMismatch[1], 3);
  compute();
  ofB.set(1, 0, ofB.get(1, 0) * 1.01);
  EXPECT_EQ(test.check().firstMismatch[2], 128);
  // An infinite factor is one of a sum, not of its terms, whose signs differ.
  ofA.set(2, 0, std::numeric_limits<double>::infinity());
  compute();
  EXPECT_EQ(test.check().mismatches, 0u);
  // What overflows is the product of the factors, in f32.
  ofA.set(2, 0, 0x1p100);
  ofB.set(0, 0, 0x1p100);
  compute();
  EXPECT_EQ(test.check().mismatches, 0u);
  // Each column with a factor of its own.
  test.problem.scaleColumns = 1;
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "operand SFB: expected a buffer of 140x3, got 2x3");
  Matrix columns(DType::BF16, n, 3);
  test.problem.scaleB = columns.view();
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "scale factors: expected f32 in plain matrices, got bf16");
}

TEST(Reference, scaleFactorErrors) {
  ReferenceCase test(140, 5, 168, DType::E4M3, DType::F32, InitKind::Integers);
  Scales a(140, 168), b(5, 96);
  test.problem.scaleA = a.view();
  test.problem.scaleB = b.view();
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "operand SFB: expected a buffer of 1x2x32x4x4, got 1x1x32x4x4");
  auto wrong = BufferLayout::create(DType::E4M3, {1, 2, 32, 4, 4});
  std::vector<uint8_t> bytes(wrong->bytes());
  test.problem.scaleB = {&*wrong, bytes.data(), false};
  EXPECT_EQ(checkMatmul(test.problem).error().message,
            "scale factors: expected ue8m0 or ue4m3, got e4m3");
  ReferenceCase wide(140, 5, 168, DType::BF16, DType::F32, InitKind::Integers);
  Scales c(5, 168);
  wide.problem.scaleA = a.view();
  wide.problem.scaleB = c.view();
  EXPECT_EQ(checkMatmul(wide.problem).error().message,
            "operands A and B: expected types of 8 bits or fewer with scale "
            "factors, got bf16");
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
