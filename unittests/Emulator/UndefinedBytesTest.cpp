//===- UndefinedBytesTest.cpp - registers of which bytes were written -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What instructions make of registers that have a value in some of their bits
// only. Each byte of a result is stored alone: with a value if it depends on
// what was written, reported if not.
//
//===----------------------------------------------------------------------===//

#include "UndefinedBytes.h"

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

TEST(UndefinedBytes, permuted) {
  for (const BytesCase &c : {
           BytesCase{"zeros between", "prmt.b32 %r20, %r10, 0, 0x4240;", 0b1111,
                     0x00330011},
           BytesCase{"one that is not there", "prmt.b32 %r20, %r10, 0, 0x7140;",
                     0b1011, 0x11},
           BytesCase{"signs", "prmt.b32 %r20, %r10, 0, 0x48a9;", 0b1110, 0},
           BytesCase{"two registers", "prmt.b32 %r20, %r2, %r10, 0x6543;",
                     0b1011, 0x33001144},
           BytesCase{"f4e", "prmt.b32.f4e %r20, %r10, 0, 2;", 0b1101, 0x33},
           BytesCase{"b4e", "prmt.b32.b4e %r20, %r10, 0, 1;", 0b1110, 0x1100},
           BytesCase{"rc8", "prmt.b32.rc8 %r20, %r10, 0, 2;", 0b1111,
                     0x33333333},
           BytesCase{"rc8 of nothing", "prmt.b32.rc8 %r20, %r10, 0, 1;", 0, 0},
           BytesCase{"rc16", "prmt.b32.rc16 %r20, %r10, 0, 1;", 0b0101,
                     0x00330033},
           BytesCase{"half a selector",
                     "mov.u32 %r3, 0x3210; prmt.b32 %r11, %r3, %r8, 0x7540;\n"
                     "prmt.b32 %r20, %r2, 0, %r11;",
                     0b0011, 0x2211},
           BytesCase{"a mode's selector is two bits",
                     "prmt.b32.rc8 %r20, %r2, 0, %r10;", 0b1111, 0x22222222},
           BytesCase{"no selector", "prmt.b32.rc8 %r20, %r2, 0, %r8;", 0, 0},
       })
    checkBytes(c);
}

