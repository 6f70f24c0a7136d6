//===- PointerCallTest.cpp - calls through pointers -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "call": tables of functions, prototypes, lists of targets, and
// what is refused only where it is executed.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tc::emu;
using namespace tc::emu::test;

/// Two functions of one type, one of another, and a table of all of them.
static const char *const kFunctions =
    ".func (.param .b32 r) twice(.param .b32 x) {\n.reg .b32 %r<3>;\n"
    "ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2;\n"
    "ret; }\n"
    ".func (.param .b32 r) square(.param .b32 x) {\n.reg .b32 %r<3>;\n"
    "ld.param.b32 %r1, [x]; mul.lo.u32 %r2, %r1, %r1;\n"
    "st.param.b32 [r], %r2; ret; }\n"
    ".func wide(.param .b64 x) { ret; }\n"
    ".global .align 8 .u64 table[3] = {twice, square, wide};\n";

/// Calls the function at `pointer` with %r3, the result goes to %r5.
static std::string callThrough(const std::string &pointer) {
  return "{ .param .b32 p; .param .b32 q;\nst.param.b32 [p], %r3;\n"
         "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
         "call (q), " +
         pointer + ", (p), proto;\nld.param.b32 %r5, [q]; }\n";
}

static const char *const kStore =
    "cvt.u64.u32 %rd9, %r5; st.global.u64 [%rd2], %rd9;";

TEST(PointerCall, LanesTakeDifferentFunctions) {
  for (const std::string &schedule : schedules()) {
    Options o;
    o.schedule = schedule;
    Outcome r = run(kernel("add.u32 %r3, %r1, 3; and.b32 %r4, %r1, 1;\n"
                           "mul.wide.u32 %rd3, %r4, 8; mov.u64 %rd4, table;\n"
                           "add.u64 %rd3, %rd3, %rd4;\n"
                           "ld.global.u64 %rd5, [%rd3];\n" +
                               callThrough("%rd5") + "activemask.b32 %r6;\n" +
                               kStore + "\nst.global.u32 [%rd2+4], %r6;",
                           kFunctions),
                    o);
    ASSERT_TRUE(r.result.ok) << schedule << r.message();
    for (uint64_t t = 0; t < 32; ++t) {
      EXPECT_EQ(uint32_t(r.words[t]), t & 1 ? (t + 3) * (t + 3) : 2 * (t + 3));
      EXPECT_EQ(r.words[t] >> 32, ~0u); // together again after the call
    }
  }
}

TEST(PointerCall, AddressesOfFunctions) {
  // By mov, without a table, and listed as targets; guarded.
  const std::string functions = std::string(kFunctions);
  Outcome r = run(kernel("mov.u32 %r3, 5; mov.u32 %r5, 1;\n"
                         "mov.u64 %rd5, square;\n"
                         "setp.lt.u32 %p1, %r1, 4;\n{ .param .b32 p; .param "
                         ".b32 q;\nst.param.b32 [p], %r3;\n"
                         "T: .calltargets square, twice;\n"
                         "@%p1 call (q), %rd5, (p), T;\n"
                         "@%p1 ld.param.b32 %r5, [q]; }\n" +
                             std::string(kStore),
                         functions));
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[3], 25u);
  EXPECT_EQ(r.words[4], 1u);
  // Registers as parameters, and an alias as a target.
  r = run(kernel("mov.u32 %r3, 5; mov.u64 %rd5, other;\n"
                 "P: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
                 "call (%r5), %rd5, (%r3), P;\n" +
                     std::string(kStore),
                 ".func (.reg .b32 r) next(.reg .b32 x) { add.u32 r, x, 1; "
                 "ret; }\n.func (.reg .b32 r) other(.reg .b32 x);\n"
                 ".alias other, next;\n"));
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[0], 6u);
  // No parameters at all, through a byte-wise table.
  r = run(kernel("mov.u64 %rd3, bytes; ld.global.u64 %rd5, [%rd3];\n"
                 "P: .callprototype _ ;\ncall %rd5, P;",
                 ".func stop() { trap; }\n.global .align 8 .u8 bytes[8] = "
                 "{0xff(stop), 0xff00(stop), 0xff0000(stop), 0xff000000(stop), "
                 "0xff00000000(stop), 0xff0000000000(stop), "
                 "0xff000000000000(stop), 0xff00000000000000(stop)};\n"));
  EXPECT_REPORT(r, ReportKind::Trap, "trap");
}

TEST(PointerCall, SharedMemoryOfTargetsCounts) {
  Outcome r = run(kernel("mov.u32 %r3, 7; mov.u64 %rd5, keep;\n" +
                             callThrough("%rd5") + kStore,
                         ".shared .align 4 .b32 cell[64];\n"
                         ".func (.param .b32 r) keep(.param .b32 x) {\n"
                         ".reg .b32 %r<6>; ld.param.b32 %r1, [x];\n"
                         "mov.u32 %r2, %tid.x; mov.u32 %r3, cell;\n"
                         "mad.lo.u32 %r3, %r2, 4, %r3;\n"
                         "st.shared.u32 [%r3], %r1; ld.shared.u32 %r4, [%r3];\n"
                         "add.u32 %r4, %r4, %r2; st.param.b32 [r], %r4; ret; "
                         "}\n"));
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[31], 38u);
}

