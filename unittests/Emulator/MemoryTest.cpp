//===- MemoryTest.cpp - state spaces and illegal accesses -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores of every space and width, and the reports for accesses that
// the ISA forbids.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tc::emu;
using namespace tc::emu::test;

TEST(Memory, WidthsAndSignExtension) {
  Options o;
  o.init = {0xfedcba9876543210ull, 0x1122334455667788ull};
  o.threads = 1;
  std::string text = kernel(
      "{ .reg .b128 x;\n"
      "ld.global.s8 %r2, [%rd1+7]; cvt.s64.s32 %rd3, %r2;\n"
      "ld.global.b128 x, [%rd1]; mov.b128 {%rd8, %rd9}, x;\n"
      "st.global.u64 [%rd1+16], %rd3; st.global.u8 [%rd1+24], %rd9;\n"
      "ld.global.v8.b32 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%rd1];\n"
      "st.relaxed.cta.global.L1::no_allocate.v8.b32 [%rd1+64], {%r2, %r3, %r4, "
      "%r5, %r6, %r7, %r8, %r9}; }");
  Outcome r = run(text, o);
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[2], uint64_t(int64_t(int8_t(0xfe))));
  EXPECT_EQ(r.words[3], 0x88u);
  EXPECT_EQ(r.words[8], o.init[0]);
  EXPECT_EQ(r.words[9], o.init[1]);
}

TEST(Memory, SharedLocalConstAndGlobalVariables) {
  std::string module = ".shared .align 8 .b8 s[256];\n"
                       ".global .align 8 .u64 g[2] = {5, 6};\n"
                       ".global .align 8 .u64 pointer = g;\n"
                       ".const .align 4 .u32 c[3] = {1, 2, 3};\n"
                       ".const .f32 half = 0f3F000000;\n";
  std::string body =
      "{ .local .align 8 .b8 depot[32];\n"
      ".reg .b64 sp; .reg .b32 spl;\n"
      // generic store to shared, shared load
      "mov.u64 %rd3, s; cvta.shared.u64 %rd4, %rd3;\n"
      "mul.wide.u32 %rd5, %r1, 8; add.s64 %rd4, %rd4, %rd5;\n"
      "cvt.u64.u32 %rd6, %r1; st.u64 [%rd4], %rd6; bar.sync 0;\n"
      "mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 8, %r2; ld.shared.u64 %rd7, "
      "[%r3];\n"
      // local through generic
      "mov.u64 %rd8, depot; cvta.local.u64 %rd9, %rd8;\n"
      "st.u64 [%rd9+8], %rd7; ld.local.u64 %rd10, [depot+8];\n"
      // const, module global through its pointer
      "ld.const.u32 %r4, [c+8]; cvt.u64.u32 %rd11, %r4;\n"
      "ld.global.u64 %rd12, [pointer]; ld.u64 %rd13, [%rd12+8];\n"
      "add.s64 %rd10, %rd10, %rd11; add.s64 %rd10, %rd10, %rd13;\n"
      "st.global.u64 [%rd2], %rd10; }";
  Outcome r = run(kernel(body, module));
  ASSERT_TRUE(r.result.ok) << r.message();
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(r.words[i], i + 3 + 6);
}

TEST(Memory, DynamicSharedStartsAfterStatic) {
  Options o;
  o.dynamicSmem = 64;
  o.threads = 1;
  Outcome r =
      run(kernel("mov.u32 %r2, dyn; mov.u32 %r3, s; sub.u32 %r4, %r2, %r3;\n"
                 "st.shared.u32 [dyn+60], %r4; ld.shared.u32 %r5, [%r2+60];\n"
                 "mov.u32 %r6, %dynamic_smem_size;\n"
                 "st.global.v2.u32 [%rd1], {%r5, %r6};",
                 ".shared .align 4 .b8 s[20];\n"
                 ".extern .shared .align 128 .b8 dyn[];\n"),
          o);
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[0], 128u | 64ull << 32);
}