TEST(UndefinedBytes, moved) {
  for (const BytesCase &c : {
           BytesCase{"mov", "mov.b32 %r20, %r10;", 0b0101, 0x00330011},
           BytesCase{"mov onto itself",
                     "mov.b32 %r20, %r10; mov.b32 %r20, %r20;", 0b0101,
                     0x00330011},
           BytesCase{"mov of 16 bits",
                     "mov.b16 %h1, %h10; cvt.u32.u16 %r20, %h1;", 0b1101, 0x11},
           BytesCase{"packed halves",
                     "mov.u16 %h2, 7; mov.b32 %r20, {%h10, %h2};", 0b1101,
                     0x00070011},
           BytesCase{"unpacked halves",
                     "mov.b32 {%h1, %h2}, %r10; cvt.u32.u16 %r20, %h2;", 0b1101,
                     0x33},
           BytesCase{"one of them",
                     "mov.b32 {_, %h2}, %r10; cvt.u32.u8 %r20, %h2;", 0b1111,
                     0x33},
           BytesCase{"packed bytes",
                     "{ .reg .b8 %b<4>; mov.b32 {%b0, %b1, %b2, %b3}, %r10;\n"
                     "mov.b32 %r20, {%b1, %b0, %b0, %b2}; }",
                     0b1110, 0x33111100},
           BytesCase{"an unpacked byte",
                     "{ .reg .b8 %b<4>; mov.b32 {%b0, %b1, %b2, %b3}, %r10;\n"
                     "cvt.u32.u8 %r20, %b2; }",
                     0b1111, 0x33},
           BytesCase{"packed pairs of bytes",
                     "{ .reg .b8 %b<2>; mov.b16 {%b0, %b1}, %h10;\n"
                     "mov.b16 %h1, {%b1, %b0}; cvt.u32.u16 %r20, %h1; }",
                     0b1110, 0x1100},
           BytesCase{"out of a double word",
                     "mov.b64 %rd11, {%r2, %r10}; mov.b64 {%r11, %r20}, %rd11;",
                     0b0101, 0x00330011},
           BytesCase{"a register's first half",
                     "mov.b64 %rd11, {%r10, %r8};\n"
                     "cvt.u32.u64 %r20, %rd11;",
                     0b0101, 0x00330011},
           BytesCase{
               "chosen",
               "setp.eq.u32 %p1, %r1, %r1; selp.b32 %r20, %r10, %r8, %p1;",
               0b0101, 0x00330011},
           BytesCase{
               "not chosen",
               "setp.eq.u32 %p1, %r1, %r1; selp.b32 %r20, %r2, %r10, %p1;",
               0b1111, 0x44332211},
           BytesCase{"chosen by nothing",
                     "selp.b32 %r20, %r10, 0x44332210, %p9;", 0b0100,
                     0x00330000},
           BytesCase{"chosen by a sign", "slct.b32.s32 %r20, %r10, %r8, 1;",
                     0b0101, 0x00330011},
           BytesCase{"chosen by a sign that is there",
                     "prmt.b32 %r11, %r2, %r8, 0x3654;\n"
                     "slct.b32.s32 %r20, %r2, %r8, %r11;",
                     0b1111, 0x44332211},
           BytesCase{"chosen by a number", "slct.b32.f32 %r20, %r10, %r2, %f9;",
                     0b0101, 0x00330011},
           BytesCase{"shuffled", "shfl.sync.bfly.b32 %r20, %r10, 1, 31, -1;",
                     0b0101, 0x00330011},
       })
    checkBytes(c);
  for (const BytesCase &c : {
           BytesCase{"mov", "mov.b64 %rd20, %rd10;", 0b11110101, 0x00330011},
           BytesCase{"packed", "mov.b64 %rd20, {%r10, %r2};", 0b11110101,
                     0x4433221100330011},
           BytesCase{"packed in four",
                     "mov.u16 %h2, 7; mov.b64 %rd20, {%h2, %h10, %h2, %h10};",
                     0b01110111, 0x0011000700110007},
           BytesCase{"packed in eight bytes and unpacked",
                     "mov.b64 {%h1, %h2, %h3, %h4}, %rd10;\n"
                     "mov.b64 %rd20, {%h4, %h2, %h1, %h4};",
                     0b11010111, 0x0000001100330000},
           BytesCase{"128 bits",
                     "{ .reg .b128 %q<2>; mov.b64 %rd11, 5;\n"
                     "mov.b128 %q0, {%rd11, %rd10}; mov.b128 %q1, %q0;\n"
                     "mov.b128 {%rd12, %rd20}, %q1; }",
                     0b11110101, 0x00330011},
           BytesCase{"chosen",
                     "setp.eq.u32 %p1, %r1, %r1;\n"
                     "selp.b64 %rd20, %rd10, %rd9, %p1;",
                     0b11110101, 0x00330011},
       })
    checkBytes(c, true);
}

TEST(UndefinedBytes, combined) {
  for (const BytesCase &c : {
           BytesCase{"and", "and.b32 %r20, %r10, 0x00ff00ff;", 0b1111,
                     0x00330011},
           BytesCase{"and, too much", "and.b32 %r20, %r10, 0x1ff;", 0b1101,
                     0x11},
           BytesCase{"or", "or.b32 %r20, %r10, 0xff00ff00;", 0b1111,
                     0xff33ff11},
           BytesCase{"or, too little", "or.b32 %r20, %r10, 0x7f00ff00;", 0b0111,
                     0x0033ff11},
           BytesCase{"xor", "xor.b32 %r20, %r10, 0x01010101;", 0b0101,
                     0x00320010},
           BytesCase{"not", "not.b32 %r20, %r10;", 0b0101, 0x00cc00ee},
           BytesCase{"lop3", "lop3.b32 %r20, %r10, %r8, 0x00ff00ff, 0xa0;",
                     0b1111, 0x00330011},
           BytesCase{"a field and the rest",
                     "and.b32 %r11, %r10, 0x00ff00ff; and.b32 %r12, %r2, "
                     "0xff00ff00;\nor.b32 %r20, %r11, %r12;",
                     0b1111, 0x44332211},
           BytesCase{"16 bits",
                     "and.b16 %h1, %h10, 255; or.b16 %h1, %h1, 0x2200;\n"
                     "cvt.u32.u16 %r20, %h1;",
                     0b1111, 0x2211},
           BytesCase{"not of 16 bits",
                     "not.b16 %h1, %h10; cvt.u32.u16 %r20, %h1;", 0b1101, 0xee},
           BytesCase{"bits",
                     "and.b32 %r11, %r10, 0x0f00; and.b32 %r20, %r11, "
                     "0xf0ff;",
                     0b1111, 0},
       })
    checkBytes(c);
  for (const BytesCase &c : {
           BytesCase{"and", "and.b64 %rd20, %rd10, 0xff00ff00ff;", 0b11111111,
                     0x00330011},
           BytesCase{"xor", "xor.b64 %rd20, %rd10, -1;", 0b11110101,
                     0xffffffffffccffee},
           BytesCase{"not", "not.b64 %rd20, %rd10;", 0b11110101,
                     0xffffffffffccffee},
       })
    checkBytes(c, true);
}

