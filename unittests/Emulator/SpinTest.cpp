//===- SpinTest.cpp - loops that never end --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops without progress end in a report however they are written, counters of
// rounds included; loops that end, or that somebody else ends, do not.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

Options patient() {
  Options options;
  options.maxInstructions = 2'000'000'000;
  return options;
}

/// Each loop waits for word 8, which stays 0.
const char *const kEndless[] = {
    // polls and counts; the count is stored after the loop
    "mov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r3, [%rd1+64];\n"
    "add.u32 %r2, %r2, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\n"
    "st.global.u32 [%rd1], %r2;",
    // counts in 64 bits, under a guard, and nothing else
    "mov.u64 %rd3, 0;\nsetp.eq.u32 %p2, %r1, %r1;\n"
    "L: @%p2 add.u64 %rd3, %rd3, 3;\nbra L;",
    // polls by atomics that change nothing, and counts
    "mov.u32 %r2, 0;\nL: atom.global.add.u32 %r3, [%rd1+64], 0;\n"
    "add.u32 %r2, %r2, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\n"
    "st.global.u32 [%rd1], %r2;",
    "mov.u32 %r2, 0;\nL: atom.global.cas.b32 %r3, [%rd1+64], 5, 6;\n"
    "add.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r3, 5;\n@%p1 bra L;\n"
    "st.global.u32 [%rd1], %r2;",
    // two counters that feed each other
    "mov.u32 %r2, 0; mov.u32 %r4, 1;\nL: ld.relaxed.gpu.global.u32 %r3, "
    "[%rd1+64];\n"
    "add.u32 %r2, %r2, %r4; mad.lo.u32 %r4, %r2, 5, %r4;\n"
    "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\nst.global.u32 [%rd1], %r4;",
    // sleeps in between
    "mov.u32 %r2, 0;\nL: nanosleep.u32 40;\nld.volatile.global.u32 %r3, "
    "[%rd1+64];\n"
    "add.u32 %r2, %r2, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\n"
    "st.global.u32 [%rd1], %r2;",
};

TEST(Spin, EndlessLoopsThatCountAreReported) {
  for (const char *body : kEndless)
    for (const char *schedule : {"eager", "random:1"}) {
      Options options = patient();
      options.schedule = schedule;
      Outcome out = run(kernel(body), options);
      ASSERT_FALSE(out.result.ok) << body;
      EXPECT_EQ(out.kind(), ReportKind::Deadlock) << schedule << body;
      EXPECT_LT(out.result.stats.warpInstructions, 20'000'000u) << body;
    }
}

// Threads that pass clusters to each other leave no moment in which none runs.
TEST(Spin, ClustersOnSeveralThreadsAreReported) {
  Options options = patient();
  options.ctas = 3;
  options.osThreads = 2;
  for (const char *body : kEndless) {
    Outcome out = run(kernel(body), options);
    ASSERT_FALSE(out.result.ok) << body;
    EXPECT_EQ(out.kind(), ReportKind::Deadlock) << body;
    EXPECT_LT(out.result.stats.warpInstructions, 20'000'000u) << body;
  }
}

/// Each does something all the time, and changes nothing.
const char *const kBusy[] = {
    "L: bar.sync 0;\nbra L;",
    "L: st.global.u32 [%rd1], 5;\nbra L;",
    // counts, meets, stores what is there and polls
    "mov.u32 %r2, 0;\nL: st.global.u32 [%rd1+8], 7;\nbar.sync 0;\n"
    "ld.volatile.global.u32 %r3, [%rd1+64];\nadd.u32 %r2, %r2, 1;\n"
    "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\nst.global.u32 [%rd1], %r2;",
    // two warps that meet twice a round
    ("setp.lt.u32 %p2, %r1, 32;\nL: bar.sync 1, 64;\n@%p2 bra A;\n"
     "bar.arrive 2, 64;\nbra L;\nA: bar.sync 2, 64;\nbra L;"),
    "L: barrier.cluster.arrive; barrier.cluster.wait; bra L;",
};