/// What was never written is an undefined value, which may be copied; an error
/// is what depends on it.
TEST(Memory, UndefinedBytes) {
  const std::string shared = ".shared .align 16 .b8 s[32];";
  const std::string copy = "mov.u64 %rd5, 7; st.shared.u64 [s], %rd5;\n"
                           "ld.shared.v2.u64 {%rd5, %rd6}, [s];\n"
                           "st.shared.v2.u64 [s+16], {%rd5, %rd6};\n";
  Outcome r = run(kernel(copy + "ld.shared.u64 %rd7, [s+16];\n"
                                "st.global.u64 [%rd1], %rd7;",
                         shared));
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[0], 7u);
  const std::string never = "whose value was never written";
  EXPECT_REPORT(run(kernel(copy + "ld.shared.u64 %rd7, [s+24];\n"
                                  "st.global.u64 [%rd1], %rd7;",
                           shared)),
                ReportKind::Undefined, never);
  // Half of a register; a decision; an address.
  EXPECT_REPORT(run(kernel("st.shared.u32 [s], %r1; ld.shared.u64 %rd7, [s];\n"
                           "mov.b64 {%r2, %r3}, %rd7;\n"
                           "st.global.u32 [%rd1], %r2;\n"
                           "st.global.u32 [%rd1+4], %r3;",
                           shared)),
                ReportKind::Undefined, never);
  EXPECT_REPORT(run(kernel("ld.shared.u32 %r2, [s];\n"
                           "setp.eq.u32 %p1, %r2, 0; @%p1 exit;",
                           shared)),
                ReportKind::Undefined, never);
  EXPECT_REPORT(run(kernel("ld.shared.u64 %rd7, [s];\n"
                           "st.global.u32 [%rd7], %r1;",
                           shared)),
                ReportKind::Undefined, "address: ");
  EXPECT_REPORT(run(kernel("{ .local .u32 l; ld.local.u32 %r2, [l];\n"
                           "st.global.u32 [%rd1], %r2; }")),
                ReportKind::Undefined, never);
}

TEST(Memory, Reports) {
  EXPECT_REPORT(run(kernel("ld.global.u64 %rd3, [%rd1+512];")),
                ReportKind::Memory,
                "no allocation; the nearest is buffer 'buf'");
  EXPECT_REPORT(run(kernel("ld.global.u64 %rd3, [%rd1+4];")),
                ReportKind::Memory, "misaligned address");
  EXPECT_REPORT(run(kernel("st.global.u32 [%rd1+510], %r1;")),
                ReportKind::Memory, "misaligned address");
  EXPECT_REPORT(run(kernel("ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd1+504];")),
                ReportKind::Memory, "misaligned address");
  EXPECT_REPORT(run(kernel("mov.u64 %rd3, 0; ld.u32 %r2, [%rd3];")),
                ReportKind::Memory, "no allocation");
  EXPECT_REPORT(run(kernel("st.shared.u32 [s+4], %r1;", ".shared .u32 s;")),
                ReportKind::Memory, "out of bounds of shared memory");
  EXPECT_REPORT(run(kernel("mov.u64 %rd3, c; cvta.const.u64 %rd3, %rd3; "
                           "st.u32 [%rd3], %r1;",
                           ".const .u32 c;")),
                ReportKind::Memory, "constant memory, which is read-only");
}

