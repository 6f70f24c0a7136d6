//===- PackedIntegerTest.cpp - bytes, saturation, carry-less products -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.2 to 9.4, "Integer Arithmetic Instructions", 9.7.1, and "set",
// 9.7.7.1.
//
//===----------------------------------------------------------------------===//

#include "ScalarRow.h"
#include "UndefinedBytes.h"

using namespace tc::emu;
using namespace tc::emu::test;

TEST(PackedInteger, Bytes) {
  const Row rows[] = {
      // From the lowest byte on: no carry into the next one.
      {"add.u8x4 d, a, b", "rrr", 0x7f80ff01, 0x0180ff02, 0, 0x8000fe03},
      {"add.s8x4 d, a, b", "rrr", 0x7f80ff01, 0x0180ff02, 0, 0x8000fe03},
      {"add.sat.u8x4 d, a, b", "rrr", 0x7f80ff01, 0x0180ff02, 0, 0x80ffff03},
      {"add.sat.s8x4 d, a, b", "rrr", 0x7f80ff01, 0x0180ff02, 0, 0x7f80fe03},
      {"add.s8x4.sat d, a, b", "rrr", 0x7f80ff01, 0x0180ff02, 0, 0x7f80fe03},
      {"add.u32.sat d, a, b", "rrr", 0xffffffff, 1, 0, 0xffffffff},
      {"sub.u8x4.sat d, a, b", "rrr", 0x00807f05, 0x0101ff06, 0, 0x007f0000},
      {"sub.u8x4 d, a, b", "rrr", 0x00807f05, 0x0101ff06, 0, 0xff7f80ff},
      {"sub.s8x4 d, a, b", "rrr", 0x00807f05, 0x0101ff06, 0, 0xff7f80ff},
      {"sub.sat.u8x4 d, a, b", "rrr", 0x00807f05, 0x0101ff06, 0, 0x007f0000},
      {"sub.sat.s8x4 d, a, b", "rrr", 0x00807f05, 0x0101ff06, 0, 0xff807fff},
      {"min.u8x4 d, a, b", "rrr", 0x7f80ff01, 0x807f0002, 0, 0x7f7f0001},
      {"min.s8x4 d, a, b", "rrr", 0x7f80ff01, 0x807f0002, 0, 0x8080ff01},
      {"max.u8x4 d, a, b", "rrr", 0x7f80ff01, 0x807f0002, 0, 0x8080ff02},
      {"max.s8x4 d, a, b", "rrr", 0x7f80ff01, 0x807f0002, 0, 0x7f7f0002},
      {"min.relu.s8x4 d, a, b", "rrr", 0x7f80ff01, 0x807f0002, 0, 0x00000001},
      {"max.relu.s8x4 d, a, b", "rrr", 0x80fff001, 0x80fe7f02, 0, 0x00007f02},
      // The opposite of -128 is not a byte.
      {"neg.s8x4 d, a", "rr", 0x80ff7f00, 0, 0, 0x80018100},
      {"add.sat.u16x2 d, a, b", "rrr", 0xffff0001, 0x00010002, 0, 0xffff0003},
      {"add.sat.s16x2 d, a, b", "rrr", 0x7fff8000, 0x0001ffff, 0, 0x7fff8000},
      {"add.sat.u32 d, a, b", "rrr", 0xffffffff, 2, 0, 0xffffffff},
      {"add.sat.u32 d, a, b", "rrr", 0xfffffffd, 2, 0, 0xffffffff},
      {"add.sat.u32 d, a, b", "rrr", 0x7fffffff, 1, 0, 0x80000000},
  };
  for (const Row &row : rows) {
    check(row, "sm_107f");
    check(row, "sm_121a");
  }
}

