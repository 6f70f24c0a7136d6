//===- BufferTest.cpp - Layouts, values and files ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes with and without strides, the values that each init gives, and files
// that are too short, too long or cannot be had.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Buffer.h"

#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <set>
#include <sys/stat.h>

using namespace tc::runtime;

static std::string errorOf(DType type, std::vector<int64_t> shape,
                           std::vector<int64_t> strides = {}) {
  Expected<BufferLayout> layout =
      BufferLayout::create(type, std::move(shape), std::move(strides));
  return layout ? "" : layout.error().message;
}

static std::vector<double> values(const BufferLayout &layout,
                                  const InitSpec &init) {
  std::vector<uint8_t> data(layout.bytes());
  fill(layout, init, data.data());
  std::vector<double> result;
  layout.forEach([&](const std::vector<int64_t> &, uint64_t element) {
    result.push_back(
        decode(layout.type,
               readElement(data.data(), element, getInfo(layout.type).bits)));
  });
  return result;
}

TEST(BufferLayout, denseAndStrided) {
  auto dense = BufferLayout::create(DType::BF16, {3, 5});
  ASSERT_TRUE(dense);
  EXPECT_EQ(dense->strides, (std::vector<int64_t>{5, 1}));
  EXPECT_EQ(dense->bytes(), 30u);
  EXPECT_FALSE(dense->hasGaps());
  auto strided = BufferLayout::create(DType::F32, {3, 5}, {8, 1});
  ASSERT_TRUE(strided);
  EXPECT_EQ(strided->bytes(), (2 * 8 + 5) * 4u);
  EXPECT_TRUE(strided->hasGaps());
  std::vector<uint64_t> order;
  strided->forEach([&](const std::vector<int64_t> &index, uint64_t element) {
    EXPECT_EQ(element, static_cast<uint64_t>(index[0] * 8 + index[1]));
    order.push_back(element);
  });
  EXPECT_EQ(order.size(), 15u);
  EXPECT_EQ(order.back(), 20u);
  auto packed = BufferLayout::create(DType::E2M1, {3, 3});
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->bytes(), 5u);
  auto scalar = BufferLayout::create(DType::F64, {});
  ASSERT_TRUE(scalar);
  EXPECT_EQ(scalar->bytes(), 8u);
}

TEST(BufferLayout, emptyShapesTakeNothing) {
  auto layout = BufferLayout::create(DType::F32, {0, 1024});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->bytes(), 0u);
  EXPECT_EQ(layout->elements(), 0u);
  layout->forEach([](const std::vector<int64_t> &, uint64_t) { FAIL(); });
}

TEST(BufferLayout, errors) {
  EXPECT_EQ(errorOf(DType::F32, {2, -1}),
            "expected a size >= 0 of dimension 1, got -1");
  EXPECT_EQ(errorOf(DType::F32, {2, 3}, {-3, 1}),
            "expected a stride >= 0 of dimension 0, got -3");
  EXPECT_EQ(errorOf(DType::F32, {2, 3}, {3}),
            "expected 2 strides, one per dimension, got 1");
  const char *tooLarge = "the size in bytes exceeds 2^62";
  EXPECT_EQ(errorOf(DType::F32, {INT64_MAX, 2}), tooLarge);
  EXPECT_EQ(errorOf(DType::F32, {INT64_MAX, 0, INT64_MAX}), tooLarge);
  EXPECT_EQ(errorOf(DType::F64, {INT64_MAX / 16}), tooLarge);
  EXPECT_EQ(errorOf(DType::F32, {3, 3}, {INT64_MAX / 2, INT64_MAX / 2}),
            tooLarge);
}

