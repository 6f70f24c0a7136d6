//===- ConvertTest.cpp - stochastic rounding and fixed point --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.4, "cvt", 9.7.10.24: .rs and .s2f6x2.
//
//===----------------------------------------------------------------------===//

#include "ScalarRow.h"
#include "UndefinedBytes.h"

using namespace tc::emu;
using namespace tc::emu::test;

TEST(Convert, StochasticPairs) {
  // f16 discards 13 bits of 1 + 2^-11, of which the first is set, bf16 16 of 1
  // + 2^-8. A half of the third source each; the high bits of it count not with
  // f16.
  const float half = 1 + 0x1p-11f, halfOfBf16 = 1 + 0x1p-8f;
  const Row rows[] = {
      {"cvt.rs.f16x2.f32 d, a, b, c", "rrrr", f(half), f(half), 0x0fff1000,
       0x3c003c01},
      {"cvt.rs.f16x2.f32 d, a, b, c", "rrrr", f(-half), f(half), 0xf000ef00,
       0xbc013c00},
      {"cvt.rs.f16x2.f32 d, a, b, c", "rrrr", f(1), f(-0.0f), 0xffffffff,
       0x3c008000},
      {"cvt.rs.bf16x2.f32 d, a, b, c", "rrrr", f(halfOfBf16), f(halfOfBf16),
       0x7fff8000, 0x3f803f81},
      {"cvt.rs.bf16x2.f32 d, a, b, c", "rrrr", f(-halfOfBf16), 0x00008000,
       0x80008000, 0xbf810001},
      // A carry out of the digits; beyond the greatest number.
      {"cvt.rs.f16x2.f32 d, a, b, c", "rrrr", f(0x1.ffep0f), f(65520),
       0x10000fff, 0x40007bff},
      {"cvt.rs.satfinite.f16x2.f32 d, a, b, c", "rrrr", f(65520), f(-65520),
       0x10000fff, 0x7bfffbff},
      {"cvt.rs.f16x2.f32 d, a, b, c", "rrrr", f(65520), kNaN, 0x1000ffff,
       0x7c007fff},
      {"cvt.rs.relu.bf16x2.f32 d, a, b, c", "rrrr", f(-1), 0x80000000, 0, 0},
      {"cvt.rs.satfinite.relu.f16x2.f32 d, a, b, c", "rrrr", kInf, kNaN, 0,
       0x7bff7fff},
      // Subnormal results: 0.75 of 2^-24 has 0x1800 of 0x2000.
      {"cvt.rs.f16x2.f32 d, a, b, c", "rrrr", f(0x1.8p-25f), f(0x1.8p-25f),
       0x080007ff, 0x00010000},
  };
  for (const char *target : {"sm_100a", "sm_103a", "sm_107a"})
    for (const Row &row : rows)
      check(row, target);
}

TEST(Convert, StochasticQuads) {
  // The first discarded bit alone is set in 1.0625 for 3 digits, 1.125 for two
  // and 1.25 for one; a and b take the high half of the random bits.
  const Row rows[] = {
      {"cvt.rs.satfinite.e4m3x4.f32 d, {a, b, b, a}, c", "rrrr", f(1.0625f),
       f(-1.0625f), 0x80007fff, 0x39b9b838},
      {"cvt.rs.satfinite.e5m2x4.f32 d, {a, b, b, a}, c", "rrrr", f(1.125f),
       f(-1.125f), 0x7fff8000, 0x3cbcbd3d},
      {"cvt.rs.satfinite.e2m3x4.f32 d, {a, b, b, a}, c", "rrrr", f(1.0625f),
       f(-1.0625f), 0x80007fff, 0x09292808},
      {"cvt.rs.satfinite.e3m2x4.f32 d, {a, b, b, a}, c", "rrrr", f(1.125f),
       f(-1.125f), 0x80007fff, 0x0d2d2c0c},
      // a and b: 0x8000, of the high bytes; e and f: 0x7fff.
      {"cvt.rs.satfinite.e2m1x4.f32 d, {a, b, b, a}, c", "hrrr", f(1.25f),
       f(-1.25f), 0x807f00ff, 0x3ba2},
      {"cvt.rs.satfinite.e4m3x4.f32 d, {a, b, b, a}, c", "rrrr", f(1000), kNaN,
       0, 0x7e7f7f7e},
      {"cvt.rs.satfinite.relu.e2m1x4.f32 d, {a, b, b, a}, c", "hrrr", f(-6),
       kNaN, 0, 0x0770},
  };
  for (const Row &row : rows)
    check(row, "sm_107a");
}

