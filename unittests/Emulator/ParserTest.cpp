//===- ParserTest.cpp - good and bad PTX text -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parser accepts, and the line and wording of what it refuses.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tc::emu;
using namespace tc::emu::test;

static Error parseError(const std::string &text) {
  Expected<std::shared_ptr<const Program>> program = parsePTX(text, "t.ptx");
  if (program) {
    ADD_FAILURE() << "expected an error";
    return {};
  }
  return program.takeError();
}

TEST(Parser, KernelDirectivesAndParams) {
  auto program = parsePTX(
      std::string(kHeader) +
          ".visible .entry a(.param .u32 x, .param .align 64 .b8 map[128],\n"
          " .param .u64 .ptr .global .align 16 p)\n"
          ".maxntid 128, 2\n.minnctapersm 1\n.reqnctapercluster 2, 1, 1\n"
          ".explicitcluster\n{ ret; }\n"
          ".entry b() .reqntid 192 { .pragma \"nounroll\"; ret; }",
      "t.ptx");
  ASSERT_TRUE(bool(program)) << program.error().message;
  ASSERT_EQ((*program)->kernels().size(), 2u);
  const KernelInfo &a = (*program)->kernels()[0];
  EXPECT_EQ(a.name, "a");
  ASSERT_EQ(a.params.size(), 3u);
  EXPECT_EQ(a.params[1].offset, 64u);
  EXPECT_EQ(a.params[1].size, 128u);
  EXPECT_EQ(a.params[2].offset, 192u);
  EXPECT_EQ(a.paramBytes, 200u);
  EXPECT_EQ(a.maxntid, (std::array<unsigned, 3>{128, 2, 1}));
  EXPECT_EQ(a.reqnctapercluster, (std::array<unsigned, 3>{2, 1, 1}));
  EXPECT_TRUE(a.explicitcluster);
  EXPECT_EQ((*program)->kernels()[1].reqntid,
            (std::array<unsigned, 3>{192, 1, 1}));
}

TEST(Parser, DebugInformationIsNoError) {
  auto program = parsePTX(
      std::string(kHeader) +
          ".file 1 \"x.cu\"\n.entry a() {\n.loc 1 2 3, function_name $L, "
          "inlined_at 1 2 3\nret; }\n"
          ".section .debug_info { .b32 1, 2 \n .b8 { 3 } }\n"
          "// comment\n/* another\n one */",
      "t.ptx");
  ASSERT_TRUE(bool(program)) << program.error().message;
}

TEST(Parser, ScopedLabelsAndRegisters) {
  // Inline assembly repeats names in blocks of its own.
  Outcome r = run(kernel("mov.u32 %r2, 0;\n"
                         "{ .reg .u32 x; mov.u32 x, 1; bra L;\n"
                         "L: add.u32 %r2, %r2, x; }\n"
                         "{ .reg .u32 x; mov.u32 x, 2; bra L; mov.u32 x, 7;\n"
                         "L: add.u32 %r2, %r2, x; }\n"
                         "cvt.u64.u32 %rd3, %r2; st.global.u64 [%rd2], %rd3;"));
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[0], 3u);
}

TEST(Parser, OperandForms) {
  Outcome r =
      run(kernel("elect.sync _|%p1,0xffffffff;\n"
                 "mov.b64 {%r2,%r3},0x0000000200000001;\n"
                 "mov.b64 %rd3,{%r3, %r2};\n"
                 "ld.global.v2.u32{%r4,_},[%rd1+8];\n"
                 "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 1.5;\n"
                 "add.f32 %f1, %f1, %f2; mov.b32 %r5, %f1;\n"
                 "@!%p1 bra DONE;\n"
                 "st.global.u64[%rd1],%rd3; st.global.u32 [%rd1+-8+16], %r4;\n"
                 "st.global.u32 [%rd1+16], %r5;\n"
                 "DONE:"),
          [] {
            Options o;
            o.init = {0, 77};
            return o;
          }());
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[0], 0x0000000100000002u);
  EXPECT_EQ(uint32_t(r.words[1]), 77u);
  EXPECT_EQ(uint32_t(r.words[2]), 0x40200000u);
}

TEST(Parser, ErrorsHaveLines) {
  Error e = parseError(".version 9.0\n.target sm_100a\n.address_size 64\n"
                       ".entry k() {\n  add.u32 %r1, %r2\n  ret;\n}\n");
  EXPECT_EQ(e.line, 6);
  EXPECT_TRUE(contains(e.message, "expected ';'")) << e.message;
  e = parseError(".version 9.0\n.target sm_100a\n.address_size 64\n.wrong\n");
  EXPECT_EQ(e.line, 4);
  e = parseError(".version 9.9\n.target sm_100a\n");
  EXPECT_TRUE(contains(e.message, "expected a PTX version")) << e.message;
  e = parseError("");
  EXPECT_TRUE(contains(e.message, "expected .version")) << e.message;
  e = parseError(std::string(kHeader) + ".entry k() { mov.f32 %f1, 0f12; }");
  EXPECT_TRUE(contains(e.message, "8 hexadecimal digits")) << e.message;
  e = parseError(std::string(kHeader) + "/* never ends");
  EXPECT_TRUE(contains(e.message, "comment does not end")) << e.message;
  e = parseError(std::string(kHeader) +
                 ".entry k() { ret; } .entry k() {ret;}");
  EXPECT_TRUE(contains(e.message, "defined twice")) << e.message;
}