TEST(PackedInteger, Set) {
  // Bytes 0x7f, 0x80, 0x05 and 0x00 against 0x80, 0x7f, 0x05 and 0xff.
  constexpr uint32_t a = 0x7f800500, b = 0x807f05ff;
  const Row rows[] = {
      {"set.eq.u8x4 d, a, b", "rrr", a, b, 0, 0x0000ff00},
      {"set.ne.s8x4 d, a, b", "rrr", a, b, 0, 0xffff00ff},
      {"set.lt.u8x4 d, a, b", "rrr", a, b, 0, 0xff0000ff},
      {"set.lo.u8x4 d, a, b", "rrr", a, b, 0, 0xff0000ff},
      {"set.lt.s8x4 d, a, b", "rrr", a, b, 0, 0x00ff0000},
      {"set.le.s8x4 d, a, b", "rrr", a, b, 0, 0x00ffff00},
      {"set.ls.u8x4 d, a, b", "rrr", a, b, 0, 0xff00ffff},
      {"set.gt.s8x4 d, a, b", "rrr", a, b, 0, 0xff0000ff},
      {"set.hi.u8x4 d, a, b", "rrr", a, b, 0, 0x00ff0000},
      {"set.ge.s8x4 d, a, b", "rrr", a, b, 0, 0xff00ffff},
      {"set.hs.u8x4 d, a, b", "rrr", a, b, 0, 0x00ffff00},
      {"set.ge.u16x2 d, a, b", "rrr", 0x80000001, 0x7fff0001, 0, 0xffffffff},
      {"set.ge.s16x2 d, a, b", "rrr", 0x80000001, 0x7fff0001, 0, 0x0000ffff},
  };
  for (const Row &row : rows)
    check(row, "sm_107f");
}

TEST(PackedInteger, Carryless) {
  const Row rows[] = {
      // (x + 1)^2 = x^2 + 1 over two elements.
      {"clmad.lo.u64 d, a, b, c", "dddd", 3, 3, 0, 5},
      {"clmad.lo.u64 d, a, b, c", "dddd", 3, 3, 5, 0},
      {"clmad.hi.u64 d, a, b, c", "dddd", 3, 3, 7, 7},
      // x^63 * x^63 = x^126, x^63 (x + 1) = x^64 + x^63.
      {"clmad.hi.u64 d, a, b, c", "dddd", 1ull << 63, 1ull << 63, 0,
       1ull << 62},
      {"clmad.hi.u64 d, a, b, c", "dddd", 1ull << 63, 3, 0, 1},
      {"clmad.lo.u64 d, a, b, c", "dddd", 1ull << 63, 3, 1, 1ull << 63 | 1},
      // The square of all ones has every second bit.
      {"clmad.lo.u64 d, a, b, c", "dddd", ~0ull, ~0ull, 0, 0x5555555555555555},
      {"clmad.hi.u64 d, a, b, c", "dddd", ~0ull, ~0ull, 0, 0x5555555555555555},
  };
  for (const Row &row : rows) {
    check(row, "sm_80");
    check(row, "sm_107f");
  }
}

