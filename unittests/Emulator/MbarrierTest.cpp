//===- MbarrierTest.cpp - mbarriers, bulk copies, deadlocks ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phase and transaction count machine, asynchronous copies that complete on
// it under every schedule, and the reports when it is misused.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "Emulator/State/Mbarrier.h"

using namespace tc::emu;
using namespace tc::emu::test;

TEST(Mbarrier, StateMachine) {
  Mbarrier b;
  EXPECT_NE(b.init(0), nullptr);
  EXPECT_NE(b.init(1u << 20), nullptr);
  ASSERT_EQ(b.init(2), nullptr);
  EXPECT_FALSE(b.passed(0));
  EXPECT_TRUE(b.passed(1)); // the producer's first wait
  bool done = false;
  uint64_t token = b.token();
  EXPECT_EQ(Mbarrier::pendingOf(token), 2u);
  EXPECT_EQ(b.arrive(1, done), nullptr);
  EXPECT_FALSE(done);
  EXPECT_EQ(b.expectTx(64), nullptr);
  EXPECT_EQ(b.arrive(1, done), nullptr);
  EXPECT_FALSE(done); // bytes are outstanding
  EXPECT_EQ(b.completeTx(32, done), nullptr);
  EXPECT_FALSE(done);
  EXPECT_EQ(b.completeTx(32, done), nullptr);
  EXPECT_TRUE(done);
  EXPECT_TRUE(b.passed(0));
  EXPECT_TRUE(b.passedToken(token));
  EXPECT_EQ(b.pending, 2u);
  // complete_tx may come before expect_tx.
  EXPECT_EQ(b.completeTx(16, done), nullptr);
  EXPECT_EQ(b.tx, -16);
  EXPECT_EQ(b.expectTx(16), nullptr);
  EXPECT_EQ(b.arriveDrop(1, done), nullptr);
  EXPECT_EQ(b.arrive(1, done), nullptr);
  EXPECT_TRUE(done);
  EXPECT_EQ(b.pending, 1u);
  EXPECT_NE(b.arrive(2, done), nullptr);
  EXPECT_NE(b.arriveNoComplete(1), nullptr);
  EXPECT_NE(b.expectTx(1u << 20), nullptr);
}

static const char *kShared = ".shared .align 16 .b8 s[1024];\n"
                             ".shared .align 8 .b8 bar[64];\n";

/// A ring of two slots: lane 0 of warp 0 copies blocks of 128 bytes, warp 1
/// adds them up and frees the slots.
static std::string ring() {
  return kernel(
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra INITED;\n"
      "mbarrier.init.shared::cta.b64 [bar], 1;\n"
      "mbarrier.init.shared::cta.b64 [bar+8], 1;\n"
      "mbarrier.init.shared::cta.b64 [bar+16], 32;\n"
      "mbarrier.init.shared::cta.b64 [bar+24], 32;\n"
      "fence.mbarrier_init.release.cluster;\n"
      "INITED: bar.sync 0; mov.u32 %r2, bar; mov.u32 %r3, s; mov.u32 %r4, 0;\n"
      "shr.u32 %r5, %r1, 5; setp.eq.u32 %p2, %r5, 1; @%p2 bra CONSUMER;\n"
      "@%p1 bra END;\n"
      "P: and.b32 %r6, %r4, 1; shr.u32 %r7, %r4, 1; and.b32 %r7, %r7, 1;\n"
      "xor.b32 %r7, %r7, 1; mad.lo.u32 %r8, %r6, 8, %r2;\n"
      "PW: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r8+16], %r7;\n"
      "@!%p3 bra PW;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 128;\n"
      "mad.lo.u32 %r9, %r6, 128, %r3; mad.wide.u32 %rd3, %r4, 128, %rd1;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%r9], [%rd3+512], 128, [%r8];\n"
      "add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, 6; @%p4 bra P; bra END;\n"
      "CONSUMER: mov.u32 %r20, 0;\n"
      "C: and.b32 %r6, %r4, 1; shr.u32 %r7, %r4, 1; and.b32 %r7, %r7, 1;\n"
      "mad.lo.u32 %r8, %r6, 8, %r2;\n"
      "CW: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r8], %r7;\n"
      "@!%p3 bra CW;\n"
      "mad.lo.u32 %r9, %r6, 128, %r3; and.b32 %r10, %r1, 31;\n"
      "mad.lo.u32 %r9, %r10, 4, %r9; ld.shared.u32 %r11, [%r9];\n"
      "add.u32 %r20, %r20, %r11;\n"
      "mbarrier.arrive.shared::cta.b64 _, [%r8+16];\n"
      "add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, 6; @%p4 bra C;\n"
      "cvt.u64.u32 %rd4, %r20; st.global.u64 [%rd2], %rd4;\nEND:",
      kShared);
}

