//===- SparseTest.cpp - Matrices with half of their elements ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Sparse.h"
#include "tc/Runtime/Reference.h"

#include "gtest/gtest.h"

#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

using namespace tc::runtime;

namespace {

/// test/Formats/metadata.txt, written by hand.
TEST(Sparse, places) {
  std::ifstream file(TC_METADATA);
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream in(line);
    int64_t bits, row, k, lane, cell, bit;
    ASSERT_TRUE(in >> bits >> row >> k >> lane >> cell >> bit) << line;
    const SparseForm form = SparseForm::get(static_cast<unsigned>(bits));
    const MetadataPlace place = locateMetadata(form, row, k);
    EXPECT_EQ(place.lane, lane) << line;
    EXPECT_EQ(place.cell, cell) << line;
    EXPECT_EQ(place.bit, bit) << line;
    // Of other blocks, too.
    EXPECT_EQ(locateMetadata(form, row + 256, k + 2 * form.blockK).lane, lane);
    ++rows;
  }
  EXPECT_GT(rows, 30);
}

/// Each code of a block has bits of its own, and no bit is left.
TEST(Sparse, placesAreOneToOne) {
  for (unsigned bits : {32u, 16u, 8u}) {
    const SparseForm form = SparseForm::get(bits);
    std::set<int64_t> places;
    for (int64_t row = 0; row < metadataRows; ++row)
      for (int64_t k = 0; k < form.blockK; k += form.chunk) {
        const MetadataPlace place = locateMetadata(form, row, k);
        ASSERT_EQ(place.bit % 4, 0u);
        places.insert((place.lane * metadataCells + place.cell) * 32 +
                      place.bit);
      }
    // Eight in each cell.
    EXPECT_EQ(places.size(), size_t(metadataLanes * metadataCells * 8));
    EXPECT_EQ(*places.rbegin(), 128 * 4 * 32 - 4);
  }
}

TEST(Sparse, codes) {
  const SparseForm half = SparseForm::get(16), single = SparseForm::get(32);
  EXPECT_EQ(sparseCodes(half), (std::vector<unsigned>{0b0100, 0b1000, 0b1001,
                                                      0b1100, 0b1101, 0b1110}));
  EXPECT_EQ(sparseCodes(single), (std::vector<unsigned>{0b0100, 0b1110}));
  EXPECT_EQ((*readCode(half, 0b1101))[0], 1);
  EXPECT_EQ((*readCode(half, 0b1101))[1], 3);
  EXPECT_EQ((*readCode(single, 0b1110))[0], 1);
  EXPECT_FALSE(readCode(half, 0));
  EXPECT_FALSE(readCode(single, 0b1100));
  // Of more than four bits.
  for (const SparseForm &form : {half, single})
    EXPECT_FALSE(readCode(form, 0b11110));
}

TEST(Sparse, compress) {
  const double dense[] = {0, -3, 0, 2, 5, 0, 0, 0};
  Compressed two = compress(SparseForm::get(16), 1, 8, dense);
  EXPECT_EQ(two.values, (std::vector<double>{-3, 2, 5, 0}));
  EXPECT_EQ(two.codes, (std::vector<uint8_t>{0b1101, 0b0100}));
  EXPECT_TRUE(two.isSparse);
  Compressed one = compress(SparseForm::get(32), 1, 8, dense);
  EXPECT_EQ(one.values, (std::vector<double>{-3, 2, 5, 0}));
  EXPECT_EQ(one.codes, (std::vector<uint8_t>{0b1110, 0b1110, 0b0100, 0b0100}));
  EXPECT_TRUE(one.isSparse);
  const double full[] = {1, 2, 3, 4};
  Compressed lost = compress(SparseForm::get(8), 1, 4, full);
  EXPECT_EQ(lost.values, (std::vector<double>{3, 4}));
  EXPECT_FALSE(lost.isSparse);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const double special[] = {inf, 2, nan, -inf, nan, 1, nan, nan};
  Compressed kept = compress(SparseForm::get(16), 1, 8, special);
  EXPECT_EQ(kept.codes, (std::vector<uint8_t>{0b1000, 0b1000}));
  EXPECT_FALSE(kept.isSparse);
}

TEST(Sparse, pack) {
  const SparseForm form = SparseForm::get(8);
  std::vector<uint8_t> codes(130 * 33, 0b1110);
  const std::vector<uint32_t> words =
      packMetadata(form, 130, 132, codes.data());
  ASSERT_EQ(words.size(), 2u * 2 * 128 * 4);
  EXPECT_EQ(words[0], 0xeeeeeeeeu);
  // The chunk from 128 on, then what fills up.
  EXPECT_EQ(words[128 * 4], 0x4444444eu);
  EXPECT_EQ(words[128 * 4 + 1], 0x44444444u);
  EXPECT_EQ(words[(2 * 128 + 1) * 4], 0xeeeeeeeeu);
  EXPECT_EQ(words[(2 * 128 + 2) * 4], 0x44444444u);
}

