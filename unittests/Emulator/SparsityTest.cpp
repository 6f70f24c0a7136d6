//===- SparsityTest.cpp - spcompress, spdecompress ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.4, "spcompress", 9.7.10.30, and "spdecompress", 9.7.10.31.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <random>

using namespace tc::emu;
using namespace tc::emu::test;

namespace {
enum Operation : uint32_t { Max, MaxAbs, Min, MinAbs };
enum ElementType : uint32_t { F16OrU8, BF16OrS8, E5M2, E4M3, E3M2, E2M3 };
uint32_t descriptor(Operation operation, ElementType type) {
  return operation | type << 2;
}

struct Compressed {
  uint32_t elements, indices;
};

/// Compresses two registers in lane 0: x1.
Compressed compress(const std::string &sizes, uint32_t spdesc, uint32_t low,
                    uint32_t high) {
  Options options;
  options.init = {low | uint64_t(high) << 32, spdesc};
  const Outcome r =
      run(kernel("ld.global.v2.b32 {%r2, %r3}, [%rd1]; ld.global.b32 %r4, "
                 "[%rd1+8];\nspcompress." +
                 sizes +
                 ".sp::2:4.x1 {%r5}, {%r6}, {%r2, %r3}, %r4;\n"
                 "mov.b64 %rd3, {%r6, %r5}; st.global.u64 [%rd2+16], %rd3;"),
          options);
  EXPECT_TRUE(r.result.ok) << r.message();
  if (r.result.ok)
    EXPECT_EQ(r.result.uses.size(), 1u);
  return {uint32_t(r.words[2]), uint32_t(r.words[2] >> 32)};
}

void expectCompressed(const std::string &sizes, uint32_t spdesc, uint32_t low,
                      uint32_t high, uint32_t elements, uint32_t indices) {
  const Compressed got = compress(sizes, spdesc, low, high);
  EXPECT_EQ(got.elements, elements) << std::hex << got.elements;
  EXPECT_EQ(got.indices, indices) << std::hex << got.indices;
}
} // namespace

