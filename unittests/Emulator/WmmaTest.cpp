//===- WmmaTest.cpp - wmma.load, wmma.mma, wmma.store ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices of small numbers are loaded, multiplied and stored in every shape,
// type and layout of PTX ISA 9.0, "wmma.mma", 9.7.14.4.5; the sums are exact.
// Then what the text leaves undefined, and values that nothing ever wrote.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Numerics/Formats.h"

#include <random>

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

constexpr unsigned kA = 0, kB = 16384, kC = 32768, kD = 49152, kBytes = 65536;

unsigned bitsOf(const std::string &type) {
  return type == "b1"                      ? 1
         : type == "s4" || type == "u4"    ? 4
         : type == "s8" || type == "u8"    ? 8
         : type == "f16" || type == "bf16" ? 16
         : type == "f64"                   ? 64
                                           : 32;
}

uint64_t encode(const std::string &type, double value) {
  const auto single = float(value);
  uint64_t bits = 0;
  if (type == "f64")
    memcpy(&bits, &value, 8);
  else if (type == "f32" || type == "tf32" || type == "bf16")
    memcpy(&bits, &single, 4);
  else if (type == "f16")
    return encodeNumber(NumberFormat::F16, single, RoundingMode::NearestEven,
                        false);
  else
    return uint64_t(int64_t(value)) &
           (bitsOf(type) >= 32 ? 0xffffffffull : (1ull << bitsOf(type)) - 1);
  return type == "bf16" ? bits >> 16 : bits;
}