TEST(Spin, EndlessLoopsThatChangeNothingAreReported) {
  for (const char *body : kBusy)
    for (const char *schedule : {"eager", "reverse", "starvation:0"})
      for (unsigned ctas : {1, 3}) {
        Options options = patient();
        options.schedule = schedule;
        options.threads = 64;
        options.ctas = ctas;
        Outcome out = run(kernel(body), options);
        ASSERT_FALSE(out.result.ok) << body;
        EXPECT_EQ(out.kind(), ReportKind::Deadlock) << schedule << body;
        EXPECT_LT(out.result.stats.warpInstructions, 40'000'000u) << body;
      }
}

TEST(Spin, BusyLoopsThatEndAreNot) {
  // They meet often, and a counter decides.
  Options two = patient();
  two.threads = 64;
  Outcome out = run(kernel("mov.u32 %r2, 0;\nL: bar.sync 0;\n"
                           "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, "
                           "900000;\n@%p1 bra L;\nst.global.u32 [%rd1], %r2;"),
                    two);
  ASSERT_TRUE(out.result.ok) << out.message();
  EXPECT_EQ(out.words[0], 900000u);
  // The time decides, and no register keeps it.
  for (const char *meet : {"bar.sync 0;", ""})
    for (const char *clock :
         {"mov.u32 %r2, %clock; shr.u32 %r2, %r2, 22;",
          "mov.u64 %rd3, %globaltimer; shr.u64 %rd3, %rd3, 32; cvt.u32.u64 "
          "%r2, %rd3; mov.u64 %rd3, 0;"}) {
      out = run(kernel(std::string("L: ") + meet + clock +
                       "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n"
                       "st.global.u32 [%rd1], 5;"),
                two);
      ASSERT_TRUE(out.result.ok) << clock << out.message();
    }
  // A counter decides about an instruction that does not run until then.
  out = run(kernel("mov.u32 %r2, 0; mov.u32 %r3, 0;\nL: bar.sync 0;\n"
                   "add.u32 %r2, %r2, 1; and.b32 %r2, %r2, 0xffff;\n"
                   "setp.eq.u32 %p1, %r2, 0;\n@%p1 add.u32 %r3, %r3, 1;\n"
                   "setp.lt.u32 %p1, %r3, 6;\n@%p1 bra L;\n"
                   "st.global.u32 [%rd1], %r3;"),
            two);
  ASSERT_TRUE(out.result.ok) << out.message();
  EXPECT_EQ(out.words[0], 6u);
  // Another CTA ends what one does again and again.
  Options ctas = patient();
  ctas.ctas = 2;
  for (const char *schedule : {"eager", "reverse", "skew:1"}) {
    ctas.schedule = schedule;
    out = run(
        kernel("mov.u32 %r5, %ctaid.x; setp.eq.u32 %p2, %r5, 1;\n@%p2 bra W;\n"
               "L: st.global.u32 [%rd1+8], 7;\nbar.sync 0;\n"
               "ld.volatile.global.u32 %r3, [%rd1+64];\n"
               "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\nbra E;\n"
               "W: mov.u32 %r4, 0;\nM: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, "
               "%r4, 4000000;\n@%p3 bra M;\nst.volatile.global.u32 "
               "[%rd1+64], 1;\nE:"),
        ctas);
    EXPECT_TRUE(out.result.ok) << schedule << out.message();
  }
}

