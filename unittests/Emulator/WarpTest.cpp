//===- WarpTest.cpp - collectives of a warp -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shfl, vote, match, redux, elect and bar.warp.sync, whole and diverged.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tc::emu;
using namespace tc::emu::test;

static std::vector<uint64_t> lanes(const std::string &body,
                                   const std::string &schedule = "eager") {
  Options o;
  o.schedule = schedule;
  Outcome r =
      run(kernel(body + "\ncvt.u64.u32 %rd3, %r2; st.global.u64 [%rd2], "
                        "%rd3;"),
          o);
  EXPECT_TRUE(r.result.ok) << body << r.message();
  return r.words;
}

TEST(Warp, Shuffle) {
  auto v = lanes("shfl.sync.down.b32 %r2|%p1, %r1, 4, 0x1f, -1;\n"
                 "@!%p1 mov.u32 %r2, 99;");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(v[t], t < 28 ? t + 4 : 99);
  v = lanes("shfl.sync.up.b32 %r2, %r1, 1, 0x0, -1;");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(v[t], t ? t - 1 : 0);
  v = lanes("shfl.sync.bfly.b32 %r2, %r1, 5, 0x1f, -1;");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(v[t], t ^ 5);
  // Segments of 8 lanes: c = 24 << 8 | 31.
  v = lanes("shfl.sync.idx.b32 %r2, %r1, 3, 0x181f, -1;");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(v[t], (t & 24) + 3);
}

TEST(Warp, VoteMatchReduxElect) {
  auto v = lanes("setp.lt.u32 %p1, %r1, 5; vote.sync.ballot.b32 %r2, %p1, -1;");
  EXPECT_EQ(v[9], 31u);
  v = lanes("setp.lt.u32 %p1, %r1, 5; vote.sync.all.pred %p2, %p1, -1;\n"
            "vote.sync.any.pred %p3, %p1, -1; selp.b32 %r2, 1, 0, %p2;\n"
            "@%p3 add.u32 %r2, %r2, 2;");
  EXPECT_EQ(v[9], 2u);
  v = lanes("and.b32 %r3, %r1, 3; match.any.sync.b32 %r2, %r3, -1;");
  EXPECT_EQ(v[5], 0x22222222u);
  v = lanes("redux.sync.add.u32 %r2, %r1, -1;");
  EXPECT_EQ(v[0], 496u);
  v = lanes("neg.s32 %r3, %r1; redux.sync.min.s32 %r2, %r3, -1; "
            "neg.s32 %r2, %r2;");
  EXPECT_EQ(v[0], 31u);
  v = lanes("cvt.rn.f32.u32 %f1, %r1; neg.f32 %f1, %f1;\n"
            "redux.sync.min.f32 %f2, %f1, -1; cvt.rzi.s32.f32 %r2, %f2; "
            "neg.s32 %r2, %r2;");
  EXPECT_EQ(v[0], 31u);
  for (const std::string &schedule : schedules()) {
    v = lanes("elect.sync %r3|%p1, -1; selp.b32 %r4, 1, 0, %p1;\n"
              "redux.sync.add.u32 %r2, %r4, -1;",
              schedule);
    EXPECT_EQ(v[17], 1u); // exactly one leader
  }
}

TEST(Warp, DivergedLanesMeetAtCollectives) {
  for (const std::string &schedule : schedules()) {
    auto v =
        lanes("setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;\n"
              "mul.lo.u32 %r3, %r1, 2; bar.warp.sync 0xffff0000; bra MEET;\n"
              "LOW: mul.lo.u32 %r3, %r1, 3; bar.warp.sync 0x0000ffff;\n"
              "MEET: shfl.sync.bfly.b32 %r2, %r3, 16, 0x1f, -1;",
              schedule);
    for (unsigned t = 0; t < 32; ++t)
      EXPECT_EQ(v[t], (t ^ 16) * (t < 16 ? 2 : 3));
    // Different bar.warp.sync instructions meet as well.
    v = lanes("setp.lt.u32 %p1, %r1, 16; mov.u32 %r2, 1; @%p1 bra LOW;\n"
              "bar.warp.sync -1; add.u32 %r2, %r2, 1; bra MEET;\n"
              "LOW: bar.warp.sync -1;\nMEET:",
              schedule);
    EXPECT_EQ(v[31], 2u);
  }
}

