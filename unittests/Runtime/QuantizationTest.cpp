//===- QuantizationTest.cpp - The check of quantised outputs ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Reference.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tc::runtime;

namespace {

struct Array {
  Array(DType type, std::vector<int64_t> shape)
      : layout(*BufferLayout::create(type, std::move(shape), {})),
        bytes(layout.bytes()) {}
  void setCode(int64_t place, uint64_t code) {
    writeElement(bytes.data(), static_cast<uint64_t>(place),
                 getInfo(layout.type).bits, code);
  }
  void set(int64_t place, double value) {
    setCode(place, encode(layout.type, value));
  }
  uint64_t code(int64_t place) const {
    return readElement(bytes.data(), static_cast<uint64_t>(place),
                       getInfo(layout.type).bits);
  }
  MatrixView view() const { return {&layout, bytes.data()}; }

  BufferLayout layout;
  std::vector<uint8_t> bytes;
};

/// Two rows of 64 columns, K = 1: sums are the numbers of B, and of the second
/// row three times them.
struct Case {
  Case(DType type, DType scale)
      : a(DType::BF16, {2, 1}), b(DType::F16, {1, 64}), d(type, {2, 64}),
        sfd(scale, {1, 1, 32, 4, 4}), amax(DType::F32, {}) {
    a = Array(DType::F16, {2, 1});
    a.set(0, 1);
    a.set(1, 3);
    for (int64_t n = 0; n < 64; ++n)
      b.set(n, (n - 20) * 0.5);
    problem.m = 2;
    problem.n = 64;
    problem.k = 1;
    problem.a = a.view();
    problem.b = b.view();
    problem.d = d.view();
  }
  double sum(int64_t row, int64_t n) const {
    return (row == 0 ? 1 : 3) * (n - 20) * 0.5;
  }
  void quantize(double factor) {
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t n = 0; n < 64; ++n)
        d.set(row * 64 + n, sum(row, n) / factor);
  }
  ErrorSummary check() { return *checkMatmul(problem, 1); }

  Array a, b, d, sfd, amax;
  MatmulProblem problem;
};

} // namespace

TEST(Quantization, plainElements) {
  Case test(DType::E4M3, DType::UE8M0);
  test.quantize(1);
  EXPECT_EQ(test.check().mismatches, 0u);
  test.d.setCode(5, test.d.code(5) + 1);
  ErrorSummary summary = test.check();
  EXPECT_EQ(summary.mismatches, 1u);
  EXPECT_STREQ(summary.output, "D");
  EXPECT_EQ(summary.firstMismatch, (std::array<int64_t, 3>{0, 0, 5}));
}

TEST(Quantization, saturates) {
  Case test(DType::E5M2, DType::UE8M0);
  test.quantize(1);
  test.a.set(1, 16384);
  auto fill = [&](double most) {
    for (int64_t n = 0; n < 64; ++n)
      test.d.set(64 + n,
                 std::min(std::max(16384 * (n - 20) * 0.5, -most), most));
  };
  fill(57344);
  EXPECT_EQ(test.check().mismatches, 0u);
  test.d.setCode(64 + 63, 0x7C); // infinity
  EXPECT_EQ(test.check().mismatches, 1u);
}

TEST(Quantization, powersOfTwo) {
  Case test(DType::E2M1, DType::UE8M0);
  test.problem.scaleD = test.sfd.view();
  // The largest of both blocks: 10 and 21.5, in the second row 30 and 64.5.
  const double factors[2][2] = {{2, 4}, {4, 16}};
  for (int64_t row = 0; row < 2; ++row)
    for (int64_t n = 0; n < 64; ++n) {
      test.sfd.set(row * 16 + n / 32, factors[row][n / 32]);
      test.d.set(
          row * 64 + n,
          std::min(std::max(test.sum(row, n) / factors[row][n / 32], -6.0),
                   6.0));
    }
  EXPECT_EQ(test.check().mismatches, 0u);
  // The factor twice as large, and elements that fit it.
  test.sfd.set(16 + 1, 32);
  for (int64_t n = 32; n < 64; ++n)
    test.d.set(64 + n, test.sum(1, n) / 32);
  ErrorSummary summary = test.check();
  EXPECT_EQ(summary.mismatches, 1u);
  EXPECT_STREQ(summary.output, "SFD");
  EXPECT_EQ(summary.firstMismatch, (std::array<int64_t, 3>{0, 1, 32}));
  EXPECT_EQ(summary.expected, 16);
}

TEST(Quantization, ratios) {
  Case test(DType::E2M1, DType::UE4M3);
  test.problem.scaleD = test.sfd.view();
  test.problem.scaleBlockD = 16;
  for (int64_t row = 0; row < 2; ++row)
    for (int64_t block = 0; block < 4; ++block) {
      double largest = 0;
      for (int64_t n = block * 16; n < block * 16 + 16; ++n)
        largest = std::max(largest, std::fabs(test.sum(row, n)));
      uint64_t code = encode(DType::UE4M3, largest / 6);
      test.sfd.setCode(row * 16 + block, code);
      for (int64_t n = block * 16; n < block * 16 + 16; ++n)
        test.d.set(
            row * 64 + n,
            std::min(
                std::max(test.sum(row, n) / decode(DType::UE4M3, code), -6.0),
                6.0));
    }
  EXPECT_EQ(test.check().mismatches, 0u);
  test.sfd.setCode(2, test.sfd.code(2) + 1);
  ErrorSummary summary = test.check();
  EXPECT_STREQ(summary.output, "SFD");
  EXPECT_EQ(summary.firstMismatch, (std::array<int64_t, 3>{0, 0, 32}));
}