TEST(PointerCall, WrongPointersAreReports) {
  const char *const message =
      "expected a pointer to a function of the module with the prototype of "
      "the call, got 0x";
  EXPECT_REPORT(
      run(kernel("mov.u32 %r3, 1; mov.u64 %rd5, 64;\n" + callThrough("%rd5"),
                 kFunctions)),
      ReportKind::Trap, std::string(message) + "40 in lane 0");
  EXPECT_REPORT(
      run(kernel("mov.u32 %r3, 1; mov.u64 %rd5, wide;\n" + callThrough("%rd5"),
                 kFunctions)),
      ReportKind::Trap, message);
  // No function has the prototype.
  EXPECT_REPORT(
      run(kernel("mov.u32 %r3, 1; mov.u64 %rd5, 64;\n" + callThrough("%rd5"))),
      ReportKind::Trap, message);
  EXPECT_REPORT(
      run(kernel("mov.u32 %r3, 1;\n" + callThrough("%rd5"), kFunctions)),
      ReportKind::Undefined, "never written");
  // The address is no memory.
  EXPECT_REPORT(
      run(kernel("mov.u64 %rd5, square; ld.u32 %r3, [%rd5];", kFunctions)),
      ReportKind::Memory, "illegal read");
}

TEST(PointerCall, RefusedWhereExecuted) {
  // A target that cannot be decoded, one without a body, and recursion.
  const std::string functions =
      std::string(kFunctions) +
      ".func (.param .b32 r) odd(.param .b32 x) { frobnicate; ret; }\n"
      ".extern .func (.param .b32 r) missing(.param .b32 x);\n"
      ".func (.param .b32 r) again(.param .b32 x) {\n.reg .b32 %r<9>; "
      ".reg .b64 %rd<9>; .reg .pred %p<2>;\nld.param.b32 %r3, [x];\n"
      "setp.lt.u32 %p1, %r3, 100; @%p1 bra END; mov.u64 %rd1, again;\n" +
      callThrough("%rd1") +
      "END: st.param.b32 [r], %r3; ret; }\n"
      ".global .align 8 .u64 more[3] = {odd, missing, again};\n";
  auto call = [&](const std::string &name, const std::string &argument) {
    return run(kernel("mov.u32 %r3, " + argument + "; mov.u64 %rd5, " + name +
                          ";\n" + callThrough("%rd5") + kStore,
                      functions));
  };
  Outcome r = call("twice", "8");
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[0], 16u);
  EXPECT_REPORT(call("odd", "8"), ReportKind::Unsupported,
                "call of 'odd', line ");
  EXPECT_REPORT(call("odd", "8"), ReportKind::Unsupported,
                "unsupported instruction 'frobnicate'");
  EXPECT_REPORT(call("missing", "8"), ReportKind::Unsupported,
                "call of a function that the module does not define");
  r = call("again", "8");
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[0], 8u);
  EXPECT_REPORT(call("again", "100"), ReportKind::Unsupported,
                "recursion of 'again'");
}

TEST(PointerCall, ChainsHaveALimit) {
  // Each function calls through a pointer, to any other one: as many bodies as
  // there are orders of them.
  std::string functions;
  for (unsigned i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    functions += ".func (.param .b32 r) f" + n +
                 "(.param .b32 x);\n.global .align 8 .u64 g" + n + " = f" + n +
                 ";\n";
  }
  for (unsigned i = 0; i < 12; ++i)
    functions += ".func (.param .b32 r) f" + std::to_string(i) +
                 "(.param .b32 x) {\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                 "ld.param.b32 %r3, [x]; mov.u32 %r5, %r3;\n" +
                 (i ? "mov.u64 %rd1, f" + std::to_string(i - 1) + ";\n" +
                          callThrough("%rd1")
                    : "") +
                 "add.u32 %r5, %r5, 1; st.param.b32 [r], %r5; ret; }\n";
  auto call = [&](unsigned first) {
    return run(kernel("mov.u32 %r3, 0; mov.u64 %rd5, f" +
                          std::to_string(first) + ";\n" + callThrough("%rd5") +
                          kStore,
                      functions));
  };
  Outcome r = call(2);
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[0], 3u);
  EXPECT_REPORT(call(11), ReportKind::Unsupported,
                "call of 'f8': expected at most 4096 ways through nested calls "
                "of pointers, got 20736");
}

TEST(PointerCall, BadCallsAreRefusedAtLaunch) {
  const std::pair<const char *, const char *> cases[] = {
      {"call %rd1;", "expected a .calltargets or .callprototype"},
      {"call %rd1, nowhere;",
       "expected a .calltargets or .callprototype, got 'nowhere'"},
      {"T: .calltargets nothing; call %rd1, T;", "unknown function 'nothing'"},
      {"P: .callprototype _ (.param .b32 _); call %rd1, P;",
       "arguments do not match the prototype"},
      {"P: .callprototype _ ; call %r1, P;", "expected a 64-bit register"},
      {"mov.u32 %r2, twice;", "unknown name 'twice'"}};
  for (const auto &[text, message] : cases)
    EXPECT_REPORT(run(kernel(text, kFunctions)), ReportKind::Unsupported,
                  message);
  auto program = parsePTX(
      std::string(kHeader) + ".global .u64 t[1] = {nothing};", "t.ptx");
  ASSERT_FALSE(bool(program));
  EXPECT_TRUE(
      contains(program.error().message, "names unknown variable 'nothing'"));
}