/// Lanes with one member mask act by themselves: 31 - lane in each of its 32
/// bits is a tile of `size`.
TEST(Warp, TilesActByThemselves) {
  for (const std::string &schedule : schedules())
    for (unsigned size : {1u, 2u, 4u, 8u, 16u}) {
      const std::string tile =
          "and.b32 %r4, %r1, " + std::to_string(32 - size) + ";\n" +
          "mov.u32 %r5, " + std::to_string((1ull << size) - 1) +
          "; shl.b32 %r5, %r5, %r4;\nsetp.eq.u32 %p2, %r1, %r4;\n";
      auto all = [&](const std::string &body) {
        return lanes(tile + body, schedule);
      };
      auto each = [&](const char *name, const std::vector<uint64_t> &got,
                      auto expected) {
        for (unsigned t = 0; t < 32; ++t)
          EXPECT_EQ(uint32_t(got[t]), uint32_t(expected(t, t / size * size)))
              << name << " of " << size << ", lane " << t << ", " << schedule;
      };
      const auto mask = uint32_t((1ull << size) - 1);
      each("shfl", all("shfl.sync.idx.b32 %r2, %r1, %r4, 31, %r5;"),
           [](unsigned, unsigned first) { return first; });
      each("ballot", all("vote.sync.ballot.b32 %r2, %p2, %r5;"),
           [](unsigned, unsigned first) { return 1u << first; });
      each("any",
           all("setp.lt.u32 %p3, %r1, 3; vote.sync.any.pred %p4, %p3, %r5;\n"
               "selp.u32 %r2, 1, 0, %p4;"),
           [](unsigned, unsigned first) { return first < 3; });
      each("match", all("mov.u32 %r6, 7; match.any.sync.b32 %r2, %r6, %r5;"),
           [&](unsigned, unsigned first) { return mask << first; });
      each("redux", all("redux.sync.max.u32 %r2, %r1, %r5;"),
           [&](unsigned, unsigned first) { return first + size - 1; });
      each("elect",
           all("elect.sync %r6|%p3, %r5; selp.b32 %r6, 1, 0, %p3;\n"
               "redux.sync.add.u32 %r2, %r6, %r5;"),
           [](unsigned, unsigned) { return 1; });
      each("bar.warp.sync", all("bar.warp.sync %r5; mov.u32 %r2, %r5;"),
           [&](unsigned, unsigned first) { return mask << first; });
    }
}

/// Some members of one tile are elsewhere: the others wait, another tile goes
/// on.
TEST(Warp, TilesWaitForTheirOwn) {
  for (const std::string &schedule : schedules()) {
    // Lanes 4 to 7 come to the shuffle by another way, with the mask of tile 0.
    auto v = lanes("shr.u32 %r4, %r1, 3; shl.b32 %r4, %r4, 3;\n"
                   "mov.u32 %r5, 0xff; shl.b32 %r5, %r5, %r4;\n"
                   "and.b32 %r6, %r1, 28; setp.eq.u32 %p1, %r6, 4;\n"
                   "mov.u32 %r7, 1; @!%p1 bra MEET;\n"
                   "mov.u32 %r7, 100; add.u32 %r7, %r7, %r7;\n"
                   "MEET: redux.sync.add.u32 %r2, %r7, %r5;",
                   schedule);
    EXPECT_EQ(v[0], 804u) << schedule;
    EXPECT_EQ(v[31], 8u) << schedule;
    // The upper half is with the lower one in the second round alone.
    v = lanes("setp.lt.u32 %p1, %r1, 16; mov.u32 %r5, -1; mov.u32 %r8, 0;\n"
              "@!%p1 mov.u32 %r5, 0xffff0000;\n"
              "ROUND: redux.sync.add.u32 %r2, %r1, %r5;\n"
              "setp.eq.u32 %p2, %r5, -1; mov.u32 %r5, -1;\n"
              "@!%p2 bra ROUND;",
              schedule);
    EXPECT_EQ(v[0], 496u) << schedule;
    EXPECT_EQ(v[31], 496u) << schedule;
    // Two tiles, each at two bar.warp.sync.
    v = lanes("and.b32 %r4, %r1, 16; mov.u32 %r5, 0xffff;\n"
              "shl.b32 %r5, %r5, %r4; and.b32 %r6, %r1, 1;\n"
              "setp.eq.u32 %p1, %r6, 0; @%p1 bra EVEN;\n"
              "bar.warp.sync %r5; mov.u32 %r2, 1; bra END;\n"
              "EVEN: bar.warp.sync %r5; mov.u32 %r2, 2;\nEND:",
              schedule);
    EXPECT_EQ(v[0], 2u) << schedule;
    EXPECT_EQ(v[31], 1u) << schedule;
  }
}

