//===- UndefinedRowsTest.cpp - rows of bytes as LLVM compiles them --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llc 22 -mcpu=sm_90 of functions on vectors of i8 and i16. Lanes from 20 on
// load a part of their four bytes only: the rest of the vector is poison, which
// LLVM packs, shuffles and computes with, and does not store. Without the
// branch around the last store it does.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <algorithm>

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

constexpr unsigned kInsideRow = 20; ///< lanes that have all of their bytes

/// The four bytes of a lane, and those of the lane beside it.
using ComputeRow = void (*)(uint8_t *row, const uint8_t *peer, bool inside);

void checkRows(const std::string &body, ComputeRow compute) {
  const std::string text = ".version 7.8\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 p)\n{\n" +
                           body + "}\n";
  Options options;
  uint8_t before[128], after[128];
  for (unsigned i = 0; i < 128; ++i)
    before[i] = after[i] = uint8_t(37 * i + 11);
  options.init.resize(16);
  memcpy(options.init.data(), before, 128);
  for (unsigned lane = 0; lane < 32; ++lane)
    compute(after + 4 * lane, before + 4 * (lane ^ 1), lane < kInsideRow);
  const Outcome right = run(text, options);
  ASSERT_TRUE(right.result.ok) << right.message();
  EXPECT_EQ(memcmp(right.words.data(), after, 128), 0);

  std::string wrong = text;
  const size_t branch = wrong.rfind("@%p1 bra DONE;");
  ASSERT_NE(branch, std::string::npos);
  wrong.erase(branch, 14);
  EXPECT_REPORT(run(wrong, options), ReportKind::Undefined,
                "was never written, in lane 20");
}

TEST(UndefinedRows, tail) {
  checkRows(R"(
.reg .pred %p<2>; .reg .b16 %rs<9>; .reg .b32 %r<24>; .reg .b64 %rd<4>;
ld.param.b64 %rd2, [p]; mov.u32 %r1, %tid.x; shl.b32 %r3, %r1, 2;
cvt.u64.u32 %rd3, %r3; add.s64 %rd1, %rd2, %rd3; setp.gt.u32 %p1, %r1, 19;
@%p1 bra JOIN; ld.global.v2.b8 {%rs1, %rs2}, [%rd1+2];
cvt.u32.u16 %r4, %rs2; cvt.u32.u16 %r5, %rs1;
prmt.b32 %r6, %r5, %r4, 0x3340U; prmt.b32 %r7, %r8, %r9, 0x3340U;
prmt.b32 %r23, %r6, %r7, 0x5410U;
JOIN: ld.global.v2.b8 {%rs3, %rs4}, [%rd1]; cvt.u32.u16 %r10, %rs4;
cvt.u32.u16 %r11, %rs3; prmt.b32 %r12, %r11, %r10, 0x3340U;
prmt.b32 %r13, %r14, %r15, 0x3340U; prmt.b32 %r16, %r12, %r13, 0x5410U;
prmt.b32 %r17, %r16, %r23, 0x5410U; xor.b32 %r18, %r17, 16843009;
prmt.b32 %r19, %r18, 0, 0x7771U; cvt.u16.u32 %rs5, %r19;
prmt.b32 %r20, %r18, 0, 0x7770U; cvt.u16.u32 %rs6, %r20;
st.global.v2.b8 [%rd1], {%rs6, %rs5}; @%p1 bra DONE;
prmt.b32 %r21, %r18, 0, 0x7773U; prmt.b32 %r22, %r18, 0, 0x7772U;
prmt.b32 %r2, %r22, %r21, 0x5410U; mov.b32 {%rs7, %rs8}, %r2;
st.global.v2.b8 [%rd1+2], {%rs7, %rs8};
DONE: ret;
)",
            [](uint8_t *row, const uint8_t *, bool inside) {
              for (unsigned k = 0; k < (inside ? 4 : 2); ++k)
                row[k] ^= 1;
            });
}

