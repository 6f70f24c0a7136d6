//===- DescriptionTest.cpp - Reading descriptions ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a good file becomes, and the corpus of bad ones: each file in data/bad
// holds the diagnostic that it has to give in its member "expect".
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Description.h"
#include "Runtime/Description/Json.h"

#include <algorithm>
#include <cmath>
#include <dirent.h>
#include <gtest/gtest.h>
#include <limits>

using namespace tc::runtime;

static const std::string badFolder = TC_TEST_DATA "/bad/";

static std::string errorOfFile(const std::string &path) {
  Expected<Description> description = Description::readFile(path);
  return description ? "" : description.error().message;
}

/// The member "expect", nothing where the file is no JSON object.
static std::optional<std::string> expectedError(const std::string &path) {
  auto bytes = readFile(path);
  if (!bytes)
    return std::nullopt;
  auto root = JsonValue::parse(
      std::string_view(reinterpret_cast<const char *>(bytes->data()),
                       bytes->size()),
      path);
  if (!root || !root->isObject())
    return std::nullopt;
  auto text = root->get("expect");
  if (!text)
    return std::nullopt;
  return *text->asString();
}

TEST(BadDescriptions, eachSaysWhatIsWrong) {
  DIR *folder = opendir(badFolder.c_str());
  ASSERT_NE(folder, nullptr);
  unsigned count = 0;
  while (dirent *entry = readdir(folder)) {
    const std::string path = badFolder + entry->d_name;
    std::optional<std::string> expected = expectedError(path);
    if (!expected)
      continue;
    EXPECT_EQ(errorOfFile(path), path + ": " + *expected);
    ++count;
  }
  closedir(folder);
  EXPECT_GE(count, 70u);
}

TEST(BadDescriptions, noJson) {
  auto check = [](const std::string &name, const std::string &start) {
    const std::string path = badFolder + name;
    const std::string error = errorOfFile(path);
    EXPECT_EQ(error.substr(0, path.size() + 2 + start.size()),
              path + ": " + start);
  };
  check("root-array.json", "expected an object, got an array of 0");
  check("root-number.json", "expected an object, got 17");
  check("truncated.json", "parse error at line 1, column 40: ");
  check("empty.json", "parse error at line 1, column 1: ");
  check("not-json.json", "parse error at line 1, column 1: ");
  check("deep.json", "parse error at line 1, column 5001: ");
  check("bad-utf8.json", "parse error at line 1, column 8: ");
  EXPECT_EQ(errorOfFile(badFolder + "none.json"),
            badFolder + "none.json: cannot open: No such file or directory");
}

static Description parseGood(const std::string &text,
                             const std::string &path = "x.json") {
  Expected<Description> description = Description::parse(text, path);
  EXPECT_TRUE(description) << description.error().message;
  return description ? std::move(*description) : Description();
}

TEST(Description, launchFile) {
  Description description = parseGood(R"({
    "entry": "add", "grid": [2, 1, 1], "block": [192, 1, 1],
    "cluster": [2, 1, 1], "dynamic_smem": 200000, "programmatic_launch": true,
    "buffers": {
      "A": {"dtype": "bf16", "shape": [512, 256], "init": "normal", "seed": 1},
      "B": {"dtype": "bf16", "shape": [512, 256], "file": "b.bin"},
      "C": {"dtype": "bf16", "shape": [512, 512], "init": "zeros",
            "out": "/tmp/c.bin", "address": 4294967296}},
    "params": [
      {"tensor_map": {"buffer": "A", "dims": [256, 512], "strides": [512],
                      "box": [64, 128], "swizzle": "128B",
                      "l2_promotion": "128B"}},
      {"pointer": null}, {"pointer": "C", "offset": 16}, {"i32": 512},
      {"f32": 1.5},
      {"struct": {"size": 16, "fields": [{"at": 8, "i64": 4}]}}]})",
                                      "folder/x.json");
  ASSERT_EQ(description.kernels.size(), 1u);
  EXPECT_EQ(description.kernels[0].entry, "add");
  EXPECT_EQ(*description.kernels[0].block[0].evaluate({}), 192);
  EXPECT_TRUE(description.kernels[0].programmaticLaunch);
  ASSERT_EQ(description.launches.size(), 1u);
  EXPECT_EQ(*description.launches[0].grid[0].evaluate({}), 2);
  const BufferSpec *a = description.findBuffer("A");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->type, DType::BF16);
  EXPECT_EQ(a->init.kind, InitKind::Normal);
  EXPECT_EQ(a->init.seed, 1u);
  EXPECT_EQ(description.findBuffer("B")->inFile, "folder/b.bin");
  EXPECT_EQ(description.findBuffer("B")->init.kind, InitKind::Zeros);
  EXPECT_EQ(description.findBuffer("C")->outFile, "/tmp/c.bin");
  EXPECT_EQ(description.findBuffer("C")->address, 4294967296u);
  EXPECT_EQ(description.findBuffer("D"), nullptr);
  const std::vector<ParamSpec> &params = description.launches[0].params;
  ASSERT_EQ(params.size(), 6u);
  EXPECT_EQ(params[0].tensorMap.at(0).type, "bf16"); // that of the buffer
  EXPECT_EQ(params[0].tensorMap.at(0).swizzle, "128B");
  EXPECT_EQ(params[1].kind, ParamSpec::Kind::Pointer);
  EXPECT_EQ(params[1].buffer, "");
  EXPECT_EQ(params[2].buffer, "C");
  EXPECT_EQ(params[4].number, 1.5);
  EXPECT_EQ(params[5].fields.at(0).first, 8u);
}

