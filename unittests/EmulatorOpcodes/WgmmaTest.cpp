//===- WgmmaTest.cpp - wgmma and its protocol -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A of ones and B of twos in shared memory: D is twice K. Then what PTX ISA
// 9.0, "Async proxy" and "wgmma.fence", 9.7.15, forbids: no fence, reading D
// too early, writing it in flight, accumulating into nothing.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Emulator.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace tc::emu;

namespace {

const char *const fence = "wgmma.fence.sync.aligned;\n";
const char *const mma =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, "
    "%rd2, %rd3, %p1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n";
const char *const wait = "wgmma.wait_group.sync.aligned 0;\n";
const char *const zero = "mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 "
                         "%f2, %f0; mov.f32 %f3, %f0;\n";

/// First report, or "" and the four registers of the last thread in `out`.
std::string run(const std::string &body, const std::string &schedule,
                float *out = nullptr, const char *target = "sm_90a") {
  std::string text =
      std::string(".version 8.6\n.target ") + target +
      "\n.address_size 64\n.visible .entry k(.param .u64 buf) {\n"
      ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;\n"
      ".shared .align 1024 .b8 smem[4096];\n"
      "ld.param.u64 %rd0, [buf]; mov.u32 %r0, %tid.x; mov.u32 %r1, smem;\n"
      "shl.b32 %r2, %r0, 4; add.u32 %r2, %r2, %r1; mov.u32 %r3, 0x3c003c00;\n"
      "mov.u32 %r4, 0x40004000;\n"
      "st.shared.v4.b32 [%r2], {%r3, %r3, %r3, %r3};\n"
      "st.shared.v4.b32 [%r2+2048], {%r4, %r4, %r4, %r4};\n"
      "fence.proxy.async.shared::cta; bar.sync 0; setp.eq.u32 %p1, %r0, %r0;\n"
      "and.b32 %r5, %r1, 0x3ffff; shr.u32 %r5, %r5, 4; cvt.u64.u32 %rd2, %r5;\n"
      "or.b64 %rd2, %rd2, 0x0000001000080000; add.u64 %rd3, %rd2, 128;\n" +
      body +
      "setp.eq.u32 %p2, %r0, 127;\n"
      "@%p2 st.global.v4.f32 [%rd0], {%f0, %f1, %f2, %f3};\nret;\n}\n";
  auto program = parsePTX(text, "test.ptx");
  if (!program)
    return program.error().message;
  DeviceMemory memory;
  uint64_t buffer = *memory.allocate(16);
  LaunchConfig config;
  config.block = {128, 1, 1};
  config.params.resize(8);
  std::memcpy(config.params.data(), &buffer, 8);
  RunOptions options;
  options.schedule = *Schedule::parse(schedule);
  RunResult result = launch(**program, config, memory, options);
  if (!result.ok)
    return result.reports[0].message;
  if (out)
    EXPECT_TRUE(bool(memory.read(buffer, out, 16)));
  return "";
}

bool contains(const std::string &text, const char *part) {
  return text.find(part) != text.npos;
}

TEST(WgmmaTest, AccumulatesOverKUnderEverySchedule) {
  for (const char *schedule : {"eager", "lazy", "random:1", "random:2"}) {
    float out[4] = {};
    EXPECT_EQ(run(std::string(zero) + fence + mma + mma + wait, schedule, out),
              "");
    for (float value : out)
      EXPECT_EQ(value, 64.0f);
  }
}

TEST(WgmmaTest, DescriptorsAreThoseOfTheHopper) {
  EXPECT_TRUE(contains(
      run(std::string(zero) + fence + mma + wait, "eager", nullptr, "sm_100a"),
      "expected .target sm_90a, got sm_100a"));
}

TEST(WgmmaTest, RefusesAMissingFence) {
  EXPECT_TRUE(contains(run(std::string(zero) + mma + wait, "eager"),
                       "expected wgmma.fence before the first"));
}

TEST(WgmmaTest, RefusesAnEarlyRead) {
  for (const char *schedule : {"eager", "lazy"})
    EXPECT_TRUE(contains(run(std::string(zero) + fence + mma, schedule),
                         "before a wgmma.wait_group that covers it"));
}

TEST(WgmmaTest, RefusesAWriteInFlight) {
  EXPECT_TRUE(
      contains(run(std::string(zero) + fence + mma + zero + wait, "lazy"),
               "of D was written before wgmma.wait_group"));
}

TEST(WgmmaTest, RefusesToStoreUndefinedAccumulators) {
  for (const char *schedule : {"eager", "lazy"})
    EXPECT_TRUE(contains(
        run(std::string(fence) + mma + mma + wait, schedule),
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 of line 16 reads a "
        "register that was never written"));
}

/// What A and B lack leaves its rows and columns of D without a value. %rd4 is
/// the descriptor of memory of which the first 128 bytes are written.
TEST(WgmmaTest, PassesOnWhatItsOperandsLack) {
  const std::string start =
      std::string(".shared .align 1024 .b8 t[4096];\n") + zero +
      "mov.u32 %r6, t; shr.u32 %r7, %r6, 4; cvt.u64.u32 %rd4, %r7;\n"
      "or.b64 %rd4, %rd4, 0x0000001000080000; setp.lt.u32 %p3, %r0, 8;\n"
      "shl.b32 %r7, %r0, 4; add.u32 %r7, %r7, %r6;\n"
      "@%p3 st.shared.v4.b32 [%r7], {%r3, %r3, %r3, %r3};\n"
      "fence.proxy.async.shared::cta; bar.sync 0; mov.u64 %rd5, %rd3;\n";
  const std::string missing =
      "wgmma.mma_async of line 24 reads offset 5344 of shared memory, where "
      "nothing was written before or since";
  for (const char *schedule : {"eager", "lazy", "random:1"}) {
    auto with = [&](const std::string &body, float *out = nullptr) {
      return run(start + body + wait, schedule, out);
    };
    auto lacks = [&](const std::string &body, const char *part) {
      const std::string report = with(body);
      EXPECT_TRUE(contains(report, part)) << schedule << ": " << report;
    };
    float out[4];
    lacks("mov.u64 %rd3, %rd4;\n" + std::string(fence) + mma, missing.c_str());
    lacks("mov.u64 %rd2, %rd4;\n" + std::string(fence) + mma,
          "of shared memory, where nothing was written before or since");
    // A second product adds to what has no value.
    lacks("mov.u64 %rd3, %rd4;\n" + std::string(fence) + mma +
              "mov.u64 %rd3, %rd5;\n" + mma,
          missing.c_str());
    // Or it replaces it.
    EXPECT_EQ(with("mov.u64 %rd3, %rd4;\n" + std::string(fence) + mma +
                       "mov.u64 %rd3, %rd5; setp.ne.u32 %p1, %r0, %r0;\n" + mma,
                   out),
              "")
        << schedule;
    EXPECT_EQ(out[3], 32.0f);
  }
}

/// One product of 1, C = 3/4 of the place after the last one: ptxas adds C to
/// the product in f32 on sm_90, a tensor core with FP8 cuts it off.
TEST(MmaSync, fp8_of_hopper_is_f16_and_an_addition) {
  const std::string body =
      "and.b32 %r6, %r0, 31; setp.eq.u32 %p3, %r6, 31;\n"
      "selp.b32 %r6, 0x38, 0, %p3; mov.u32 %r7, 0; mov.u32 %r4, 0x38;\n"
      "mov.f32 %f4, 0f33c00000;\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32 {%f0, %f1, %f2, "
      "%f3}, {%r6, %r7}, {%r4}, {%f4, %f4, %f4, %f4};\n";
  float out[4];
  EXPECT_EQ(run(body, "eager", out), "");
  EXPECT_EQ(out[0], 0x1.000002p0f);
  EXPECT_EQ(out[2], 0x1.8p-24f);
  EXPECT_EQ(run(body, "eager", out, "sm_100a"), "");
  EXPECT_EQ(out[0], 1.0f);
}

} // namespace