TEST(UndefinedRows, negate) {
  checkRows(R"(
.reg .pred %p<2>; .reg .b16 %rs<10>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
ld.param.b64 %rd2, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
cvt.u64.u32 %rd3, %r2; add.s64 %rd1, %rd2, %rd3; setp.gt.u32 %p1, %r1, 19;
@%p1 bra JOIN; ld.global.b8 %r3, [%rd1+1]; prmt.b32 %r4, %r5, %r3, 0x3340U;
prmt.b32 %r6, %r7, %r8, 0x3340U; prmt.b32 %r11, %r4, %r6, 0x5410U;
JOIN: ld.global.s8 %rs2, [%rd1]; neg.s16 %rs3, %rs2; cvt.s16.s8 %rs4, %rs3;
max.s16 %rs9, %rs2, %rs4; st.global.b8 [%rd1], %rs9; @%p1 bra DONE;
prmt.b32 %r9, %r11, 0, 0x9991U; cvt.u16.u32 %rs5, %r9;
prmt.b32 %r10, %r11, 0, 0x7771U; cvt.u16.u32 %rs6, %r10; neg.s16 %rs7, %rs6;
cvt.s16.s8 %rs8, %rs7; max.s16 %rs1, %rs5, %rs8;
st.global.b8 [%rd1+1], %rs1;
DONE: ret;
)",
            [](uint8_t *row, const uint8_t *, bool inside) {
              for (unsigned k = 0; k < (inside ? 2 : 1); ++k)
                row[k] =
                    uint8_t(std::max<int>(int8_t(row[k]), int8_t(0 - row[k])));
            });
}

TEST(UndefinedRows, halves) {
  checkRows(R"(
.reg .pred %p<2>; .reg .b16 %rs<10>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
ld.param.b64 %rd2, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
cvt.u64.u32 %rd3, %r2; add.s64 %rd1, %rd2, %rd3; setp.gt.u32 %p1, %r1, 19;
@%p1 bra JOIN; ld.global.s8 %rs2, [%rd1+1]; mov.b32 %r3, {%rs3, %rs2};
JOIN: ld.global.s8 %rs4, [%rd1]; add.s16 %rs5, %rs4, 100;
max.s16 %rs9, %rs5, 90; st.global.b8 [%rd1], %rs9; @%p1 bra DONE;
mov.b32 {_, %rs6}, %r3; add.s16 %rs7, %rs6, 100; max.s16 %rs8, %rs7, 90;
cvt.s16.s8 %rs1, %rs8; st.global.b8 [%rd1+1], %rs1;
DONE: ret;
)",
            [](uint8_t *row, const uint8_t *, bool inside) {
              for (unsigned k = 0; k < (inside ? 2 : 1); ++k)
                row[k] = uint8_t(std::max(int8_t(row[k]) + 100, 90));
            });
}

TEST(UndefinedRows, shuffled) {
  checkRows(R"(
.reg .pred %p<2>; .reg .b16 %rs<7>; .reg .b32 %r<15>; .reg .b64 %rd<4>;
ld.param.b64 %rd2, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
cvt.u64.u32 %rd3, %r2; add.s64 %rd1, %rd2, %rd3; setp.gt.u32 %p1, %r1, 19;
@%p1 bra JOIN; ld.global.b8 %r3, [%rd1+2]; prmt.b32 %r4, %r3, %r5, 0x3340U;
prmt.b32 %r6, %r7, %r8, 0x3340U; prmt.b32 %r14, %r6, %r4, 0x5410U;
JOIN: ld.global.b8 %rs2, [%rd1]; cvt.u32.u16 %r9, %rs2;
bfi.b32 %r10, %r9, %r14, 0, 8; shfl.sync.bfly.b32 %r11, %r10, 1, 31, -1;
cvt.u16.u32 %rs5, %r11; add.s16 %rs6, %rs5, %rs2; st.global.b8 [%rd1], %rs6;
@%p1 bra DONE; prmt.b32 %r12, %r11, 0, 0x7772U; cvt.u16.u32 %rs3, %r12;
prmt.b32 %r13, %r14, 0, 0x7772U; cvt.u16.u32 %rs4, %r13;
add.s16 %rs1, %rs3, %rs4; st.global.b8 [%rd1+2], %rs1;
DONE: ret;
)",
            [](uint8_t *row, const uint8_t *peer, bool inside) {
              row[0] = uint8_t(row[0] + peer[0]);
              if (inside)
                row[2] = uint8_t(row[2] + peer[2]);
            });
}

