//===- MmaSyncTest.cpp - mma.sync with a kind -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random matrices and scale factors are put into registers by the formulas of
// PTX ISA 9.0, "Matrix Fragments for mma.m16n8k32" and "mma.m16n8k64"
// (9.7.14.5) and "Block Scaling for mma.sync" (9.7.14.3), with other bits
// wherever the instruction must not look. The numbers are small: the sums are
// exact.
//
//===----------------------------------------------------------------------===//

#include "Numerics/Formats.h"
#include "tc/Emulator/Emulator.h"

#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace tc::emu;

namespace {

constexpr unsigned kRows = 16, kColumns = 8, kLanes = 32, kWords = 16;

/// Runs `instruction` in one warp. Lane l has words 16 l to 16 l + 11 of
/// `words` in %r0 to %r11; its %f0 to %f3 are written to words 12 to 15. The
/// first report, or "".
std::string run(const std::string &instruction, std::vector<uint32_t> &words,
                const char *target = "sm_120a") {
  std::string text =
      std::string(".version 8.8\n.target ") + target +
      "\n.address_size 64\n.visible .entry k(.param .u64 buf) {\n"
      ".reg .b32 %r<12>; .reg .b32 %t; .reg .b64 %rd<4>; .reg .f32 %f<8>;\n"
      ".reg .b16 %h<4>;\n"
      "ld.param.u64 %rd0, [buf]; mov.u32 %t, %tid.x;\n"
      "mul.wide.u32 %rd1, %t, 64; add.u64 %rd0, %rd0, %rd1;\n"
      "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd0];\n"
      "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd0+16];\n"
      "ld.global.v4.f32 {%f4, %f5, %f6, %f7}, [%rd0+32];\n"
      "mov.b16 %h0, 1; cvt.u16.u32 %h1, %t;\n" +
      instruction +
      "\nst.global.v4.f32 [%rd0+48], {%f0, %f1, %f2, %f3};\nret;\n}\n";
  auto program = parsePTX(text, "test.ptx");
  if (!program)
    return program.error().message;
  DeviceMemory memory;
  uint64_t buffer = *memory.allocate(words.size() * 4);
  EXPECT_TRUE(bool(memory.write(buffer, words.data(), words.size() * 4)));
  LaunchConfig config;
  config.block = {kLanes, 1, 1};
  config.params.resize(8);
  std::memcpy(config.params.data(), &buffer, 8);
  RunResult result = launch(**program, config, memory, {});
  if (!result.ok)
    return result.reports[0].message;
  EXPECT_TRUE(bool(memory.read(buffer, words.data(), words.size() * 4)));
  return "";
}

/// One form of the instruction. Without a scale type it has no scale factors.
struct Form {
  const char *kind, *a, *b, *scale;
  unsigned k, scales;
  unsigned byteA, threadA, byteB, threadB;
};

NumberFormat formatOf(const std::string &name) {
  return name == "e4m3"    ? NumberFormat::E4M3
         : name == "e5m2"  ? NumberFormat::E5M2
         : name == "e2m3"  ? NumberFormat::E2M3
         : name == "e3m2"  ? NumberFormat::E3M2
         : name == "ue8m0" ? NumberFormat::UE8M0
         : name == "ue4m3" ? NumberFormat::UE4M3
                           : NumberFormat::E2M1;
}

class Product {
public:
  Product(const Form &form, unsigned seed)
      : form(form), random(seed), words(kLanes * kWords) {
    for (uint32_t &word : words)
      word = uint32_t(random());
  }

  std::string instruction() const {
    std::string text = std::string("mma.sync.aligned.m16n8k") +
                       std::to_string(form.k) + ".row.col.kind::" + form.kind;
    if (form.scales)
      text += ".block_scale.scale_vec::" + std::to_string(form.scales) + "X";
    text += std::string(".f32.") + form.a + "." + form.b + ".f32";
    if (form.scales)
      text += std::string(".") + form.scale;
    text += " {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, "
            "%f5, %f6, %f7}";
    if (form.scales)
      text += ", %r6, {" + std::to_string(form.byteA) + ", " +
              std::to_string(form.threadA) + "}, {%r7}, {" +
              std::to_string(form.byteB) + ", " + std::to_string(form.threadB) +
              "}";
    return text + ";";
  }