double decode(const std::string &type, uint64_t bits) {
  if (type == "f64") {
    double value;
    memcpy(&value, &bits, 8);
    return value;
  }
  if (type == "s32")
    return int32_t(bits);
  if (type == "f16")
    return decodeFloat(NumberFormat::F16, uint32_t(bits));
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

/// A matrix in memory; a row or column has room for more than its elements.
struct Stored {
  std::string type;
  bool rowMajor;
  unsigned rows, columns, begin;

  unsigned stride() const {
    return (rowMajor ? columns : rows) > 32 ? 256 : 64;
  }
  size_t bit(unsigned row, unsigned column) const {
    return 8 * size_t(begin) +
           bitsOf(type) * (rowMajor ? row * size_t(stride()) + column
                                    : column * size_t(stride()) + row);
  }
  void put(std::vector<uint8_t> &bytes, unsigned row, unsigned column,
           double value) const {
    const uint64_t code = encode(type, value);
    for (unsigned b = 0; b < bitsOf(type); ++b) {
      const size_t at = bit(row, column) + b;
      bytes[at / 8] = uint8_t((bytes[at / 8] & ~(1u << at % 8)) |
                              (code >> b & 1) << at % 8);
    }
  }
  double get(const std::vector<uint8_t> &bytes, unsigned row,
             unsigned column) const {
    uint64_t code = 0;
    memcpy(&code, &bytes[bit(row, column) / 8], bitsOf(type) / 8);
    return decode(type, code);
  }
};

struct WmmaCase {
  unsigned m, n, k;
  std::string type, c, d;
  std::string op = "", ending = "";
};

std::string registers(const char *name, unsigned first, unsigned count) {
  std::string list = "{";
  for (unsigned i = 0; i < count; ++i)
    list += (i ? ", " : "") + std::string(name) + std::to_string(first + i);
  return list + "}";
}

/// Registers of A, B or C and D.
unsigned countOf(const WmmaCase &x, char part) {
  const std::string &type = part == 'c' ? x.c : part == 'd' ? x.d : x.type;
  if (type == "f16" && (part == 'a' || part == 'b'))
    return 8;
  const unsigned elements = part == 'a'   ? x.m * x.k
                            : part == 'b' ? x.k * x.n
                                          : x.m * x.n;
  return elements * std::min(bitsOf(type), 32u) / 1024;
}

std::string list(const WmmaCase &x, char part) {
  const std::string &type = part == 'c' ? x.c : part == 'd' ? x.d : x.type;
  const char *name = type == "f64" ? "%fd" : type == "f32" ? "%f" : "%w";
  return registers(name, unsigned(part - 'a') * 8, countOf(x, part));
}

std::string text(const WmmaCase &x, const Stored *parts, const char *extra) {
  const std::string shape = ".m" + std::to_string(x.m) + "n" +
                            std::to_string(x.n) + "k" + std::to_string(x.k);
  auto layout = [&](unsigned i) { return parts[i].rowMajor ? ".row" : ".col"; };
  std::string body = ".reg .b32 %w<40>; .reg .f64 %fd<40>; .reg .f32 %f<40>;\n";
  for (unsigned i = 0; i < 3; ++i) {
    const char part = "abc"[i];
    body += std::string("wmma.load.") + part + ".sync.aligned" + layout(i) +
            shape + (i == 1 ? ".global." : ".") + parts[i].type + " " +
            list(x, part) + ", [%rd1+" + std::to_string(parts[i].begin) +
            "], " + std::to_string(parts[i].stride()) + ";\n";
  }
  body += extra;
  body += "wmma.mma" + x.op + ".sync.aligned" + layout(0) + layout(1) + shape +
          "." + x.d + (x.type == "f16" ? "" : "." + x.type + "." + x.type) +
          "." + x.c + x.ending + " " + list(x, 'd') + ", " + list(x, 'a') +
          ", " + list(x, 'b') + ", " + list(x, 'c') + ";\n";
  body += std::string("wmma.store.d.sync.aligned") + layout(3) + shape +
          ".global." + x.d + " [%rd1+" + std::to_string(kD) + "], " +
          list(x, 'd') + ", " + std::to_string(parts[3].stride()) + ";";
  return std::string(kHeader) +
         ".visible .entry k(.param .u64 buf) {\n.reg .b64 %rd<4>;\n"
         "ld.param.u64 %rd1, [buf];\n" +
         body + "\nret;\n}\n";
}

double draw(std::mt19937 &random, const std::string &type) {
  return type == "b1"    ? random() % 2
         : type == "u4"  ? random() % 16
         : type == "u8"  ? random() % 256
         : type == "s4"  ? int(random() % 16) - 8
         : type == "s8"  ? int(random() % 256) - 128
         : type == "s32" ? int(random() % 2001) - 1000
                         : (int(random() % 17) - 8) * 0.5;
}

/// D = `scale` A * B + C with the layouts of bits 0 to 3.
void check(const WmmaCase &x, unsigned layouts, const char *extra = "",
           double scale = 1) {
  SCOPED_TRACE(x.op + " m" + std::to_string(x.m) + "n" + std::to_string(x.n) +
               "k" + std::to_string(x.k) + " " + x.d + " " + x.type + " " +
               x.c + " layouts " + std::to_string(layouts));
  const Stored parts[] = {{x.type, bool(layouts & 1), x.m, x.k, kA},
                          {x.type, bool(layouts & 2), x.k, x.n, kB},
                          {x.c, bool(layouts & 4), x.m, x.n, kC},
                          {x.d, bool(layouts & 8), x.m, x.n, kD}};
  std::mt19937 random(x.m + 10 * x.k + layouts);
  std::vector<uint8_t> bytes(kBytes);
  for (uint8_t &byte : bytes)
    byte = uint8_t(random());
  std::vector<double> values[3];
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned row = 0; row < parts[i].rows; ++row)
      for (unsigned column = 0; column < parts[i].columns; ++column) {
        values[i].push_back(draw(random, parts[i].type));
        parts[i].put(bytes, row, column, values[i].back());
      }
  Options o;
  o.words = kBytes / 8;
  o.init.resize(o.words);
  memcpy(o.init.data(), bytes.data(), kBytes);
  const Outcome r = run(text(x, parts, extra), o);
  ASSERT_TRUE(r.result.ok) << r.message();
  memcpy(bytes.data(), r.words.data(), kBytes);
  for (unsigned m = 0; m < x.m; ++m)
    for (unsigned n = 0; n < x.n; ++n) {
      double sum = 0;
      for (unsigned k = 0; k < x.k; ++k) {
        const double a = values[0][m * x.k + k], b = values[1][k * x.n + n];
        sum += x.op.empty()          ? a * b
               : x.op == ".and.popc" ? double(a == 1 && b == 1)
                                     : double(a != b);
      }
      ASSERT_EQ(parts[3].get(bytes, m, n), scale * sum + values[2][m * x.n + n])
          << "row " << m << " column " << n;
    }
}