struct SparseArray {
  SparseArray(DType type, std::vector<int64_t> shape)
      : layout(*BufferLayout::create(type, std::move(shape), {})),
        bytes(layout.bytes()) {}
  void set(int64_t place, double value) {
    writeElement(bytes.data(), static_cast<uint64_t>(place),
                 getInfo(layout.type).bits, encode(layout.type, value));
  }
  MatrixView view() const { return {&layout, bytes.data()}; }

  BufferLayout layout;
  std::vector<uint8_t> bytes;
};

/// One row of 8 elements, of which those of `dense` that are no zeros are kept.
struct Product {
  Product()
      : a(DType::F16, {1, 4}), b(DType::F16, {8, 2}), d(DType::F32, {1, 2}),
        metadata(DType::I32, {1, 1, 128, 4}) {
    const double dense[] = {0, 2, 3, 0, 0, 0, -1, 4};
    Compressed kept = compress(form, 1, 8, dense);
    for (size_t i = 0; i < kept.values.size(); ++i)
      a.set(static_cast<int64_t>(i), kept.values[i]);
    setCodes(kept.codes);
    for (int64_t k = 0; k < 8; ++k) {
      b.set(2 * k, static_cast<double>(k + 1));
      b.set(2 * k + 1, 1);
    }
    // What A does not meet.
    b.set(0, std::numeric_limits<double>::quiet_NaN());
    d.set(0, 2 * 2 + 3 * 3 - 7 + 4 * 8);
    d.set(1, 8);
    problem.m = 1;
    problem.n = 2;
    problem.k = 8;
    problem.a = a.view();
    problem.b = b.view();
    problem.d = d.view();
    problem.metadata = metadata.view();
  }
  void setCodes(const std::vector<uint8_t> &codes) {
    const std::vector<uint32_t> words = packMetadata(form, 1, 8, codes.data());
    std::memcpy(metadata.bytes.data(), words.data(), metadata.bytes.size());
  }
  std::string error() {
    auto summary = checkMatmul(problem, 1);
    return summary ? "" : summary.error().message;
  }

  const SparseForm form = SparseForm::get(16);
  SparseArray a, b, d, metadata;
  MatmulProblem problem;
};

TEST(Sparse, reference) {
  Product test;
  auto summary = checkMatmul(test.problem, 1);
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->mismatches, 0u);
  // Other elements of B.
  test.setCodes({0b0100, 0b1110});
  summary = checkMatmul(test.problem, 1);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->mismatches, 1u);
}

TEST(Sparse, referenceErrors) {
  Product test;
  test.setCodes({0b0100, 0});
  EXPECT_EQ(test.error(), "operand metadata: the code 0 of row 0, k 4 names no "
                          "elements");
  Product wrong;
  wrong.metadata = SparseArray(DType::I32, {1, 2, 128, 4});
  wrong.problem.metadata = wrong.metadata.view();
  EXPECT_EQ(wrong.error(), "operand metadata: expected a buffer of 1x1x128x4, "
                           "got 1x2x128x4");
  Product type;
  type.metadata = SparseArray(DType::F32, {1, 1, 128, 4});
  type.problem.metadata = type.metadata.view();
  EXPECT_EQ(type.error(), "operand metadata: expected i32, got f32");
  Product odd;
  odd.problem.k = 6;
  odd.a = SparseArray(DType::F16, {1, 3});
  odd.b = SparseArray(DType::F16, {6, 2});
  odd.problem.a = odd.a.view();
  odd.problem.b = odd.b.view();
  EXPECT_EQ(odd.error(), "operand metadata: expected K of a multiple of 4, got "
                         "6");
}

TEST(Sparse, initial) {
  auto layout = BufferLayout::create(DType::I32, {1, 1, 128, 4}, {});
  std::vector<uint8_t> bytes(layout->bytes());
  for (InitKind kind : {InitKind::TwoOfFour, InitKind::OneOfTwo}) {
    const SparseForm form =
        SparseForm::get(kind == InitKind::OneOfTwo ? 32 : 16);
    fill(*layout, {kind, 3}, bytes.data());
    std::set<unsigned> codes;
    for (uint8_t byte : bytes) {
      codes.insert(byte & 15);
      codes.insert(byte >> 4);
    }
    const std::vector<unsigned> all = sparseCodes(form);
    EXPECT_EQ(codes, std::set<unsigned>(all.begin(), all.end()));
  }
}

} // namespace
