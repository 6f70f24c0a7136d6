//===- UndefinedRangesTest.cpp - what values may be -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions whose results grow or shrink with their operands: bits that the
// least and the greatest value have in common are known.
//
//===----------------------------------------------------------------------===//

#include "UndefinedBytes.h"

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

TEST(UndefinedRanges, counted_and_limited) {
  for (const BytesCase &c : {
           BytesCase{"ones", "popc.b32 %r20, %r10;", 0b1110, 0},
           BytesCase{"leading zeros", "clz.b32 %r20, %r10;", 0b1110, 0},
           BytesCase{"leading zeros above a known one",
                     "and.b32 %r11, %r10, 0xffffff; clz.b32 %r20, %r11;",
                     0b1111, 10},
           BytesCase{"the highest one",
                     "and.b32 %r11, %r10, 0xffffff; bfind.u32 %r20, %r11;",
                     0b1111, 21},
           BytesCase{"how far it is from the top",
                     "and.b32 %r11, %r10, 0xffffff;\n"
                     "bfind.shiftamt.s32 %r20, %r11;",
                     0b1111, 10},
           BytesCase{"the highest one of an unknown sign",
                     "bfind.s32 %r20, %r10;", 0, 0},
           BytesCase{"no one, perhaps",
                     "and.b32 %r11, %r10, 0xff00; bfind.u32 %r20, %r11;", 0, 0},
           BytesCase{"the less one", "min.u32 %r20, %r10, 0x00ffffff;", 0b1000,
                     0},
           BytesCase{"the greater one, which is known",
                     "max.u32 %r20, %r10, 0xff800000;", 0b1111, 0xff800000},
           BytesCase{"the less one of 16 bits",
                     "and.b16 %h1, %h10, 0x1ff; min.s16 %h1, %h1, 5;\n"
                     "cvt.u32.u16 %r20, %h1;",
                     0b1111, 5},
           BytesCase{"an unknown sign", "min.s32 %r20, %r10, 5;", 0, 0},
           BytesCase{"none below zero",
                     "or.b32 %r11, %r10, 0x80000000;\n"
                     "max.relu.s32 %r20, %r11, -5;",
                     0b1111, 0},
           BytesCase{"the upper half of a product",
                     "and.b32 %r11, %r10, 0xffff;\n"
                     "mul.hi.u32 %r20, %r11, 0x10000;",
                     0b1111, 0},
           BytesCase{"a quotient",
                     "and.b32 %r11, %r10, 0xffffff;\n"
                     "div.u32 %r20, %r11, 0x1000000;",
                     0b1111, 0},
           BytesCase{"a quotient of bytes",
                     "and.b32 %r11, %r10, 0xff11; div.u32 %r20, %r11, 3;",
                     0b1100, 0},
           BytesCase{"by what is not there", "div.u32 %r20, %r2, %r8;", 0, 0},
           BytesCase{"a sum that saturates",
                     "and.b32 %r11, %r10, 0xffffff;\n"
                     "or.b32 %r11, %r11, 0x7f000000;\n"
                     "add.sat.s32 %r20, %r11, 0x7f000000;",
                     0b1111, 0x7fffffff},
           BytesCase{"a difference that saturates",
                     "and.b32 %r11, %r10, 0xffffff;\n"
                     "or.b32 %r11, %r11, 0x80000000;\n"
                     "sub.sat.s32 %r20, %r11, 0x7f000000;",
                     0b1111, 0x80000000},
           BytesCase{"what is added to products",
                     "dp4a.u32.u32 %r20, 1, 1, %r10;", 0b0001, 0x12},
           BytesCase{"products of bytes", "dp4a.u32.u32 %r20, %r10, 1, 1;", 0,
                     0},
           BytesCase{"not zero", "cnot.b32 %r20, %r10;", 0b1111, 0},
           BytesCase{"zero, perhaps",
                     "and.b32 %r11, %r10, 0xff00; cnot.b32 %r20, %r11;", 0b1110,
                     0},
       })
    checkBytes(c);
  for (const BytesCase &c : {
           BytesCase{"the greater one of 64 bits",
                     "max.u64 %rd20, %rd10, 0x100000000;", 0b11111111,
                     0x100000000},
           BytesCase{"the upper half", "mul.hi.u64 %rd20, %rd10, 16;",
                     0b11111111, 0},
       })
    checkBytes(c, true);
}

TEST(UndefinedRanges, compared) {
  for (const BytesCase &c : {
           BytesCase{"a byte that differs",
                     "setp.eq.u32 %p1, %r10, 17; selp.b32 %r20, 1, 2, %p1;",
                     0b1111, 2},
           BytesCase{"no byte that differs",
                     "setp.ne.b32 %p1, %r10, 0x00330011;\n"
                     "selp.b32 %r20, 1, 0, %p1;",
                     0b1110, 0},
           BytesCase{"a bound that is not reached",
                     "and.b32 %r11, %r10, 0xffff;\n"
                     "setp.lt.u32 %p1, %r11, 0x10000;\n"
                     "selp.b32 %r20, 1, 2, %p1;",
                     0b1111, 1},
           BytesCase{"a bound that is",
                     "setp.ge.u32 %p1, %r10, 0x330011;\n"
                     "selp.b32 %r20, 1, 2, %p1;",
                     0b1111, 1},
           BytesCase{"one that may be",
                     "setp.gt.u32 %p1, %r10, 0x330011;\n"
                     "selp.b32 %r20, 1, 0, %p1;",
                     0b1110, 0},
           BytesCase{"a sign",
                     "or.b32 %r11, %r10, 0x80000000;\n"
                     "setp.le.s32 %p1, %r11, -1; selp.b32 %r20, 1, 2, %p1;",
                     0b1111, 1},
           BytesCase{"an unknown sign",
                     "setp.le.s32 %p1, %r10, -1; selp.b32 %r20, 1, 0, %p1;",
                     0b1110, 0},
           BytesCase{"and what is known",
                     "setp.eq.u32 %p2, %r2, 0;\n"
                     "setp.le.and.s32 %p1, %r10, -1, %p2;\n"
                     "selp.b32 %r20, 1, 2, %p1;",
                     0b1111, 2},
           BytesCase{"and nothing",
                     "setp.eq.and.u32 %p1, %r10, 17, %p9;\n"
                     "selp.b32 %r20, 1, 2, %p1;",
                     0b1111, 2},
           BytesCase{"or nothing",
                     "setp.eq.or.u32 %p1, %r10, 17, %p9;\n"
                     "selp.b32 %r20, 1, 0, %p1;",
                     0b1110, 0},
           BytesCase{"the other result",
                     "setp.eq.and.u32 %p2|%p1, %r10, 17, %p9;\n"
                     "selp.b32 %r20, 1, 0, %p1;",
                     0b1110, 0},
           BytesCase{"a set", "set.ne.u32.u32 %r20, %r10, 17;", 0b1111,
                     0xffffffff},
           BytesCase{"a set of nothing", "set.ne.u32.u32 %r20, %r10, %r8;", 0,
                     0},
       })
    checkBytes(c);
}

} // namespace