TEST(Spin, LoopsThatEndAreNot) {
  // The counter decides, long after the loop has become quiet.
  Outcome out =
      run(kernel("mov.u32 %r2, 0;\nL: ld.global.u32 %r3, [%rd1+64];\n"
                 "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 300000;\n"
                 "@%p1 bra L;\nst.global.u32 [%rd1], %r2;"),
          patient());
  ASSERT_TRUE(out.result.ok) << out.message();
  EXPECT_EQ(out.words[0], 300000u);
  // It decides through an address.
  out = run(kernel("mov.u64 %rd3, 0;\nL: and.b64 %rd4, %rd3, 127; add.u64 "
                   "%rd4, %rd4, %rd1;\n"
                   "and.b64 %rd4, %rd4, -8; ld.global.u64 %rd5, [%rd4];\n"
                   "add.u64 %rd3, %rd3, 1; shr.u64 %rd6, %rd3, 18;\n"
                   "setp.eq.u64 %p1, %rd6, 0;\n@%p1 bra L;\nst.global.u64 "
                   "[%rd1], %rd3;"),
            patient());
  ASSERT_TRUE(out.result.ok) << out.message();
  EXPECT_EQ(out.words[0], 1u << 18);
  // It decides while the loop sleeps, or reads one place after the other.
  for (const char *schedule : {"eager", "random:1"}) {
    Options options = patient();
    options.schedule = schedule;
    out = run(kernel("mov.u32 %r2, 0;\nL: nanosleep.u32 100;\n"
                     "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 20000;\n"
                     "@%p1 bra L;\nst.global.u32 [%rd1], %r2;"),
              options);
    ASSERT_TRUE(out.result.ok) << schedule << out.message();
    EXPECT_EQ(out.words[0], 20000u);
    out = run(kernel("mov.u64 %rd3, 0;\nL: and.b64 %rd4, %rd3, 60; add.u64 "
                     "%rd4, %rd4, %rd1;\nld.volatile.global.u32 %r3, [%rd4];\n"
                     "add.u64 %rd3, %rd3, 4;\nsetp.lt.u64 %p1, %rd3, 80000;\n"
                     "@%p1 bra L;\nst.global.u64 [%rd1], %rd3;"),
              options);
    ASSERT_TRUE(out.result.ok) << schedule << out.message();
    EXPECT_EQ(out.words[0], 80000u);
  }
  // A poll that would give up in the end does not help anybody.
  EXPECT_EQ(run(kernel("mov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r3, "
                       "[%rd1+64];\nadd.u32 %r2, %r2, 1;\n"
                       "setp.lt.u32 %p1, %r2, 800000000;\n@%p1 bra L;"),
                patient())
                .kind(),
            ReportKind::Deadlock);
  // Another warp ends the wait.
  Options two = patient();
  two.threads = 64;
  out = run(
      kernel("setp.lt.u32 %p2, %r1, 32;\n@%p2 bra W;\nmov.u32 %r2, 0;\n"
             "L: ld.volatile.global.u32 %r3, [%rd1+64];\nadd.u32 %r2, %r2, 1;\n"
             "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\nbra E;\n"
             "W: mov.u32 %r4, 0;\nM: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, "
             "%r4, 400000;\n"
             "@%p3 bra M;\nsetp.eq.u32 %p4, %r1, 0;\n"
             "@%p4 st.volatile.global.u32 [%rd1+64], 1;\nE:"),
      two);
  ASSERT_TRUE(out.result.ok) << out.message();
}

/// Cluster `%ctaid.x` waits for the flag of a neighbour and sets its own. From
/// poll to poll its pause changes, so that it never comes back to a state.
std::string chainOf(const std::string &poll, const std::string &pause,
                    bool backwards) {
  return kernel(
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra END;\nmov.u32 %r2, %ctaid.x;\n" +
      std::string(backwards ? "sub.u32 %r2, 15, %r2;\n" : "") +
      "mul.wide.u32 %rd3, %r2, 8; add.u64 %rd3, %rd1, %rd3;\n"
      "mov.u32 %r3, 0; mov.u32 %r4, 1;\n"
      "setp.eq.u32 %p1, %r2, 0; @%p1 bra SET;\n"
      "POLL: " +
      poll + "\nsetp.ne.u32 %p1, %r3, 0; @%p1 bra SET;\nmov.u32 %r5, %r4;\n" +
      pause +
      "PAUSE: shr.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra PAUSE;\n"
      "bra POLL;\nSET: add.u32 %r3, %r3, 1; membar.gl;\n"
      "st.volatile.global.u32 [%rd3], %r3;\nEND:");
}