TEST(UndefinedBytes, shifted) {
  for (const BytesCase &c : {
           BytesCase{"left", "shl.b32 %r20, %r10, 8;", 0b1011, 0x33001100},
           BytesCase{"by half a byte", "shl.b32 %r20, %r10, 4;", 0b0001, 0x10},
           BytesCase{"by no byte", "shl.b32 %r20, %r10, 32;", 0b1111, 0},
           BytesCase{"right", "shr.u32 %r20, %r10, 8;", 0b1010, 0x00003300},
           BytesCase{"right, without its sign", "shr.s32 %r20, %r10, 8;",
                     0b0010, 0x00003300},
           BytesCase{"right, with its sign",
                     "shl.b32 %r11, %r10, 8; shr.s32 %r20, %r11, 24;", 0b1111,
                     0x33},
           BytesCase{"left, 16 bits",
                     "shl.b16 %h1, %h10, 8; cvt.u32.u16 %r20, %h1;", 0b1111,
                     0x1100},
           BytesCase{"right, 16 bits",
                     "shr.u16 %h1, %h10, 8; cvt.u32.u16 %r20, %h1;", 0b1110, 0},
           BytesCase{"by what is not there", "shl.b32 %r20, %r2, %r10;", 0, 0},
           BytesCase{"funnel", "shf.r.wrap.b32 %r20, %r10, %r2, 16;", 0b1101,
                     0x22110033},
           BytesCase{"funnel, left", "shf.l.clamp.b32 %r20, %r10, %r2, 16;",
                     0b1101, 0x22110033},
           BytesCase{"funnel that wraps",
                     "shf.r.wrap.b32 %r20, %r2, %r8, %r11;", 0, 0},
           BytesCase{"field", "bfe.u32 %r20, %r10, 16, 8;", 0b1111, 0x33},
           BytesCase{"field with its sign", "bfe.s32 %r20, %r10, 16, 8;",
                     0b1111, 0x33},
           BytesCase{"field that is not there", "bfe.u32 %r20, %r10, 8, 8;",
                     0b1110, 0},
           BytesCase{"signed field that is not there",
                     "bfe.s32 %r20, %r10, 8, 8;", 0, 0},
           BytesCase{"field somewhere", "bfe.u32 %r20, %r2, %r8, 8;", 0, 0},
           BytesCase{"inserted", "bfi.b32 %r20, %r2, %r10, 8, 8;", 0b0111,
                     0x00331111},
           BytesCase{"inserted into what is there",
                     "bfi.b32 %r20, %r10, %r2, 24, 8;", 0b1111, 0x11332211},
           BytesCase{"inserted somewhere", "bfi.b32 %r20, %r2, %r2, %r8, 8;", 0,
                     0},
           BytesCase{"where the low byte says", "bfi.b32 %r20, 0, -1, 0, %r10;",
                     0b1111, 0xfffe0000},
           BytesCase{"reversed", "brev.b32 %r20, %r10;", 0b1010, 0x8800cc00},
           BytesCase{"extended", "szext.wrap.s32 %r20, %r10, 8;", 0b1111, 0x11},
           BytesCase{"extended, unknown sign", "szext.wrap.s32 %r20, %r10, 16;",
                     0b0001, 0x11},
       })
    checkBytes(c);
  for (const BytesCase &c : {
           BytesCase{"left", "shl.b64 %rd20, %rd10, 32;", 0b01011111,
                     0x0033001100000000},
           BytesCase{"right", "shr.u64 %rd20, %rd10, 16;", 0b11111101, 0x33},
           BytesCase{"field", "bfe.u64 %rd20, %rd10, 16, 8;", 0b11111111, 0x33},
           BytesCase{"inserted", "bfi.b64 %rd20, %rd10, -1, 32, 32;",
                     0b01011111, 0x00330011ffffffff},
           BytesCase{"reversed", "brev.b64 %rd20, %rd10;", 0b10101111,
                     0x8800cc0000000000},
       })
    checkBytes(c, true);
}

