//===- TmaBoxTest.cpp - Bytes that a tensor copy moves ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes against an element-by-element reading of the definition: coordinates
// below and beyond the tensor, 1 to 5 dimensions, element strides, fill values
// and the swizzle patterns of PTX ISA 9.0, "Swizzling Modes".
//
//===----------------------------------------------------------------------===//

#include "PtxHarness.h"

#include "Emulator/Engines/TMA/TmaBox.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

/// Global memory from `base` on, every byte its own value.
struct Memory {
  uint64_t base = 0x100000;
  std::vector<uint8_t> bytes;
  explicit Memory(size_t size) : bytes(size) {
    for (size_t i = 0; i < size; ++i)
      bytes[i] = static_cast<uint8_t>(i * 131 + (i >> 8) * 17 + 1);
  }
  bool holds(uint64_t address, uint64_t count) const {
    return address >= base && address + count <= base + bytes.size();
  }
  ReadGlobal reader() {
    return [this](uint64_t address, uint64_t count) -> const uint8_t * {
      return holds(address, count) ? &bytes[address - base] : nullptr;
    };
  }
  WriteGlobal writer() {
    return [this](uint64_t address, uint64_t count) -> uint8_t * {
      return holds(address, count) ? &bytes[address - base] : nullptr;
    };
  }
};

TensorMapDesc makeMap(TensorMapType type, std::vector<uint64_t> dims,
                      std::vector<uint32_t> box, unsigned elementBytes) {
  TensorMapDesc d;
  d.dtype = type;
  d.rank = static_cast<unsigned>(dims.size());
  d.globalAddress = 0x100000;
  uint64_t stride = elementBytes;
  for (unsigned i = 0; i < d.rank; ++i) {
    d.dims[i] = dims[i];
    d.box[i] = box[i];
    stride = (stride * dims[i] + 15) / 16 * 16;
    d.strides[i] = i + 1 < d.rank ? stride : 0;
  }
  return d;
}

/// The definition, one element at a time.
std::vector<uint8_t> expectedBox(const TensorMapDesc &d,
                                 const std::array<int32_t, 5> &coords,
                                 const Memory &memory, unsigned elementBytes,
                                 uint8_t low, uint8_t high) {
  std::vector<uint8_t> out;
  std::array<uint32_t, 5> extent{1, 1, 1, 1, 1};
  for (unsigned i = 0; i < d.rank; ++i)
    extent[i] = i ? (d.box[i] + d.elementStrides[i] - 1) / d.elementStrides[i]
                  : d.box[0];
  std::array<uint32_t, 5> x{};
  for (x[4] = 0; x[4] < extent[4]; ++x[4])
    for (x[3] = 0; x[3] < extent[3]; ++x[3])
      for (x[2] = 0; x[2] < extent[2]; ++x[2])
        for (x[1] = 0; x[1] < extent[1]; ++x[1])
          for (x[0] = 0; x[0] < extent[0]; ++x[0]) {
            bool inside = true;
            uint64_t offset = 0;
            for (unsigned i = 0; i < d.rank; ++i) {
              int64_t at =
                  coords[i] + int64_t(x[i]) * (i ? d.elementStrides[i] : 1);
              inside = inside && at >= 0 && at < int64_t(d.dims[i]);
              offset += uint64_t(at) * (i ? d.strides[i - 1] : elementBytes);
            }
            for (unsigned b = 0; b < elementBytes; ++b)
              out.push_back(inside                  ? memory.bytes[offset + b]
                            : b + 1 == elementBytes ? high
                                                    : low);
          }
  return out;
}

