//===- ObserveTest.cpp - coverage, reports of deadlocks, registers --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a run tells besides its results: counts of executions, who waits for
// whom in a deadlock, loops that will never end, and the registers that
// setmaxnreg moves. The timeline is tested where there is a JSON reader
// (unittests/Runtime).
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "tc/Emulator/Coverage.h"
#include "tc/Emulator/Trace.h"

using namespace tc::emu;
using namespace tc::emu::test;

static const char *const kObserved = ".shared .align 128 .b8 s[1024];";

//===----------------------------------------------------------------------===//
// Coverage
//===----------------------------------------------------------------------===//

TEST(Coverage, CountsOpcodesAndWhatNeverRan) {
  Coverage coverage;
  Options options;
  options.threads = 64;
  options.coverage = &coverage;
  // Warp 1 takes one way, no warp the last one.
  const std::string text =
      kernel("mov.u32 %r5, 0; setp.ge.u32 %p1, %r1, 32; @%p1 bra TWO;\n"
             "LOOP: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 10;\n"
             "@%p2 bra LOOP;\nbra.uni DONE;\n"
             "TWO: bar.warp.sync 0xffffffff; mul.lo.u32 %r5, %r5, %r5;\n"
             "setp.gt.u32 %p1, %r1, 99; @!%p1 bra DONE;\n"
             "popc.b32 %r5, %r5;\nDONE:");
  for (const std::string &schedule : schedules()) {
    options.schedule = schedule;
    ASSERT_TRUE(run(text, options).result.ok) << schedule;
  }
  uint64_t runs = schedules().size();
  auto find = [&](const std::string &opcode) {
    for (const Coverage::Row &row : coverage.rows())
      if (row.opcode == opcode)
        return row;
    ADD_FAILURE() << opcode;
    return Coverage::Row();
  };
  EXPECT_EQ(find("add.u32").executions, 10 * runs);
  EXPECT_EQ(find("mul.lo.u32").executions, runs);
  EXPECT_EQ(find("bar.warp.sync").executions, runs);
  EXPECT_EQ(find("mov.u32").instructions, 2u);
  EXPECT_EQ(find("mov.u32").executions, 4 * runs);
  EXPECT_TRUE(find("add.u32").missed.empty());
  EXPECT_EQ(find("popc.b32").executions, 0u);
  EXPECT_EQ(find("popc.b32").missed.size(), 1u);
  EXPECT_TRUE(contains(
      coverage.json(),
      "{\"opcode\": \"mul.lo.u32\", \"executions\": " + std::to_string(runs) +
          ", \"instructions\": 1, \"missed\": []}"));
  std::string table = coverage.table();
  EXPECT_TRUE(contains(table, "opcodes executed\n"));
  EXPECT_TRUE(contains(table, "0 of 1 instructions; never: line "));
  // What never ran comes last.
  EXPECT_GT(table.find("popc.b32"), table.find("setp.lt.u32"));
}

TEST(Coverage, AWaitCountsOnce) {
  Coverage coverage;
  Options options;
  options.threads = 64;
  options.coverage = &coverage;
  options.schedule = "lazy";
  ASSERT_TRUE(run(kernel("bar.sync 0;"), options).result.ok);
  for (const Coverage::Row &row : coverage.rows())
    if (row.opcode == "bar.sync")
      EXPECT_EQ(row.executions, 2u);
}

TEST(Trace, SaysWhatWasCut) {
  Trace trace(/*limit=*/600);
  Options options;
  options.threads = 96;
  options.trace = &trace;
  ASSERT_TRUE(run(kernel("bar.sync 0;"), options).result.ok);
  EXPECT_GT(trace.dropped(), 0u);
  EXPECT_LT(trace.json().size(), 1200u);
  EXPECT_TRUE(contains(trace.json(), "\"dropped events\": " +
                                         std::to_string(trace.dropped())));
}

//===----------------------------------------------------------------------===//
// Deadlocks
//===----------------------------------------------------------------------===//