/// The members of a mask may come to several instructions with the same
/// qualifiers (PTX ISA 9.0, "shfl.sync", 9.7.9.6).
TEST(Warp, CollectivesAtSeveralInstructions) {
  // Lanes below 8, below 20 and the others go three ways.
  auto ways = [](const std::string &a, const std::string &b,
                 const std::string &c) {
    return "setp.lt.u32 %p1, %r1, 8; setp.lt.u32 %p2, %r1, 20;\n"
           "mov.u32 %r8, 7; mov.u64 %rd8, 7; add.u32 %r6, %r1, 100;\n"
           "@%p1 bra A; @%p2 bra B;\n" +
           c + "\nbra END;\nA: " + a + "\nbra END;\nB: " + b + "\nEND:";
  };
  for (const std::string &schedule : schedules()) {
    SCOPED_TRACE(schedule);
    auto v = lanes(ways("shfl.sync.idx.b32 %r2, %r6, 31, 31, -1;",
                        "mov.u32 %r7, 3; add.u32 %r4, %r1, 200;\n"
                        "shfl.sync.idx.b32 %r2|%p3, %r4, %r7, 31, -1;",
                        "shfl.sync.idx.b32 %r5, %r1, 8, 31, -1;\n"
                        "mov.u32 %r2, %r5;"),
                   schedule);
    EXPECT_EQ(uint32_t(v[0]), 31u);
    EXPECT_EQ(uint32_t(v[8]), 103u);
    EXPECT_EQ(uint32_t(v[31]), 208u);
    v = lanes(ways("setp.eq.u32 %p3, %r1, 1;\n"
                   "vote.sync.ballot.b32 %r2, %p3, -1;",
                   "setp.ne.u32 %p4, %r1, 9;\n"
                   "vote.sync.ballot.b32 %r2, !%p4, -1;",
                   "setp.eq.u32 %p3, %r1, 31;\n"
                   "vote.sync.ballot.b32 %r5, %p3, -1; mov.u32 %r2, %r5;"),
              schedule);
    for (unsigned t = 0; t < 32; ++t)
      EXPECT_EQ(uint32_t(v[t]), 0x80000202u);
    v = lanes(ways("redux.sync.add.u32 %r2, %r8, -1;",
                   "redux.sync.add.u32 %r2, 1, -1;",
                   "redux.sync.add.u32 %r2, %r1, -1;"),
              schedule);
    for (unsigned t = 0; t < 32; ++t)
      EXPECT_EQ(uint32_t(v[t]), 7u * 8 + 12 + 306);
    v = lanes(ways("match.any.sync.b64 %r2, %rd8, -1;",
                   "mov.u64 %rd9, 5; match.any.sync.b64 %r2, %rd9, -1;",
                   "match.any.sync.b64 %r2, %rd8, -1;"),
              schedule);
    EXPECT_EQ(uint32_t(v[0]), 0xfff000ffu);
    EXPECT_EQ(uint32_t(v[9]), 0x000fff00u);
    EXPECT_EQ(uint32_t(v[31]), 0xfff000ffu);
    v = lanes(ways("elect.sync _|%p3, -1; selp.u32 %r2, 1, 0, %p3;",
                   "elect.sync _|%p4, -1; selp.u32 %r2, 1, 0, %p4;",
                   "elect.sync %r5|%p3, -1; selp.u32 %r2, 1, 0, %p3;"),
              schedule);
    uint64_t leaders = 0;
    for (uint64_t got : v)
      leaders += uint32_t(got);
    EXPECT_EQ(leaders, 1u);
    v = lanes(ways("bar.warp.sync -1; mov.u32 %r2, 1;",
                   "bar.warp.sync -1; mov.u32 %r2, 2;",
                   "bar.warp.sync -1; mov.u32 %r2, 3;"),
              schedule);
    EXPECT_EQ(uint32_t(v[8]), 2u);
  }
}

