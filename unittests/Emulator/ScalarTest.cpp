//===- ScalarTest.cpp - one row per scalar instruction --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row gives an instruction on registers d, a, b, c and the result that the
// PTX ISA defines for the inputs. Every row runs in a full warp and in a single
// lane, which take different paths through the emulator.
//
//===----------------------------------------------------------------------===//

#include "ScalarRow.h"

using namespace tc::emu;
using namespace tc::emu::test;

TEST(Scalar, IntegerArithmetic) {
  const Row rows[] = {
      {"add.s32 d, a, b", "rrr", 0xffffffff, 2, 0, 1},
      {"add.u16 d, a, b", "hhh", 0xffff, 2, 0, 1},
      {"add.s64 d, a, b", "ddd", ~0ull, 2, 0, 1},
      {"add.sat.s32 d, a, b", "rrr", 0x7fffffff, 1, 0, 0x7fffffff},
      {"add.u16x2 d, a, b", "rrr", 0xffff0001, 0x00010001, 0, 0x00000002},
      {"sub.u32 d, a, b", "rrr", 1, 2, 0, 0xffffffff},
      {"sub.sat.s32 d, a, b", "rrr", 0x80000000, 1, 0, 0x80000000},
      {"mul.lo.s32 d, a, b", "rrr", 0x10001, 0x10001, 0, 0x20001},
      {"mul.hi.u32 d, a, b", "rrr", 0xffffffff, 0xffffffff, 0, 0xfffffffe},
      {"mul.hi.s32 d, a, b", "rrr", 0xffffffff, 0xffffffff, 0, 0},
      {"mul.hi.u64 d, a, b", "ddd", ~0ull, ~0ull, 0, ~1ull},
      {"mul.hi.s64 d, a, b", "ddd", ~0ull, 5, 0, ~0ull},
      {"mul.hi.u16 d, a, b", "hhh", 0xffff, 0xffff, 0, 0xfffe},
      {"mul.wide.s32 d, a, b", "drr", 0xffffffff, 3, 0, uint64_t(-3)},
      {"mul.wide.u32 d, a, b", "drr", 0xffffffff, 3, 0, 0x2fffffffdull},
      {"mul.wide.u16 d, a, b", "rhh", 0xffff, 0xffff, 0, 0xfffe0001},
      {"mul.wide.s16 d, a, b", "rhh", 0xffff, 2, 0, 0xfffffffe},
      {"mad.lo.s32 d, a, b, c", "rrrr", 3, 4, 5, 17},
      {"mad.lo.s64 d, a, b, c", "dddd", 3, 4, uint64_t(-20), uint64_t(-8)},
      {"mad.hi.u32 d, a, b, c", "rrrr", 0x80000000, 4, 5, 7},
      {"mad.wide.u32 d, a, b, c", "drrd", 0x80000000, 2, 1, 0x100000001ull},
      {"mad.wide.s32 d, a, b, c", "drrd", 0xffffffff, 2, 1, uint64_t(-1)},
      {"div.s32 d, a, b", "rrr", uint32_t(-7), 2, 0, uint32_t(-3)},
      {"div.s32 d, a, b", "rrr", 0x80000000, 0xffffffff, 0, 0x80000000},
      {"div.u32 d, a, b", "rrr", 7, 2, 0, 3},
      {"div.u64 d, a, b", "ddd", 1ull << 40, 3, 0, (1ull << 40) / 3},
      {"div.u16 d, a, b", "hhh", 100, 7, 0, 14},
      {"rem.s32 d, a, b", "rrr", uint32_t(-7), 2, 0, uint32_t(-1)},
      {"rem.u32 d, a, b", "rrr", 7, 4, 0, 3},
      {"abs.s32 d, a", "rr", uint32_t(-7), 0, 0, 7},
      {"neg.s64 d, a", "dd", 7, 0, 0, uint64_t(-7)},
      {"neg.s32 d, a", "rr", 7, 0, 0, uint32_t(-7)},
      {"min.s32 d, a, b", "rrr", uint32_t(-7), 2, 0, uint32_t(-7)},
      {"min.u32 d, a, b", "rrr", uint32_t(-7), 2, 0, 2},
      {"max.s64 d, a, b", "ddd", uint64_t(-7), 2, 0, 2},
      {"max.relu.s32 d, a, b", "rrr", uint32_t(-3), uint32_t(-2), 0, 0},
      {"min.s16x2 d, a, b", "rrr", 0xffff0005, 0x00010003, 0, 0xffff0003},
      {"dp4a.u32.u32 d, a, b, c", "rrrr", 0x01020304, 0x01010101, 5, 15},
      {"dp4a.s32.s32 d, a, b, c", "rrrr", 0xff020304, 0x01010101, 0, 8},
      {"sad.u32 d, a, b, c", "rrrr", 3, 10, 1, 8},
      {"{ add.cc.u32 d, a, b; addc.u32 d, c, 0; }", "rrrr", 0xffffffff, 1, 7,
       8},
      {"{ sub.cc.u32 d, a, b; subc.u32 d, c, 0; }", "rrrr", 0, 1, 7, 6},
  };
  for (const Row &row : rows)
    check(row);
}