TEST(UndefinedRows, wide) {
  checkRows(R"(
.reg .pred %p<2>; .reg .b16 %rs<7>; .reg .b32 %r<16>; .reg .b64 %rd<4>;
ld.param.b64 %rd2, [p]; mov.u32 %r1, %tid.x; shl.b32 %r3, %r1, 2;
cvt.u64.u32 %rd3, %r3; add.s64 %rd1, %rd2, %rd3; setp.gt.u32 %p1, %r1, 19;
@%p1 bra JOIN; ld.global.b8 %rs1, [%rd1+1]; ld.global.b8 %rs2, [%rd1+2];
shl.b16 %rs3, %rs2, 8; or.b16 %rs4, %rs3, %rs1; cvt.u32.u16 %r4, %rs4;
prmt.b32 %r5, %r4, 0, 0x7771U; ld.global.b8 %r6, [%rd1+3];
prmt.b32 %r7, %r5, %r6, 0x3340U; prmt.b32 %r8, %r4, 0, 0x7770U;
prmt.b32 %r9, %r10, %r8, 0x3340U; prmt.b32 %r15, %r9, %r7, 0x5410U;
JOIN: st.global.b8 [%rd1], 0; @%p1 bra DONE; shl.b32 %r11, %r15, 4;
and.b32 %r12, %r11, 252641280; prmt.b32 %r13, %r12, 0, 0x7773U;
prmt.b32 %r14, %r12, 0, 0x7772U; prmt.b32 %r2, %r14, %r13, 0x5410U;
mov.b32 {%rs5, %rs6}, %r2; st.global.v2.b8 [%rd1+2], {%rs5, %rs6};
DONE: ret;
)",
            [](uint8_t *row, const uint8_t *, bool inside) {
              const uint8_t first = row[1], second = row[2];
              row[0] = 0;
              if (inside) {
                row[2] = first >> 4;
                row[3] = second >> 4;
              }
            });
}

TEST(UndefinedRows, masked) {
  checkRows(R"(
.reg .pred %p<4>; .reg .b16 %rs<5>; .reg .b32 %r<7>; .reg .b64 %rd<4>;
ld.param.b64 %rd2, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
cvt.u64.u32 %rd3, %r2; add.s64 %rd1, %rd2, %rd3; setp.gt.u32 %p1, %r1, 19;
@%p1 bra JOIN; ld.global.b8 %rs4, [%rd1];
JOIN: ld.global.s8 %rs2, [%rd1+1]; setp.gt.s16 %p2, %rs2, 0;
cvt.u32.u16 %r5, %rs2; selp.b32 %r6, %r5, 0, %p2;
st.global.b8 [%rd1+1], %r6; @%p1 bra DONE; cvt.s16.s8 %rs3, %rs4;
setp.gt.s16 %p3, %rs3, 0; cvt.u32.u16 %r3, %rs4; selp.b32 %r4, %r3, 0, %p3;
cvt.u16.u32 %rs1, %r4; st.global.b8 [%rd1], %rs1;
DONE: ret;
)",
            [](uint8_t *row, const uint8_t *, bool inside) {
              for (unsigned k = inside ? 0 : 1; k < 2; ++k)
                row[k] = int8_t(row[k]) > 0 ? row[k] : 0;
            });
}

} // namespace