TEST(UndefinedBytes, converted) {
  for (const BytesCase &c : {
           BytesCase{"zeros above", "cvt.u32.u16 %r20, %h10;", 0b1101, 0x11},
           BytesCase{"the sign above", "cvt.s32.s16 %r20, %h10;", 0b0001, 0x11},
           BytesCase{"a byte's sign", "cvt.s32.s8 %r20, %h10;", 0b1111, 0x11},
           BytesCase{"a byte in 16 bits",
                     "cvt.s16.s8 %h1, %h10; cvt.u32.u16 %r20, %h1;", 0b1111,
                     0x11},
           BytesCase{"a byte of 32 bits", "cvt.u32.u8 %r20, %r10;", 0b1111,
                     0x11},
           BytesCase{"to a byte", "cvt.u8.u32 %r20, %r10;", 0b1111, 0x11},
           BytesCase{"to a byte with a sign", "cvt.s8.s32 %r20, %r10;", 0b1111,
                     0x11},
           BytesCase{"narrower",
                     "cvt.u16.u32 %h1, %r10; mov.b32 %r20, {%h1, %h1};", 0b0101,
                     0x00110011},
           BytesCase{"of 64 bits", "cvt.u32.u64 %r20, %rd10;", 0b0101,
                     0x00330011},
           BytesCase{"saturated", "cvt.sat.u8.u32 %r20, %r10;", 0b1110, 0},
           BytesCase{"number of a byte",
                     "cvt.rn.f32.u8 %f1, %r10; mov.b32 %r20, %f1;", 0b1111,
                     0x41880000},
           BytesCase{"number of more",
                     "cvt.rn.f32.u16 %f1, %h10; mov.b32 %r20, %f1;", 0, 0},
           BytesCase{"pack", "cvt.pack.sat.u8.s32.b32 %r20, %r2, %r8, %r10;",
                     0b0110, 0x0011ff00},
           BytesCase{"two of FP8", "cvt.rn.f16x2.e4m3x2 %r20, %h10;", 0b0011,
                     0x2880},
           BytesCase{"two to FP8",
                     "mov.b32 %f1, 0f3f800000;\n"
                     "cvt.rn.satfinite.e4m3x2.f32 %h1, %f9, %f1;\n"
                     "cvt.u32.u16 %r20, %h1;",
                     0b1101, 0x38},
           BytesCase{
               "two to halves",
               "mov.b32 %f1, 0f3f800000; cvt.rz.f16x2.f32 %r20, %f1, %f9;",
               0b1100, 0x3c000000},
       })
    checkBytes(c);
  for (const BytesCase &c : {
           BytesCase{"zeros above", "cvt.u64.u32 %rd20, %r10;", 0b11110101,
                     0x00330011},
           BytesCase{"the sign above", "cvt.s64.s32 %rd20, %r10;", 0b00000101,
                     0x00330011},
           BytesCase{"a byte", "cvt.u64.u8 %rd20, %rd10;", 0b11111111, 0x11},
       })
    checkBytes(c, true);
}

TEST(UndefinedBytes, computed) {
  for (const BytesCase &c : {
           BytesCase{"add", "add.u32 %r20, %r10, 0x101;", 0b0001, 0x12},
           BytesCase{"sub", "sub.u32 %r20, %r2, %r10;", 0b0001, 0},
           BytesCase{"neg", "neg.s32 %r20, %r10;", 0b0001, 0xef},
           BytesCase{"mul", "mul.lo.u32 %r20, %r10, 3;", 0b0001, 0x33},
           BytesCase{"mul that shifts", "mul.lo.u32 %r20, %r10, 256;", 0b0011,
                     0x1100},
           BytesCase{"mad", "mad.lo.u32 %r20, %r10, 256, %r2;", 0b0011, 0x3311},
           BytesCase{"16 bits", "add.u16 %h1, %h10, 3; cvt.u32.u16 %r20, %h1;",
                     0b1101, 0x14},
           BytesCase{"wide", "mul.wide.u16 %r20, %h10, 3;", 0b0001, 0x33},
           BytesCase{
               "pairs",
               "mov.b32 {%h1, %h2}, %r10; mov.b32 %r11, {%h3, %h1};\n"
               "mov.b32 %r12, {%h3, 5}; add.u16x2 %r20, %r12, 0x00010001;",
               0b1100, 0x00060000},
           BytesCase{"carries",
                     "add.u32 %r20, 1, %r10; shr.u32 %r20, %r20, 16;", 0b1100,
                     0},
           BytesCase{"saturated", "add.sat.s32 %r20, %r10, 1;", 0, 0},
           BytesCase{"high", "mul.hi.u32 %r20, %r10, 256;", 0b1110, 0},
           BytesCase{"compared", "min.u32 %r20, %r10, 1;", 0b1111, 1},
           BytesCase{"counted", "popc.b32 %r20, %r10;", 0b1110, 0},
       })
    checkBytes(c);
  checkBytes({"64 bits", "add.s64 %rd20, %rd10, 1;", 0b00000001, 0x12}, true);
  checkBytes({"wide", "mul.wide.u32 %rd20, %r10, 1;", 0b00000001, 0x11}, true);
  checkBytes({"mad", "mad.wide.u32 %rd20, %r10, 0x1000000, 7;", 0b00001111,
              0x11000007},
             true);
}