/// Tiles, some of whose lanes come another way, and lanes whose guard is false.
TEST(Warp, TilesAtSeveralInstructions) {
  for (const std::string &schedule : schedules()) {
    SCOPED_TRACE(schedule);
    const std::string tile = "and.b32 %r4, %r1, 24; mov.u32 %r5, 0xff;\n"
                             "shl.b32 %r5, %r5, %r4; and.b32 %r6, %r1, 1;\n"
                             "setp.eq.u32 %p1, %r6, 0;\n";
    auto v = lanes(tile + "setp.lt.u32 %p2, %r1, 16; mov.u32 %r7, 1;\n"
                          "not.pred %p3, %p1; and.pred %p3, %p3, %p2;\n"
                          "@%p3 bra ODD;\n"
                          "redux.sync.add.u32 %r2, %r7, %r5; bra END;\n"
                          "ODD: redux.sync.add.u32 %r2, 10, %r5;\nEND:",
                   schedule);
    for (unsigned lane : {0u, 1u, 15u})
      EXPECT_EQ(uint32_t(v[lane]), 44u);
    EXPECT_EQ(uint32_t(v[16]), 8u);
    EXPECT_EQ(uint32_t(v[31]), 8u);
    // The guard is false in odd lanes, which no mask has.
    for (const char *sync : {"shfl.sync.idx.b32 %r2, %r1, 30, 31, 0x55555555;",
                             "bar.warp.sync 0x55555555; @%p1 mov.u32 %r2, 30;"})
      for (const char *also :
           {"shfl.sync.idx.b32 %r2, %r1, 30, 31, 0x55555555;",
            "bar.warp.sync 0x55555555; @%p1 mov.u32 %r2, 30;"})
        if (*sync == *also) {
          v = lanes(tile +
                        "setp.lt.u32 %p2, %r1, 8; mov.u32 %r2, 99;\n"
                        "@%p2 bra LOW;\n@%p1 " +
                        sync + " bra END;\nLOW: @%p1 " + also + "\nEND:",
                    schedule);
          EXPECT_EQ(uint32_t(v[0]), 30u);
          EXPECT_EQ(uint32_t(v[1]), 99u);
          EXPECT_EQ(uint32_t(v[30]), 30u);
          EXPECT_EQ(uint32_t(v[31]), 99u);
        }
  }
  // Undefined values go with the others.
  const std::string half = "setp.lt.u32 %p1, %r1, 8; @%p1 bra A;\n"
                           "shfl.sync.bfly.b32 %r2, %r1, 8, 31, -1; bra END;\n"
                           "A: shfl.sync.bfly.b32 %r2, %r9, 8, 31, -1;\nEND:\n";
  EXPECT_TRUE(run(kernel(half + "@%p1 st.global.u32 [%rd2], %r2;")).result.ok);
  EXPECT_REPORT(run(kernel(half + "st.global.u32 [%rd2], %r2;")),
                ReportKind::Undefined, "was never written, in lane 8");
}