/// %r10 has a low half of 7 and no high one, %r11 the reverse; %rd10 and %rd11
/// the same with halves of 32 bits. What an instruction makes of the half that
/// is there may be used, what it makes of the other one may not.
TEST(Memory, UndefinedHalves) {
  const std::string halves =
      "mov.b16 %h1, 7; mov.b32 %r10, {%h1, %h2};\n"
      "mov.b32 %r11, {%h2, %h1}; mov.u32 %r12, 0x70007; mov.u32 %r13, 7;\n"
      "mov.b64 %rd10, {%r13, %r14}; mov.b64 %rd11, {%r14, %r13};\n";
  const std::string low = "mov.b32 {%h3, _}, %r20; cvt.u32.u16 %r21, %h3;",
                    high = "mov.b32 {_, %h3}, %r20; cvt.u32.u16 %r21, %h3;",
                    all = "mov.b32 %r21, %r20;",
                    low64 = "mov.b64 {%r21, _}, %rd20;",
                    high64 = "mov.b64 {_, %r21}, %rd20;";
  struct {
    std::string code;
    uint32_t value;
    /// Code with the other half, where there is no value.
    std::string other;
  } const cases[] = {
      {"and.b32 %r20, %r10, 0xffff;" + all, 7,
       "and.b32 %r20, %r10, 0x1ffff;" + high},
      {"and.b32 %r20, %r12, %r10;" + low, 7, "and.b32 %r20, %r12, %r10;" + all},
      {"or.b32 %r20, %r11, 0xffff;" + all, 0x7ffff,
       "or.b32 %r20, %r11, 0xfffe;" + low},
      {"xor.b32 %r20, %r10, 1;" + low, 6, "xor.b32 %r20, %r10, 1;" + high},
      {"not.b32 %r20, %r10;" + low, 0xfff8, "not.b32 %r20, %r10;" + high},
      {"lop3.b32 %r20, 0xffff, %r10, %r11, 0xca;" + low, 7,
       "lop3.b32 %r20, 0xffff, %r10, %r10, 0xca;" + high},
      {"lop3.b32 %r20, 0xffff, %r10, %r11, 0xca;" + all, 0x70007,
       "lop3.b32 %r20, 0xffff, %r11, %r11, 0xca;" + low},
      {"shl.b32 %r20, %r10, 16;" + all, 0x70000,
       "shl.b32 %r20, %r11, 16;" + all},
      {"shl.b32 %r20, %r11, 17;" + low, 0, "shl.b32 %r20, %r11, 4;" + low},
      {"shl.b32 %r20, %r10, 4;" + low, 0x70, "shl.b32 %r20, %r10, 4;" + high},
      {"shr.u32 %r20, %r11, 16;" + all, 7, "shr.u32 %r20, %r10, 16;" + all},
      {"shr.s32 %r20, %r11, 16;" + all, 7, "shr.s32 %r20, %r10, 16;" + high},
      {"shr.u32 %r20, %r10, 16;" + high, 0, "shr.u32 %r20, %r10, 4;" + low},
      {"shr.u32 %r20, %r11, 2;" + high, 1, "shr.u32 %r20, %r11, 2;" + low},
      {"shr.u32 %r20, %r10, 32;" + all, 0, "shr.s32 %r20, %r10, 32;" + all},
      {"prmt.b32 %r20, %r10, %r11, 0x7610;" + all, 0x70007,
       "prmt.b32 %r20, %r10, %r11, 0x3210;" + all},
      {"prmt.b32 %r20, %r12, %r12, %r10;" + all, 0x07070700,
       "prmt.b32 %r20, %r12, %r12, %r11;" + all},
      {"cvt.u32.u16 %r21, %r10;", 7, "cvt.u32.u16 %r21, %r11;"},
      {"cvt.u16.u32 %h3, %r10; cvt.u32.u16 %r21, %h3;", 7,
       "cvt.u16.u32 %h3, %r11; cvt.u32.u16 %r21, %h3;"},
      {"cvt.f32.bf16 %r21, %r10;", 0x70000, "cvt.f32.bf16 %r21, %r11;"},
      {"cvt.u32.u64 %r21, %rd10;", 7, "cvt.sat.u32.u64 %r21, %rd10;"},
      {"{ .reg .f32 %f<3>; mov.f32 %f1, 0f3f800000; cvt.rn.bf16x2.f32 %r20, "
       "%f2, %f1; }" +
           low,
       0x3f80,
       "{ .reg .f32 %f<3>; mov.f32 %f1, 0f3f800000; cvt.rn.bf16x2.f32 %r20, "
       "%f2, %f1; }" +
           high},
      {"{ .reg .f32 %f<3>; mov.f32 %f1, 0fbf800000; "
       "cvt.rz.relu.f16x2.f32 %r20, %f1, %f2; }" +
           high,
       0,
       "{ .reg .f32 %f<3>; mov.f32 %f1, 0fbf800000; "
       "cvt.rz.relu.f16x2.f32 %r20, %f1, %f2; }" +
           low},
      {"add.rn.f16x2 %r20, %r10, %r12;" + low, 14,
       "add.rn.f16x2 %r20, %r10, %r12;" + high},
      {"fma.rn.bf16x2 %r20, %r11, %r12, %r11;" + high, 7,
       "fma.rn.bf16x2 %r20, %r11, %r12, %r11;" + low},
      {"max.bf16x2 %r20, %r10, %r12;" + low, 7,
       "max.bf16x2 %r20, %r10, %r11;" + low},
      {"setp.eq.f16x2 %p2|%p3, %r10, %r12; selp.u32 %r21, 5, 6, %p2;", 5,
       "setp.eq.f16x2 %p2|%p3, %r10, %r12; selp.u32 %r21, 5, 6, %p3;"},
      {"set.eq.f16x2.f16x2 %r20, %r11, %r12;" + high, 0x3c00,
       "set.eq.f16x2.f16x2 %r20, %r11, %r12;" + low},
      {"shfl.sync.bfly.b32 %r20, %r10, 1, 31, -1;" + low, 7,
       "shfl.sync.bfly.b32 %r20, %r10, 1, 31, -1;" + high},
      {"and.b64 %rd20, %rd10, 0xffffffff;" + high64, 0,
       "and.b64 %rd20, %rd10, 0x1ffffffff;" + high64},
      {"shl.b64 %rd20, %rd10, 32;" + high64, 7,
       "shl.b64 %rd20, %rd11, 31;" + high64},
  };
  for (const auto &[code, value, other] : cases) {
    Outcome r = run(kernel(halves + code + " st.global.u32 [%rd1], %r21;"));
    EXPECT_TRUE(r.result.ok) << code << ": " << r.message();
    EXPECT_EQ(uint32_t(r.words[0]), value) << code;
    SCOPED_TRACE(other);
    EXPECT_REPORT(run(kernel(halves + other + " st.global.u32 [%rd1], %r21;")),
                  ReportKind::Undefined, "in lane 0");
  }
  // The low half of a wider register is stored.
  Outcome r = run(kernel(halves + "st.global.u16 [%rd1], %r10;"));
  EXPECT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(r.words[0] & 0xffff, 7u);
  EXPECT_REPORT(run(kernel(halves + "st.global.u16 [%rd1], %r11;")),
                ReportKind::Undefined, "never written, in lane 0");
  // Nor is a value that nothing uses.
  const std::string shuffled =
      halves + "shfl.sync.bfly.b32 %r20, %r14, 1, 31, -1;";
  r = run(kernel(shuffled + "st.global.u32 [%rd1], %r13;"));
  EXPECT_TRUE(r.result.ok) << r.message();
  EXPECT_REPORT(run(kernel(shuffled + "st.global.u32 [%rd1], %r20;")),
                ReportKind::Undefined, "never written, in lane 0");
  EXPECT_REPORT(
      run(kernel(halves + "shfl.sync.bfly.b32 %r20, %r13, %r10, 31, -1;")),
      ReportKind::Undefined, "never written, in lane 0");
}