TEST(UndefinedBytes, in_memory) {
  const char *const spaces[] = {"shared", "local"};
  for (const std::string space : spaces) {
    SCOPED_TRACE(space);
    auto in = [&](const BytesCase &c) {
      std::string body =
          std::string("{ .local .align 16 .b8 l[64];\n") + c.body + " }";
      for (size_t at; (at = body.find("SPACE")) != std::string::npos;)
        body.replace(at, 5, space);
      for (size_t at; (at = body.find("[X")) != std::string::npos;)
        body.replace(at, 2, space == "shared" ? "[s" : "[l");
      checkBytes({c.name, body.c_str(), c.known, c.value}, false, false);
    };
    const std::string two =
        "st.SPACE.u8 [X], %r2; st.SPACE.u8 [X+2], 0x33; bar.warp.sync -1;\n";
    auto after = [&](const char *name, const char *load, unsigned known,
                     uint64_t value) {
      const std::string body = two + load;
      in({name, body.c_str(), known, value});
    };
    after("a word", "ld.SPACE.b32 %r20, [X];", 0b0101, 0x00330011);
    after("half of it", "ld.SPACE.b16 %r20, [X+2];", 0b1101, 0x33);
    after("half of it with its sign", "ld.SPACE.s16 %r20, [X+2];", 0b0001,
          0x33);
    after("a byte", "ld.SPACE.b8 %r20, [X+2];", 0b1111, 0x33);
    after("no byte", "ld.SPACE.b8 %r20, [X+1];", 0b1110, 0);
    after("no byte's sign", "ld.SPACE.s8 %r20, [X+1];", 0, 0);
    after("bytes",
          "ld.SPACE.v4.b8 {%h1, %h2, %h3, %h4}, [X];\n"
          "mov.b32 %r20, {%h3, %h2};",
          0b1011, 0x33);
    after("a double word", "ld.SPACE.b64 %rd11, [X]; cvt.u32.u64 %r20, %rd11;",
          0b0101, 0x00330011);
    after("128 bits",
          "{ .reg .b128 %q; ld.SPACE.b128 %q, [X];\n"
          "mov.b128 {%rd11, %rd12}, %q; cvt.u32.u64 %r20, %rd11; }",
          0b0101, 0x00330011);
    in({"stored and loaded", "st.SPACE.b32 [X], %r10; ld.SPACE.b32 %r20, [X];",
        0b0101, 0x00330011});
    in({"stored as a double word",
        "st.SPACE.b64 [X], %rd10; ld.SPACE.b32 %r20, [X];", 0b0101,
        0x00330011});
    in({"stored as 128 bits",
        "{ .reg .b128 %q; mov.b128 %q, {%rd10, %rd10};\n"
        "st.SPACE.b128 [X], %q; ld.SPACE.b32 %r20, [X+8]; }",
        0b0101, 0x00330011});
    in({"stored as halves",
        "mov.b32 {%h1, %h2}, %r10; st.SPACE.v2.b16 [X], {%h2, %h1};\n"
        "ld.SPACE.b32 %r20, [X];",
        0b0101, 0x00110033});
    in({"a byte over it",
        "st.SPACE.b32 [X], %r10; st.SPACE.b8 [X+1], %r10;\n"
        "ld.SPACE.b32 %r20, [X];",
        0b0111, 0x00331111});
    in({"bits make a byte",
        "and.b32 %r11, %r10, 0x0f00; st.SPACE.b32 [X], %r11;\n"
        "ld.SPACE.b32 %r20, [X];",
        0b1101, 0});
  }
}