const unsigned kShapes[][3] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};

TEST(Wmma, floats_of_all_shapes_and_layouts) {
  for (const auto &[m, n, k] : kShapes)
    for (unsigned layouts = 0; layouts < 16; ++layouts) {
      check({m, n, k, "f16", "f32", "f32"}, layouts);
      check({m, n, k, "bf16", "f32", "f32"}, layouts);
    }
  for (unsigned layouts = 0; layouts < 16; ++layouts) {
    check({16, 16, 8, "tf32", "f32", "f32"}, layouts);
    check({8, 8, 4, "f64", "f64", "f64"}, layouts);
    check({8, 8, 4, "f64", "f64", "f64", "", ".rz"}, layouts);
  }
}

TEST(Wmma, accumulators_of_halves) {
  for (const auto &[m, n, k] : kShapes)
    for (unsigned layouts = 0; layouts < 16; layouts += 3) {
      check({m, n, k, "f16", "f16", "f16"}, layouts);
      check({m, n, k, "f16", "f16", "f32"}, layouts);
      check({m, n, k, "f16", "f32", "f16"}, layouts);
    }
}

TEST(Wmma, integers_and_bits) {
  for (const auto &[m, n, k] : kShapes)
    for (unsigned layouts = 0; layouts < 16; ++layouts) {
      check({m, n, k, "s8", "s32", "s32"}, layouts);
      check({m, n, k, "u8", "s32", "s32", "", ".satfinite"}, layouts);
    }
  for (unsigned layouts : {1u, 5u, 9u, 13u}) {
    check({8, 8, 32, "s4", "s32", "s32"}, layouts);
    check({8, 8, 32, "u4", "s32", "s32", "", ".satfinite"}, layouts);
    check({8, 8, 128, "b1", "s32", "s32", ".xor.popc"}, layouts);
    check({8, 8, 128, "b1", "s32", "s32", ".and.popc"}, layouts);
  }
}

/// All elements of a fragment may be changed alike, wherever they are.
TEST(Wmma, fragments_are_scaled_element_by_element) {
  std::string scaled;
  for (unsigned j = 0; j < 8; ++j)
    scaled += "mul.f16x2 %w" + std::to_string(j) + ", %w" + std::to_string(j) +
              ", %w30;\n";
  const std::string two = "mov.b32 %w30, 0x40004000;\n" + scaled;
  for (const auto &[m, n, k] : kShapes)
    for (unsigned layouts : {0u, 1u, 7u, 15u})
      check({m, n, k, "f16", "f32", "f32"}, layouts, two.c_str(), 2);
  check({8, 8, 4, "f64", "f64", "f64"}, 1, "add.f64 %fd0, %fd0, %fd0;\n", 2);
}

/// The register of a lane is that of mma.sync, and so are the bits.
TEST(Wmma, sums_are_those_of_mma_sync) {
  std::mt19937 random(7);
  Options o;
  o.words = kBytes / 8;
  o.init.resize(o.words);
  for (uint64_t &word : o.init)
    for (unsigned e = 0; e < 4; ++e) // halves between 2^-8 and 2^8
      word = word << 16 | (random() & 0x83ff) | (7 + random() % 16) << 10;
  auto body = [&](const std::string &multiply) {
    return kernel(".reg .b32 %w<40>; .reg .f32 %e<40>;\n"
                  "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " +
                  registers("%w", 0, 8) + ", [%rd1];\n" +
                  "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 " +
                  registers("%w", 8, 8) + ", [%rd1+512];\n" +
                  "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " +
                  registers("%e", 0, 8) + ", [%rd1+1024];\n" + multiply +
                  "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 "
                  "[%rd1+4096], " +
                  registers("%e", 0, 8) + ";");
  };
  const std::string half = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 ";
  const Outcome whole =
      run(body("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " +
               registers("%e", 0, 8) + ", " + registers("%w", 0, 8) + ", " +
               registers("%w", 8, 8) + ", " + registers("%e", 0, 8) + ";\n"),
          o);
  std::string halves;
  for (unsigned h : {0u, 1u})
    halves += half + registers("%e", 4 * h, 4) + ", " + registers("%w", 0, 4) +
              ", " + registers("%w", 8 + 2 * h, 2) + ", " +
              registers("%e", 4 * h, 4) + ";\n";
  const Outcome parts = run(body(halves), o);
  ASSERT_TRUE(whole.result.ok) << whole.message();
  ASSERT_TRUE(parts.result.ok) << parts.message();
  EXPECT_EQ(whole.words, parts.words);
  EXPECT_NE(whole.words, o.init);
}