TEST(TmaBox, loads_follow_the_definition_in_every_rank) {
  Memory memory(1 << 20);
  std::mt19937 random(3);
  const std::vector<std::vector<uint64_t>> dims = {
      {100}, {50, 30}, {20, 9, 7}, {24, 5, 6, 4}, {16, 3, 4, 5, 6}};
  const std::vector<std::vector<uint32_t>> boxes = {
      {64}, {16, 20}, {8, 4, 5}, {16, 3, 2, 4}, {8, 2, 3, 2, 4}};
  for (unsigned rank = 1; rank <= 5; ++rank)
    for (int round = 0; round < 60; ++round) {
      TensorMapDesc d =
          makeMap(TensorMapType::BF16, dims[rank - 1], boxes[rank - 1], 2);
      if (round % 2)
        for (unsigned i = 0; i < rank; ++i)
          d.elementStrides[i] = 1 + random() % 3;
      if (round % 3 == 0)
        d.oobFill = TensorMapOobFill::NaN;
      ASSERT_TRUE(bool(validateTensorMap(d)));
      BoxPosition position;
      for (unsigned i = 0; i < rank; ++i)
        position.coords[i] =
            static_cast<int32_t>(random() % (2 * dims[rank - 1][i])) -
            static_cast<int32_t>(dims[rank - 1][i] / 2);
      std::vector<uint8_t> dense;
      ASSERT_FALSE(loadBox(d, position, memory.reader(), dense).faulted);
      bool nan = d.oobFill == TensorMapOobFill::NaN;
      EXPECT_EQ(dense, expectedBox(d, position.coords, memory, 2,
                                   nan ? 0xf7 : 0, nan ? 0x7f : 0))
          << "rank " << rank;
      BoxShape shape = boxShape(d);
      EXPECT_EQ(shape.sharedBytes, dense.size());
      EXPECT_EQ(shape.transaction, dense.size());
    }
}

TEST(TmaBox, a_box_outside_of_the_tensor_is_all_fill_and_counts_all_bytes) {
  Memory memory(4096);
  TensorMapDesc d = makeMap(TensorMapType::F32, {16, 16}, {8, 8}, 4);
  BoxPosition position;
  position.coords = {0, 16};
  std::vector<uint8_t> dense;
  ASSERT_FALSE(loadBox(d, position, memory.reader(), dense).faulted);
  EXPECT_EQ(dense, std::vector<uint8_t>(256, 0));
  EXPECT_EQ(boxShape(d).transaction, 256u);
}

TEST(TmaBox, a_tensor_beyond_its_allocation_is_a_fault) {
  Memory memory(1000);
  TensorMapDesc d = makeMap(TensorMapType::F32, {16, 16}, {8, 8}, 4);
  BoxPosition position;
  position.coords = {8, 8};
  std::vector<uint8_t> dense;
  BoxFault fault = loadBox(d, position, memory.reader(), dense);
  EXPECT_TRUE(fault.faulted);
  EXPECT_EQ(fault.address, memory.base + 15 * 64 + 32);
  EXPECT_EQ(fault.bytes, 32u);
}

TEST(TmaBox, stores_write_only_what_is_inside) {
  Memory memory(1 << 16), before(1 << 16);
  TensorMapDesc d = makeMap(TensorMapType::U8, {40, 10}, {32, 8}, 1);
  BoxPosition position;
  position.coords = {24, 6};
  std::vector<uint8_t> dense(boxShape(d).sharedBytes);
  std::iota(dense.begin(), dense.end(), 0);
  ASSERT_FALSE(storeBox(d, position, memory.writer(), dense).faulted);
  for (unsigned y = 0; y < 12; ++y)
    for (unsigned x = 0; x < 48; ++x) {
      // Rows of 40 bytes end at 48.
      bool inside = x >= 24 && x < 48 && y >= 6 && y < 10;
      size_t at = y * 48 + x;
      EXPECT_EQ(memory.bytes[at],
                inside ? dense[(y - 6) * 32 + (x - 24)] : before.bytes[at])
          << x << " " << y;
    }
}