TEST(Sparsity, CompressesBytes) {
  const ModuleScope scope("sm_107a");
  // Groups of 4 bytes, the lowest first: 1, 255, 3, 2 and 9, 9, 9, 9. Indices
  // of two bits: 1 and 2, 0 and 1.
  expectCompressed("b8.b2", descriptor(Max, F16OrU8), 0x0203ff01, 0x09090909,
                   0x090903ff, 0b01'00'10'01);
  // As signed numbers 255 is -1.
  expectCompressed("b8.b2", descriptor(Max, BF16OrS8), 0x0203ff01, 0x09090909,
                   0x09090203, 0b01'00'11'10);
  expectCompressed("b8.b2", descriptor(Min, BF16OrS8), 0x0203ff01, 0x09090909,
                   0x0909ff01, 0b01'00'01'00);
  // -128 has the greatest magnitude.
  expectCompressed("b8.b4", descriptor(MaxAbs, BF16OrS8), 0x7f80817e,
                   0x01020304, 0x03048081, 0x1021);
  expectCompressed("b8.b4", descriptor(MinAbs, F16OrU8), 0x00ff8001, 0x04030201,
                   0x02010001, 0x1030);
}

TEST(Sparsity, CompressesFloats) {
  const ModuleScope scope("sm_107a");
  // f16: 1, -2, -0, 0 (one group for x1): the greatest are 1 and +0.
  expectCompressed("b16.b2", descriptor(Max, F16OrU8), 0xc0003c00, 0x00008000,
                   0x00003c00, 0b11'00);
  expectCompressed("b16.b2", descriptor(Min, F16OrU8), 0xc0003c00, 0x00008000,
                   0x8000c000, 0b10'01);
  expectCompressed("b16.b4", descriptor(MaxAbs, F16OrU8), 0xc0003c00,
                   0x00008000, 0xc0003c00, 0x10);
  // The magnitudes of both zeros are less than those of 1 and -2.
  expectCompressed("b16.b4", descriptor(MinAbs, F16OrU8), 0x3c008000,
                   0xc0000000, 0x00008000, 0x20);
  // 0x7f80 is infinity as bf16, and NaN as f16.
  expectCompressed("b16.b2", descriptor(Min, BF16OrS8), 0x3f807f80, 0x40804000,
                   0x40003f80, 0b10'01);
  expectCompressed("b16.b2", descriptor(Min, F16OrU8), 0x3f807f80, 0x40804000,
                   0x3f807f80, 0b01'00);
  // NaN is kept, whatever is asked for: the first two of three.
  expectCompressed("b16.b2", descriptor(Min, F16OrU8), 0x7e000000, 0xfe00fc00,
                   0xfe007e00, 0b11'01);
  expectCompressed("b16.b2", descriptor(MaxAbs, BF16OrS8), 0x7fc0ffc0,
                   0x7f807fc1, 0x7fc0ffc0, 0b01'00);
  // 8 bits: e4m3 has 0x7f as NaN, e5m2 0x7c as infinity; e3m2 0x20 is -0.
  expectCompressed("b8.b2", descriptor(Min, E4M3), 0x017f0003, 0x80808000,
                   0x80807f00, 0b10'01'10'01);
  expectCompressed("b8.b2", descriptor(Max, E5M2), 0x7b7cfc00, 0x3c3c3dbc,
                   0x3c3d7b7c, 0b10'01'11'10);
  expectCompressed("b8.b2", descriptor(Max, E3M2), 0x01200000, 0x3f1f1e20,
                   0x1f1e0100, 0b10'01'11'00);
  // e2m3: 0x1f is the greatest, 0x3f the least.
  expectCompressed("b8.b4", descriptor(MinAbs, E2M3), 0x3f1f0121, 0x00010203,
                   0x00010121, 0x3210);
}

/// Random data: what is kept is no less than what is not, the indices ascend,
/// and decompression puts it back.
TEST(Sparsity, ThereAndBack) {
  const ModuleScope scope("sm_107a");
  // 16 registers of data; compressed: 8 and 2 of indices, then back.
  std::string load, list[3];
  for (unsigned r = 0; r < 16; ++r) {
    load += "ld.global.b32 %v" + std::to_string(r) + ", [%rd3+" +
            std::to_string(4 * r) + "];\n";
    list[0] += (r ? ", %v" : "%v") + std::to_string(r);
    list[1] += (r ? ", %b" : "%b") + std::to_string(r);
  }
  for (unsigned r = 0; r < 8; ++r)
    list[2] += (r ? ", %c" : "%c") + std::to_string(r);
  std::string store;
  for (unsigned r = 0; r < 16; ++r)
    store += "st.global.b32 [%rd3+" + std::to_string(64 + 4 * r) + "], %b" +
             std::to_string(r) + ";\n";
  const std::string text =
      kernel("{ .reg .b32 %v<16>; .reg .b32 %b<16>; .reg .b32 %c<8>;\n"
             "mul.wide.u32 %rd3, %r1, 128; add.u64 %rd3, %rd3, %rd1; mov.u32 "
             "%r4, 0;\n" +
             load + "spcompress.b8.b2.sp::2:4.x8 {%r5, %r6}, {" + list[2] +
             "}, {" + list[0] + "}, %r4;\nspdecompress.b8.b2.sp::2:4.x16 {" +
             list[1] + "}, {%r5, %r6}, {" + list[2] + "};\n" + store + "}");
  Options options;
  options.words = 16 * 32;
  options.init.resize(options.words);
  std::mt19937_64 random(3);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 8; ++i)
      options.init[16 * lane + i] = random();
  const Outcome r = run(text, options);
  ASSERT_TRUE(r.result.ok) << r.message();
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned group = 0; group < 16; ++group) {
      auto byte = [&](unsigned half, unsigned e) {
        const unsigned at = 4 * group + e;
        return r.words[16 * lane + 8 * half + at / 8] >> (8 * (at % 8)) & 0xff;
      };
      unsigned kept = 0;
      for (unsigned e = 0; e < 4; ++e) {
        unsigned above = 0;
        for (unsigned other = 0; other < 4; ++other)
          above += byte(0, other) > byte(0, e) ||
                   (byte(0, other) == byte(0, e) && other < e);
        kept += above < 2;
        EXPECT_EQ(byte(1, e), above < 2 ? byte(0, e) : 0) << group << ", " << e;
      }
      EXPECT_EQ(kept, 2u);
    }
}

namespace {
/// spdecompress in lane 0: the words of `data` as they are stored.
std::vector<uint64_t> decompress(const std::string &form, unsigned data,
                                 uint32_t indices, uint64_t elements,
                                 unsigned compressed = 1) {
  std::string to, store;
  for (unsigned r = 0; r < data; ++r) {
    to += (r ? ", %r1" : "%r1") + std::to_string(r);
    store += "st.global.b32 [%rd1+" + std::to_string(16 + 4 * r) + "], %r1" +
             std::to_string(r) + ";\n";
  }
  Options options;
  options.threads = 1;
  options.init = {elements, indices};
  const Outcome r =
      run(kernel("ld.global.v2.b32 {%r2, %r3}, [%rd1]; ld.global.b32 %r4, "
                 "[%rd1+8];\nspdecompress." +
                 form + " {" + to + "}, {%r4}, {%r2" +
                 (compressed > 1 ? ", %r3" : "") + "};\n" + store),
          options);
  EXPECT_TRUE(r.result.ok) << form << ": " << r.message();
  return {r.words.begin() + 2, r.words.begin() + 2 + (data + 1) / 2};
}
} // namespace

TEST(Sparsity, Decompresses) {
  const ModuleScope scope("sm_107a");
  using Words = std::vector<uint64_t>;
  // Bytes 0x11 and 0x22 to 3 and 0, 0x33 and 0x44 to 1 and 2.
  EXPECT_EQ(decompress("b8.b2.sp::2:4.x2", 2, 0b10'01'00'11, 0x44332211),
            Words({0x0044330011000022}));
  EXPECT_EQ(decompress("b8.b2.sp::1:2.x2", 1, 0b00'01, 0x2211),
            Words({0x00221100}));
  EXPECT_EQ(decompress("b8.b4.sp::1:16.x1", 4, 9, 0x11), Words({0, 0x1100}));
  EXPECT_EQ(decompress("b8.b4.sp::4:8.x1", 2, 0x7520, 0x44332211),
            Words({0x4400330000220011}));
  EXPECT_EQ(decompress("b16.b4.sp::2:8.x1", 4, 0x51, 0x22221111),
            Words({0x11110000, 0x22220000}));
  EXPECT_EQ(
      decompress("b16.b2.sp::2:4.x2", 4, 0b11'10'01'00, 0x4444333322221111, 2),
      Words({0x22221111, 0x4444333300000000}));
  // Of two for one place the last one stays.
  EXPECT_EQ(decompress("b16.b2.sp::2:4.x1", 2, 0b10'10, 0x22221111),
            Words({0x222200000000}));
}

TEST(Sparsity, RuntimeErrors) {
  const ModuleScope scope("sm_107a");
  const struct {
    const char *text, *message;
  } cases[] = {
      {"mov.u32 %r4, 0x20; spcompress.b8.b2.sp::2:4.x1 {%r5}, {%r6}, {%r2, "
       "%r3}, %r4;",
       "expected zeros in bits 5 to 31 of the descriptor, lane 0"},
      {"mov.u32 %r4, 0x18; spcompress.b8.b2.sp::2:4.x1 {%r5}, {%r6}, {%r2, "
       "%r3}, %r4;",
       "expected a type of 8 bits in bits 2 to 4 of the descriptor, got 6"},
      {"mov.u32 %r4, 0x8; spcompress.b16.b2.sp::2:4.x1 {%r5}, {%r6}, {%r2, "
       "%r3}, %r4;",
       "expected a type of 16 bits in bits 2 to 4 of the descriptor, got 2"},
      {"mov.u32 %r4, 0x85; spdecompress.b8.b4.sp::2:4.x2 {%r5, %r6}, {%r4}, "
       "{%r2};",
       "expected indices below 4, got 5, lane 0"},
  };
  for (const auto &c : cases)
    EXPECT_REPORT(
        run(kernel(std::string("mov.u32 %r2, 0; mov.u32 %r3, 0;\n") + c.text)),
        ReportKind::Trap, c.message);
}

/// What of a result has no value: registers that were never written are %r9 and
/// %r19.
TEST(Sparsity, UndefinedElements) {
  const ModuleScope scope("sm_107a");
  const std::string init = "mov.u32 %r2, 0x04030201; mov.u32 %r4, 0;\n";
  const std::string halves =
      init + "spcompress.b8.b2.sp::2:4.x1 {%r5}, {%r6}, {%r2, %r9}, %r4;\n";
  const std::string spread =
      init + "spdecompress.b8.b4.sp::1:2.x4 {%r5, %r6}, {%r10}, {%r11};\n";
  // The second element has no value, or its index.
  const std::string elements =
      "prmt.b32 %r11, 0x04030201, %r9, 0x3240; mov.u32 %r10, 0;\n";
  const std::string indices =
      "mov.u32 %r11, 0x04030201; prmt.b32 %r10, 0, %r9, 0x3204;\n"
      "shl.b32 %r10, %r10, 4;\n";
  const struct {
    const char *name;
    std::string body, stored;
    bool isDefined;
  } cases[] = {
      {"first pair", halves, "and.b32 %r7, %r6, 0xffff;", true},
      {"its indices", halves, "and.b32 %r7, %r5, 0xf;", true},
      {"second pair", halves, "shr.u32 %r7, %r6, 24;", false},
      {"its indices", halves, "and.b32 %r7, %r5, 0x30;", false},
      {"first sequence", elements + spread, "and.b32 %r7, %r5, 0xffff;", true},
      {"rest of the second", elements + spread, "shr.u32 %r7, %r5, 24;", true},
      {"second", elements + spread, "and.b32 %r7, %r5, 0xff0000;", false},
      {"by index", indices + spread, "shr.u32 %r7, %r5, 24;", false},
      {"first by index", indices + spread, "and.b32 %r7, %r5, 0xffff;", true},
      {"descriptor",
       init + "spcompress.b8.b2.sp::2:4.x1 {%r5}, {%r6}, {%r2, %r4}, %r9;\n",
       "mov.u32 %r7, 0;", false},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(c.name);
    const Outcome r =
        run(kernel(c.body + c.stored + " st.global.u32 [%rd2], %r7;"));
    if (c.isDefined)
      EXPECT_TRUE(r.result.ok) << r.message();
    else
      EXPECT_REPORT(r, ReportKind::Undefined, "was never written");
  }
}

TEST(Sparsity, Refused) {
  const struct {
    const char *target, *version, *text, *message;
  } cases[] = {
      {"sm_107f", "9.4",
       "spcompress.b8.b2.sp::2:4.x1 {%r5}, {%r6}, {%r2, %r3}, %r4;",
       "expected a target that has spcompress (sm_107a), got sm_107f"},
      {"sm_100a", "9.4", "spdecompress.b8.b2.sp::2:4.x1 {%r5}, {%r6}, {%r2};",
       "expected a target that has spdecompress (sm_107a), got sm_100a"},
      {"sm_107a", "9.3", "spdecompress.b8.b2.sp::2:4.x1 {%r5}, {%r6}, {%r2};",
       "expected .version 9.4 or later for spdecompress, got 9.3"},
      {"sm_107a", "9.4",
       "spcompress.b8.b2.sp::2:8.x1 {%r5}, {%r6}, {%r2, %r3}, %r4;",
       "expected .sp::2:4"},
      {"sm_107a", "9.4",
       "spcompress.b32.b2.sp::2:4.x1 {%r5}, {%r6}, {%r2, %r3}, %r4;",
       "expected .b8 or .b16, .b2 or .b4, and .x1 to .x64"},
      {"sm_107a", "9.4",
       "spcompress.b8.b2.sp::2:4.x1 {%r5, %r7}, {%r6}, {%r2, %r3}, %r4;",
       "expected 1 registers of metadata, got 2"},
      {"sm_107a", "9.4",
       "spcompress.b8.b2.sp::2:4.x1 {%r5}, {%r6, %r7}, {%r2, %r3}, %r4;",
       "expected 1 compressed registers, got 2"},
      {"sm_107a", "9.4",
       "spcompress.b8.b2.sp::2:4.x1 {%r5}, {%r6}, {%r2}, %r4;",
       "expected 2 registers of data, got 1"},
      {"sm_107a", "9.4",
       "spcompress.b8.b2.sp::2:4.x1 {%r5}, {%r6}, {%r2, %r6}, %r4;",
       "expected each register in one place of the vectors"},
      {"sm_107a", "9.4", "spdecompress.b8.b2.sp::3:4.x1 {%r5}, {%r6}, {%r2};",
       "expected .sp::1:2 to .sp::4:16"},
      {"sm_107a", "9.4",
       "spdecompress.b16.b2.sp::2:8.x1 {%r5, %r7, %r8, %r9}, {%r6}, {%r2};",
       ".b4 for more than 4 of them"},
      {"sm_107a", "9.4", "spdecompress.b8.b2.sp::1:2.x1 {%r5}, {%r6}, {%r2};",
       "1 to 128 registers of data"},
      {"sm_107a", "9.4",
       "spdecompress.b16.b4.sp::4:8.x1 {%r5, %r7, %r8, %r9}, {%r6}, {%r2, "
       "%r3};",
       "expected at most 32 bits of elements in a sequence"},
      {"sm_107a", "9.4", "spdecompress.b8.b2.sp::2:4.x2 {%r5}, {%r6}, {%r2};",
       "expected 2 registers of data, got 1"},
  };
  for (const auto &c : cases) {
    const ModuleScope scope(c.target, c.version);
    EXPECT_REPORT(run(kernel(c.text)), ReportKind::Unsupported, c.message);
  }
}