/// Of all random bits as many round up as the discarded ones say.
TEST(Convert, StochasticIsFair) {
  const ModuleScope scope("sm_107a");
  for (uint32_t discarded : {0u, 1u, 0x0abcu, 0x1fffu}) {
    // Thread t takes the random bits t, t + 256, ...
    const std::string body =
        "mov.b32 %f1, " + std::to_string(0x3f800000 + discarded) +
        "; mov.u32 %r2, %r1; mov.u32 %r4, 0;\nLOOP: cvt.rs.f16x2.f32 %r3, %f1, "
        "%f1, %r2;\nand.b32 %r3, %r3, 0xffff; sub.u32 %r3, %r3, 0x3c00;\n"
        "add.u32 %r4, %r4, %r3; add.u32 %r2, %r2, 256;\n"
        "setp.lt.u32 %p1, %r2, 8192; @%p1 bra LOOP;\n"
        "cvt.u64.u32 %rd3, %r4; red.global.add.u64 [%rd1], %rd3;";
    Options options;
    options.threads = 256;
    const Outcome r = run(kernel(body), options);
    ASSERT_TRUE(r.result.ok) << r.message();
    EXPECT_EQ(r.words[0], discarded);
    ASSERT_EQ(r.result.uses.size(), 1u);
    EXPECT_EQ(r.result.uses[0].assumption, Assumption::StochasticBits);
  }
}

TEST(Convert, FixedPoint) {
  const Row rows[] = {
      // In units of 1/64: 64 and -64.
      {"cvt.rn.satfinite.s2f6x2.f32 d, a, b", "hrr", f(1), f(-1), 0, 0x40c0},
      // Ties: 0.5 and 1.5; cut: -1.5 and 1.96875.
      {"cvt.rn.satfinite.s2f6x2.f32 d, a, b", "hrr", f(0x1p-7f), f(0x1.8p-6f),
       0, 0x0002},
      {"cvt.rz.satfinite.s2f6x2.f32 d, a, b", "hrr", f(-0x1.8p-6f),
       f(0x1.f8p-6f), 0, 0xff01},
      // The greatest is 127, the least -128.
      {"cvt.rn.satfinite.s2f6x2.f32 d, a, b", "hrr", f(1.99f), f(1.998f), 0,
       0x7f7f},
      {"cvt.rn.satfinite.s2f6x2.f32 d, a, b", "hrr", f(3), f(-3), 0, 0x7f80},
      {"cvt.rn.satfinite.s2f6x2.f32 d, a, b", "hrr", kNaN, 0xff800000, 0,
       0x7f80},
      {"cvt.rz.satfinite.relu.s2f6x2.f32 d, a, b", "hrr", f(-1), kNaN, 0,
       0x007f},
      {"cvt.rn.satfinite.s2f6x2.f32 d, a, b", "hrr", f(-0.0f), kInf, 0, 0x007f},
      // Divided by 2 and by 4; a factor that is no number.
      {"cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 d, a, b, c", "hrrh", f(3),
       f(2), 0x8081, 0x6020},
      {"cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 d, a, b, c", "hrrh", f(3),
       f(0), 0xff81, 0x7f00},
      {"cvt.rn.satfinite.s2f6x2.bf16x2 d, a", "hr", 0x3f80bfc0, 0, 0, 0x40a0},
      {"cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.bf16x2 d, a, b", "hrh",
       0x3f80bf80, 0x807e, 0, 0x2080},
      {"cvt.rn.bf16x2.s2f6x2 d, a", "rh", 0x807f, 0, 0, 0xc0003ffe},
      {"cvt.rn.satfinite.relu.bf16x2.s2f6x2 d, a", "rh", 0x8040, 0, 0,
       0x00003f80},
      {"cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 d, a, b", "rhh", 0x40c0, 0x80ff,
       0, 0x40007fff},
      {"cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 d, a, b", "rhh", 0x807f, 0xfefe,
       0, 0xff807f7e},
      {"cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.s2f6x2 d, a, b", "rhh",
       0x8000, 0xfefe, 0, 0xff7f0000},
  };
  for (const char *target : {"sm_100a", "sm_107a", "sm_121a"})
    for (const Row &row : rows)
      check(row, target);
  const ModuleScope scope("sm_107a");
  const struct {
    const char *value;
    size_t uses;
  } cases[] = {{"0xbf800000", 0}, {"0xc0400000", 1}};
  for (const auto &c : cases) {
    const Outcome r = run(kernel(std::string("mov.b32 %f1, ") + c.value +
                                 "; cvt.rn.satfinite.s2f6x2.f32 %h1, %f1, "
                                 "%f1;"));
    ASSERT_TRUE(r.result.ok) << r.message();
    EXPECT_EQ(r.result.uses.size(), c.uses) << c.value;
  }
}

