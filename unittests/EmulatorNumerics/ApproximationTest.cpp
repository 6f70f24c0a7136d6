//===- ApproximationTest.cpp - results of .approx instructions ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bounds of the PTX ISA, written out again for a few rows, and draws that
// stay within them and reach both ends. Results of a device are compared with
// the bounds in test/Device.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Numerics/Approximation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace tc::emu;

namespace {

unsigned row(std::string_view opcode) {
  int found = findApproxRow(opcode);
  EXPECT_GE(found, 0) << opcode;
  return static_cast<unsigned>(found);
}

double value(const ApproxRow &info, uint32_t bits) {
  return decodeFloat(info.format, bits);
}

TEST(Approximation, ranges_are_those_of_the_isa) {
  // rcp: 1 ulp. 1/3 rounds to 3eaaaaab.
  ApproxRange range = approxRange(approxRow(row("rcp.approx.f32")), 3, 1.0 / 3);
  EXPECT_EQ(range.least, 0x3eaaaaaau);
  EXPECT_EQ(range.largest, 0x3eaaaaacu);
  // ex2: 2 ulp of the rounded result, also below zero.
  range =
      approxRange(approxRow(row("ex2.approx.ftz.f32")), 0.5, std::exp2(0.5));
  EXPECT_EQ(range.largest - range.least, 4u);
  range = approxRange(approxRow(row("rcp.approx.f32")), -3, -1.0 / 3);
  EXPECT_EQ(range.least, 0xbeaaaaacu);
  EXPECT_EQ(range.largest, 0xbeaaaaaau);
  // tanh: 2^-11 relative.
  const ApproxRow &tanh = approxRow(row("tanh.approx.f32"));
  range = approxRange(tanh, 0.25, std::tanh(0.25));
  EXPECT_NEAR(value(tanh, range.least), std::tanh(0.25) * (1 - 0x1p-11), 1e-7);
  EXPECT_NEAR(value(tanh, range.largest), std::tanh(0.25) * (1 + 0x1p-11),
              1e-7);
  // sin: 2^-20.5 absolute up to 2 pi, 2^-14.7 up to 100 pi, then anything.
  const ApproxRow &sin = approxRow(row("sin.approx.f32"));
  range = approxRange(sin, 1, std::sin(1.0));
  EXPECT_NEAR(value(sin, range.largest), std::sin(1.0) + std::exp2(-20.5),
              6e-8);
  range = approxRange(sin, 100, std::sin(100.0));
  EXPECT_NEAR(value(sin, range.largest), std::sin(100.0) + std::exp2(-14.7),
              6e-8);
  range = approxRange(sin, 1000, std::sin(1000.0));
  EXPECT_EQ(value(sin, range.least), -1);
  EXPECT_EQ(value(sin, range.largest), 1);
  // lg2: absolute between 0.5 and 2, relative elsewhere.
  const ApproxRow &lg2 = approxRow(row("lg2.approx.f32"));
  range = approxRange(lg2, 1.0001, std::log2(1.0001));
  EXPECT_NEAR(value(lg2, range.least), std::log2(1.0001) - 0x1p-22, 1e-10);
  range = approxRange(lg2, 1024.5, std::log2(1024.5));
  EXPECT_NEAR(value(lg2, range.least), std::log2(1024.5) * (1 - 0x1p-22), 1e-6);
}

TEST(Approximation, listed_results_allow_themselves_only) {
  struct Case {
    const char *opcode;
    double x, exact;
    uint32_t bits;
  };
  for (const Case &c : {Case{"rcp.approx.f32", INFINITY, 0, 0},
                        Case{"rcp.approx.f32", -0.0, -INFINITY, 0xff800000},
                        Case{"ex2.approx.f32", 0, 1, 0x3f800000},
                        Case{"ex2.approx.f16", -0.0, 1, 0x3c00},
                        Case{"sin.approx.f32", -0.0, -0.0, 0x80000000},
                        Case{"cos.approx.f32", INFINITY, NAN, 0x7fffffff},
                        Case{"tanh.approx.bf16", INFINITY, 1, 0x3f80},
                        Case{"sqrt.approx.f32", -1, NAN, 0x7fffffff}}) {
    ApproxRange range = approxRange(approxRow(row(c.opcode)), c.x, c.exact);
    EXPECT_EQ(range.least, c.bits) << c.opcode;
    EXPECT_EQ(range.largest, c.bits) << c.opcode;
  }
}

TEST(Approximation, no_draw_overflows_or_changes_sign) {
  const ApproxRow &ex2 = approxRow(row("ex2.approx.f32"));
  const double x = 127.99999237060547;
  EXPECT_LE(approxRange(ex2, x, std::exp2(x)).largest, 0x7f7fffffu);
  EXPECT_EQ(approxRange(ex2, -149.4, std::exp2(-149.4)).least, 0u);
  EXPECT_EQ(approxRange(ex2, -149.4, std::exp2(-149.4)).largest, 3u);
}

TEST(Approximation, draws_stay_within_the_range_and_reach_both_ends) {
  for (const char *opcode : {"rcp.approx.f32", "tanh.approx.f32",
                             "sin.approx.ftz.f32", "ex2.approx.ftz.bf16"}) {
    const unsigned at = row(opcode);
    const double x = 0.37109375,
                 exact = approxRow(at).function == ApproxFunction::Rcp ? 1 / x
                         : approxRow(at).function == ApproxFunction::Tanh
                             ? std::tanh(x)
                         : approxRow(at).function == ApproxFunction::Sin
                             ? std::sin(x)
                             : std::exp2(x);
    const ApproxRange range = approxRange(approxRow(at), x, exact);
    std::set<uint32_t> seen;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      const uint32_t result = drawApprox(at, seed, 1, 0, x, exact);
      EXPECT_TRUE(isWithinBound(at, x, exact, result)) << opcode;
      EXPECT_EQ(result, drawApprox(at, seed, 1, 0, x, exact));
      seen.insert(result);
    }
    EXPECT_TRUE(seen.count(range.least) && seen.count(range.largest)) << opcode;
    EXPECT_FALSE(isWithinBound(at, x, exact, range.largest + 1)) << opcode;
    EXPECT_FALSE(isWithinBound(at, x, exact, range.least - 1)) << opcode;
  }
}