TEST(Warp, Misuse) {
  EXPECT_REPORT(run(kernel("shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffff;")),
                ReportKind::Sync, "is not in the member mask");
  EXPECT_REPORT(run(kernel("setp.lt.u32 %p1, %r1, 8;\n"
                           "@%p1 shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;")),
                ReportKind::Sync, "its guard is false");
  EXPECT_REPORT(run(kernel("setp.lt.u32 %p1, %r1, 8; @!%p1 bra END;\n"
                           "shfl.sync.idx.b32 %r2, %r1, 20, 31, 0xff;\n"
                           "st.global.u32 [%rd2], %r2;\nEND:")),
                ReportKind::Undefined, "reads lane 20");
  // Lanes 0 and 1 wait for each other with different masks.
  EXPECT_REPORT(run(kernel("setp.lt.u32 %p1, %r1, 1;\n"
                           "selp.b32 %r2, -1, 0xfffffff3, %p1;\n"
                           "setp.gt.u32 %p1, %r1, 1; @%p1 bra END;\n"
                           "shfl.sync.idx.b32 %r2, %r1, 0, 31, %r2;\nEND:")),
                ReportKind::Sync,
                "expected the same member mask in all lanes of it");
  EXPECT_REPORT(run(kernel("setp.lt.u32 %p1, %r1, 8; @%p1 bra A;\n"
                           "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; bra END;\n"
                           "A: shfl.sync.up.b32 %r2, %r1, 0, 0, -1;\nEND:")),
                ReportKind::Deadlock,
                "waits for lanes 0xff to execute one with the same "
                "qualifiers and member mask (PTX ISA 9.0, \"shfl.sync\", "
                "9.7.9.6)");
  EXPECT_REPORT(run(kernel("setp.lt.u32 %p1, %r1, 8; @%p1 bar.sync 0;")),
                ReportKind::Sync, ".aligned");
  EXPECT_REPORT(run(kernel("setp.lt.u32 %p1, %r1, 8; @%p1 bra A;\n"
                           "bar.sync 0; bra END; A: bar.sync 1;\nEND:")),
                ReportKind::Deadlock, "waits for lanes");
}

TEST(Warp, Matrices) {
  // Element (row, column) of matrix m is m * 64 + row * 8 + column.
  Options o;
  o.words = 128;
  std::string fill =
      "mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 16, %r2; mov.u32 %r4, 0;\n"
      "F: mad.lo.u32 %r5, %r1, 8, %r4; cvt.u16.u32 %h1, %r5;\n"
      "mad.lo.u32 %r6, %r4, 2, %r3; st.shared.u16 [%r6], %h1;\n"
      "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; @%p1 bra F;\n"
      "bar.sync 0;\n";
  std::string store = "mad.wide.u32 %rd3, %r1, 16, %rd1;\n"
                      "st.global.v4.u32 [%rd3], {%r10, %r11, %r12, %r13};";
  Outcome r =
      run(kernel(fill +
                     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, "
                     "%r12, %r13}, [%r3];\n" +
                     store,
                 ".shared .align 16 .b8 s[512];"),
          o);
  ASSERT_TRUE(r.result.ok) << r.message();
  auto at = [&](unsigned lane, unsigned reg) {
    return uint32_t(r.words[2 * lane + reg / 2] >> (32 * (reg & 1)));
  };
  for (unsigned l = 0; l < 32; ++l)
    for (unsigned m = 0; m < 4; ++m) {
      uint32_t first = m * 64 + (l / 4) * 8 + 2 * (l % 4);
      EXPECT_EQ(at(l, m), first | (first + 1) << 16);
    }
  // stmatrix.trans of what ldmatrix.trans loads is the identity.
  r = run(kernel(fill +
                     "ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {%r10, "
                     "%r11, %r12, %r13}, [%r3];\n"
                     "add.u32 %r7, %r3, 512;\n"
                     "stmatrix.sync.aligned.x4.trans.m8n8.shared.b16 [%r7], "
                     "{%r10, %r11, %r12, %r13};\nbar.sync 0;\n"
                     "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r7];\n" +
                     store,
                 ".shared .align 16 .b8 s[1024];"),
          o);
  ASSERT_TRUE(r.result.ok) << r.message();
  for (unsigned l = 0; l < 32; ++l)
    for (unsigned k = 0; k < 4; ++k)
      EXPECT_EQ(at(l, k), (l * 8 + 2 * k) | (l * 8 + 2 * k + 1) << 16);
}