TEST(Memory, UndefinedRegisters) {
  const std::string use = " st.global.u32 [%rd1], %r6;";
  EXPECT_REPORT(run(kernel("add.u32 %r6, %r3, 1;" + use)),
                ReportKind::Undefined, "never written, in lane 0");
  EXPECT_REPORT(run(kernel("setp.lt.u32 %p1, %r1, 5; @%p1 mov.u32 %r2, 1;\n"
                           "add.u32 %r6, %r2, 1;" +
                           use)),
                ReportKind::Undefined, "in lane 5");
  EXPECT_REPORT(run(kernel("@%p1 red.global.add.u32 [%rd1], 1;")),
                ReportKind::Undefined, "guard predicate");
  EXPECT_REPORT(
      run(kernel("setp.lt.u32 %p1, %r2, 5; @%p1 mov.u32 %r6, 1;" + use)),
      ReportKind::Undefined, "never written, in lane 0");
  // Copies and computations are legal as long as the value is not used.
  EXPECT_TRUE(
      run(kernel("mul.hi.u32 %r2, %r3, 7; add.u32 %r2, %r2, %r1;")).result.ok);
  EXPECT_TRUE(run(kernel("mov.u32 %r2, %r3; mov.b64 %rd3, {%r2, %r1};\n"
                         "mov.b64 {%r4, %r5}, %rd3;"))
                  .result.ok);
  // So is a vector of which one element is used; not the other element.
  const std::string product =
      "mov.b64 %rd3, {%r1, %r3}; mov.b64 %rd4, %rd3; "
      "mul.rn.f32x2 %rd5, %rd4, %rd3; fma.rn.f32x2 %rd5, %rd5, %rd3, %rd4; "
      "mov.b64 {%r4, %r5}, %rd5; ";
  EXPECT_TRUE(run(kernel(product + "add.u32 %r6, %r4, 1;" + use)).result.ok);
  EXPECT_REPORT(run(kernel(product + "add.u32 %r6, %r5, 1;" + use)),
                ReportKind::Undefined, "never written, in lane 0");
  EXPECT_REPORT(
      run(kernel(product + "add.u64 %rd6, %rd5, 1; st.global.u64 [%rd1], "
                           "%rd6;")),
      ReportKind::Undefined, "never written, in lane 0");
  // The same of two elements of 16 bits.
  const std::string small = ".reg .b16 %h<7>; mov.b32 %r2, 7; mov.b32 {%h1, "
                            "_}, %r2; mov.b32 %r4, {%h1, %h2}; "
                            "mov.b32 %r5, %r4; mov.b32 {%h3, %h4}, %r5; ";
  EXPECT_TRUE(run(kernel(small + "cvt.u32.u16 %r6, %h3;" + use)).result.ok);
  EXPECT_REPORT(run(kernel(small + "cvt.u32.u16 %r6, %h4;" + use)),
                ReportKind::Undefined, "never written, in lane 0");
  EXPECT_REPORT(run(kernel(small + "add.u32 %r6, %r5, 1;" + use)),
                ReportKind::Undefined, "never written, in lane 0");
  const std::string shared = ".shared .align 4 .b32 s;";
  const std::string copy = small + "mov.u64 %rd3, s; st.shared.b32 [%rd3], "
                                   "%r5; ld.shared.b32 %r2, [%rd3]; "
                                   "mov.b32 {%h5, %h6}, %r2; ";
  EXPECT_TRUE(
      run(kernel(copy + "cvt.u32.u16 %r6, %h5;" + use, shared)).result.ok);
  EXPECT_REPORT(run(kernel(copy + "cvt.u32.u16 %r6, %h6;" + use, shared)),
                ReportKind::Undefined, "never written, in lane 0");
  // What was half defined forgets it when it is written, in whatever way.
  for (const char *write :
       {"setp.ge.u32 %p1, %r1, 0; selp.b32 %r4, %r3, %r3, %p1;",
        "mov.b64 {%r4, _}, %rd7;", "mov.b32 %r4, %r3;",
        "mov.b32 %r4, {%h2, %h2};"})
    EXPECT_REPORT(run(kernel(small + write +
                             " mov.b32 {%h5, %h6}, %r4; "
                             "cvt.u32.u16 %r6, %h5;" +
                             use)),
                  ReportKind::Undefined, "never written, in lane 0");
  // The half that selp takes is as defined as it was.
  EXPECT_TRUE(run(kernel(small +
                         "setp.ge.u32 %p1, %r1, 0; "
                         "selp.b32 %r2, %r4, %r3, %p1; "
                         "mov.b32 {%h5, %h6}, %r2; "
                         "cvt.u32.u16 %r6, %h5;" +
                         use))
                  .result.ok);
  // What was half defined and is written as a whole is defined.
  EXPECT_TRUE(run(kernel(product + "mov.b64 %rd5, 3; add.u64 %rd6, %rd5, 1; "
                                   "st.global.u64 [%rd1], %rd6;"))
                  .result.ok);
}