TEST(Wmma, doubles_are_rounded_as_the_instruction_says) {
  // One plus a quarter of its last bit, in either direction.
  for (const auto &[mode, minus, low] : {std::tuple{".rn", false, 0u},
                                         {".rz", false, 0u},
                                         {".rp", false, 1u},
                                         {".rm", false, 0u},
                                         {".rm", true, 1u},
                                         {".rp", true, 0u}}) {
    SCOPED_TRACE(mode);
    const char *sign = minus ? "0dBFF0000000000000" : "0d3FF0000000000000";
    const Outcome r =
        run(kernel(std::string(".reg .f64 %fd<8>; mov.f64 %fd0, ") + sign +
                   "; mov.f64 %fd1, 0d3C70000000000000;\n"
                   "mov.f64 %fd2, 0d0000000000000000;\n"
                   "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64" +
                   mode +
                   " {%fd3, %fd4}, {%fd0}, {%fd1}, {%fd0, %fd0};\n"
                   "st.global.f64 [%rd2], %fd3;"));
    ASSERT_TRUE(r.result.ok) << r.message();
    EXPECT_EQ(r.words[0] & 15, low ? 4u : 0u);
  }
}

const char *const kTile = ".shared .align 128 .b8 s[4096];";

std::string loadA(const std::string &address, const std::string &stride) {
  return ".reg .b32 %w<8>; mov.u32 %r2, s;\n"
         "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " +
         registers("%w", 0, 8) + ", [" + address + "]" +
         (stride.empty() ? "" : ", " + stride) + ";";
}

TEST(Wmma, rows_are_aligned_with_the_fragment) {
  Options strict;
  strict.assumptions = AssumptionSet::none();
  for (const char *stride : {"", "16", "32", "48"})
    EXPECT_TRUE(run(kernel(loadA("%r2", stride), kTile), strict).result.ok);
  EXPECT_REPORT(run(kernel(loadA("%r2+16", ""), kTile)), ReportKind::Memory,
                "address: expected a multiple of the 32 bytes of a fragment, "
                "got ");
  EXPECT_REPORT(run(kernel(loadA("%r2", "8"), kTile)), ReportKind::Memory,
                "stride: expected 16 elements at least, got 8");
  EXPECT_REPORT(run(kernel(loadA("%r2", "24"), kTile), strict),
                ReportKind::Memory,
                "stride: expected rows at a multiple of the 32 bytes of a "
                "fragment, got 48 (PTX ISA 9.0, \"Matrix Storage for WMMA\", "
                "9.7.14.4.2)");
  const Outcome padded = run(kernel(loadA("%r2", "24"), kTile));
  EXPECT_TRUE(padded.result.ok) << padded.message();
  ASSERT_EQ(padded.result.uses.size(), 1u);
  EXPECT_EQ(padded.result.uses[0].assumption, Assumption::WmmaRowsOf16Bytes);
  EXPECT_REPORT(run(kernel(loadA("%r2", "20"), kTile)), ReportKind::Memory,
                "got 40 (PTX ISA");
}

