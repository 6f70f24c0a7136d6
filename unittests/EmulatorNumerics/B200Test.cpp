//===- B200Test.cpp - Results measured on a B200 ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dot products of data/b200-mma (attribution in its README), bit for bit.
// The tf32 vectors use 4 of the 8 products of a tf32 MMA, and the results were
// probably taken through wmma or mma.sync: that tcgen05 rounds f16, bf16 and
// tf32 alike is an inference.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Numerics/MmaBlock.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <fstream>
#include <sstream>

using namespace tc::emu;

namespace {

struct Vector {
  std::vector<uint32_t> a, b;
  uint32_t c, d;
};

std::vector<Vector> readVectors(const std::string &name) {
  std::ifstream file(std::string(TC_TEST_DATA) + "/b200-mma/" + name);
  std::vector<Vector> vectors;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#')
      continue;
    Vector v;
    std::istringstream words(line);
    std::string word;
    unsigned part = 0;
    while (words >> word) {
      if (word == "|") {
        ++part;
        continue;
      }
      uint32_t value = static_cast<uint32_t>(std::stoul(word, nullptr, 16));
      if (part == 0)
        v.a.push_back(value);
      else if (part == 1)
        v.b.push_back(value);
      else
        (part == 2 ? v.c : v.d) = value;
    }
    vectors.push_back(v);
  }
  return vectors;
}

/// Runs one file through the reference model and through both paths of the
/// blocked one, 16 vectors as the columns of one row; returns the vectors that
/// every one of them reproduced.
unsigned countEqual(const char *name, NumberFormat format, DotKind kind) {
  const DotRule &rule = dotRule(kind);
  bool half = rule.accumulator == NumberFormat::F16;
  unsigned equal = 0;
  std::vector<Vector> vectors = readVectors(name);
  EXPECT_EQ(vectors.size(), 2500u) << name;
  for (const Vector &v : vectors) {
    std::vector<uint32_t> a(rule.group), b(rule.group);
    for (size_t i = 0; i < v.a.size(); ++i) {
      a[i] = encodeNumber(format, floatFromBits(v.a[i]),
                          RoundingMode::NearestEven, false);
      b[i] = encodeNumber(format, floatFromBits(v.b[i]),
                          RoundingMode::NearestEven, false);
      // The inputs are exact in their format: nothing is rounded here.
      EXPECT_EQ(bitsFromFloat(decodeFloat(format, a[i])), v.a[i]);
      EXPECT_EQ(bitsFromFloat(decodeFloat(format, b[i])), v.b[i]);
    }
    uint32_t c = half ? encodeNumber(NumberFormat::F16, floatFromBits(v.c),
                                     RoundingMode::NearestEven, false)
                      : v.c;
    auto widen = [&](uint32_t bits) {
      return half ? bitsFromFloat(decodeFloat(NumberFormat::F16, bits)) : bits;
    };
    bool same =
        widen(fusedDotAdd(rule, format, a.data(), format, b.data(), c)) == v.d;
    OperandPlanes pa, pb;
    decodeOperand(pa, false, format, 1, rule.group, a.data());
    decodeOperand(pb, true, format, 1, rule.group, b.data());
    for (MmaPath path : {MmaPath::Auto, MmaPath::General}) {
      uint32_t cell = c;
      uint32_t *row = &cell;
      mmaStep(rule, pa, pb, &row, true, path);
      same = same && widen(cell) == v.d;
    }
    equal += same;
  }
  return equal;
}

TEST(B200, every_vector_is_reproduced_bit_for_bit) {
  unsigned equal =
      countEqual("bf16_acc_fp32.txt", NumberFormat::BF16, DotKind::F16toF32);
  equal +=
      countEqual("fp16_acc_fp32.txt", NumberFormat::F16, DotKind::F16toF32);
  equal +=
      countEqual("fp16_acc_fp16.txt", NumberFormat::F16, DotKind::F16toF16);
  equal += countEqual("tf32_acc_fp32.txt", NumberFormat::TF32, DotKind::TF32);
  std::printf("B200 vectors reproduced: %u of 10000\n", equal);
  EXPECT_EQ(equal, 10000u);
}

} // namespace