TEST(Quantization, notANumber) {
  Case test(DType::E4M3, DType::UE8M0);
  test.problem.scaleD = test.sfd.view();
  test.a.setCode(1, 0x7E00);
  for (int64_t n = 0; n < 64; ++n) {
    const double factor = n < 32 ? std::ldexp(1.0, -5) : std::ldexp(1.0, -4);
    test.sfd.set(n / 32, factor);
    test.d.set(n, test.sum(0, n) / factor);
    test.sfd.setCode(16 + n / 32, 0xFF);
    test.d.setCode(64 + n, 0x7F);
  }
  EXPECT_EQ(test.check().mismatches, 0u);
  // Elements of a block that is NaN are, too.
  test.d.setCode(64 + 7, 0xFE);
  EXPECT_EQ(test.check().mismatches, 1u);
  EXPECT_STREQ(test.check().output, "D");
  test.d.setCode(64 + 7, 0x7F);
  test.sfd.set(17, 1);
  EXPECT_STREQ(test.check().output, "SFD");
}

// Sums that are too large for f32, or infinite, in the second row.
TEST(Quantization, overflows) {
  for (double factor : {std::ldexp(1.0, 127), double(INFINITY)}) {
    Case test(DType::E4M3, DType::UE8M0);
    test.a = Array(DType::BF16, {2, 1});
    test.b = Array(DType::BF16, {1, 64});
    test.a.set(0, 1);
    test.a.set(1, factor);
    test.problem.a = test.a.view();
    test.problem.b = test.b.view();
    test.problem.amax = test.amax.view();
    test.amax.set(0, INFINITY);
    for (int64_t n = 0; n < 64; ++n) {
      test.b.set(n, n + 2.0);
      test.d.set(n, n + 2.0);
      test.d.set(64 + n, 448);
    }
    EXPECT_EQ(test.check().mismatches, 0u);
    EXPECT_EQ(test.check().unbounded, 0u);
    test.d.set(64 + 9, -448);
    EXPECT_EQ(test.check().mismatches, 1u);
    test.d.set(64 + 9, 448);
    test.amax.set(0, 65);
    EXPECT_STREQ(test.check().output, "amax");
    test.amax.set(0, INFINITY);
    test.problem.scaleD = test.sfd.view();
    for (int64_t n = 0; n < 64; ++n) {
      const double scale = n < 32 ? 0.125 : 0.25;
      test.sfd.set(n / 32, scale);
      test.d.set(n, (n + 2) / scale);
      test.sfd.setCode(16 + n / 32, 0xFF);
      test.d.setCode(64 + n, 0x7F);
    }
    EXPECT_EQ(test.check().mismatches, 0u);
  }
}

// The factor of a block with a sum next to the limit of f32: that of a number
// or that of an infinity.
TEST(Quantization, blocksNextToTheLimit) {
  Case test(DType::E4M3, DType::UE8M0);
  test.a = Array(DType::BF16, {2, 3});
  test.b = Array(DType::BF16, {3, 64});
  test.problem.k = 3;
  test.problem.a = test.a.view();
  test.problem.b = test.b.view();
  test.problem.scaleD = test.sfd.view();
  for (int64_t k = 0; k < 3; ++k) {
    test.a.set(k, 1);
    test.a.set(3 + k, 0);
    for (int64_t n = 0; n < 64; ++n)
      test.b.set(k * 64 + n, n < 32 ? std::ldexp(255, 120 - 8 * k) : 0);
  }
  test.sfd.set(0, std::ldexp(1, 119));
  for (int64_t block : {1, 16, 17}) // of zeros
    test.sfd.set(block, std::ldexp(1, -127));
  for (int64_t n = 0; n < 64; ++n)
    test.d.set(n, n < 32 ? 448 : 0);
  for (int64_t n = 64; n < 128; ++n)
    test.d.set(n, 0);
  EXPECT_EQ(test.check().mismatches, 0u);
  test.sfd.setCode(0, 0xFF);
  for (int64_t n = 0; n < 32; ++n)
    test.d.setCode(n, 0x7F);
  EXPECT_EQ(test.check().mismatches, 0u);
  test.sfd.set(0, std::ldexp(1, 118));
  for (int64_t n = 0; n < 32; ++n)
    test.d.set(n, 448);
  EXPECT_STREQ(test.check().output, "SFD");
}

TEST(Quantization, largest) {
  Case test(DType::E4M3, DType::UE8M0);
  test.quantize(1);
  test.problem.amax = test.amax.view();
  test.amax.set(0, 64.5);
  EXPECT_EQ(test.check().mismatches, 0u);
  test.amax.set(0, 64);
  ErrorSummary summary = test.check();
  EXPECT_EQ(summary.mismatches, 1u);
  EXPECT_STREQ(summary.output, "amax");
  EXPECT_EQ(summary.expected, 64.5);
  // What it held before is not lowered.
  test.problem.amaxBefore = 100;
  EXPECT_EQ(test.check().mismatches, 1u);
  test.amax.set(0, 100);
  EXPECT_EQ(test.check().mismatches, 0u);
}