TEST(Scalar, LogicAndBits) {
  const Row rows[] = {
      {"and.b32 d, a, b", "rrr", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
      {"or.b64 d, a, b", "ddd", 1ull << 63, 1, 0, (1ull << 63) | 1},
      {"xor.b16 d, a, b", "hhh", 0xff00, 0xffff, 0, 0x00ff},
      {"not.b32 d, a", "rr", 0x0f, 0, 0, 0xfffffff0},
      {"not.b16 d, a", "hh", 0x0f, 0, 0, 0xfff0},
      {"cnot.b32 d, a", "rr", 0, 0, 0, 1},
      {"lop3.b32 d, a, b, c, 0x96", "rrrr", 0xff00, 0x0ff0, 0x3333,
       0xff00 ^ 0x0ff0 ^ 0x3333},
      {"lop3.b32 d, a, b, c, 0xe8", "rrrr", 0xc, 0xa, 0x9, 0x8},
      {"shl.b32 d, a, b", "rrr", 1, 31, 0, 0x80000000},
      {"shl.b32 d, a, b", "rrr", 1, 32, 0, 0},
      {"shl.b64 d, a, b", "ddr", 1, 63, 0, 1ull << 63},
      {"shl.b16 d, a, b", "hhr", 0x8001, 1, 0, 2},
      {"shr.u32 d, a, b", "rrr", 0x80000000, 31, 0, 1},
      {"shr.s32 d, a, b", "rrr", 0x80000000, 31, 0, 0xffffffff},
      {"shr.s32 d, a, b", "rrr", 0x80000000, 100, 0, 0xffffffff},
      {"shr.u32 d, a, b", "rrr", 0x80000000, 100, 0, 0},
      {"shr.s64 d, a, b", "ddr", 1ull << 63, 63, 0, ~0ull},
      {"shr.s16 d, a, b", "hhr", 0x8000, 15, 0, 0xffff},
      {"shf.l.wrap.b32 d, a, b, c", "rrrr", 0x80000001, 0x7, 4, 0x78},
      {"shf.r.wrap.b32 d, a, b, c", "rrrr", 0x80000001, 0x7, 4, 0x78000000},
      {"shf.r.clamp.b32 d, a, b, c", "rrrr", 0x80000001, 0x7, 40, 7},
      {"bfe.u32 d, a, 8, 8", "rr", 0x12345678, 0, 0, 0x56},
      {"bfe.s32 d, a, 8, 4", "rr", 0xf00, 0, 0, 0xffffffff},
      {"bfe.s32 d, a, 28, 8", "rr", 0x80000000, 0, 0, 0xfffffff8},
      {"bfe.u64 d, a, 60, 8", "dd", ~0ull, 0, 0, 0xf},
      {"bfi.b32 d, a, b, 8, 8", "rrr", 0xab, 0x12345678, 0, 0x1234ab78},
      {"bfi.b32 d, a, b, 28, 8", "rrr", 0xab, 0, 0, 0xb0000000},
      {"bfind.u32 d, a", "rr", 0x10, 0, 0, 4},
      {"bfind.u32 d, a", "rr", 0, 0, 0, 0xffffffff},
      {"bfind.s32 d, a", "rr", 0xffffffef, 0, 0, 4},
      {"bfind.shiftamt.u32 d, a", "rr", 0x10, 0, 0, 27},
      {"brev.b32 d, a", "rr", 1, 0, 0, 0x80000000},
      {"clz.b32 d, a", "rr", 0, 0, 0, 32},
      {"clz.b64 d, a", "rd", 1, 0, 0, 63},
      {"popc.b32 d, a", "rr", 0xff, 0, 0, 8},
      {"popc.b64 d, a", "rd", ~0ull, 0, 0, 64},
      {"prmt.b32 d, a, b, 0x7531", "rrr", 0x44332211, 0x88776655, 0,
       0x88664422},
      {"prmt.b32 d, a, b, 0x0008", "rrr", 0x44332280, 0, 0, 0x808080ff},
      {"prmt.b32.f4e d, a, b, c", "rrrr", 0x44332211, 0x88776655, 1,
       0x55443322},
      {"prmt.b32.rc16 d, a, b, c", "rrrr", 0x44332211, 0, 1, 0x44334433},
      {"szext.clamp.s32 d, a, b", "rrr", 0x80, 8, 0, 0xffffff80},
      {"szext.wrap.u32 d, a, b", "rrr", 0xfff, 8, 0, 0xff},
      {"bmsk.clamp.b32 d, a, b", "rrr", 4, 8, 0, 0xff0},
  };
  for (const Row &row : rows)
    check(row);
}

TEST(Scalar, Float) {
  const Row rows[] = {
      {"add.f32 d, a, b", "rrr", f(1), f(2.5f), 0, f(3.5f)},
      {"add.f32 d, a, b", "rrr", kInf, 0xff800000, 0, kNaN},
      {"add.rz.f32 d, a, b", "rrr", f(1), f(0x1.8p-24f), 0, f(1)},
      {"add.rp.f32 d, a, b", "rrr", f(1), f(0x1p-30f), 0, f(0x1.000002p0f)},
      {"add.rm.f32 d, a, b", "rrr", f(1), f(-0x1p-30f), 0, f(0x1.fffffep-1f)},
      {"add.sat.f32 d, a, b", "rrr", f(1), f(2), 0, f(1)},
      {"add.ftz.f32 d, a, b", "rrr", 1, 1, 0, 0},
      {"add.f32 d, a, b", "rrr", 1, 1, 0, 2},
      {"sub.f32 d, a, b", "rrr", f(1), f(2), 0, f(-1)},
      {"mul.f32 d, a, b", "rrr", f(3), f(-2), 0, f(-6)},
      {"mul.ftz.f32 d, a, b", "rrr", f(0x1p-100f), f(0x1p-40f), 0, 0},
      {"fma.rn.f32 d, a, b, c", "rrrr", f(0x1.000002p0f), f(0x1.000002p0f),
       f(-1), f(0x1.000001p-22f)},
      {"fma.rn.f32x2 d, a, b, c", "dddd", f2(1, 2), f2(3, 4), f2(5, 6),
       f2(8, 14)},
      {"add.rn.f32x2 d, a, b", "ddd", f2(1, 2), f2(3, 4), 0, f2(4, 6)},
      {"mul.rn.f32x2 d, a, b", "ddd", f2(1, 2), f2(3, 4), 0, f2(3, 8)},
      {"div.rn.f32 d, a, b", "rrr", f(1), f(3), 0, f(1.0f / 3)},
      {"div.approx.ftz.f32 d, a, b", "rrr", f(6), f(3), 0, f(2)},
      {"min.f32 d, a, b", "rrr", kNaN, f(2), 0, f(2)},
      {"min.NaN.f32 d, a, b", "rrr", kNaN, f(2), 0, kNaN},
      {"max.f32 d, a, b", "rrr", 0x80000000, 0, 0, 0},
      {"min.f32 d, a, b", "rrr", 0, 0x80000000, 0, 0x80000000},
      {"max.f32 d, a, b, c", "rrrr", f(1), f(5), f(3), f(5)},
      {"min.xorsign.abs.f32 d, a, b", "rrr", f(-3), f(2), 0, f(-2)},
      {"abs.f32 d, a", "rr", f(-3), 0, 0, f(3)},
      {"neg.f32 d, a", "rr", f(3), 0, 0, f(-3)},
      {"neg.ftz.f32 d, a", "rr", 1, 0, 0, 0x80000000},
      {"copysign.f32 d, a, b", "rrr", f(-1), f(3), 0, f(-3)},
      {"rcp.rn.f32 d, a", "rr", f(3), 0, 0, f(1.0f / 3)},
      {"rcp.approx.ftz.f32 d, a", "rr", f(4), 0, 0, f(0.25f)},
      {"sqrt.rn.f32 d, a", "rr", f(2), 0, 0, f(1.41421354f)},
      {"rsqrt.approx.f32 d, a", "rr", f(4), 0, 0, f(0.5f)},
      {"ex2.approx.ftz.f32 d, a", "rr", f(-3), 0, 0, f(0.125f)},
      {"lg2.approx.f32 d, a", "rr", f(8), 0, 0, f(3)},
      {"tanh.approx.f32 d, a", "rr", 0, 0, 0, 0},
      {"sin.approx.f32 d, a", "rr", 0, 0, 0, 0},
      {"cos.approx.f32 d, a", "rr", 0, 0, 0, f(1)},
      {"add.f64 d, a, b", "ddd", d(1), d(2), 0, d(3)},
      {"fma.rn.f64 d, a, b, c", "dddd", d(2), d(3), d(4), d(10)},
      {"div.rn.f64 d, a, b", "ddd", d(1), d(3), 0, d(1.0 / 3)},
      {"max.f64 d, a, b", "ddd", d(1), d(3), 0, d(3)},
  };
  for (const Row &row : rows)
    check(row);
}

TEST(Scalar, Half) {
  const Row rows[] = {
      {"add.f16 d, a, b", "hhh", 0x3c00, 0x4000, 0, 0x4200},
      {"add.rn.f16x2 d, a, b", "rrr", 0x3c004000, 0x3c004000, 0, 0x40004400},
      {"add.rn.bf16x2 d, a, b", "rrr", 0x3f804000, 0x3f804000, 0, 0x40004080},
      {"sub.bf16 d, a, b", "hhh", 0x3f80, 0x4000, 0, 0xbf80},
      {"mul.bf16x2 d, a, b", "rrr", 0x40004040, 0x40004000, 0, 0x408040c0},
      // 1 + 2^-11 ties to even.
      {"add.f16 d, a, b", "hhh", 0x3c00, 0x1000, 0, 0x3c00},
      {"add.f16 d, a, b", "hhh", 0x3c01, 0x1000, 0, 0x3c02},
      {"fma.rn.bf16 d, a, b, c", "hhhh", 0x3f81, 0x3f81, 0xbf80, 0x3c80},
      {"fma.rn.f16 d, a, b, c", "hhhh", 0x3c01, 0x3c01, 0xbc00, 0x1800},
      {"fma.rn.relu.bf16 d, a, b, c", "hhhh", 0xbf80, 0x3f80, 0, 0},
      {"max.bf16x2 d, a, b", "rrr", 0x3f80c000, 0x40003f80, 0, 0x40003f80},
      {"min.NaN.f16 d, a, b", "hhh", 0x7e00, 0x3c00, 0, 0x7fff},
      {"neg.bf16 d, a", "hh", 0x3f80, 0, 0, 0xbf80},
      {"abs.bf16x2 d, a", "rr", 0xbf80c000, 0, 0, 0x3f804000},
      {"add.sat.f16 d, a, b", "hhh", 0x3c00, 0x3c00, 0, 0x3c00},
      {"ex2.approx.ftz.bf16 d, a", "hh", 0x4000, 0, 0, 0x4080},
      {"tanh.approx.bf16x2 d, a", "rr", 0, 0, 0, 0},
  };
  for (const Row &row : rows)
    check(row);
}

TEST(Scalar, Convert) {
  const Row rows[] = {
      // A source register may be wider than its type: its low bits count.
      {"cvt.s64.s32 d, a", "dd", 0x580000001ull, 0, 0, 0xffffffff80000001ull},
      {"cvt.u64.u32 d, a", "dd", 0x580000001ull, 0, 0, 0x80000001ull},
      {"cvt.u16.u32 d, a", "hd", 0x580000001ull, 0, 0, 1},
      {"cvt.u32.u16 d, a", "rd", 0x580000001ull, 0, 0, 1},
      {"cvt.u32.u16 d, a", "rh", 0xffff, 0, 0, 0xffff},
      {"cvt.s32.s16 d, a", "rh", 0xffff, 0, 0, 0xffffffff},
      {"cvt.s32.s8 d, a", "rr", 0x180, 0, 0, 0xffffff80},
      {"cvt.s16.s8 d, a", "hh", 0x80, 0, 0, 0xff80},
      {"cvt.u64.u32 d, a", "dr", 0xffffffff, 0, 0, 0xffffffff},
      {"cvt.s64.s32 d, a", "dr", 0xffffffff, 0, 0, ~0ull},
      {"cvt.u32.u64 d, a", "rd", 0x1234567890ull, 0, 0, 0x34567890},
      {"cvt.u16.u32 d, a", "hr", 0x12345, 0, 0, 0x2345},
      {"cvt.sat.u8.s32 d, a", "rr", uint32_t(-5), 0, 0, 0},
      {"cvt.sat.s8.s32 d, a", "rr", 300, 0, 0, 127},
      {"cvt.rn.f32.s32 d, a", "rr", uint32_t(-3), 0, 0, f(-3)},
      {"cvt.rn.f32.u64 d, a", "rd", (1ull << 40) + 1, 0, 0, f(0x1p40f)},
      {"cvt.rz.f32.u32 d, a", "rr", 0xffffffff, 0, 0, f(0x1.fffffep31f)},
      {"cvt.rn.f64.s32 d, a", "dr", uint32_t(-3), 0, 0, d(-3)},
      {"cvt.rzi.s32.f32 d, a", "rr", f(-2.7f), 0, 0, uint32_t(-2)},
      {"cvt.rni.s32.f32 d, a", "rr", f(2.5f), 0, 0, 2},
      {"cvt.rpi.s32.f32 d, a", "rr", f(2.1f), 0, 0, 3},
      {"cvt.rzi.u32.f32 d, a", "rr", f(-1), 0, 0, 0},
      {"cvt.rzi.s32.f32 d, a", "rr", f(1e20f), 0, 0, 0x7fffffff},
      {"cvt.rzi.s32.f32 d, a", "rr", kNaN, 0, 0, 0},
      {"cvt.rzi.s64.f32 d, a", "dr", kNaN, 0, 0, 1ull << 63},
      {"cvt.rni.f32.f32 d, a", "rr", f(3.5f), 0, 0, f(4)},
      {"cvt.sat.f32.f32 d, a", "rr", f(3.5f), 0, 0, f(1)},
      {"cvt.f64.f32 d, a", "dr", f(1.5f), 0, 0, d(1.5)},
      {"cvt.rn.f32.f64 d, a", "rd", d(1.0 + 0x1p-24), 0, 0, f(1)},
      {"cvt.rp.f32.f64 d, a", "rd", d(1.0 + 0x1p-30), 0, 0, f(0x1.000002p0f)},
      {"cvt.f32.f16 d, a", "rh", 0x3e00, 0, 0, f(1.5f)},
      {"cvt.f32.f16 d, a", "rh", 0x0001, 0, 0, f(0x1p-24f)},
      {"cvt.f32.bf16 d, a", "rh", 0x3fc0, 0, 0, f(1.5f)},
      {"cvt.rn.f16.f32 d, a", "hr", f(65520), 0, 0, 0x7c00},
      {"cvt.rn.f16.f32 d, a", "hr", f(65519), 0, 0, 0x7bff},
      {"cvt.rn.f16.f32 d, a", "hr", f(0x1.8p-25f), 0, 0, 1},
      {"cvt.rn.f16.f32 d, a", "hr", f(0x1p-25f), 0, 0, 0},
      {"cvt.rn.bf16.f32 d, a", "hr", 0x3f808000, 0, 0, 0x3f80},
      {"cvt.rn.bf16.f32 d, a", "hr", 0x3f818000, 0, 0, 0x3f82},
      {"cvt.rz.bf16.f32 d, a", "hr", 0x3f80ffff, 0, 0, 0x3f80},
      {"cvt.rn.bf16x2.f32 d, a, b", "rrr", f(1), f(2), 0, 0x3f804000},
      {"cvt.rn.bf16x2.f32 d, a, b", "rrr", kNaN, 0xff7fffff, 0, 0x7fffff80},
      {"cvt.rn.relu.bf16x2.f32 d, a, b", "rrr", f(-1), f(2), 0, 0x00004000},
      {"cvt.rn.satfinite.bf16x2.f32 d, a, b", "rrr", kInf, f(2), 0, 0x7f7f4000},
      {"cvt.rn.f16x2.f32 d, a, b", "rrr", f(1), f(2), 0, 0x3c004000},
      {"cvt.rn.satfinite.e4m3x2.f32 d, a, b", "hrr", f(1000), f(-1), 0, 0x7eb8},
      {"cvt.rn.satfinite.e5m2x2.f32 d, a, b", "hrr", f(1), f(2), 0, 0x3c40},
      {"cvt.rn.f16x2.e4m3x2 d, a", "rh", 0x38b8, 0, 0, 0x3c00bc00},
      {"cvt.rn.f16x2.e5m2x2 d, a", "rh", 0x3c40, 0, 0, 0x3c004000},
      {"cvt.rp.satfinite.ue8m0x2.f32 d, a, b", "hrr", f(2), f(3), 0, 0x8081},
      {"cvt.rn.bf16x2.ue8m0x2 d, a", "rh", 0x8081, 0, 0, 0x40004080},
      {"cvt.rna.tf32.f32 d, a", "rr", 0x3f801000, 0, 0, 0x3f802000},
      {"{ .reg .b8 x; cvt.rn.satfinite.e2m1x2.f32 x, a, b; "
       "mov.b32 d, {x, x, x, x}; }",
       "rrr", f(6), f(-1.5f), 0, 0x7b7b7b7b},
  };
  for (const Row &row : rows)
    check(row);
}

TEST(Scalar, ConvertOnRubin) {
  const Row rows[] = {
      // A factor for each result: 2 and 4; none is a number with 0xff.
      {"cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 d, a, b", "rhh", 0x38b8, 0x8081,
       0, 0x4000c080},
      {"cvt.rn.scaled::n2::ue8m0.bf16x2.e5m2x2 d, a, b", "rhh", 0x3c40, 0xff7f,
       0, 0x7fff4000},
      {"cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e4m3x2 d, a, b", "rhh",
       0x7e38, 0xfe7f, 0, 0x7f7f3f80},
      {"cvt.rn.relu.scaled::n2::ue8m0.bf16x2.e4m3x2 d, a, b", "rhh", 0x38b8,
       0x8081, 0, 0x40000000},
      // ue5m3 has no sign and a bias of 15: 1 is 0x78, 2.25 0x81.
      {"cvt.rn.satfinite.ue5m3x2.f32 d, a, b", "hrr", f(1), f(2.25f), 0,
       0x7881},
      {"cvt.rp.satfinite.ue5m3x2.f32 d, a, b", "hrr", f(2.01f), f(1), 0,
       0x8178},
      {"cvt.rz.satfinite.ue5m3x2.bf16x2 d, a", "hr", 0x400f3f80, 0, 0, 0x8078},
      {"cvt.rn.bf16x2.ue5m3x2 d, a", "rh", 0x7880, 0, 0, 0x3f804000},
      {"cvt.rn.f16x2.ue5m3x2 d, a", "rh", 0x7880, 0, 0, 0x3c004000},
      {"cvt.rn.scaled::n2::ue8m0.bf16x2.ue5m3x2 d, a, b", "rhh", 0x7880, 0x807f,
       0, 0x40004000},
      // One for both sources, by which they are divided; subnormal ones are 0.
      {"{ .reg .b8 x, y; mov.b16 {x, y}, c; "
       "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32 d, a, b, x; }",
       "hrrh", f(2), f(-4), 0x80, 0x38c0},
      {"{ .reg .b8 x, y; mov.b16 {x, y}, c; "
       "cvt.rn.satfinite.scaled::n1::ue8m0.e5m2x2.f32 d, a, b, x; }",
       "hrrh", 0x007fffff, f(0x1p-120f), 0x07, 0x003c},
      {"{ .reg .b8 x, y; mov.b16 {x, y}, b; "
       "cvt.rz.satfinite.scaled::n1::ue8m0.ue5m3x2.bf16x2 d, a, x; }",
       "hrh", 0x40803f80, 0x7e, 0, 0x9080},
      // .pzo makes -0 a 0.
      {"cvt.rn.satfinite.e4m3x2.f32 d, a, b", "hrr", f(-0x1p-20f), f(1), 0,
       0x8038},
      {"cvt.rn.satfinite.pzo.e4m3x2.f32 d, a, b", "hrr", f(-0x1p-20f), f(1), 0,
       0x0038},
      {"cvt.rn.pzo.bf16x2.f32 d, a, b", "rrr", 0x80000000, f(-1), 0,
       0x0000bf80},
  };
  for (const Row &row : rows)
    check(row, "sm_107a");
  for (const char *text : {"cvt.rn.satfinite.pzo.e4m3x2.f32 %h1, %r1, %r2;",
                           "cvt.rn.f16x2.ue5m3x2 %r1, %h1;"})
    EXPECT_TRUE(
        contains(run(kernel(text)).message(),
                 "expected a target that has cvt with .ue5m3x2, .pzo or "
                 ".scaled::n1::ue8m0 (sm_107a, sm_107f), got sm_100a"))
        << text;
}

TEST(Scalar, FactorsOfConversions) {
  for (const char *text :
       {"cvt.rn.satfinite.scaled::n2::ue8m0.e4m3x2.f32 %h1, %r1, %r2, %h2;",
        "cvt.rn.scaled::n1::ue8m0.bf16x2.e4m3x2 %r1, %h1, %h2;",
        "cvt.rn.scaled::n1::ue8m0.f16x2.e4m3x2 %r1, %h1, %h2;"})
    EXPECT_TRUE(contains(run(kernel(text)).message(),
                         "expected .scaled::n1::ue8m0 where floats become "
                         "narrower ones, .scaled::n2::ue8m0 where these become "
                         ".bf16x2"))
        << text;
}

TEST(Scalar, OffsetOfARegister) {
  // Read as the register alone, the sum would be wrong without a word.
  EXPECT_TRUE(contains(run(kernel("add.u32 %r2, %r1, %r1+4;")).message(),
                       "expected a register, got '%r1' and an offset"));
}

TEST(Scalar, MoveAndSelect) {
  const Row rows[] = {
      {"mov.b32 d, a", "rr", 7, 0, 0, 7},
      {"mov.b64 d, {a, b}", "drr", 1, 2, 0, 0x200000001ull},
      {"mov.b32 d, {a, b}", "rhh", 1, 2, 0, 0x20001},
      {"{ .reg .b32 x; mov.b64 {x, d}, a; }", "rd", 0x200000001ull, 0, 0, 2},
      {"{ .reg .b128 x; mov.b128 x, {a, b}; mov.b128 {a, d}, x; }", "ddd", 1, 2,
       0, 2},
      {"{ setp.lt.s32 %p1, a, b; selp.b32 d, 1, 2, %p1; }", "rrr", uint32_t(-1),
       0, 0, 1},
      {"{ setp.lo.u32 %p1, a, b; selp.b32 d, 1, 2, %p1; }", "rrr", uint32_t(-1),
       0, 0, 2},
      {"{ setp.eq.f32 %p1, a, b; selp.b32 d, 1, 2, %p1; }", "rrr", kNaN, kNaN,
       0, 2},
      {"{ setp.neu.f32 %p1, a, b; selp.b32 d, 1, 2, %p1; }", "rrr", kNaN, f(1),
       0, 1},
      {"{ setp.ne.f32 %p1, a, b; selp.b32 d, 1, 2, %p1; }", "rrr", kNaN, f(1),
       0, 2},
      {"{ setp.nan.f32 %p1, a, b; selp.b32 d, 1, 2, %p1; }", "rrr", kNaN, f(1),
       0, 1},
      {"{ setp.leu.f64 %p1, a, b; selp.b64 d, a, b, %p1; }", "ddd", d(1), d(2),
       0, d(1)},
      {"{ setp.gt.bf16 %p1, a, b; selp.b16 d, a, b, %p1; }", "hhh", 0x3f80,
       0xc000, 0, 0x3f80},
      {"{ setp.eq.u32 %p2, a, a; setp.lt.and.s32 %p1|%p3, a, b, !%p2; "
       "selp.b32 d, 1, 2, %p1; @%p3 mov.b32 d, 9; }",
       "rrr", 0, 1, 0, 2},
      {"set.lt.u32.s32 d, a, b", "rrr", 0, 1, 0, 0xffffffff},
      {"set.lt.f32.s32 d, a, b", "rrr", 0, 1, 0, f(1)},
      {"slct.b32.s32 d, a, b, c", "rrrr", 1, 2, uint32_t(-1), 2},
      {"{ setp.lt.s32 %p1, a, b; not.pred %p2, %p1; and.pred %p3, %p1, !%p2; "
       "selp.b32 d, 1, 2, %p3; }",
       "rrr", 0, 1, 0, 1},
  };
  for (const Row &row : rows)
    check(row);
}

TEST(Scalar, PairsRoundEachHalfAlone) {
  // Undefined halves stay undefined under every rounding mode.
  for (const char *mode : {"rn", "rz", "rm", "rp"}) {
    Outcome r = run(kernel(std::string("mov.b32 %r2, 0x3f800000;\n"
                                       "mov.b64 %rd3, {%r2, %r3};\nadd.") +
                           mode +
                           ".f32x2 %rd4, %rd3, %rd3; mov.b64 {%r4, %r5}, %rd4;"
                           "\nst.global.u32 [%rd2], %r4;"));
    ASSERT_TRUE(r.result.ok) << mode << r.message();
    EXPECT_EQ(r.words[0], 0x40000000u);
    r = run(kernel(std::string("mov.b32 %r2, 0x3f800000;\n"
                               "mov.b64 %rd3, {%r2, %r3};\nadd.") +
                   mode +
                   ".f32x2 %rd4, %rd3, %rd3; mov.b64 {%r4, %r5}, %rd4;\n"
                   "st.global.u32 [%rd2], %r5;"));
    EXPECT_REPORT(r, ReportKind::Undefined, "never written");
    EXPECT_REPORT(run(kernel(std::string("add.") + mode +
                             ".sat.f32x2 %rd3, %rd1, %rd1;")),
                  ReportKind::Unsupported, "expected no .sat with .f32x2");
    EXPECT_REPORT(run(kernel(std::string("fma.") + mode +
                             ".sat.f32x2 %rd3, %rd1, %rd1, %rd1;")),
                  ReportKind::Unsupported, "expected no .sat with .f32x2");
  }
  // The mode of one instruction is not that of the next.
  Outcome r = run(kernel("mov.b64 %rd3, 0x3f8000003f800000;\n"
                         "mov.b64 %rd4, 0x3380000033800000;\n"
                         "add.rp.f32x2 %rd5, %rd3, %rd4;\n"
                         "add.f32x2 %rd6, %rd3, %rd4;\n"
                         "st.global.u64 [%rd1], %rd5;\n"
                         "st.global.u64 [%rd1+8], %rd6;"));
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[0], 0x3f8000013f800001u);
  EXPECT_EQ(r.words[1], 0x3f8000003f800000u);
}

TEST(Scalar, SignsOfMinAndMax) {
  const std::pair<const char *, const char *> cases[] = {
      {"min.abs.f32 %f1, %f2, %f3;", "expected .xorsign.abs with two sources"},
      {"max.xorsign.f32 %f1, %f2, %f3;",
       "expected .xorsign.abs with two sources"},
      {"max.xorsign.abs.f32 %f1, %f2, %f3, %f4;",
       "expected no .xorsign with three sources"},
      {"min.NaN.xorsign.abs.f32 %f1, %f2, %f3, %f4;",
       "expected no .xorsign with three sources"},
      {"max.f64 %rd3, %rd1, %rd1, %rd1;",
       "expected no further modifiers with .f64"}};
  for (const auto &[text, message] : cases)
    EXPECT_REPORT(run(kernel(text)), ReportKind::Unsupported, message);
}