TEST(Init, namesAndSeeds) {
  auto plain = InitSpec::parse("normal", 7);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->kind, InitKind::Normal);
  EXPECT_EQ(plain->seed, 7u);
  auto seeded = InitSpec::parse("integers:18446744073709551615");
  ASSERT_TRUE(seeded);
  EXPECT_EQ(seeded->seed, UINT64_MAX);
  EXPECT_EQ(InitSpec::parse("gauss").error().message,
            "expected one of zeros ones normal uniform integers pattern "
            "sequence poison two_of_four one_of_two ends counts, got "
            "'gauss'");
  for (const char *text :
       {"normal:", "normal:x", "normal:-1", "normal:18446744073709551616"})
    EXPECT_NE(InitSpec::parse(text).error().message.find(
                  "expected a seed of decimal digits below 2^64"),
              std::string::npos)
        << text;
}

TEST(Init, values) {
  auto layout = BufferLayout::create(DType::F32, {100, 100});
  ASSERT_TRUE(layout);
  for (double value : values(*layout, {InitKind::Zeros, 0}))
    EXPECT_EQ(value, 0);
  for (double value : values(*layout, {InitKind::Ones, 0}))
    EXPECT_EQ(value, 1);
  for (double value : values(*layout, {InitKind::Poison, 0}))
    EXPECT_TRUE(std::isnan(value));
  auto sequence = values(*layout, {InitKind::Sequence, 0});
  EXPECT_EQ(sequence[0], 0);
  EXPECT_EQ(sequence[9999], 9999);

  double mean = 0, square = 0;
  auto normal = values(*layout, {InitKind::Normal, 1});
  for (double value : normal) {
    mean += value / 1e4;
    square += value * value / 1e4;
  }
  EXPECT_NEAR(mean, 0, 0.05);
  EXPECT_NEAR(square, 1, 0.05);
  EXPECT_EQ(normal, values(*layout, {InitKind::Normal, 1}));
  EXPECT_NE(normal, values(*layout, {InitKind::Normal, 2}));

  mean = 0;
  for (double value : values(*layout, {InitKind::Uniform, 1})) {
    EXPECT_LE(std::fabs(value), 1);
    mean += value / 1e4;
  }
  EXPECT_NEAR(mean, 0, 0.05);

  auto integers = values(*layout, {InitKind::Integers, 1});
  EXPECT_EQ(std::set<double>(integers.begin(), integers.end()),
            (std::set<double>{-4, -3, -2, -1, 0, 1, 2, 3, 4}));
}

TEST(Init, sameBitsOnEveryMachine) {
  // Frozen values: inputs of recorded results must not change.
  auto layout = BufferLayout::create(DType::F32, {4});
  ASSERT_TRUE(layout);
  EXPECT_EQ(values(*layout, {InitKind::Integers, 1}),
            (std::vector<double>{1, -3, -4, 1}));
  EXPECT_EQ(values(*layout, {InitKind::Normal, 1}),
            (std::vector<double>{0.915435791015625, -0.8805694580078125,
                                 -0.425079345703125, -1.0269927978515625}));
}

TEST(Init, everyTypeTakesExactSmallIntegers) {
  for (const char *name : {"f32", "f16", "bf16", "tf32", "e5m2", "e4m3", "e3m2",
                           "e2m3", "e2m1", "ue4m3", "i8", "u8", "i32", "i64"}) {
    auto layout = BufferLayout::create(*findDType(name), {50, 7});
    ASSERT_TRUE(layout);
    for (InitKind kind : {InitKind::Integers, InitKind::Pattern}) {
      std::set<double> seen;
      for (double value : values(*layout, {kind, 3})) {
        EXPECT_EQ(value, std::nearbyint(value)) << name;
        EXPECT_LE(std::fabs(value), 15) << name;
        seen.insert(value);
      }
      EXPECT_GE(seen.size(), 5u) << name;
    }
  }
  auto scales = BufferLayout::create(DType::UE8M0, {100});
  ASSERT_TRUE(scales);
  for (double value : values(*scales, {InitKind::Integers, 3}))
    EXPECT_TRUE(value == 1 || value == 2 || value == 4) << value;
}