/// %r10 is 0x44332211 with even bytes only, %f9 has no value.
TEST(Convert, UndefinedElements) {
  const ModuleScope scope("sm_107a");
  const std::string one = "mov.b32 %f1, 0x3f800000; mov.b32 %r5, 0x7f7f7f7f;"
                          "cvt.u16.u32 %h5, %r5;\n";
  const BytesCase cases[] = {
      {"source", "cvt.rs.f16x2.f32 %r20, %f1, %f9, %r2;", 0b1100, 0x3c000000},
      {"random bits", "cvt.rs.f16x2.f32 %r20, %f1, %f1, %r10;", 0, 0},
      {"random bits of a pair",
       "prmt.b32 %r11, %r2, %r8, 0x3254; "
       "cvt.rs.satfinite.e4m3x4.f32 %r20, {%f1, %f1, %f1, %f1}, %r11;",
       0b1100, 0x38380000},
      {"to fixed point",
       "cvt.rn.satfinite.s2f6x2.f32 %h1, %f1, %f9; cvt.u32.u16 %r20, %h1;",
       0b1110, 0x00004000},
      {"factor",
       "cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 %h1, %f1, %f1, %h10; "
       "cvt.u32.u16 %r20, %h1;",
       0b1101, 0x0000007f},
      {"from fixed point", "cvt.rn.bf16x2.s2f6x2 %r20, %h10;", 0b0011,
       0x00003e88},
  };
  for (const BytesCase &c : cases) {
    const std::string body = one + c.body;
    checkBytes({c.name, body.c_str(), c.known, c.value});
  }
}

TEST(Convert, Refused) {
  const struct {
    const char *target, *version, *text, *message;
  } cases[] = {
      {"sm_107f", "9.4", "cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;",
       "expected a target that has .rs (sm_100a, sm_103a, sm_107a), got "
       "sm_107f"},
      {"sm_110a", "9.4", "cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;",
       "sm_107a), got sm_110a"},
      {"sm_100a", "8.6", "cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;",
       "expected .version 8.7 or later for .rs, got 8.6"},
      {"sm_100a", "9.4", "cvt.rs.e2m1x4.f32 %h1, {%f1, %f2, %f1, %f2}, %r2;",
       "expected .satfinite with .e2m1x4"},
      {"sm_100a", "9.4", "cvt.rs.satfinite.e4m3x2.f32 %h1, %f1, %f2, %r2;",
       "expected .rs from .f32 to .f16x2, .bf16x2 or four narrow elements"},
      {"sm_107a", "9.4", "cvt.rs.pzo.f16x2.f32 %r1, %f1, %f2, %r2;",
       "expected a type, got .pzo"},
      {"sm_100a", "9.4",
       "cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1, %f2, %f1}, %r2;",
       "expected four sources"},
      {"sm_100f", "9.4", "cvt.rn.satfinite.s2f6x2.f32 %h1, %f1, %f2;",
       "expected a target that has .s2f6x2 (sm_100a, sm_103a, sm_107a, "
       "sm_110a, sm_120a, sm_121a), got sm_100f"},
      {"sm_100a", "9.0", "cvt.rn.bf16x2.s2f6x2 %r1, %h1;",
       "expected .version 9.1 or later for .s2f6x2, got 9.0"},
      {"sm_100a", "9.4", "cvt.rn.s2f6x2.f32 %h1, %f1, %f2;",
       "expected .rn or .rz, and .satfinite, to .s2f6x2"},
      {"sm_100a", "9.4", "cvt.rz.bf16x2.s2f6x2 %r1, %h1;",
       "expected .rn from .s2f6x2"},
      {"sm_100a", "9.4", "cvt.rn.satfinite.s2f6x2.f16x2 %h1, %r1;",
       "expected .s2f6x2 from .f32 or .bf16x2, or to .bf16x2"},
  };
  for (const auto &c : cases) {
    const ModuleScope scope(c.target, c.version);
    EXPECT_REPORT(run(kernel(c.text)), ReportKind::Unsupported, c.message);
  }
}