TEST(Wmma, all_lanes_agree) {
  EXPECT_REPORT(run(kernel(loadA("%r2", "%r1"), kTile)), ReportKind::Sync,
                "stride: expected one value in all lanes, got 0 in lane 0 and "
                "1 in lane 1");
  EXPECT_REPORT(
      run(kernel("setp.eq.u32 %p1, %r1, 3; selp.u32 %r3, 512, 0, %p1;\n"
                 "mov.u32 %r4, s; add.u32 %r4, %r4, %r3;\n" +
                     loadA("%r4", ""),
                 kTile)),
      ReportKind::Sync, "address: expected one value in all lanes, got ");
  EXPECT_REPORT(run(kernel(loadA("%r2", "%r9"), kTile)), ReportKind::Undefined,
                "stride: read of a register whose value was never written");
  EXPECT_REPORT(
      run(kernel("setp.lt.u32 %p1, %r1, 5; @%p1 exit;\n" + loadA("%r2", ""),
                 kTile)),
      ReportKind::Sync,
      "expected all 32 threads of the warp, lane 0 "
      "has exited");
  Options few;
  few.threads = 20;
  EXPECT_REPORT(run(kernel(loadA("%r2", ""), kTile), few), ReportKind::Sync,
                "lane 20 has exited or does not exist");
  EXPECT_REPORT(run(kernel("setp.lt.u32 %p1, %r1, 5; @%p1 bra A;\n" +
                               loadA("%r2", "") + "\nA:",
                           kTile)),
                ReportKind::Sync, "expected all 32 threads of the warp");
}

std::string refusal(const std::string &instruction) {
  return run(kernel(".reg .b32 %w<40>; .reg .f32 %e<8>; .reg .f64 %fd<8>;\n" +
                    instruction))
      .message();
}

TEST(Wmma, forms_that_the_text_does_not_have) {
  const std::pair<const char *, const char *> cases[] = {
      {"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%w0, %w1}, [%rd1];",
       "expected 8 registers, got 2"},
      {"wmma.load.a.sync.row.m16n16k16.f16 {%w0}, [%rd1];",
       ".sync.aligned, and .row or .col"},
      {"wmma.load.d.sync.aligned.row.m16n16k16.f32 {%w0}, [%rd1];",
       "expected .load with .a, .b or .c or .store.d"},
      {"wmma.load.a.sync.aligned.row.m16n8k16.f16 {%w0}, [%rd1];",
       "expected a shape of wmma"},
      {"wmma.load.a.sync.aligned.row.m16n16k8.f16 {%w0}, [%rd1];",
       "type .f16 does not go with shape .m16n16k8 of a"},
      {"wmma.load.a.sync.aligned.row.m16n16k16.local.f16 {%w0}, [%rd1];",
       "expected .global, .shared or no state space"},
      {"wmma.load.a.sync.aligned.col.m8n8k32.s4 {%w0}, [%rd1];",
       "expected .row with A and .col with B of .s4"},
      {"wmma.load.b.sync.aligned.row.m8n8k128.b1 {%w0}, [%rd1];",
       "expected .row with A and .col with B of .b1"},
      {"wmma.load.a.sync.aligned.row.m16n16k16.e4m3 {%w0}, [%rd1];",
       "expected a type of wmma, got .e4m3"},
      {"wmma.load.c.sync.aligned.row.m8n8k4.f64 {%fd0, _}, [%rd1];",
       "expected registers as destination, got '_'"},
      {"wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64 {%fd0, %fd1}, "
       "{%fd0, %fd1}, {%fd0}, {%fd0, %fd1};",
       "expected 1 registers of A, got 2"},
      {"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 {%w0}, {%w0}, "
       "{%w0}, {%w0};",
       "the same for A and B"},
      {"wmma.mma.sync.aligned.row.col.m16n16k16.s32.f32 {%w0}, {%w0}, {%w0}, "
       "{%w0};",
       "does not go with operands of type .f16"},
      {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite {%w0}, "
       "{%w0}, {%w0}, {%w0};",
       "expected .satfinite with integers alone"},
      {"wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%w0}, {%w0}, "
       "{%w0}, {%w0};",
       "expected .xor.popc or .and.popc with .m8n8k128"},
      {"wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32 {%w0}, {%w0}, "
       "{%w0}, {%w0};",
       "expected .row.col with operands of less than a byte"},
      {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.rz {%w0}, {%w0}, "
       "{%w0}, {%w0};",
       "expected a rounding mode with .f64 alone"},
  };
  for (const auto &[instruction, why] : cases)
    EXPECT_TRUE(contains(refusal(instruction), why)) << refusal(instruction);
}