/// A row of the tensor that ends inside of 16 bytes: an H200 writes all of
/// them, and reads none of what is beyond the end.
TEST(TmaBox, stores_end_at_16_bytes_loads_at_the_element) {
  struct Case {
    TensorMapType type;
    unsigned bytes, width, end; ///< of an element; elements; bytes written
  };
  for (const Case &c :
       {Case{TensorMapType::U8, 1, 33, 48},
        Case{TensorMapType::BF16, 2, 23, 48},
        Case{TensorMapType::F32, 4, 10, 48}, Case{TensorMapType::F64, 8, 5, 48},
        Case{TensorMapType::F32, 4, 12, 48}, Case{TensorMapType::U8, 1, 47, 48},
        Case{TensorMapType::F32, 4, 13, 64}}) {
    Memory memory(1 << 12), before(1 << 12);
    TensorMapDesc d = makeMap(c.type, {c.width, 5}, {64 / c.bytes, 4}, c.bytes);
    d.strides[0] = 96;
    BoxPosition position;
    position.coords = {static_cast<int32_t>(16 / c.bytes), 2};
    std::vector<uint8_t> dense(boxShape(d).sharedBytes);
    std::iota(dense.begin(), dense.end(), 7);
    ASSERT_FALSE(storeBox(d, position, memory.writer(), dense).faulted);
    for (unsigned y = 0; y < 8; ++y)
      for (unsigned x = 0; x < 96; ++x) {
        bool inside = x >= 16 && x < c.end && y >= 2 && y < 5;
        size_t at = y * 96 + x;
        EXPECT_EQ(memory.bytes[at],
                  inside ? dense[(y - 2) * 64 + (x - 16)] : before.bytes[at])
            << c.width << ": " << x << " " << y;
      }
    ASSERT_FALSE(loadBox(d, position, before.reader(), dense).faulted);
    for (unsigned x = 16; x < 80; ++x)
      EXPECT_EQ(dense[x - 16],
                x < c.width * c.bytes ? before.bytes[2 * 96 + x] : 0)
          << c.width << ": " << x;
  }
}

TEST(TmaBox, gather4_takes_four_rows) {
  Memory memory(1 << 16);
  TensorMapDesc d = makeMap(TensorMapType::BF16, {64, 32}, {32, 1}, 2);
  BoxPosition position;
  position.fourRows = true;
  position.coords[0] = 8;
  position.rows = {31, 0, 40, 7};
  ASSERT_EQ(checkPosition(d, position, /*load=*/true), "");
  std::vector<uint8_t> dense;
  ASSERT_FALSE(loadBox(d, position, memory.reader(), dense).faulted);
  ASSERT_EQ(dense.size(), 256u);
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned b = 0; b < 64; ++b)
      EXPECT_EQ(dense[r * 64 + b],
                r == 2 ? 0 : memory.bytes[position.rows[r] * 128u + 16 + b]);
  d.box[1] = 2;
  EXPECT_EQ(checkPosition(d, position, /*load=*/true),
            "gather4 and scatter4: expected boxDim[1] = 1, got 2");
}

TEST(TmaBox, packed_types_are_padded_in_shared_memory) {
  Memory memory(1 << 16);
  TensorMapDesc d = makeMap(TensorMapType::B6x16P32, {256, 4}, {128, 2}, 1);
  d.strides[0] = 192;
  BoxPosition position;
  position.coords = {128, 1};
  ASSERT_EQ(checkPosition(d, position, /*load=*/true), "");
  BoxShape shape = boxShape(d);
  EXPECT_EQ(shape.sharedBytes, 256u);
  EXPECT_EQ(shape.transaction, 192u);
  std::vector<uint8_t> dense;
  ASSERT_FALSE(loadBox(d, position, memory.reader(), dense).faulted);
  for (unsigned row = 0; row < 2; ++row)
    for (unsigned unit = 0; unit < 8; ++unit)
      for (unsigned b = 0; b < 12; ++b)
        EXPECT_EQ(dense[row * 128 + unit * 16 + b],
                  memory.bytes[(1 + row) * 192 + 96 + unit * 12 + b]);
  position.coords[0] = 64;
  EXPECT_EQ(checkPosition(d, position, /*load=*/true),
            "coordinate 0: expected a multiple of 128 for packed types with "
            "padding, got 64");
}

/// Expectations of the next four tests are what an H200 does; the ISA is
/// silent.
TEST(TmaBox, the_nan_of_the_fill_has_one_pattern_for_all_types) {
  Memory memory(4096);
  for (TensorMapType type : {TensorMapType::F16, TensorMapType::F32,
                             TensorMapType::TF32, TensorMapType::F64}) {
    TensorMapDesc d = makeMap(type, {16, 4}, {16, 1}, 8);
    d.oobFill = TensorMapOobFill::NaN;
    BoxPosition position;
    position.coords = {0, 4};
    std::vector<uint8_t> dense;
    ASSERT_FALSE(loadBox(d, position, memory.reader(), dense).faulted);
    for (size_t i = 0; i < dense.size(); ++i)
      ASSERT_EQ(dense[i], i % 2 ? 0x7f : 0xf7);
  }
}