// Producer and consumer with a ring of one slot; the consumer forgets to
// release the slot. Warp 0 is the producer.
TEST(Deadlock, NamesWhoMayStillArrive) {
  const std::string text = kernel(
      "mov.u32 %r2, s; shr.u32 %r6, %r1, 5; and.b32 %r7, %r1, 31;\n"
      "setp.eq.u32 %p1, %r1, 0;\n"
      "@%p1 mbarrier.init.shared.b64 [%r2], 1;\n"
      "@%p1 mbarrier.init.shared.b64 [%r2+8], 1;\n"
      "bar.sync 0; setp.ne.u32 %p1, %r7, 0; @%p1 bra DONE; mov.u32 %r8, 0;\n"
      "setp.eq.u32 %p1, %r6, 1; @%p1 bra CONSUME;\n"
      "PRODUCE: xor.b32 %r9, %r8, 1; and.b32 %r9, %r9, 1;\n"
      "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2+8], %r9;\n"
      "@!%p2 bra W;\nmbarrier.arrive.shared.b64 _, [%r2];\n"
      "add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 4; @%p2 bra PRODUCE;\n"
      "bra DONE;\n"
      "CONSUME: and.b32 %r9, %r8, 1;\n"
      "V: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], %r9;\n"
      "@!%p2 bra V;\nsetp.lt.u32 %p3, %r8, 2;\n"
      "@%p3 mbarrier.arrive.shared.b64 _, [%r2+8];\n"
      "add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 4; @%p2 bra CONSUME;\nDONE:",
      kObserved);
  for (const std::string &schedule : schedules()) {
    Options options;
    options.threads = 64;
    options.schedule = schedule;
    Outcome out = run(text, options);
    for (const char *part :
         {"warp 0 of CTA (0,0,0)", "mbarrier at shared offset 1032",
          "mbarrier at shared offset 1024",
          "1 of 1 arrivals pending and 0 bytes outstanding",
          "may still come, as before:\n      1 arrival by line ",
          " of warp 1 of CTA (0,0,0) in phase 1, which waits on line ",
          " of warp 0 of CTA (0,0,0) in phase 2, which waits on line ",
          "circle: warp ", " waits for the first"})
      EXPECT_REPORT(out, ReportKind::Deadlock, part);
  }
}

TEST(Deadlock, HintsAtTheFirstParity) {
  Outcome out = run(kernel("mov.u32 %r2, s; setp.ne.u32 %p1, %r1, 0;\n"
                           "@%p1 bra DONE;\n"
                           "mbarrier.init.shared.b64 [%r2], 1;\n"
                           "W: mbarrier.try_wait.parity.shared.b64 %p2, "
                           "[%r2], 0; @!%p2 bra W;\n"
                           "mbarrier.arrive.shared.b64 _, [%r2];\nDONE:",
                           kObserved));
  EXPECT_REPORT(
      out, ReportKind::Deadlock,
      "a first wait that must not block, a producer's, takes parity 1");
  EXPECT_REPORT(out, ReportKind::Deadlock,
                "nothing has arrived on it so far; instructions that arrive "
                "on one: lines ");
}

TEST(Deadlock, NamesBytesThatDoNotCome) {
  Outcome out =
      run(kernel("mov.u32 %r2, s; setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE;\n"
                 "mbarrier.init.shared.b64 [%r2], 1;\n"
                 "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;\n"
                 "add.u32 %r4, %r2, 128;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%r4], [%rd1], 64, [%r2];\n"
                 "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;\n"
                 "@!%p2 bra W;\nDONE:",
                 kObserved));
  for (const char *part :
       {"0 of 1 arrivals pending and 64 bytes outstanding; more bytes are "
        "expected than copies bring",
        "128 bytes expected by line ", "1 arrival by line ",
        "64 bytes brought by line ", ", issued by warp 0 of CTA (0,0,0)"})
    EXPECT_REPORT(out, ReportKind::Deadlock, part);
}