TEST(Spin, PausedPollsLetOthersStart) {
  const char *const polls[] = {
      "ld.volatile.global.u32 %r3, [%rd3-8];",
      "ld.relaxed.gpu.global.u32 %r3, [%rd3-8];",
      "ld.acquire.gpu.u32 %r3, [%rd3-8];",
      "atom.global.add.u32 %r3, [%rd3-8], 0;",
      "atom.acquire.gpu.global.cas.b32 %r3, [%rd3-8], 77, 78;",
      "nanosleep.u32 %r4; ld.volatile.global.u32 %r3, [%rd3-8];"};
  // Any length, ever longer, with effects in between.
  const char *const pauses[] = {
      "mad.lo.u32 %r4, %r4, 1664525, 1013904223;\n",
      "add.u32 %r4, %r4, %r4; add.u32 %r4, %r4, 1;\n",
      "add.u32 %r4, %r4, 3; st.global.u32 [%rd3+256], %r4;\n"};
  for (const char *poll : polls)
    for (const char *pause : pauses)
      for (const char *schedule :
           {"eager", "reverse", "skew:1", "random:1", "random:2"})
        for (bool backwards : {false, true}) {
          Options options;
          options.schedule = schedule;
          options.ctas = 16;
          // Beside others' work the host may keep the other thread waiting.
          options.maxInstructions = 200'000'000;
          Outcome out = run(chainOf(poll, pause, backwards), options);
          ASSERT_TRUE(out.result.ok)
              << schedule << ", " << poll << pause << out.message();
          for (unsigned i = 0; i < 16; ++i)
            EXPECT_EQ(out.words[i], i + 1) << schedule << ", " << poll;
        }
}

TEST(Spin, LanesThatHaveALockGoOn) {
  // Each thread counts in word 0, one after another. Who has been let in waits
  // for those of its warp that have not only if nobody waits for it.
  const char *const locks[][2] = {
      {"L: atom.global.cas.b32 %r2, [%rd1+64], 0, 1;\n"
       "setp.ne.u32 %p1, %r2, 0; @%p1 bra L;\n",
       "atom.global.exch.b32 %r4, [%rd1+64], 0;\n"},
      {"L: atom.acquire.gpu.global.cas.b32 %r2, [%rd1+64], 0, 1;\n"
       "setp.eq.u32 %p1, %r2, 0; @%p1 bra IN; nanosleep.u32 %r5;\n"
       "add.u32 %r5, %r5, 7; bra L;\nIN:\n",
       "st.release.gpu.global.u32 [%rd1+64], 0;\n"},
      {"atom.global.add.u32 %r2, [%rd1+64], 1;\n"
       "L: ld.volatile.global.u32 %r3, [%rd1+128];\n"
       "setp.ne.u32 %p1, %r3, %r2; @%p1 bra L;\n",
       "red.global.add.u32 [%rd1+128], 1;\n"}};
  for (const auto &[enter, leave] : locks)
    for (const char *schedule :
         {"eager", "lazy", "reverse", "skew:1", "random:1", "random:2"}) {
      Options options;
      options.schedule = schedule;
      options.ctas = 3;
      options.threads = 40;
      options.maxInstructions = 200'000'000;
      Outcome out =
          run(kernel("mov.u32 %r5, 1;\n" + std::string(enter) +
                     "membar.gl; ld.volatile.global.u32 %r3, [%rd1];\n"
                     "add.u32 %r3, %r3, 1;\n"
                     "st.volatile.global.u32 [%rd1], %r3; membar.gl;\n" +
                     leave),
              options);
      ASSERT_TRUE(out.result.ok) << schedule << enter << out.message();
      EXPECT_EQ(out.words[0], 120u) << schedule << enter;
    }
}

TEST(Spin, PausedPollsMayEndByThemselves) {
  // A bound ends the wait; no cluster ever sets the flag.
  for (const char *schedule : {"eager", "random:1", "reverse"}) {
    Options options;
    options.schedule = schedule;
    options.ctas = 3;
    Outcome out =
        run(kernel("mov.u32 %r4, 1; mov.u32 %r6, 0;\n"
                   "POLL: ld.volatile.global.u32 %r3, [%rd1+64];\n"
                   "setp.ne.u32 %p1, %r3, 0; @%p1 bra END;\n"
                   "add.u32 %r4, %r4, 7; and.b32 %r5, %r4, 255;\n"
                   "add.u32 %r5, %r5, 3000;\nPAUSE: sub.u32 %r5, %r5, 1;\n"
                   "setp.ne.u32 %p1, %r5, 0; @%p1 bra PAUSE;\n"
                   "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 300;\n"
                   "@%p1 bra POLL;\nEND: cvt.u64.u32 %rd3, %r6;\n"
                   "mov.u32 %r7, %ctaid.x; setp.eq.u32 %p1, %r7, 0;\n"
                   "@%p1 st.global.u64 [%rd1], %rd3;"),
            options);
    ASSERT_TRUE(out.result.ok) << schedule << out.message();
    EXPECT_EQ(out.words[0], 300u);
  }
}

} // namespace