TEST(Memory, ReportNamesTheLine) {
  Outcome r = run(".version 9.0\n.target sm_100a\n.address_size 64\n"
                  ".entry k(.param .u64 buf) {\n.reg .b32 %r<3>;\n"
                  "ld.shared.u32 %r1,\n [%r2];\nret;\n}\n");
  ASSERT_EQ(r.result.reports.size(), 1u);
  EXPECT_EQ(r.result.reports[0].lines.at(0), 6);
  EXPECT_TRUE(contains(r.message(), ":6: ")) << r.message();
  EXPECT_TRUE(contains(r.message(), "'ld.shared.u32 %r1, [%r2]'"))
      << r.message();
}

TEST(Memory, ReadOnlyBuffers) {
  auto program = parsePTX(kernel("st.global.u32 [%rd1], %r1;"), "t.ptx");
  ASSERT_TRUE(bool(program));
  DeviceMemory memory;
  uint64_t address = *memory.allocate(64, 256, 0, "A");
  ASSERT_TRUE(bool(memory.setReadOnly(address)));
  LaunchConfig config;
  config.params.resize(8);
  memcpy(config.params.data(), &address, 8);
  RunResult result = launch(**program, config, memory);
  ASSERT_FALSE(result.ok);
  EXPECT_TRUE(contains(result.reports[0].message, "buffer 'A'"));
  EXPECT_TRUE(contains(result.reports[0].message, "read-only"));
}

