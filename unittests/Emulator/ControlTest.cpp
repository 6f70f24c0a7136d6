//===- ControlTest.cpp - branches, divergence, calls, traps ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diverged warps have to give the right result whichever side runs first.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tc::emu;
using namespace tc::emu::test;

TEST(Control, NestedDivergence) {
  for (const std::string &schedule : schedules()) {
    Options o;
    o.schedule = schedule;
    Outcome r =
        run(kernel("mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                   "LOOP: setp.ge.u32 %p1, %r3, %r1; @%p1 bra DONE;\n"
                   "and.b32 %r4, %r3, 1; setp.eq.u32 %p2, %r4, 0;\n"
                   "@%p2 bra EVEN; add.u32 %r2, %r2, 100; bra NEXT;\n"
                   "EVEN: setp.gt.u32 %p3, %r3, 9; @%p3 add.u32 %r2, %r2, 7;\n"
                   "add.u32 %r2, %r2, 1;\n"
                   "NEXT: add.u32 %r3, %r3, 1; bra LOOP;\n"
                   // All lanes have to be together again here.
                   "DONE: activemask.b32 %r5; bar.sync 0;\n"
                   "cvt.u64.u32 %rd3, %r2; st.global.u64 [%rd2], %rd3;\n"
                   "st.global.u32 [%rd2+256], %r5;"),
            o);
    ASSERT_TRUE(r.result.ok) << r.message();
    for (unsigned t = 0; t < 32; ++t) {
      unsigned expected = 0;
      for (unsigned i = 0; i < t; ++i)
        expected += i & 1 ? 100 : i > 9 ? 8 : 1;
      EXPECT_EQ(r.words[t], expected);
      EXPECT_EQ(uint32_t(r.words[32 + t]), ~0u);
    }
  }
}

TEST(Control, EarlyExitAndLateBarrier) {
  // Threads that have exited do not count at bar.sync.
  Options o;
  o.threads = 64;
  Outcome r = run(kernel("setp.gt.u32 %p1, %r1, 40; @%p1 exit;\n"
                         "bar.sync 0; cvt.u64.u32 %rd3, %r1;\n"
                         "st.global.u64 [%rd2], %rd3;"),
                  o);
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[40], 40u);
  EXPECT_EQ(r.words[41], 0u);
}

TEST(Control, SpinOnOtherHalfOfTheWarp) {
  // Independent thread scheduling: the lanes that spin must not starve the one
  // that sets the flag, whether it comes first or last.
  for (const std::string &schedule : schedules())
    for (const char *setter : {"0", "31"}) {
      Options o;
      o.schedule = schedule;
      Outcome r =
          run(kernel(std::string("setp.eq.u32 %p1, %r1, ") + setter +
                     "; @%p1 bra SET;\n"
                     "SPIN: ld.volatile.global.u32 %r2, [%rd1+256];\n"
                     "setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN; bra END;\n"
                     "SET: mov.u32 %r3, 1; st.volatile.global.u32 "
                     "[%rd1+256], %r3;\n"
                     "END: mov.u64 %rd3, 1; st.global.u64 [%rd2], %rd3;"),
              [&] {
                Options o2 = o;
                return o2;
              }());
      ASSERT_TRUE(r.result.ok) << schedule << r.message();
      EXPECT_EQ(r.words[7], 1u);
    }
}

TEST(Control, IndirectBranch) {
  Outcome r = run(kernel("and.b32 %r2, %r1, 3;\n"
                         "table: .branchtargets A, B, C, B;\n"
                         "brx.idx %r2, table;\n"
                         "A: mov.u64 %rd3, 10; bra END;\n"
                         "B: mov.u64 %rd3, 20; bra END;\n"
                         "C: mov.u64 %rd3, 30;\n"
                         "END: st.global.u64 [%rd2], %rd3;"));
  ASSERT_TRUE(r.result.ok) << r.message();
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(r.words[t], (t & 3) == 0 ? 10u : (t & 3) == 2 ? 30u : 20u);
  EXPECT_REPORT(run(kernel("table: .branchtargets A;\n"
                           "brx.idx %r1, table;\nA:")),
                ReportKind::Trap, "expected an index below 1, got 1");
}