/// Every object of a file with one letter of one key too many.
TEST(Description, floatsThatAreNotFinite) {
  Description description = parseGood(R"({"scalars": [{"name": "alpha"}],
    "params": [{"f32": "inf"}, {"f64": "-inf"}, {"f16": "nan"},
               {"f32": "alpha"}, {"f32": -1}]})");
  const std::vector<ParamSpec> &params = description.launches[0].params;
  ASSERT_EQ(params.size(), 5u);
  EXPECT_EQ(params[0].number, std::numeric_limits<double>::infinity());
  EXPECT_EQ(params[1].number, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(params[2].number));
  EXPECT_EQ(params[3].scalar, "alpha");
  EXPECT_EQ(params[4].number, -1);
}

TEST(Description, unknownKeys) {
  const std::string launch = R"json({
    "entry": "k", "grid": [1, 1, 1], "block": [32, 1, 1],
    "sizes": [{"name": "M"}],
    "scalars": [{"name": "s", "dtype": "f32"}],
    "constraints": [{"check": 1, "message": "no"}],
    "variables": {"v": {"bytes": "00"}},
    "buffers": {
      "A": {"dtype": "bf16", "shape": [64, 64],
            "contains": [{"at": 0, "i64": 4}]}},
    "params": [
      {"tensor_map": {"buffer": "A", "dims": [64, 64, 1], "strides": [128, 4],
                      "swizzle": "128B", "im2col": {"lower": [0],
                      "upper": [0], "channels": 64, "pixels": 64}}},
      {"pointer": "A", "offset": 16},
      {"struct": {"size": 16, "fields": [{"at": 8, "i64": 4}]}}]})json";
  const std::string description = R"json({
    "version": 1, "functions": [{"function": "other", "any": 1}, {
    "function": "f", "arguments": ["A"], "results": [{"buffer": "A"}],
    "buffers": {"A": {"dtype": "f32", "shape": [64, 64], "role": "inout"}},
    "kernels": [{"entry": "k", "block": [128, 1, 1]}],
    "launches": [{"kernel": 0, "grid": [1, 1, 1], "when": 1}],
    "problems": [{"formula": "D = epilogue(A * B)", "m": 64, "n": 64, "k": 64,
      "launch": 0, "a": {"buffer": "A"}, "b": {"buffer": "A"},
      "d": {"buffer": "A"},
      "epilogue": {"operands": [{"name": "x", "buffer": "A"}],
                   "steps": [{"name": "t", "op": "add", "args": ["acc", "x"],
                              "type": "f32"}], "result": "t"}}]}]})json";
  struct {
    const std::string &text;
    const char *key, *where;
  } const cases[] = {
      {launch, "entry", ""},
      {launch, "block", ""},
      {launch, "name", "sizes[0]"},
      {launch, "dtype", "scalars[0]"},
      {launch, "message", "constraints[0]"},
      {launch, "bytes", "variables.v"},
      {launch, "contains", "buffers.A"},
      {launch, "at", "buffers.A.contains[0]"},
      {launch, "swizzle", "params[0].tensor_map"},
      {launch, "channels", "params[0].tensor_map.im2col"},
      {launch, "offset", "params[1]"},
      {launch, "fields", "params[2].struct"},
      {launch, "i64", "params[2].struct.fields[0]"},
      {description, "functions", ""},
      {description, "arguments", "functions[1]"},
      {description, "buffer", "functions[1].results[0]"},
      {description, "role", "functions[1].buffers.A"},
      {description, "entry", "functions[1].kernels[0]"},
      {description, "when", "functions[1].launches[0]"},
      {description, "formula", "functions[1].problems[0]"},
      {description, "buffer", "functions[1].problems[0].a"},
      {description, "result", "functions[1].problems[0].epilogue"},
      {description, "name", "functions[1].problems[0].epilogue.operands[0]"},
      {description, "op", "functions[1].problems[0].epilogue.steps[0]"},
  };
  auto parse = [](const std::string &text) {
    return Description::parse(
        text, "x.json", text.find("functions") == std::string::npos ? "" : "f");
  };
  for (const std::string *text : {&launch, &description}) {
    auto good = parse(*text);
    EXPECT_TRUE(good) << good.error().message;
  }
  for (const auto &[text, key, where] : cases) {
    auto document = nlohmann::json::parse(text);
    // "a[1].b" as the library writes it: "/a/1/b".
    std::string pointer = where;
    for (char &c : pointer)
      if (c == '.' || c == '[')
        c = '/';
    pointer.erase(std::remove(pointer.begin(), pointer.end(), ']'),
                  pointer.end());
    if (!pointer.empty())
      pointer = '/' + pointer;
    auto &object = document[nlohmann::json::json_pointer(pointer)];
    ASSERT_TRUE(object.is_object()) << where;
    object[std::string(key) + "x"] = 1;
    auto bad = parse(document.dump());
    EXPECT_FALSE(bad) << where << " " << key;
    if (!bad)
      EXPECT_EQ(bad.error().message,
                std::string("x.json: ") + where + (*where ? ": " : "") +
                    "unknown key '" + key + "x', the nearest known one is '" +
                    key + "'");
  }
}

