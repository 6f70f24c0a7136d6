//===- ParamsTest.cpp - Packing of parameters -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offsets, widths, ranges and every refusal of the packer.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Params.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tc;
using namespace tc::runtime;

namespace {

/// One buffer "A" of 64 bytes after 12 others; tensor maps are 128 times their
/// box size.
struct FakeResolver final : ParamResolver {
  Sizes values = {{"M", 5}, {"Z", 0}};
  const Sizes &sizes() const override { return values; }
  double scalar(const std::string &) const override { return 0.5; }
  BufferPlace locate(const std::string &) const override {
    return {0x100000, 64, 12};
  }
  Expected<std::array<uint8_t, 128>>
  encodeTensorMap(const TensorMapArguments &map) const override {
    if (map.box[0] == 0)
      return makeError("box[0]: expected 1 to 256, got 0");
    std::array<uint8_t, 128> bytes;
    bytes.fill(static_cast<uint8_t>(map.box[0]));
    return bytes;
  }
};

} // namespace

static std::vector<ParamSpec> parseParams(const std::string &list) {
  auto description = Description::parse(
      R"({"sizes": ["M", "Z"], "kernels": [{}],
          "buffers": {"A": {"dtype": "f32", "shape": [16]}},
          "launches": [{"params": [)" +
          list + "]}]}",
      "x.json");
  EXPECT_TRUE(description) << description.error().message;
  return description ? description->launches[0].params
                     : std::vector<ParamSpec>();
}

static std::vector<uint8_t> pack(const std::string &list,
                                 const emu::KernelInfo *kernel = nullptr) {
  auto block = packParams(parseParams(list), FakeResolver(), kernel, "here");
  EXPECT_TRUE(block) << block.error().message;
  return block ? *block : std::vector<uint8_t>();
}

static std::string errorOfParams(const std::string &list,
                                 const emu::KernelInfo *kernel = nullptr) {
  auto block = packParams(parseParams(list), FakeResolver(), kernel, "here");
  return block ? "" : block.error().message;
}

template <typename T>
static T at(const std::vector<uint8_t> &block, size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof(T), block.size());
  if (offset + sizeof(T) <= block.size())
    std::memcpy(&value, block.data() + offset, sizeof(T));
  return value;
}

TEST(Params, naturalAlignment) {
  std::vector<uint8_t> block =
      pack(R"({"i8": -1}, {"i32": "M * 2"}, {"u16": 65535}, {"pointer": "A"},
              {"f32": 1.5}, {"f64": 0.1}, {"f16": 1}, {"bf16": 1},
              {"pointer": "A", "offset": 64}, {"pointer": null}, {"i64": -2},
              {"u32": 4294967295})");
  EXPECT_EQ(at<int8_t>(block, 0), -1);
  EXPECT_EQ(at<int32_t>(block, 4), 10);
  EXPECT_EQ(at<uint16_t>(block, 8), 65535);
  EXPECT_EQ(at<uint64_t>(block, 16), 0x100000u);
  EXPECT_EQ(at<float>(block, 24), 1.5f);
  EXPECT_EQ(at<double>(block, 32), 0.1);
  EXPECT_EQ(at<uint16_t>(block, 40), 0x3c00);
  EXPECT_EQ(at<uint16_t>(block, 42), 0x3f80);
  EXPECT_EQ(at<uint64_t>(block, 48), 0x100040u);
  EXPECT_EQ(at<uint64_t>(block, 56), 0u);
  EXPECT_EQ(at<int64_t>(block, 64), -2);
  EXPECT_EQ(at<uint32_t>(block, 72), 4294967295u);
  EXPECT_EQ(block.size(), 76u);
}

static const char *const tensorMap =
    R"({"tensor_map": {"buffer": "A", "dims": [4, 4], "strides": [16],
                       "box": [3, 1]}})";

TEST(Params, tensorMapsAreAligned) {
  std::vector<uint8_t> block =
      pack(std::string(R"({"i32": 1}, )") + tensorMap + R"(, {"i32": 2})");
  EXPECT_EQ(block.size(), 64u + 128 + 4);
  EXPECT_EQ(block[63], 0);
  EXPECT_EQ(block[64], 3);
  EXPECT_EQ(block[191], 3);
  EXPECT_EQ(at<int32_t>(block, 192), 2);
}

