//===- MlDtypesTest.cpp - Formats against those of ml_dtypes ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test/Formats/ml_dtypes.txt has what ml_dtypes makes of every code and of
// every bf16 and f16 number; test/Formats/record.py describes the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/DType.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

using namespace tc::runtime;

namespace {

struct Line {
  std::string what, format, source;
  std::vector<std::string> words;
};

std::vector<Line> recorded() {
  std::ifstream file(TC_ML_DTYPES);
  std::vector<Line> lines;
  for (std::string text; std::getline(file, text);) {
    if (text[0] == '#')
      continue;
    std::istringstream words(text);
    Line line;
    words >> line.what >> line.format;
    if (line.what != "decode")
      words >> line.source;
    for (std::string word; words >> word;)
      line.words.push_back(word);
    lines.push_back(std::move(line));
  }
  return lines;
}

uint64_t number(const std::string &text) {
  return std::stoull(text, nullptr, 16);
}

/// The code of each input, nothing where it is not in range.
std::vector<std::optional<uint64_t>> codesOf(const Line &line) {
  std::vector<std::optional<uint64_t>> codes(1 << 16);
  for (size_t i = 0; i < line.words.size(); ++i) {
    const std::string &word = line.words[i];
    size_t colon = word.find(':');
    size_t last = i + 1 < line.words.size() ? number(line.words[i + 1]) : 65536;
    if (word[colon + 1] != '-')
      std::fill(codes.begin() + static_cast<long>(number(word)),
                codes.begin() + static_cast<long>(last),
                number(word.substr(colon + 1)));
  }
  return codes;
}

} // namespace

TEST(MlDtypes, decoding) {
  unsigned formats = 0;
  for (const Line &line : recorded()) {
    if (line.what != "decode")
      continue;
    ++formats;
    DType type = *findDType(line.format);
    ASSERT_EQ(line.words.size(), size_t(1) << getInfo(type).bits);
    for (uint64_t code = 0; code < line.words.size(); ++code) {
      auto bits = static_cast<uint32_t>(number(line.words[code]));
      float expected;
      std::memcpy(&expected, &bits, sizeof(bits));
      // ml_dtypes has no e4m3 without a sign; those codes are the same.
      std::vector<DType> types = {type};
      if (type == DType::E4M3 && code < 128)
        types.push_back(DType::UE4M3);
      for (DType each : types) {
        double got = decode(each, code);
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(got)) << getInfo(each).name << ' ' << code;
          continue;
        }
        ASSERT_EQ(got, expected) << getInfo(each).name << ' ' << code;
        ASSERT_EQ(std::signbit(got), std::signbit(expected))
            << getInfo(each).name << ' ' << code;
      }
    }
  }
  EXPECT_EQ(formats, 6u);
}

TEST(MlDtypes, encoding) {
  unsigned tables = 0;
  for (const Line &line : recorded()) {
    if (line.what != "encode")
      continue;
    ++tables;
    DType type = *findDType(line.format), source = *findDType(line.source);
    std::vector<std::optional<uint64_t>> codes = codesOf(line);
    for (uint64_t input = 0; input < codes.size(); ++input) {
      if (!codes[input])
        continue;
      double value = decode(source, input);
      // ml_dtypes rounds every subnormal number up that is no power of two.
      if (type == DType::UE8M0 && value < std::ldexp(1.0, -126) &&
          value > std::ldexp(1.0, -127)) {
        ASSERT_EQ(*codes[input], 1u);
        ASSERT_EQ(encode(type, value), value < std::ldexp(1.5, -127) ? 0u : 1u);
        continue;
      }
      ASSERT_EQ(encode(type, value), *codes[input])
          << line.format << " of " << line.source << ' ' << value;
      if (type == DType::E4M3 && !std::signbit(value)) {
        ASSERT_EQ(encode(DType::UE4M3, value), *codes[input]) << value;
      }
    }
  }
  EXPECT_EQ(tables, 12u);
}

TEST(MlDtypes, halves) {
  unsigned tables = 0;
  for (const Line &line : recorded()) {
    if (line.what != "hash")
      continue;
    ++tables;
    DType type = *findDType(line.format), source = *findDType(line.source);
    std::vector<double> values;
    for (uint64_t input = 0; input < 1 << 16; ++input) {
      double value = decode(source, input);
      bool inRange =
          std::isfinite(value) && std::fabs(value) <= maxFinite(type);
      // The code 0 is that of 0.
      values.push_back(inRange ? value : 0);
    }
    std::vector<uint8_t> bytes(values.size() * 2);
    Encoder(type).write(values.data(), values.size(), bytes.data(), 0, 1);
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(readElement(bytes.data(), i, 16), encode(type, values[i]));
      for (uint8_t byte : {bytes[2 * i], bytes[2 * i + 1]})
        hash = (hash ^ byte) * 0x100000001b3u;
    }
    EXPECT_EQ(hash, number(line.words[0])) << line.format;
  }
  EXPECT_EQ(tables, 2u);
}