TEST(Description, kernelDescription) {
  Description description = parseGood(R"({
    "version": 1, "chip": "sm_100a", "function": "matmul",
    "sizes": ["M", {"name": "N", "buffer": "B", "dimension": 0}],
    "constraints": [{"check": "N * 2 mod 16 == 0", "message": "N is odd"}],
    "buffers": {
      "A": {"dtype": "bf16", "shape": ["M", 64], "role": "in"},
      "B": {"dtype": "bf16", "shape": ["N", 64], "role": "in"},
      "D": {"dtype": "f32", "shape": ["M", "N"], "strides": ["N + 8", 1],
            "role": "out"},
      "E": {"dtype": "f32", "shape": ["M", "N"], "role": "inout"}},
    "kernels": [{"entry": "k", "block": [128, 1, 1]}],
    "launches": [{"kernel": 0, "grid": ["M ceildiv 128", "N ceildiv 64", 1],
                  "when": "min(M, N) > 0", "params": [{"i32": "M"}]}],
    "problems": [{"formula": "D = A * B + E", "m": "M", "n": "N", "k": 64,
                  "a": {"buffer": "A"},
                  "b": {"buffer": "B", "transposed": true},
                  "c": {"buffer": "E"}, "d": {"buffer": "D"}}]})");
  EXPECT_EQ(description.chip, "sm_100a");
  EXPECT_FALSE(description.kernels[0].programmaticLaunch);
  EXPECT_EQ(description.sizes, (std::vector<std::string>{"M", "N"}));
  ASSERT_EQ(description.constraints.size(), 1u);
  EXPECT_EQ(description.constraints[0].message, "N is odd");
  const Sizes sizes = {{"M", 200}, {"N", 136}};
  EXPECT_EQ(*description.launches.at(0).grid[1].evaluate(sizes), 3);
  EXPECT_EQ(*description.launches[0].when->evaluate(sizes), 1);
  EXPECT_EQ(*description.findBuffer("D")->strides[0].evaluate(sizes), 144);
  // Inputs are random, outputs show what was not written.
  EXPECT_EQ(description.findBuffer("A")->init.kind, InitKind::Normal);
  EXPECT_EQ(description.findBuffer("D")->init.kind, InitKind::Poison);
  EXPECT_EQ(description.findBuffer("E")->init.kind, InitKind::Normal);
  EXPECT_NE(description.findBuffer("A")->init.seed,
            description.findBuffer("B")->init.seed);
  ASSERT_EQ(description.problems.size(), 1u);
  EXPECT_TRUE(description.problems[0].b.transposed);
  EXPECT_FALSE(description.problems[0].a.transposed);
  EXPECT_EQ(description.problems[0].c->buffer, "E");
}
