//===- SyncTest.cpp - barriers of CTA and cluster -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Named barriers with counts, arrive and reductions; barrier.cluster and
// distributed shared memory; shared::cta addresses that carry the rank.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tc::emu;
using namespace tc::emu::test;

TEST(Sync, ProducerConsumerByNamedBarriers) {
  for (const std::string &schedule : schedules()) {
    Options o;
    o.schedule = schedule;
    o.threads = 64;
    Outcome r = run(
        kernel("shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31;\n"
               "mov.u32 %r4, s; mad.lo.u32 %r4, %r3, 4, %r4; mov.u32 %r5, 0;\n"
               "setp.eq.u32 %p1, %r2, 0; mov.u32 %r6, 0; @%p1 bra PRODUCE;\n"
               "bar.arrive 2, 64;\n"
               "C: bar.sync 1, 64; ld.shared.u32 %r7, [%r4];\n"
               "add.u32 %r6, %r6, %r7; bar.arrive 2, 64;\n"
               "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 10; @%p2 bra C;\n"
               "cvt.u64.u32 %rd3, %r6; st.global.u64 [%rd2], %rd3;\n"
               "bar.sync 3, 64; bra END;\n"
               "PRODUCE: bar.sync 2, 64; add.u32 %r8, %r3, %r5;\n"
               "st.shared.u32 [%r4], %r8; bar.arrive 1, 64;\n"
               "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 10; @%p2 bra "
               "PRODUCE;\n"
               "bar.sync 2, 64; bar.sync 3, 64;\nEND:",
               ".shared .align 4 .b8 s[128];"),
        o);
    ASSERT_TRUE(r.result.ok) << schedule << r.message();
    for (unsigned t = 32; t < 64; ++t)
      EXPECT_EQ(r.words[t], (t - 32) * 10 + 45);
  }
}

TEST(Sync, BarrierReduction) {
  Options o;
  o.threads = 64;
  Outcome r =
      run(kernel("setp.lt.u32 %p1, %r1, 40; bar.red.popc.u32 %r2, 0, %p1;\n"
                 "barrier.cta.red.and.aligned.pred %p2, 1, %p1;\n"
                 "barrier.red.or.pred %p3, 2, 64, %p1;\n"
                 "selp.b32 %r3, 1, 0, %p2; selp.b32 %r4, 1, 0, %p3;\n"
                 "mad.lo.u32 %r2, %r2, 10, %r3; mad.lo.u32 %r2, %r2, 10, "
                 "%r4;\n"
                 "cvt.u64.u32 %rd3, %r2; st.global.u64 [%rd2], %rd3;"),
          o);
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[50], 4001u);
}

TEST(Sync, BarrierMisuse) {
  Options o;
  o.threads = 64;
  EXPECT_REPORT(run(kernel("bar.sync 16;"), o), ReportKind::Sync,
                "from 0 to 15");
  EXPECT_REPORT(run(kernel("bar.sync 1, 40;"), o), ReportKind::Sync,
                "multiple of 32");
  EXPECT_REPORT(run(kernel("bar.sync 1, 96;"), o), ReportKind::Sync,
                "at most the CTA's 64 threads");
  EXPECT_REPORT(run(kernel("shr.u32 %r2, %r1, 5; setp.eq.u32 %p1, %r2, 0;\n"
                           "@%p1 bar.sync 1, 64; @!%p1 bar.sync 1;"),
                    o),
                ReportKind::Sync, "another thread count");
  Outcome r = run(kernel("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 64;"), o);
  EXPECT_REPORT(r, ReportKind::Deadlock, "32 of 64 threads have arrived");
}