  void check() {
    fill();
    ASSERT_EQ(run(instruction(), words), "") << instruction();
    for (unsigned m = 0; m < kRows; ++m)
      for (unsigned n = 0; n < kColumns; ++n) {
        float got;
        std::memcpy(
            &got,
            &words[(m % 8 * 4 + n / 2) * kWords + 12 + (m / 8) * 2 + n % 2], 4);
        ASSERT_EQ(got, float(expected[m][n]))
            << instruction() << " row " << m << " column " << n;
      }
  }

private:
  /// Bits of a number of moderate size.
  uint32_t draw(NumberFormat format) {
    unsigned size = formatInfo(format).bits;
    while (true) {
      uint32_t bits = uint32_t(random()) & ((1u << size) - 1);
      if (format == NumberFormat::UE8M0)
        return 125 + bits % 5;
      float value = decodeFloat(format, bits);
      // Not the 128 codes of ue4m3 that have a sign.
      if (format == NumberFormat::UE4M3 && bits >= 128)
        continue;
      float size4 = std::abs(value);
      if (size4 == size4 && (size4 == 0 || (size4 >= 0.25f && size4 <= 8)))
        return bits;
    }
  }

  void set(unsigned lane, unsigned word, unsigned shift, unsigned size,
           uint32_t bits) {
    uint32_t &cell = words[lane * kWords + word];
    uint32_t mask = ((1u << size) - 1) << shift;
    cell = (cell & ~mask) | (bits << shift & mask);
  }

  /// Element `at` along K of row (column) `row` of registers from `first`.
  void setElement(NumberFormat format, unsigned row, unsigned at,
                  unsigned first, unsigned groups, uint32_t bits) {
    const unsigned per = form.k == 64 ? 8 : 4;
    unsigned word = first + (at / (4 * per)) * groups + row / 8;
    unsigned lane = row % 8 * 4 + at / per % 4, shift = at % per * (32 / per);
    if (per == 8)
      set(lane, word, shift, 4, bits);
    else if (format == NumberFormat::E2M1)
      set(lane, word, shift + 2, 4, bits);
    else
      set(lane, word, shift, formatInfo(format).bits, bits);
  }

  void fill() {
    NumberFormat formatA = formatOf(form.a), formatB = formatOf(form.b);
    std::vector<double> a, b;
    auto fillOperand = [&](NumberFormat format, unsigned rows, unsigned first,
                           unsigned groups, std::vector<double> &values) {
      for (unsigned row = 0; row < rows; ++row)
        for (unsigned k = 0; k < form.k; ++k) {
          uint32_t bits = draw(format);
          values.push_back(decodeFloat(format, bits));
          setElement(format, row, k, first, groups, bits);
        }
    };
    fillOperand(formatA, kRows, 0, 2, a);
    fillOperand(formatB, kColumns, 4, 1, b);
    if (form.scales) {
      NumberFormat scale = formatOf(form.scale);
      auto fillScales = [&](bool ofB, unsigned rows,
                            std::vector<double> &values) {
        for (unsigned row = 0; row < rows; ++row)
          for (unsigned j = 0; j < form.scales; ++j) {
            uint32_t bits = draw(scale);
            unsigned byte = (ofB ? form.byteB : form.byteA) + j;
            unsigned lane = ofB ? row * 4 + form.threadB
                                : row % 8 * 4 + 2 * form.threadA + row / 8;
            set(lane, ofB ? 7 : 6, 8 * byte, 8, bits);
            for (unsigned k = j * form.k / form.scales;
                 k < (j + 1) * form.k / form.scales; ++k)
              values[row * form.k + k] *= decodeFloat(scale, bits);
          }
      };
      fillScales(false, kRows, a);
      fillScales(true, kColumns, b);
    }
    for (unsigned m = 0; m < kRows; ++m)
      for (unsigned n = 0; n < kColumns; ++n) {
        float c = float(int(random() % 65) - 32);
        std::memcpy(
            &words[(m % 8 * 4 + n / 2) * kWords + 8 + (m / 8) * 2 + n % 2], &c,
            4);
        expected[m][n] = c;
        for (unsigned k = 0; k < form.k; ++k)
          expected[m][n] += a[m * form.k + k] * b[n * form.k + k];
      }
  }