TEST(Approximation, tables_are_read_and_checked) {
  auto table =
      readApproxTable("# H200\n\nex2.approx.ftz.f32 3f800000 40000000\n"
                      "div.full.f32 3f800000,40400000 3eaaaaab\n");
  ASSERT_TRUE(bool(table)) << table.error().message;
  EXPECT_EQ((*table)->find(row("ex2.approx.ftz.f32"), 0x3f800000, 0),
            0x40000000u);
  EXPECT_EQ((*table)->find(row("div.full.f32"), 0x3f800000, 0x40400000),
            0x3eaaaaabu);
  EXPECT_FALSE((*table)->find(row("ex2.approx.f32"), 0x3f800000, 0));
  auto message = [](std::string_view text) {
    auto table = readApproxTable(text);
    return table ? std::string() : table.error().message;
  };
  EXPECT_EQ(
      message("\nexp.approx.f32 0 0\n"),
      "line 2: expected an opcode with .approx or .full, got 'exp.approx.f32'");
  EXPECT_EQ(message("div.full.f32 1 2\n"),
            "line 1: expected two operands (a,b) in hexadecimal, got '1'");
  EXPECT_EQ(message("rcp.approx.f32 1,2 3\n"),
            "line 1: expected one operand in hexadecimal, got '1,2'");
  EXPECT_EQ(message("rcp.approx.f32 1 0x\n"),
            "line 1: expected one result in hexadecimal, got '0x'");
  EXPECT_EQ(message("rcp.approx.f32 1 2\nrcp.approx.f32 1 3\n"),
            "line 2: expected one result for the operands, got a second one");
}

} // namespace