TEST(Sync, ClusterAndDistributedSharedMemory) {
  for (const std::string &schedule : schedules()) {
    Options o;
    o.schedule = schedule;
    o.threads = 64;
    o.ctas = 4;
    o.cluster = 2;
    Outcome r = run(
        kernel("mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %ctaid.x;\n"
               "mov.u32 %r4, s; setp.ne.u32 %p1, %r1, 0;\n"
               "@!%p1 st.shared.u32 [%r4], %r3;\n"
               "barrier.cluster.arrive.release.aligned;\n"
               "barrier.cluster.wait.acquire.aligned;\n"
               "xor.b32 %r5, %r2, 1; mapa.shared::cluster.u32 %r6, %r4, %r5;\n"
               "ld.shared::cluster.u32 %r7, [%r6];\n"
               // The same through a generic address.
               "cvt.u64.u32 %rd3, %r4; cvta.shared.u64 %rd3, %rd3;\n"
               "mapa.u64 %rd4, %rd3, %r5; ld.u32 %r8, [%rd4];\n"
               "getctarank.shared::cluster.u32 %r9, %r6;\n"
               "barrier.cluster.arrive.relaxed; barrier.cluster.wait;\n"
               "@%p1 bra END; mad.wide.u32 %rd5, %r3, 16, %rd1;\n"
               "st.global.v4.u32 [%rd5], {%r7, %r8, %r9, %r4};\nEND:",
               ".shared .align 4 .u32 s;"),
        o);
    ASSERT_TRUE(r.result.ok) << schedule << r.message();
    for (unsigned c = 0; c < 4; ++c) {
      EXPECT_EQ(uint32_t(r.words[2 * c]), c ^ 1);
      EXPECT_EQ(uint32_t(r.words[2 * c] >> 32), c ^ 1);
      EXPECT_EQ(uint32_t(r.words[2 * c + 1]), (c & 1) ^ 1);
      // A shared::cta address carries the rank from bit 24.
      EXPECT_EQ(uint32_t(r.words[2 * c + 1] >> 32) >> 24, c & 1);
    }
  }
}

TEST(Sync, ProxyFencesOfTensorMaps) {
  EXPECT_REPORT(run(kernel("fence.proxy.tensormap::generic.release;")),
                ReportKind::Unsupported,
                "expected .acquire or .release, and a scope");
  EXPECT_REPORT(
      run(kernel("fence.proxy.tensormap::generic.acquire.gpu [%rd1], 64;")),
      ReportKind::Unsupported, "expected a size of 128");
  Outcome right =
      run(kernel("fence.proxy.tensormap::generic.release.gpu;\n"
                 "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;"));
  EXPECT_TRUE(right.result.ok) << right.message();
}

TEST(Sync, ClusterMisuse) {
  Options o;
  o.ctas = 2;
  o.cluster = 2;
  EXPECT_REPORT(run(kernel("barrier.cluster.wait;"), o), ReportKind::Sync,
                "without having arrived");
  EXPECT_REPORT(
      run(kernel("barrier.cluster.arrive; barrier.cluster.arrive;"), o),
      ReportKind::Sync, "arrives twice");
  EXPECT_REPORT(run(kernel("mov.u32 %r2, s; mapa.shared::cluster.u32 %r3, %r2, "
                           "2;",
                           ".shared .u32 s;"),
                    o),
                ReportKind::Memory, "a rank below the cluster's 2 CTAs");
  // Rank 0 leaves at once; rank 1 reads its memory afterwards.
  EXPECT_REPORT(
      run(kernel("mov.u32 %r2, %cluster_ctarank; setp.eq.u32 %p1, %r2, 0;\n"
                 "st.shared.u32 [s], %r1; @%p1 exit;\n"
                 "mov.u32 %r3, s; mapa.shared::cluster.u32 %r4, %r3, 0;\n"
                 "ld.shared::cluster.u32 %r5, [%r4];",
                 ".shared .u32 s;"),
          o),
      ReportKind::Memory, "has exited");
  EXPECT_REPORT(
      run(kernel(
              "mov.u32 %r3, s; mov.u32 %r2, %cluster_ctarank;\n"
              "xor.b32 %r2, %r2, 1; mapa.shared::cluster.u32 %r4, %r3, %r2;\n"
              "st.shared.u32 [%r4], %r1;",
              ".shared .u32 s;"),
          o),
      ReportKind::Memory, "shared::cta address of CTA rank 1");
}