TEST(DeviceMemory, Allocation) {
  DeviceMemory memory;
  Expected<uint64_t> a = memory.allocate(100, 1024);
  ASSERT_TRUE(bool(a));
  EXPECT_EQ(*a % 1024, 0u);
  EXPECT_FALSE(bool(memory.allocate(8, 3)));
  EXPECT_FALSE(bool(memory.allocate(8, 8, *a + 8)));
  EXPECT_FALSE(bool(memory.allocate(8, 8, 8)));
  Expected<uint64_t> b = memory.allocate(8, 8, 0x100000);
  ASSERT_TRUE(bool(b));
  EXPECT_EQ(*b, 0x100000u);
  uint64_t value = 5;
  EXPECT_TRUE(bool(memory.write(*b, &value, 8)));
  EXPECT_FALSE(bool(memory.write(*b + 4, &value, 8)));
  EXPECT_TRUE(bool(memory.free(*b)));
  EXPECT_FALSE(bool(memory.free(*b)));
  EXPECT_FALSE(bool(memory.read(*b, &value, 8)));
}

TEST(Memory, Atomics) {
  Options o;
  o.threads = 64;
  o.ctas = 4;
  o.words = 16;
  o.init.assign(16, 0);
  o.init[2] = ~0ull;
  Outcome r =
      run(kernel("atom.global.add.u32 %r2, [%rd1], 1;\n"
                 "red.relaxed.gpu.global.add.s32 [%rd1+8], 2;\n"
                 "atom.global.min.u32 %r3, [%rd1+16], %r1;\n"
                 "mov.f32 %f1, 0f3F800000; red.global.add.f32 [%rd1+24], %f1;\n"
                 "atom.global.max.s32 %r3, [%rd1+32], %r1;\n"
                 "mov.b32 %r4, 0x3f803f80;\n"
                 "red.global.add.noftz.bf16x2 [%rd1+40], %r4;\n"
                 "red.global.add.v2.f32 [%rd1+48], {%f1, %f1};\n"
                 "atom.global.inc.u32 %r5, [%rd1+56], 6;\n"
                 "atom.global.or.b64 %rd3, [%rd1+64], 5;\n"),
          o);
  ASSERT_TRUE(r.result.ok) << r.message();
  EXPECT_EQ(uint32_t(r.words[0]), 256u);
  EXPECT_EQ(uint32_t(r.words[1]), 512u);
  EXPECT_EQ(uint32_t(r.words[2]), 0u);
  EXPECT_EQ(uint32_t(r.words[3]), 0x43800000u);
  EXPECT_EQ(uint32_t(r.words[4]), 63u);
  EXPECT_EQ(uint32_t(r.words[5]), 0x43804380u);
  EXPECT_EQ(r.words[6], 0x4380000043800000ull);
  EXPECT_EQ(uint32_t(r.words[7]), 256u % 7);
  EXPECT_EQ(r.words[8], 5u);
}