/// %r10 is 0x44332211 with even bytes only, %rd10 the same with zeros above.
TEST(PackedInteger, UndefinedElements) {
  const ModuleScope scope("sm_107f");
  for (const BytesCase &c :
       {BytesCase{"sum", "add.u8x4 %r20, %r10, %r2;", 0b0101, 0x00660022},
        BytesCase{"saturated", "sub.sat.s8x4 %r20, %r10, %r2;", 0b0101, 0},
        BytesCase{"opposite", "neg.s8x4 %r20, %r10;", 0b0101, 0x00cd00ef},
        BytesCase{"lesser", "min.s8x4 %r20, %r2, %r10;", 0b0101, 0x00330011},
        BytesCase{"compared", "set.eq.u8x4 %r20, %r2, %r10;", 0b0101,
                  0x00ff00ff},
        BytesCase{"halves", "add.sat.u16x2 %r20, %r10, %r2;", 0, 0},
        BytesCase{"compared halves",
                  "and.b32 %r11, %r10, 0xff; set.ge.u16x2 %r20, %r11, %r2;",
                  0b1111, 0},
        BytesCase{"whole", "add.sat.u32 %r20, %r10, %r2;", 0, 0}})
    checkBytes(c);
  for (const BytesCase &c :
       {BytesCase{"product",
                  "mov.b64 %rd11, 1; mov.b64 %rd12, 0;\n"
                  "clmad.lo.u64 %rd20, %rd10, %rd11, %rd12;",
                  0b11110101, 0x00330011},
        BytesCase{"moved",
                  "mov.b64 %rd11, 0x100; mov.b64 %rd12, 0;\n"
                  "clmad.lo.u64 %rd20, %rd11, %rd10, %rd12;",
                  0b11101011, 0x33001100},
        BytesCase{"addend",
                  "mov.b64 %rd11, 0; mov.b64 %rd12, 5;\n"
                  "clmad.hi.u64 %rd20, %rd11, %rd12, %rd10;",
                  0b11110101, 0x00330011}})
    checkBytes(c, true);
}

TEST(PackedInteger, Refused) {
  const struct {
    const char *target, *version, *text, *message;
  } cases[] = {
      {"sm_100a", "9.4", "add.u8x4 %r2, %r3, %r4;",
       "expected a target that has add.u8x4 (sm_107a, sm_107f, sm_120a, "
       "sm_120f, sm_121a, sm_121f), got sm_100a"},
      {"sm_120", "9.4", "min.s8x4 %r2, %r3, %r4;", "sm_121f), got sm_120"},
      {"sm_103a", "9.4", "add.sat.u32 %r2, %r3, %r4;", "sm_121f), got sm_103a"},
      {"sm_120f", "9.1", "neg.s8x4 %r2, %r3;",
       "expected .version 9.2 or later for neg.s8x4, got 9.1"},
      {"sm_107f", "9.4", "neg.u8x4 %r2, %r3;",
       "or neg, min.relu or max.relu of .s8x4"},
      {"sm_107f", "9.4", "max.relu.u8x4 %r2, %r3, %r4;",
       "or neg, min.relu or max.relu of .s8x4"},
      {"sm_107f", "9.4", "abs.s8x4 %r2, %r3;",
       "expected add, sub, min or max of .s8x4"},
      {"sm_120a", "9.4", "set.eq.u8x4 %r2, %r3, %r4;",
       "expected a target that has set.u8x4 (sm_107a, sm_107f), got sm_120a"},
      {"sm_107f", "9.3", "set.eq.s16x2 %r2, %r3, %r4;",
       "expected .version 9.4 or later for set.s16x2, got 9.3"},
      {"sm_107f", "9.4", "set.lo.s8x4 %r2, %r3, %r4;",
       "expected a comparison of .s8x4, got .lo"},
      {"sm_107f", "9.4", "set.lt.and.u8x4 %r2, %r3, %r4, %p1;",
       "expected a type, got .and"},
      {"sm_107f", "9.4", "set.lt.u32.s8x4 %r2, %r3, %r4;",
       "expected the type of the elements alone"},
      {"sm_75", "9.3", "clmad.lo.u64 %rd2, %rd3, %rd4, %rd5;",
       "expected a target that has clmad (sm_80 or later), got sm_75"},
      {"sm_90", "9.2", "clmad.lo.u64 %rd2, %rd3, %rd4, %rd5;",
       "expected .version 9.3 or later for clmad, got 9.2"},
      {"sm_90", "9.3", "clmad.lo.u32 %r2, %r3, %r4, %r5;",
       "expected clmad.lo.u64 or clmad.hi.u64"},
  };
  for (const auto &c : cases) {
    const ModuleScope scope(c.target, c.version);
    EXPECT_REPORT(run(kernel(c.text)), ReportKind::Unsupported, c.message);
  }
}