TEST(Control, Calls) {
  std::string module =
      ".func (.param .b32 ret) twice(.param .b32 x, .param .align 8 .b8 "
      "s[16])\n"
      "{ .reg .b32 %r<4>; .reg .pred %p<2>; ld.param.b32 %r1, [x];\n"
      "ld.param.b32 %r2, [s+8]; setp.gt.u32 %p1, %r1, 15;\n"
      "@%p1 bra BIG; add.u32 %r3, %r1, %r2; st.param.b32 [ret], %r3; ret;\n"
      "BIG: mov.u32 %r3, 1000; st.param.b32 [ret], %r3; ret; }\n"
      ".func (.reg .u32 d) plus(.reg .u32 a, .reg .u32 b)\n"
      "{ add.u32 d, a, b; ret; }\n"
      ".func recursive() { call recursive; ret; }\n"
      ".extern .func unknown();\n";
  std::string call =
      "{ .param .b32 p0; .param .align 8 .b8 p1[16]; .param .b32 r0;\n"
      "st.param.b32 [p0], %r1; st.param.b32 [p1+8], 5;\n"
      "call.uni (r0), twice, (p0, p1); ld.param.b32 %r5, [r0]; }\n"
      "call (%r6), plus, (%r5, 2); cvt.u64.u32 %rd3, %r6;\n"
      "st.global.u64 [%rd2], %rd3;\n";
  Outcome r = run(kernel(call, module));
  ASSERT_TRUE(r.result.ok) << r.message();
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(r.words[t], t > 15 ? 1002u : t + 7);
  EXPECT_REPORT(run(kernel("call recursive;", module)), ReportKind::Unsupported,
                "recursion");
  EXPECT_REPORT(run(kernel("call unknown;", module)), ReportKind::Unsupported,
                "does not define");
  EXPECT_REPORT(run(kernel("call twice;", module)), ReportKind::Unsupported,
                "arguments do not match");
}

TEST(Control, TrapsAndLimits) {
  EXPECT_REPORT(run(kernel("setp.eq.u32 %p1, %r1, 3; @%p1 trap;")),
                ReportKind::Trap, "trap");
  Options o;
  o.maxInstructions = 100000;
  EXPECT_REPORT(run(kernel("L: add.u32 %r1, %r1, 1; bra L;"), o),
                ReportKind::Limit, "more than 100000 warp instructions");
  EXPECT_REPORT(run(kernel("L: ld.volatile.global.u32 %r2, [%rd1];\n"
                           "setp.eq.u32 %p1, %r2, 0; @%p1 bra L;")),
                ReportKind::Deadlock, "spin without effect");
}

TEST(Control, BreakpointsStopOnlyWhereTheyRun) {
  // One that no thread reaches, one behind a guard that is false.
  Outcome r = run(kernel("setp.gt.u32 %p1, %r1, 100; @!%p1 bra OK; brkpt;\n"
                         "OK: @%p1 brkpt; mov.u64 %rd3, 7;\n"
                         "st.global.u64 [%rd2], %rd3;"));
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[31], 7u);
  for (const std::string &schedule : schedules()) {
    Options o;
    o.schedule = schedule;
    // Some lanes only; the line is the instruction's.
    r = run(kernel("setp.gt.u32 %p1, %r1, 30;\n@%p1 brkpt;"), o);
    EXPECT_REPORT(r, ReportKind::Trap, "brkpt");
    EXPECT_EQ(r.result.reports.size(), 1u);
    EXPECT_EQ(r.result.reports[0].lines.at(0), 11);
  }
  EXPECT_REPORT(run(kernel("brkpt;")), ReportKind::Trap, "brkpt");
  // In a function, after a barrier, and more than one.
  EXPECT_REPORT(run(kernel("call f;", ".func f() { brkpt; ret; }\n")),
                ReportKind::Trap, "brkpt");
  r = run(kernel("bar.sync 0; brkpt; brkpt;"));
  EXPECT_REPORT(r, ReportKind::Trap, "brkpt");
  EXPECT_EQ(r.result.reports.size(), 1u);
  EXPECT_REPORT(run(kernel("brkpt %r1;")), ReportKind::Unsupported,
                "expected 0 operands, got 1");
}