/// Loops that nothing ends; each must be noticed long before the limit.
TEST(Deadlock, LoopsThatPollByHandAreNoticed) {
  const std::string start = "mov.u32 %r2, s; mov.u32 %r3, 0;\n"
                            "setp.eq.u32 %p1, %r1, 0;\n"
                            "@%p1 mbarrier.init.shared.b64 [%r2], 1;\n"
                            "st.shared.u32 [s+16], %r3; bar.sync 0;\n";
  for (const char *loop :
       {// Polls an mbarrier.
        "W: mbarrier.test_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra W;",
        "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra W;",
        // Polls memory, weakly: nothing says that it is a poll.
        "W: ld.shared.u32 %r4, [s+16]; setp.eq.u32 %p2, %r4, 0; @%p2 bra W;",
        "W: ld.global.u32 %r4, [%rd1]; setp.eq.u32 %p2, %r4, 0; @%p2 bra W;",
        "W: ld.acquire.gpu.global.u32 %r4, [%rd1]; setp.eq.u32 %p2, %r4, 0;\n"
        "@%p2 bra W;",
        // Sleeps in between, and counts modulo 8.
        "mov.u32 %r5, 0; W: ld.global.u32 %r4, [%rd1]; nanosleep.u32 20;\n"
        "add.u32 %r5, %r5, 1; and.b32 %r5, %r5, 7;\n"
        "setp.eq.u32 %p2, %r4, 0; @%p2 bra W;",
        // Does not even look.
        "W: bra W;"})
    for (const char *schedule :
         {"eager", "lazy", "reverse", "starvation:0", "skew:1", "random:1"}) {
      Options options;
      options.threads = 64;
      options.schedule = schedule;
      options.maxInstructions = 30'000'000;
      Outcome out = run(kernel(start + loop, kObserved), options);
      // Under some policies the warps of a try_wait loop all block.
      bool blocks = contains(loop, "try_wait");
      EXPECT_REPORT(out, ReportKind::Deadlock, blocks ? "" : "without effect");
    }
}

TEST(Deadlock, LongComputationsAreNotLoops) {
  Options options;
  options.maxInstructions = 30'000'000;
  for (const char *schedule : {"eager", "lazy", "starvation:0", "random:3"}) {
    options.schedule = schedule;
    Outcome out =
        run(kernel("mov.u32 %r5, 0;\nW: add.u32 %r5, %r5, 1;\n"
                   "setp.lt.u32 %p2, %r5, 1000000; @%p2 bra W;\n"
                   "cvt.u64.u32 %rd5, %r5; st.global.u64 [%rd1], %rd5;"),
            options);
    ASSERT_TRUE(out.result.ok) << out.message();
    EXPECT_EQ(out.words[0], 1000000u);
  }
}

TEST(Deadlock, TheLimitIsAnOption) {
  Options options;
  options.maxInstructions = 5000;
  Outcome out = run(kernel("mov.u32 %r5, 0;\nW: add.u32 %r5, %r5, 1;\n"
                           "setp.lt.u32 %p2, %r5, 1000000; @%p2 bra W;"),
                    options);
  EXPECT_REPORT(out, ReportKind::Limit,
                "has executed more than 5000 warp instructions");
}

//===----------------------------------------------------------------------===//
// setmaxnreg
//===----------------------------------------------------------------------===//

/// Two warpgroups run `first` and `second`.
static std::string groups(const std::string &first, const std::string &second,
                          const std::string &directives = ".maxnreg 168") {
  return kernel("setp.ge.u32 %p1, %r1, 128; @%p1 bra SECOND;\n" + first +
                    "\nmov.u64 %rd5, 1; st.global.u64 [%rd2], %rd5; bra DONE;\n"
                    "SECOND:\n" +
                    second +
                    "\nmov.u64 %rd5, 2; st.global.u64 [%rd2], %rd5;\nDONE:",
                "", directives);
}
static Outcome
runGroups(const std::string &text, const std::string &schedule = "eager",
          AssumptionSet assumptions = AssumptionSet::defaults()) {
  Options options;
  options.assumptions = assumptions;
  options.threads = 256;
  options.words = 256;
  options.schedule = schedule;
  return run(text, options);
}

TEST(Setmaxnreg, IncWaitsForDec) {
  // 168 + 168 = 232 + 104.
  const std::string text =
      groups("setmaxnreg.inc.sync.aligned.u32 232;",
             "nanosleep.u32 10; setmaxnreg.dec.sync.aligned.u32 104;");
  for (const std::string &schedule : schedules()) {
    Outcome out = runGroups(text, schedule);
    ASSERT_TRUE(out.result.ok) << schedule << out.message();
    EXPECT_EQ(out.words[0], 1u);
    EXPECT_EQ(out.words[255], 2u);
  }
}