TEST(Init, patternTellsNeighboursApart) {
  auto layout = BufferLayout::create(DType::BF16, {40, 40});
  ASSERT_TRUE(layout);
  auto pattern = values(*layout, {InitKind::Pattern, 0});
  for (int64_t i = 0; i + 1 < 40; ++i)
    for (int64_t j = 0; j + 1 < 40; ++j) {
      EXPECT_NE(pattern[i * 40 + j], pattern[i * 40 + j + 1]);
      EXPECT_NE(pattern[i * 40 + j], pattern[(i + 1) * 40 + j]);
    }
}

TEST(Gaps, filledAndWatched) {
  auto layout = BufferLayout::create(DType::BF16, {3, 4}, {6, 1});
  ASSERT_TRUE(layout);
  std::vector<uint8_t> before(layout->bytes());
  fill(*layout, {InitKind::Zeros, 0}, before.data());
  EXPECT_EQ(readElement(before.data(), 4, 16), 0xffffu);
  std::vector<uint8_t> after = before;
  writeElement(after.data(), 7, 16, 0x1234); // inside of the shape
  EXPECT_FALSE(findChangedGap(*layout, before, after));
  writeElement(after.data(), 11, 16, 0x1234);
  EXPECT_EQ(findChangedGap(*layout, before, after), 11u);
}

TEST(Files, wholeOrNotAtAll) {
  const std::string folder = testing::TempDir() + "tc-runtime-files";
  mkdir(folder.c_str(), 0777);
  const std::string path = folder + "/a.bin";
  ASSERT_TRUE(writeFile(path, {1, 2, 3}));
  auto bytes = readFile(path);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, (std::vector<uint8_t>{1, 2, 3}));
  EXPECT_TRUE(readFile(path, 3));
  EXPECT_EQ(readFile(path, 4).error().message,
            path + ": expected 4 bytes, got 3");
  EXPECT_EQ(readFile(folder).error().message,
            folder + ": expected a file, got a folder");
  EXPECT_EQ(readFile(folder + "/none").error().message,
            folder + "/none: cannot open: No such file or directory");
  EXPECT_EQ(writeFile(folder + "/none/a.bin", {1}).error().message,
            folder + "/none/a.bin: cannot write: No such file or directory");
  EXPECT_EQ(writeFile(folder, {1}).error().message,
            folder + ": expected a file, got a folder");
  std::remove(path.c_str());
  // Nothing of the failed writes is left: the folder is empty.
  EXPECT_EQ(std::remove(folder.c_str()), 0);
}

TEST(Init, endsRiseToTheLimitAndSomeGroupsAreEmpty) {
  auto layout = BufferLayout::create(DType::I32, {40});
  ASSERT_TRUE(layout);
  unsigned empty = 0, whole = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    double before = 0;
    for (double end : values(*layout, {InitKind::Ends, seed, 1000})) {
      EXPECT_GE(end, before);
      EXPECT_LE(end, 1000);
      empty += end == before;
      before = end;
    }
    whole += before == 1000;
  }
  EXPECT_GT(empty, 100u);
  EXPECT_GT(whole, 0u);
  EXPECT_LT(whole, 20u);
  for (double end : values(*layout, {InitKind::Ends, 1, 0}))
    EXPECT_EQ(end, 0);
}

TEST(Init, countsHaveTheirBounds) {
  auto layout = BufferLayout::create(DType::I32, {400});
  ASSERT_TRUE(layout);
  unsigned none = 0, all = 0;
  for (double count : values(*layout, {InitKind::Counts, 3, 100})) {
    EXPECT_GE(count, 0);
    EXPECT_LE(count, 100);
    none += count == 0;
    all += count == 100;
  }
  EXPECT_GT(none, 50u);
  EXPECT_GT(all, 50u);
  EXPECT_LT(none + all, 300u);
}
