//===- ReferenceScalesTest.cpp - Operands with scale factors ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of operands with scale factors: where the factors are, and how they
// round.
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

using namespace tc::runtime;

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