TEST(Setmaxnreg, TooLittleGivenBackIsADeadlock) {
  EXPECT_REPORT(runGroups(groups("setmaxnreg.inc.sync.aligned.u32 232;",
                                 "setmaxnreg.dec.sync.aligned.u32 112;")),
                ReportKind::Deadlock,
                "waits for 232 registers per thread (it owns 168, ");
}

TEST(Setmaxnreg, WarpsThatAreNoWarpgroupGiveNothingBack) {
  // Six warps: 128 threads want 152, 64 give 128 - 24 up, which would be
  // enough.
  const std::string text =
      groups("setmaxnreg.inc.sync.aligned.u32 152;",
             "setmaxnreg.dec.sync.aligned.u32 24;", ".maxnreg 128");
  Options options;
  options.threads = 192;
  options.words = 256;
  EXPECT_REPORT(run(text, options), ReportKind::Deadlock,
                "waits for 152 registers per thread (it owns 128, ");
  EXPECT_TRUE(runGroups(text).result.ok);
}

TEST(Setmaxnreg, WhatCanNeverBeHadIsReportedAtOnce) {
  const std::string one =
      kernel("setmaxnreg.inc.sync.aligned.u32 200;", "", ".maxnreg 168");
  Options options;
  options.threads = 32;
  EXPECT_REPORT(run(one, options), ReportKind::Resource,
                "expected at most 168, got 200");
}

TEST(Setmaxnreg, DirectionAndWarpgroup) {
  EXPECT_REPORT(runGroups(groups("setmaxnreg.dec.sync.aligned.u32 232;", "")),
                ReportKind::Sync,
                "expected at most the 168 registers per thread that the warp "
                "owns, got 232");
  EXPECT_REPORT(runGroups(groups("setmaxnreg.inc.sync.aligned.u32 24;", "")),
                ReportKind::Sync, "expected at least the 168 registers");
  // Warp 0 of the group asks for something else.
  const std::string different =
      groups("setp.lt.u32 %p2, %r1, 32; @%p2 bra LESS;\n"
             "setmaxnreg.dec.sync.aligned.u32 40; bra JOIN;\n"
             "LESS: setmaxnreg.dec.sync.aligned.u32 48;\nJOIN:",
             "");
  EXPECT_REPORT(runGroups(different, "eager", AssumptionSet::none()),
                ReportKind::Sync,
                "expected the same number of registers in all warps");
  // Only the strict policy objects to giving back.
  EXPECT_TRUE(runGroups(different).result.ok);
  // Warp 0 leaves it out.
  EXPECT_REPORT(runGroups(groups("setp.lt.u32 %p2, %r1, 32; @%p2 bra JOIN;\n"
                                 "setmaxnreg.dec.sync.aligned.u32 40;\nJOIN:",
                                 "")),
                ReportKind::Sync,
                "expected every warp of the warpgroup to execute");
}

TEST(Setmaxnreg, CountsOnlyWhatThePTXSays) {
  // .reqntid bounds the registers of a thread: 65536 / 256.
  EXPECT_REPORT(runGroups(groups("setmaxnreg.dec.sync.aligned.u32 40;\n"
                                 "bar.sync 1, 128;\n"
                                 "setmaxnreg.inc.sync.aligned.u32 48;",
                                 "setmaxnreg.dec.sync.aligned.u32 64;\n"
                                 "bar.sync 2, 128;\n"
                                 "setmaxnreg.dec.sync.aligned.u32 72;",
                                 ".reqntid 256")),
                ReportKind::Sync,
                "expected at most the 64 registers per thread that the warp "
                "owns, got 72");
  // 256 threads could have 256 each: ptxas starts some with 248.
  Outcome most =
      runGroups(groups("setmaxnreg.inc.sync.aligned.u32 248;",
                       "setmaxnreg.dec.sync.aligned.u32 40;", ".reqntid 256"));
  EXPECT_TRUE(most.result.ok) << most.message();
  Outcome out = runGroups(groups("setmaxnreg.inc.sync.aligned.u32 256;",
                                 "setmaxnreg.inc.sync.aligned.u32 256;", ""));
  EXPECT_TRUE(out.result.ok) << out.message();
}