TEST(TmaBox, rows_narrower_than_the_swizzle_keep_its_span) {
  TensorMapDesc d = makeMap(TensorMapType::U8, {64, 16}, {48, 5}, 1);
  d.swizzle = TensorMapSwizzle::B64;
  BoxShape shape = boxShape(d);
  EXPECT_EQ(shape.sharedPitch, 64u);
  EXPECT_EQ(shape.sharedBytes, 5u * 64);
  EXPECT_EQ(shape.denseBytes, 5u * 48);
  EXPECT_EQ(shape.transaction, 5u * 48);
  std::vector<uint8_t> dense(shape.denseBytes), smem(4096, 0xa5), back(5 * 48);
  std::iota(dense.begin(), dense.end(), 1);
  const uint32_t address = 1024;
  scatterBox(d.swizzle, shape, address, dense, &smem[address]);
  std::vector<bool> covered(4096);
  forEachSharedRange(d.swizzle, shape, address, [&](uint32_t at, uint32_t n) {
    std::fill_n(covered.begin() + at, n, true);
  });
  unsigned count = 0;
  for (uint32_t row = 0; row < 5; ++row)
    for (uint32_t i = 0; i < 64; ++i) {
      uint32_t at = swizzleAddress(d.swizzle, address + row * 64 + i);
      EXPECT_EQ(smem[at], i < 48 ? dense[row * 48 + i] : 0xa5);
      EXPECT_EQ(covered[at], i < 48);
      count += covered[at];
    }
  EXPECT_EQ(count, std::count(covered.begin(), covered.end(), true));
  gatherBox(d.swizzle, shape, address, &smem[address], back);
  EXPECT_EQ(back, dense);
}

TEST(TmaBox, elements_of_tf32_maps_are_rounded) {
  Memory memory(4096);
  const uint32_t words[] = {0x3f801000, 0x3f801001, 0x3f803000, 0x00001001,
                            0x7f7ff000, 0xff800001, 0x7f800000, 0x80000000};
  const uint32_t rounded[] = {0x3f800000, 0x3f802000, 0x3f804000, 0x00002000,
                              0x7f800000, 0x7fffe000, 0x7f800000, 0x80000000};
  std::memcpy(memory.bytes.data(), words, sizeof(words));
  for (TensorMapType type : {TensorMapType::TF32, TensorMapType::TF32FTZ}) {
    TensorMapDesc d = makeMap(type, {8}, {8}, 4);
    std::vector<uint8_t> dense;
    ASSERT_FALSE(loadBox(d, {}, memory.reader(), dense).faulted);
    EXPECT_EQ(std::memcmp(dense.data(), rounded, sizeof(rounded)), 0);
  }
}

TEST(TmaBox, boxes_that_stay_as_they_are_are_copied_at_once) {
  Memory memory(64 * 48 * 2);
  for (TensorMapSwizzle swizzle :
       {TensorMapSwizzle::None, TensorMapSwizzle::B32, TensorMapSwizzle::B64,
        TensorMapSwizzle::B128, TensorMapSwizzle::B128Atom32,
        TensorMapSwizzle::B128Atom32Flip8, TensorMapSwizzle::B128Atom64})
    for (uint32_t elements : {16u, 32u, 64u}) {
      if (elements * 2 > swizzleSpan(swizzle) &&
          swizzle != TensorMapSwizzle::None)
        continue;
      TensorMapDesc d =
          makeMap(TensorMapType::U16, {64, 48}, {elements, 24}, 2);
      d.swizzle = swizzle;
      BoxPosition inside;
      inside.coords = {0, 8};
      const BoxShape shape = boxShape(d, false);
      const uint32_t address = 4096;
      std::vector<uint8_t> dense, expected(8192), got(8192);
      ASSERT_FALSE(loadBox(d, inside, memory.reader(), dense).faulted);
      scatterBox(swizzle, shape, address, dense, expected.data());
      ASSERT_TRUE(copyBox(d, inside, memory.reader(), address, got.data()));
      EXPECT_EQ(got, expected) << int(swizzle) << " " << elements;
      // Rows that are clipped, a tensor beyond its allocation, rounding.
      const std::vector<uint8_t> before = got;
      BoxPosition outside;
      outside.coords = {0, 40};
      EXPECT_FALSE(copyBox(d, outside, memory.reader(), address, got.data()));
      d.dims[1] = 4096;
      outside.coords = {0, 1000};
      EXPECT_FALSE(copyBox(d, outside, memory.reader(), address, got.data()));
      d.dtype = TensorMapType::TF32;
      EXPECT_FALSE(copyBox(d, inside, memory.reader(), address, got.data()));
      EXPECT_EQ(got, before);
    }
}