  Form form;
  std::mt19937 random;
  std::vector<uint32_t> words;
  double expected[kRows][kColumns];
};

TEST(MmaSyncTest, KindsWithoutScales) {
  for (const char *a : {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"})
    for (const char *b : {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"})
      Product({"f8f6f4", a, b, "", 32, 0, 0, 0, 0, 0}, 1).check();
}

TEST(MmaSyncTest, BlockScales) {
  unsigned seed = 2;
  for (unsigned thread = 0; thread < 4; ++thread) {
    for (unsigned byte = 0; byte < 4; ++byte)
      for (const char *a : {"e4m3", "e2m3", "e2m1"})
        Product({"mxf8f6f4", a, "e5m2", "ue8m0", 32, 1, byte, thread % 2,
                 3 - byte, thread},
                ++seed)
            .check();
    for (const char *kind : {"mxf4", "mxf4nvf4"})
      for (unsigned byte : {0u, 2u})
        Product({kind, "e2m1", "e2m1", "ue8m0", 64, 2, byte, thread / 2,
                 2 - byte, thread},
                ++seed)
            .check();
    for (const char *scale : {"ue4m3", "ue8m0"})
      Product(
          {"mxf4nvf4", "e2m1", "e2m1", scale, 64, 4, 0, thread % 2, 0, thread},
          ++seed)
          .check();
  }
}

/// A NaN among the scale factors makes a row, or a column, NaN.
TEST(MmaSyncTest, ScaleIsNaN) {
  std::vector<uint32_t> words(kLanes * kWords, 0);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    words[lane * kWords + 6] = words[lane * kWords + 7] = 0x7f7f7f7f;
  words[(3 * 4 + 1) * kWords + 6] = 0xff; // row 11
  ASSERT_EQ(run("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale."
                "f32.e4m3.e4m3.f32.ue8m0 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, "
                "%r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}, %r6, {0, 0}, %r7, {0, "
                "0};",
                words),
            "");
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(words[lane * kWords + 12 + i],
                lane / 4 == 3 && i >= 2 ? 0x7fffffffu : 0u)
          << lane << " " << i;
}

std::string refusal(const std::string &modifiers, const std::string &scales,
                    const char *target = "sm_120a") {
  std::vector<uint32_t> words(kLanes * kWords, 0);
  return run("mma.sync.aligned." + modifiers +
                 " {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, "
                 "{%f4, %f5, %f6, %f7}" +
                 scales + ";",
             words, target);
}

void expectRefusal(const std::string &message, const std::string &modifiers,
                   const std::string &scales, const char *target = "sm_120a") {
  std::string got = refusal(modifiers, scales, target);
  EXPECT_NE(got.find(message), got.npos) << got;
}

TEST(MmaSyncTest, RefusesWhatTheIsaDoesNotHave) {
  const std::string mx8 = "m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32."
                          "e4m3.e4m3.f32.ue8m0",
                    nv = "m16n8k64.row.col.kind::mxf4nvf4.block_scale.",
                    ids = ", %r6, {0, 0}, %r7, {0, 0}";
  EXPECT_EQ(refusal(mx8, ids), "");
  expectRefusal("expected a target of the sm_120 family, got sm_100a", mx8, ids,
                "sm_100a");
  expectRefusal("expected 8 operands, got 4", mx8, "");
  expectRefusal("expected .scale_vec::2X or .scale_vec::4X with .ue8m0",
                nv + "f32.e2m1.e2m1.f32.ue8m0", ids);
  expectRefusal("or .scale_vec::4X with .ue4m3",
                nv + "scale_vec::2X.f32.e2m1.e2m1.f32.ue4m3", ids);
  expectRefusal("expected .e2m1, got .e4m3",
                nv + "scale_vec::4X.f32.e4m3.e2m1.f32.ue4m3", ids);
  expectRefusal("expected .sync.aligned.m16n8k64.row.col and .block_scale",
                "m16n8k32.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32."
                "ue8m0",
                ids);
  expectRefusal("expected .kind::f8f6f4, .kind::mxf8f6f4",
                "m16n8k32.row.col.kind::f16.f32.e2m1.e2m1.f32", "");
}

TEST(MmaSyncTest, RefusesSelectors) {
  const std::string mx4 = "m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1."
                          "e2m1.f32.ue8m0";
  EXPECT_EQ(refusal(mx4, ", %r6, {2, %h0}, %r7, {0, 3}"), "");
  expectRefusal("byte-id-a: expected 0, 2, got 1", mx4,
                ", %r6, {1, 0}, %r7, {0, 0}");
  expectRefusal("thread-id-a: expected 0, 1, got 2", mx4,
                ", %r6, {0, 2}, %r7, {0, 0}");
  expectRefusal("thread-id-b: expected 0, 1, 2, 3, got 4", mx4,
                ", %r6, {0, 0}, %r7, {0, 4}");
  expectRefusal("byte-id-b: expected one value in all lanes, got 0 in lane 0 "
                "and 1 in lane 1",
                mx4, ", %r6, {0, 0}, %r7, {%h1, 0}");
}

} // namespace