TEST(Memory, SpinLockBetweenClusters) {
  // Each CTA waits for its predecessor: the last one may start first.
  for (const std::string &schedule : schedules()) {
    Options o;
    o.schedule = schedule;
    o.threads = 32;
    o.ctas = 8;
    Outcome r = run(
        kernel("mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra END;\n"
               "SPIN: ld.acquire.gpu.global.u32 %r3, [%rd1];\n"
               "setp.ne.u32 %p2, %r3, %r2; @%p2 bra SPIN;\n"
               "mul.wide.u32 %rd3, %r2, 8; add.s64 %rd3, %rd3, %rd1;\n"
               "st.global.u32 [%rd3+8], %r2; add.u32 %r3, %r3, 1;\n"
               "st.release.gpu.global.u32 [%rd1], %r3;\nEND:"),
        o);
    ASSERT_TRUE(r.result.ok) << schedule << r.message();
    EXPECT_EQ(uint32_t(r.words[0]), 8u);
    EXPECT_EQ(r.words[8], 7u);
  }
}

// Variables in device memory keep their values, belong to the host, too, and
// are seen by other modules; an overrun is one of that variable.
TEST(Memory, VariablesInDeviceMemory) {
  std::string text =
      kernel("ld.global.u32 %r2, [count]; ld.const.u32 %r3, [step];\n"
             "add.u32 %r2, %r2, %r3; st.global.u32 [count], %r2;\n"
             "ld.global.u64 %rd3, [pointer]; st.global.u64 [%rd1], %rd3;",
             ".global .u32 count = 5; .const .u32 step = 3;\n"
             ".global .u64 pointer = count;");
  DeviceMemory memory;
  auto program = parsePTX(text, "a.ptx", &memory);
  auto other = parsePTX(text, "b.ptx", &memory);
  ASSERT_TRUE(program && other);
  const VariableInfo *count = (*program)->findVariable("count");
  const VariableInfo *step = (*program)->findVariable("step");
  ASSERT_TRUE(count && step);
  EXPECT_TRUE(step->isConst);
  EXPECT_EQ((*program)->findVariable("none"), nullptr);
  EXPECT_NE(count->address, (*other)->findVariable("count")->address);
  uint64_t out = *memory.allocate(8);
  LaunchConfig config;
  config.params.resize(8);
  std::memcpy(config.params.data(), &out, 8);
  auto value = [&](uint64_t address) {
    uint64_t bits = 0;
    EXPECT_TRUE(memory.read(address, &bits, 4));
    return bits;
  };
  ASSERT_TRUE(launch(**program, config, memory).ok);
  EXPECT_EQ(value(count->address), 8u);
  uint32_t ten = 10;
  ASSERT_TRUE(memory.write(step->address, &ten, 4));
  ASSERT_TRUE(launch(**program, config, memory).ok);
  EXPECT_EQ(value(count->address), 18u);
  EXPECT_EQ(value((*other)->findVariable("count")->address), 5u);
  uint64_t pointer = 0;
  ASSERT_TRUE(memory.read(out, &pointer, 8));
  EXPECT_EQ(pointer, count->address);
  // A launch that uses another memory than the variables are in is refused.
  DeviceMemory elsewhere;
  RunResult wrong = launch(**program, config, elsewhere);
  ASSERT_FALSE(wrong.ok);
  EXPECT_EQ(wrong.reports[0].kind, ReportKind::BadLaunch);
}