TEST(Parser, EveryTruncationFailsOrParses) {
  // No prefix of a program may crash the parser.
  std::string text =
      kernel("{ .reg .pred q; setp.eq.u32 q|%p1, %r1, 0; @q bra L; }\n"
             "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [s+16];\n"
             "L: mbarrier.try_wait.parity.shared::cta.b64 %p1, [s], 0;",
             ".shared .align 16 .b8 s[64];\n.global .u32 g[2] = {1, -2};\n");
  for (size_t n = 0; n < text.size(); ++n)
    (void)parsePTX(std::string_view(text).substr(0, n), "t.ptx");
}

TEST(Parser, UnknownInstructionMakesKernelUnlaunchable) {
  Outcome r = run(kernel("frobnicate.u32 %r2, %r1;"));
  EXPECT_REPORT(r, ReportKind::Unsupported, "frobnicate.u32 %r2, %r1");
  EXPECT_GT(r.result.reports[0].lines.at(0), 0);
  r = run(kernel("add.strange.u32 %r2, %r1, %r1;"));
  EXPECT_REPORT(r, ReportKind::Unsupported, "add.strange.u32");
  r = run(kernel("add.u32 %r2, %r1;"));
  EXPECT_REPORT(r, ReportKind::Unsupported, "expected 3 operands, got 2");
  r = run(kernel("add.u32 %r2, %r1, %nothing;"));
  EXPECT_REPORT(r, ReportKind::Unsupported, "unknown name '%nothing'");
  r = run(kernel("add.u64 %rd3, %r1, %rd1;"));
  EXPECT_REPORT(r, ReportKind::Unsupported, "expected a 64-bit register");
  r = run(kernel("bra nowhere;"));
  EXPECT_REPORT(r, ReportKind::Unsupported, "expected a label");
}

TEST(Parser, FormsOfOtherKernelsDoNotStopThisOne) {
  // What no decoder takes is refused by name, where its kernel is launched.
  const char *forms[] = {
      "vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h1;",
      "vmad.s32.s32.u32.shr7 %r1, -%r2.h0, %r3, -%r4;",
      "vset.u32.u32.lt %r1.b2, %r2.b3, %r3.b1, %r4;",
      "vadd4.u32.u32.u32.add %r1.b310, %r2.b3210, %r3.b7654, %r4;",
      "vsub2.s32.s32.s32 %r1.h10, %r2.h32, %r3.h01, %r4;",
      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [t, s, {%f5, %f6}];",
      "mov.f32 %f1, v.x;",
      "ld.global.u32 %r1, a[4];",
      "add.s32 %r1, %r2.b0, %r3;",
      "add.s32 %r1, -%r2, %r3;"};
  for (const char *form : forms) {
    const std::string text =
        std::string(kHeader) +
        ".global .texref t; .global .samplerref s;\n"
        ".global .align 16 .v4 .f32 v; .global .u32 a[8];\n"
        ".visible .entry other() {\n.reg .pred %p<4>; .reg .b32 %r<9>;\n"
        ".reg .f32 %f<9>;\n" +
        form + "\nEND: ret;\n}\n.visible .entry k() { ret; }\n";
    auto program = parsePTX(text, "t.ptx");
    ASSERT_TRUE(bool(program)) << form << ": " << program.error().message;
    DeviceMemory memory;
    LaunchConfig config;
    config.entry = "k";
    EXPECT_TRUE(launch(**program, config, memory).ok) << form;
    config.entry = "other";
    RunResult refused = launch(**program, config, memory);
    ASSERT_EQ(refused.reports.size(), 1u) << form;
    EXPECT_EQ(toString(refused.reports[0].kind),
              toString(ReportKind::Unsupported));
    EXPECT_TRUE(contains(refused.reports[0].message, "t.ptx:9: unsupported "
                                                     "instruction '"))
        << refused.reports[0].message;
  }
}

TEST(Parser, BrokenOperandsAreErrorsOfTheText) {
  const std::pair<const char *, const char *> cases[] = {
      {"add.s32 %r1, %r2 .b0 .b1, %r3;", "expected ';'"},
      {"mov.u32 %r1, ~%r2;", "expected an integer after '~'"},
      {"mov.u32 %r1, a[;", "expected an operand"},
      {"mov.u32 %r1, a[1+;", "expected an offset"},
      {"mov.u32 %r1, a[1;", "expected ']' after an index"},
      {"ld.global.u32 %r1, [a, {%r1}, ;", "expected an operand"},
      {"P: .callprototype (.param .b32 _) (.param .b64 _);", "expected '_'"},
      {"P: .callprototype _ (.b64 _);", "expected .param or .reg"},
      {"P: .callprototype _ (.param .b64 _)", "after .callprototype"},
      {"T: .calltargets f, ;", "expected a function"},
      {"T: .calltargets f", "after .calltargets"},
      {"T: .branchtargets f, ;", "expected a label"}};
  for (const auto &[text, message] : cases) {
    Error e =
        parseError(std::string(kHeader) + ".entry k() {\n" + text + "\n}\n");
    EXPECT_TRUE(contains(e.message, message)) << text << ": " << e.message;
  }
  Error e = parseError(std::string(kHeader) + ".alias f;");
  EXPECT_TRUE(contains(e.message, "expected ',' in .alias")) << e.message;
}