/// Rows 0 to 7 of A are there; so are those rows of D alone.
TEST(Wmma, rows_that_were_never_written) {
  const std::string body =
      ".reg .b32 %w<24>; .reg .f32 %e<8>; mov.u32 %r2, s;\n"
      "mad.lo.u32 %r3, %r1, 8, %r2; st.shared.u64 [%r3], 0; bar.warp.sync -1;\n"
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " +
      registers("%w", 0, 8) + ", [%r2];\n" +
      "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 " +
      registers("%w", 8, 8) + ", [%rd1+512];\n" +
      "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " +
      registers("%e", 0, 8) + ", [%rd1];\n" +
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " +
      registers("%e", 0, 8) + ", " + registers("%w", 0, 8) + ", " +
      registers("%w", 8, 8) + ", " + registers("%e", 0, 8) + ";\n" +
      "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r2+1024], " +
      registers("%e", 0, 8) + "; bar.warp.sync -1;\n";
  Options o;
  o.words = 512;
  // 512 bytes of the first eight rows of D, then those of the others.
  auto use = [&](const char *offset) {
    return kernel(body +
                      "mad.lo.u32 %r4, %r1, 4, %r2; ld.shared.u32 %r5, "
                      "[%r4+" +
                      offset + "]; st.global.u32 [%rd2], %r5;",
                  kTile);
  };
  EXPECT_TRUE(run(use("1024"), o).result.ok) << run(use("1024"), o).message();
  EXPECT_TRUE(run(use("1408"), o).result.ok);
  EXPECT_REPORT(run(use("1536"), o), ReportKind::Undefined,
                "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 of line ");
  const std::string direct =
      body +
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1+1024], " +
      registers("%e", 0, 8) + ";";
  EXPECT_REPORT(run(kernel(direct, kTile), o), ReportKind::Undefined,
                "reads offset 1280 of shared memory, where nothing was "
                "written before or since");
}

TEST(Wmma, columns_and_cells_that_were_never_written) {
  // B has no value in column 3 (words of that column), C in cell (0, 1).
  const std::string body =
      ".reg .b32 %w<24>; .reg .f32 %e<8>;\n"
      "wmma.load.a.sync.aligned.row.m16n16k8.global.tf32 " +
      registers("%w", 0, 4) + ", [%rd1];\n" +
      "mov.b32 %w4, 0; mov.b32 %w5, 0; mov.b32 %w6, 0; mov.b32 %w7, 0;\n"
      "shr.u32 %r3, %r1, 2; setp.eq.u32 %p1, %r3, 3;\n"
      "@%p1 mov.b32 %w4, %w20;\n"
      "mov.f32 %e0, 0f00000000; mov.f32 %e2, %e0; mov.f32 %e3, %e0;\n"
      "mov.f32 %e4, %e0; mov.f32 %e5, %e0; mov.f32 %e6, %e0; "
      "mov.f32 %e7, %e0;\n"
      "setp.ne.u32 %p2, %r1, 0; @%p2 mov.f32 %e1, %e0;\n"
      "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 " +
      registers("%e", 0, 8) + ", " + registers("%w", 0, 4) + ", " +
      registers("%w", 4, 4) + ", " + registers("%e", 0, 8) + ";\n";
  Options o;
  o.words = 512;
  // Columns 2 and 3 are in registers 0 and 1 of lanes 1 mod 4.
  auto use = [&](const char *lanes, const char *value) {
    return run(kernel(body + "and.b32 %r4, %r1, 3; setp.eq.u32 %p3, " + lanes +
                      ";\n@%p3 st.global.f32 [%rd2], " + value + ";"),
               o);
  };
  EXPECT_TRUE(use("%r4, 1", "%e0").result.ok);
  EXPECT_REPORT(use("%r4, 1", "%e1"), ReportKind::Undefined,
                "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 of "
                "line ");
  EXPECT_TRUE(use("%r4, 2", "%e1").result.ok);
  EXPECT_REPORT(use("%r1, 0", "%e1"), ReportKind::Undefined,
                "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 of "
                "line ");
  EXPECT_TRUE(use("%r1, 4", "%e1").result.ok);
}

} // namespace