TEST(TmaBox, coordinates_that_a_gpu_refuses) {
  TensorMapDesc d = makeMap(TensorMapType::F16, {64, 8}, {32, 4}, 2);
  BoxPosition position;
  position.coords = {-8, -1};
  EXPECT_EQ(checkPosition(d, position, /*load=*/true), "");
  EXPECT_EQ(checkPosition(d, position, /*load=*/false),
            "coordinate 0 of a store: expected 0 or more, got -8");
  position.coords = {8, -1};
  EXPECT_EQ(checkPosition(d, position, /*load=*/false),
            "coordinate 1 of a store: expected 0 or more, got -1");
  position.coords = {4, 0};
  EXPECT_EQ(checkPosition(d, position, /*load=*/true),
            "coordinate 0: expected a multiple of 16 bytes (8 elements), got "
            "4");
}

/// The 16-byte units of a pattern by line, as the ISA's tables print them.
std::vector<unsigned> unitsOfLine(TensorMapSwizzle swizzle, unsigned line) {
  std::vector<unsigned> units(8);
  for (unsigned unit = 0; unit < 8; ++unit) {
    uint32_t to = swizzleAddress(swizzle, line * 128 + unit * 16);
    EXPECT_EQ(to / 128, line);
    units[to / 16 % 8] = unit;
  }
  return units;
}

using Units = std::vector<unsigned>;

TEST(TmaSwizzle, patterns_of_the_tables) {
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::None, 5),
            (Units{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B32, 0),
            (Units{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B32, 1),
            (Units{1, 0, 3, 2, 5, 4, 7, 6}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B32, 2),
            (Units{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B64, 1),
            (Units{1, 0, 3, 2, 5, 4, 7, 6}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B64, 2),
            (Units{2, 3, 0, 1, 6, 7, 4, 5}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B64, 3),
            (Units{3, 2, 1, 0, 7, 6, 5, 4}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B128, 1),
            (Units{1, 0, 3, 2, 5, 4, 7, 6}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B128, 4),
            (Units{4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B128, 7),
            (Units{7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B128, 8),
            (Units{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B128Atom32, 1),
            (Units{2, 3, 0, 1, 6, 7, 4, 5}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B128Atom32, 3),
            (Units{6, 7, 4, 5, 2, 3, 0, 1}));
  EXPECT_EQ(unitsOfLine(TensorMapSwizzle::B128Atom64, 1),
            (Units{4, 5, 6, 7, 0, 1, 2, 3}));
  // The flip swaps the two halves of 16 bytes on odd lines.
  EXPECT_EQ(swizzleAddress(TensorMapSwizzle::B128Atom32Flip8, 128),
            128u + 32 + 8);
  EXPECT_EQ(swizzleAddress(TensorMapSwizzle::B128Atom32Flip8, 256), 256u + 64);
}

TEST(TmaSwizzle, scatter_and_gather_are_inverse_for_every_mode) {
  for (TensorMapSwizzle swizzle :
       {TensorMapSwizzle::None, TensorMapSwizzle::B32, TensorMapSwizzle::B64,
        TensorMapSwizzle::B128, TensorMapSwizzle::B128Atom32,
        TensorMapSwizzle::B128Atom32Flip8, TensorMapSwizzle::B128Atom64}) {
    std::vector<uint8_t> dense(4096), smem(8192), back(4096);
    std::mt19937 random(5);
    for (uint8_t &byte : dense)
      byte = static_cast<uint8_t>(random());
    // Not on a pattern boundary: the XOR works on absolute addresses.
    uint32_t address = 1024 + 256 + 128;
    const BoxShape shape = oneRow(4096);
    scatterBox(swizzle, shape, address, dense, &smem[address]);
    for (uint32_t i = 0; i < 4096; ++i)
      ASSERT_EQ(smem[swizzleAddress(swizzle, address + i)], dense[i]);
    gatherBox(swizzle, shape, address, &smem[address], back);
    EXPECT_EQ(back, dense);
  }
}

} // namespace