TEST(Mbarrier, RingOfBulkCopies) {
  for (const std::string &schedule : schedules()) {
    Options o;
    o.schedule = schedule;
    o.threads = 64;
    o.words = 256;
    o.init.resize(256);
    for (unsigned i = 0; i < 192; ++i)
      o.init[64 + i / 2] |= uint64_t(i + 1) << (32 * (i & 1));
    Outcome r = run(ring(), o);
    ASSERT_TRUE(r.result.ok) << schedule << ": " << r.message();
    for (unsigned t = 0; t < 32; ++t) {
      unsigned expected = 0;
      for (unsigned block = 0; block < 6; ++block)
        expected += block * 32 + t + 1;
      EXPECT_EQ(r.words[32 + t], expected) << schedule;
    }
    EXPECT_EQ(r.result.stats.asyncOps, 6u);
  }
}

TEST(Mbarrier, MissingWaitIsCaught) {
  std::string text = ring();
  size_t at = text.find("CW: mbarrier.try_wait");
  text.replace(at, text.find("@!%p3 bra CW;") - at,
               "CW: setp.eq.u32 %p3, 0, 0;\n");
  Options o;
  o.schedule = "lazy";
  o.threads = 64;
  o.words = 256;
  // Shared memory that nothing has written yet has no value.
  EXPECT_REPORT(run(text, o), ReportKind::Undefined, "");
}

TEST(Mbarrier, ExpectTxMismatchDeadlocks) {
  std::string text = ring();
  size_t at = text.find("_, [%r8], 128");
  text.replace(at, 13, "_, [%r8], 192");
  Options o;
  o.threads = 64;
  o.words = 256;
  for (const std::string &schedule : schedules()) {
    o.schedule = schedule;
    Outcome r = run(text, o);
    EXPECT_REPORT(r, ReportKind::Deadlock, "64 bytes outstanding");
    EXPECT_TRUE(contains(r.message(), "parity 0: phase 0 has 0 of 1 arrivals"))
        << r.message();
    EXPECT_TRUE(contains(r.message(), "warp 1 of CTA (0,0,0)")) << r.message();
  }
}

TEST(Mbarrier, TokensAndTestWait) {
  Outcome r =
      run(kernel("setp.ne.u32 %p1, %r1, 0; @%p1 bra READY;\n"
                 "mbarrier.init.shared::cta.b64 [bar], 32;\n"
                 "READY: bar.warp.sync -1;\n"
                 "mbarrier.arrive.shared::cta.b64 %rd3, [bar];\n"
                 "W: mbarrier.test_wait.shared::cta.b64 %p2, [bar], %rd3;\n"
                 "@!%p2 bra W; mbarrier.pending_count.b64 %r2, %rd3;\n"
                 "cvt.u64.u32 %rd4, %r2; st.global.u64 [%rd2], %rd4;\n"
                 "bar.warp.sync -1; @%p1 bra END;\n"
                 "mbarrier.inval.shared::cta.b64 [bar];\nEND:",
                 kShared));
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[0], 32u);
  EXPECT_EQ(r.words[31], 1u);
}

TEST(Mbarrier, RemoteArrive) {
  for (const std::string &schedule : schedules()) {
    Options o;
    o.schedule = schedule;
    o.ctas = 2;
    o.cluster = 2;
    std::string text =
        kernel("setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, bar;\n"
               "@!%p1 mbarrier.init.shared::cta.b64 [%r2], 33;\n"
               "fence.mbarrier_init.release.cluster;\n"
               "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
               "mov.u32 %r3, %cluster_ctarank; xor.b32 %r4, %r3, 1;\n"
               "mapa.shared::cluster.u32 %r5, %r2, %r4;\n"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];\n"
               "@!%p1 mbarrier.arrive.shared::cta.b64 _, [%r2];\n"
               "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
               "%p2, [%r2], 0; @!%p2 bra W;\n"
               "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
               kShared);
    Outcome r = run(text, o);
    ASSERT_TRUE(r.result.ok) << schedule << r.message();
  }
}