// Memory of somebody else under its own address; any address that is in no
// other window.
TEST(Memory, AdoptedMemoryAndHighAddresses) {
  DeviceMemory memory;
  std::vector<uint64_t> host(4, 7);
  uint64_t address = reinterpret_cast<uint64_t>(host.data());
  ASSERT_TRUE(memory.adopt(address, 32, reinterpret_cast<uint8_t *>(&host[0])));
  EXPECT_FALSE(memory.adopt(address + 8, 32, nullptr));
  for (uint64_t taken : {0x800ull, 0x710000000100ull, 0x7500'0000'0000ull,
                         0x70ff'ffff'ff00ull, ~0ull - 8})
    EXPECT_FALSE(memory.allocate(4096, 1, taken)) << taken;
  uint64_t high = *memory.allocate(64, 1, 0xfff0'0000'0000'1000ull);
  auto program = parsePTX(kernel("ld.global.u64 %rd3, [%rd1+16];\n"
                                 "mov.u64 %rd4, 0xfff0000000001000;\n"
                                 "st.u64 [%rd4+8], %rd3;\n"
                                 "isspacep.global %p1, %rd4;\n"
                                 "selp.u64 %rd5, 1, 0, %p1;\n"
                                 "st.global.u64 [%rd1], %rd5;"),
                          "t.ptx");
  ASSERT_TRUE(program);
  LaunchConfig config;
  config.params.resize(8);
  std::memcpy(config.params.data(), &address, 8);
  RunOptions options;
  options.checkRaces = true;
  options.assumptions = AssumptionSet::none();
  RunResult result = launch(**program, config, memory, options);
  ASSERT_TRUE(result.ok) << result.reports[0].message;
  EXPECT_EQ(host[0], 1u);
  uint64_t stored = 0;
  ASSERT_TRUE(memory.read(high + 8, &stored, 8));
  EXPECT_EQ(stored, 7u);
}

TEST(Memory, StrongVectorsAreWhole) {
  // Clusters run on threads of the host: a reader sees both elements of a pair
  // of one store, as decoupled look-back asks.
  const std::pair<const char *, const char *> accesses[] = {
      {"st.relaxed.gpu.global.v2.u32 [%rd1], {%r2, %r2};",
       "ld.relaxed.gpu.global.v2.u32 {%r2, %r3}, [%rd1];"},
      {"st.volatile.global.v2.u32 [%rd1], {%r2, %r2};",
       "ld.volatile.global.v2.u32 {%r2, %r3}, [%rd1];"},
      {"st.relaxed.gpu.global.v4.u32 [%rd1], {%r2, %r4, %r4, %r2};",
       "ld.acquire.gpu.global.v4.u32 {%r2, %r5, %r6, %r3}, [%rd1];"},
      {"cvt.u64.u32 %rd3, %r2; st.release.gpu.global.v2.u64 [%rd1], {%rd3, "
       "%rd3};",
       "ld.relaxed.gpu.global.v2.u64 {%rd3, %rd4}, [%rd1];\n"
       "cvt.u32.u64 %r2, %rd3; cvt.u32.u64 %r3, %rd4;"}};
  for (const auto &[store, load] : accesses) {
    Options o;
    o.ctas = 2;
    o.osThreads = 2;
    Outcome r =
        run(kernel("setp.ne.u32 %p1, %r1, 0; @%p1 bra END;\nmov.u32 %r2, 0;\n"
                   "mov.u32 %r4, 9; mov.u32 %r7, %ctaid.x;\n"
                   "setp.eq.u32 %p2, %r7, 1; @%p2 bra READ;\n"
                   "WRITE: add.u32 %r2, %r2, 1;\n" +
                   std::string(store) +
                   "\nsetp.lt.u32 %p1, %r2, 20000; @%p1 bra WRITE; bra END;\n"
                   "READ: " +
                   load +
                   "\nsetp.ne.u32 %p1, %r2, %r3; @%p1 trap;\n"
                   "setp.lt.u32 %p1, %r2, 20000; @%p1 bra READ;\nEND:"),
            o);
    EXPECT_TRUE(r.result.ok) << load << r.message();
  }
}

TEST(Memory, ReservedSharedMemoryIsLentToWhoAsks) {
  // Cooperative groups of several warps keep their barriers there.
  const std::string s = ".shared .align 4 .b8 s[4];";
  Options options;
  options.threads = 1;
  Outcome out = run(kernel("mov.u32 %r2, %reserved_smem_offset_1;\n"
                           "ld.shared.u32 %r3, [%r2]; mov.u32 %r4, 7;\n"
                           "st.shared.u32 [%r2+284], %r4;\n"
                           "ld.shared.u32 %r5, [%r2+284];\n"
                           "mad.lo.u32 %r5, %r3, 100, %r5;\n"
                           "cvt.u64.u32 %rd3, %r5; st.global.u64 [%rd2], %rd3;",
                           s),
                    options);
  ASSERT_TRUE(out.result.ok) << out.message();
  EXPECT_EQ(out.words[0], 7u);
  EXPECT_REPORT(
      run(kernel("mov.u32 %r2, 1020; ld.shared.u32 %r3, [%r2];", s), options),
      ReportKind::Memory, "expected an offset in [1024, ");
}