TEST(UndefinedBytes, of_rows) {
  // Lane l has row l mod 8, of which the even bytes have no value.
  checkBytes({"a matrix, stored",
              "prmt.b32 %r11, %r2, %r8, 0x1404; and.b32 %r5, %r1, 7;\n"
              "mov.u32 %r3, s; mad.lo.u32 %r5, %r5, 16, %r3;\n"
              "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r5], {%r11};\n"
              "ld.shared.b32 %r20, [s+4];",
              0b1010, 0x22001100});
  checkBytes(
      {"a matrix, loaded",
       "and.b32 %r5, %r1, 7; mov.u32 %r3, s; mad.lo.u32 %r5, %r5, 16, %r3;\n"
       "st.shared.v4.b32 [%r5], {%r10, %r10, %r10, %r10}; bar.warp.sync -1;\n"
       "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r5];",
       0b0101, 0x00330011});
}

TEST(UndefinedBytes, stored_at_once) {
  auto store = [](const std::string &body) {
    return run(kernel(kPartialBytes + body, kBytesShared));
  };
  EXPECT_TRUE(store("st.global.b8 [%rd2], %h10;").result.ok);
  EXPECT_TRUE(store("st.global.v2.b8 [%rd2], {%h10, %r10};").result.ok);
  EXPECT_TRUE(
      store("st.global.v4.b8 [%rd2], {%h10, %h10, %h10, %h10};").result.ok);
  EXPECT_REPORT(store("st.global.b16 [%rd2], %h10;"), ReportKind::Undefined,
                "read of a register whose byte 1 was never written, in lane 0");
  EXPECT_REPORT(store("shr.u32 %r10, %r10, 8; st.global.b8 [%rd2], %r10;"),
                ReportKind::Undefined,
                "read of a register whose byte 0 was never written, in lane 0");
  EXPECT_REPORT(store("st.global.v2.b32 [%rd2], {%r2, %r10};"),
                ReportKind::Undefined,
                "read of a register whose byte 1 was never written, in lane 0");
  EXPECT_REPORT(store("mov.b64 %rd11, {%r2, %r10};\n"
                      "st.global.b64 [%rd2], %rd11;"),
                ReportKind::Undefined,
                "read of a register whose byte 5 was never written, in lane 0");
  EXPECT_REPORT(store("st.global.b32 [%rd2], %r8;"), ReportKind::Undefined,
                "read of a register whose value was never written, in lane 0");
  // What brought it in.
  EXPECT_REPORT(store("st.shared.b8 [s], %r2; st.shared.b8 [s+2], %r2;\n"
                      "ld.shared.b32 %r11, [s]; xor.b32 %r11, %r11, 5;\n"
                      "st.global.b32 [%rd2], %r11;"),
                ReportKind::Undefined,
                "ld.shared.b32 of line 15 reads offset 1025 of shared memory, "
                "where nothing was written");
}

TEST(UndefinedBytes, that_decide_or_do_not) {
  auto decide = [](const std::string &body) {
    return run(kernel(kPartialBytes + body +
                      "\n@%p1 st.global.u32 [%rd2], %r2;"
                      "\nst.global.u32 [%rd2+4], %r2;"));
  };
  EXPECT_TRUE(
      decide("and.b32 %r11, %r10, 0xff; setp.eq.u32 %p1, %r11, 17;").result.ok);
  EXPECT_TRUE(
      decide("cvt.s16.s8 %h1, %h10; setp.lt.s16 %p1, %h1, 5;").result.ok);
  EXPECT_REPORT(decide("setp.eq.u32 %p1, %r10, 0x330011;"),
                ReportKind::Undefined,
                "guard predicate is undefined in lane 0");
  EXPECT_REPORT(decide("and.b16 %h1, %h10, 0x1ff; setp.lt.s16 %p1, %h1, 30;"),
                ReportKind::Undefined,
                "guard predicate is undefined in lane 0");
  const std::string always = "setp.eq.u32 %p1, %r1, %r1;\n";
  EXPECT_TRUE(decide(always + "and.b64 %rd11, %rd10, 0xf0;\n"
                              "add.u64 %rd11, %rd11, %rd1;\n"
                              "ld.global.u32 %r11, [%rd11];")
                  .result.ok);
  EXPECT_REPORT(decide(always + "and.b64 %rd11, %rd10, 0x1f0;\n"
                                "add.u64 %rd11, %rd11, %rd1;\n"
                                "ld.global.u32 %r11, [%rd11];"),
                ReportKind::Undefined, "was never written, in lane 0");
}

} // namespace