TEST(Mbarrier, Misuse) {
  auto one = [](const std::string &body) {
    Options o;
    o.threads = 1;
    return run(kernel(body, kShared), o);
  };
  EXPECT_REPORT(one("mbarrier.init.shared::cta.b64 [bar], 0;"),
                ReportKind::Sync, "arrival count in [1, 2^20-1], got 0");
  EXPECT_REPORT(one("mbarrier.init.shared::cta.b64 [bar+4], 1;"),
                ReportKind::Memory, "multiple of 8");
  EXPECT_REPORT(one("mbarrier.arrive.shared::cta.b64 _, [bar];"),
                ReportKind::Sync, "no mbarrier has been initialised");
  EXPECT_REPORT(one("mbarrier.init.shared::cta.b64 [bar], 1;\n"
                    "mbarrier.init.shared::cta.b64 [bar], 1;"),
                ReportKind::Sync, "belongs to the mbarrier initialised");
  EXPECT_REPORT(one("mbarrier.init.shared::cta.b64 [bar], 1;\n"
                    "st.shared.u32 [bar+4], %r1;"),
                ReportKind::Memory, "belongs to the mbarrier initialised");
  EXPECT_REPORT(one("mbarrier.init.shared::cta.b64 [bar], 1;\n"
                    "mbarrier.arrive.shared::cta.b64 _, [bar], 2;"),
                ReportKind::Sync, "more arrivals than the phase expects");
  EXPECT_REPORT(
      one("mbarrier.try_wait.parity.shared::cluster.b64 %p1, [bar], 0;"),
      ReportKind::Unsupported, "remote barriers cannot be waited for");
}

TEST(Mbarrier, TryWaitComesBackWhenNothingElseCan) {
  // A failed peek must not block for ever.
  Options o;
  o.threads = 1;
  for (const std::string &schedule : schedules()) {
    o.schedule = schedule;
    Outcome r =
        run(kernel("mbarrier.init.shared::cta.b64 [bar], 1;\n"
                   "mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;\n"
                   "@!%p1 mbarrier.arrive.shared::cta.b64 _, [bar];\n"
                   "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], "
                   "0, 1000; @!%p1 bra W;",
                   kShared),
            o);
    EXPECT_TRUE(r.result.ok) << r.message();
  }
}

TEST(Bulk, StoreGroups) {
  std::string text = kernel(
      "mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], %r1;\n"
      "fence.proxy.async.shared::cta; bar.sync 0;\n"
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra END;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 128;\n"
      "cp.async.bulk.commit_group;\n"
      "cp.async.bulk.wait_group.read 0;\nWAIT\n"
      "ld.global.u64 %rd3, [%rd1+8]; st.global.u64 [%rd1+128], %rd3;\nEND:",
      kShared);
  for (const std::string &schedule : schedules()) {
    std::string good = text;
    good.replace(good.find("WAIT"), 4, "cp.async.bulk.wait_group 0;");
    Options o;
    o.schedule = schedule;
    Outcome r = run(good, o);
    ASSERT_TRUE(r.result.ok) << schedule << r.message();
    EXPECT_EQ(r.words[15], 30u | 31ull << 32);
    EXPECT_EQ(r.words[16], 2u | 3ull << 32);
  }
  // .read lets the source be reused; the store may still be under way.
  std::string bad = text;
  bad.replace(bad.find("WAIT"), 4, "");
  Options o;
  o.schedule = "lazy";
  Outcome r = run(bad, o);
  EXPECT_TRUE(!r.result.ok || r.words[16] != (2u | 3ull << 32));
}

TEST(Bulk, ExitWithPendingWorkIsReported) {
  Options o;
  o.schedule = "lazy";
  o.threads = 1;
  EXPECT_REPORT(
      run(kernel("mbarrier.init.shared::cta.b64 [bar], 1;\n"
                 "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [s], [%rd1], 64, [bar];",
                 kShared),
          o),
      ReportKind::Sync, "exits while asynchronous work");
}

TEST(CpAsync, GroupsAndArrive) {
  for (const std::string &schedule : schedules()) {
    Options o;
    o.schedule = schedule;
    o.words = 128;
    o.init.resize(128);
    for (unsigned i = 0; i < 64; ++i)
      o.init[64 + i] = i * 3;
    Outcome r = run(
        kernel("mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 16, %r2;\n"
               "mad.wide.u32 %rd3, %r1, 16, %rd1;\n"
               "setp.ne.u32 %p1, %r1, 0; @%p1 bra READY;\n"
               "mbarrier.init.shared::cta.b64 [bar], 32;\n"
               "READY: bar.sync 0;\n"
               "cp.async.cg.shared.global [%r3], [%rd3+512], 16;\n"
               "cp.async.commit_group;\n"
               "cp.async.ca.shared.global [%r3+512], [%rd3+512], 16, 4;\n"
               "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];\n"
               "cp.async.wait_group 0; ld.shared.u64 %rd4, [%r3];\n"
               "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n"
               "@!%p2 bra W; ld.shared.u64 %rd5, [%r3+520];\n"
               "add.s64 %rd4, %rd4, %rd5; st.global.u64 [%rd2], %rd4;",
               kShared),
        o);
    ASSERT_TRUE(r.result.ok) << schedule << r.message();
    for (unsigned t = 0; t < 32; ++t)
      EXPECT_EQ(r.words[t], 2 * t * 3);
  }
}