TEST(Params, structs) {
  std::vector<uint8_t> block =
      pack(std::string(R"({"i32": 7}, {"struct": {"size": 192, "fields": [
        {"at": 128, "pointer": "A"}, {"at": 136, "i64": 4}, {"at": 0, )") +
           (tensorMap + 1) + R"(]}})");
  EXPECT_EQ(block.size(), 64u + 192);
  EXPECT_EQ(block[64], 3);
  EXPECT_EQ(at<uint64_t>(block, 64 + 128), 0x100000u);
  EXPECT_EQ(at<uint64_t>(block, 64 + 136), 4u);
  EXPECT_EQ(at<uint64_t>(block, 64 + 144), 0u);
}

TEST(Params, goWhereThePTXSays) {
  emu::KernelInfo kernel;
  kernel.name = "k";
  kernel.params = {{"x", 0, 4, 4}, {"map", 64, 128, 64}, {"n", 200, 4, 4}};
  kernel.paramBytes = 208;
  std::vector<uint8_t> block = pack(
      std::string(R"({"i32": 1}, )") + tensorMap + R"(, {"i32": 2})", &kernel);
  EXPECT_EQ(block.size(), 208u);
  EXPECT_EQ(block[64], 3);
  EXPECT_EQ(at<int32_t>(block, 200), 2);

  EXPECT_EQ(errorOfParams(R"({"i32": 1})", &kernel),
            "here: kernel 'k': expected 3 parameters, got 1 (the PTX names: "
            "x, map, n)");
  EXPECT_EQ(errorOfParams(std::string(R"({"i64": 1}, )") + tensorMap +
                              R"(, {"i32": 2})",
                          &kernel),
            "x.json: launches[0].params[0]: expected 4 bytes for parameter "
            "'x' of kernel 'k', got 8 (i64)");
  kernel.params[1].offset = 8;
  EXPECT_EQ(errorOfParams(std::string(R"({"i32": 1}, )") + tensorMap +
                              R"(, {"i32": 2})",
                          &kernel),
            "x.json: launches[0].params[1]: expected a multiple of 64 bytes "
            "as offset of a tensor map, got 8 for parameter 'map' of kernel "
            "'k'");
}

TEST(Params, errors) {
  const std::string where = "x.json: launches[0].params[0]";
  EXPECT_EQ(errorOfParams(R"({"i32": 2147483648})"),
            where + ": i32: expected a value in [-2147483648, 2147483647], "
                    "got 2147483648");
  EXPECT_EQ(errorOfParams(R"({"u8": -1})"),
            where + ": u8: expected a value in [0, 255], got -1");
  EXPECT_EQ(errorOfParams(R"({"u64": -1})"),
            where + ": u64: expected a value >= 0, got -1");
  EXPECT_EQ(errorOfParams(R"({"i32": "1 floordiv Z"})"),
            where + ": i32: division by zero");
  EXPECT_EQ(errorOfParams(R"({"pointer": "A", "offset": 65})"),
            where + ": offset into buffer 'A': expected a value in [-12, 64], "
                    "got 65");
  EXPECT_EQ(errorOfParams(R"({"pointer": "A", "offset": -13})"),
            where + ": offset into buffer 'A': expected a value in [-12, 64], "
                    "got -13");
  EXPECT_EQ(errorOfParams(R"({"struct": {"size": 8, "fields": [
                        {"at": 4, "i64": 1}]}})"),
            where + ".struct.fields[0]: expected a field that ends within the "
                    "8 bytes of the struct, got one that ends at 12");
  EXPECT_EQ(errorOfParams(R"({"struct": {"size": 8, "fields": [
                        {"at": 0, "i32": 1}, {"at": 2, "i16": 1}]}})"),
            where + ".struct.fields[1]: the field at 2 overlaps one before it");
  EXPECT_EQ(errorOfParams(std::string(R"({"struct": {"size": 256, "fields": [
                        {"at": 32, )") +
                          (tensorMap + 1) + "]}}"),
            where + ".struct.fields[0]: expected a tensor map at a multiple "
                    "of 64 bytes, got one at 32");
  EXPECT_EQ(errorOfParams(R"({"tensor_map": {"buffer": "A", "dims": [4],
                                       "box": [0]}})"),
            where + ".tensor_map: box[0]: expected 1 to 256, got 0");
  EXPECT_EQ(
      errorOfParams(R"({"tensor_map": {"buffer": "A", "dims": [4, "Z - M"],
                                       "strides": [16], "box": [1, 1]}})"),
      where + ".tensor_map: dims[1]: expected a value >= 0, got -5");
}

TEST(Params, emptyDimensionsOfTensorMapsBecomeOne) {
  std::vector<ParamSpec> params = parseParams(
      R"({"tensor_map": {"buffer": "A", "dims": ["Z", "M"],
                         "strides": ["Z * 4"], "box": [4, 4]}})");
  auto map = resolveTensorMap(params[0].tensorMap[0], FakeResolver(), "w");
  ASSERT_TRUE(map);
  EXPECT_EQ(map->dims, (std::vector<uint64_t>{1, 5}));
  EXPECT_EQ(map->strides, (std::vector<uint64_t>{32}));
  EXPECT_EQ(map->elementStrides, (std::vector<uint64_t>{1, 1}));
  EXPECT_EQ(map->type, "f32");
}
