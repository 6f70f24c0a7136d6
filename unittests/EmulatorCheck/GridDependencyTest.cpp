//===- GridDependencyTest.cpp - programmatic launches ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two launches of which the second may start before the first has ended. What
// it does with the first one's memory has to come after griddepcontrol.wait.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Check/RaceChecker.h"
#include "tc/Emulator/Emulator.h"
#include "tc/Emulator/TensorMap.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tc::emu;

/// The first kernel writes tid to word tid of buf, and reads word 64 + tid.
static std::string first(const std::string &launch) {
  return ".visible .entry first(.param .u64 buf) {\n"
         ".reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
         "ld.param.u64 %rd1, [buf]; mov.u32 %r1, %tid.x;\n"
         "mad.wide.u32 %rd2, %r1, 4, %rd1;\n" +
         launch +
         "\nst.global.u32 [%rd2], %r1;\nld.global.u32 %r2, [%rd2+256];\n"
         "ret; }\n";
}

/// The second one runs `body`; word 128 + tid is its own.
static std::string second(const std::string &body) {
  return ".visible .entry second(.param .u64 buf) {\n"
         ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
         ".shared .align 128 .b8 s[512];\n"
         "ld.param.u64 %rd1, [buf]; mov.u32 %r1, %tid.x;\n"
         "mad.wide.u32 %rd2, %r1, 4, %rd1;\n" +
         body + "\nret; }\n";
}

/// Reports of the second launch, "" if there is none.
static std::string run(const std::string &one, const std::string &two,
                       bool programmatic = true, bool checkRaces = true) {
  std::string all;
  for (const Schedule &schedule : allSchedules()) {
    auto program = parsePTX(
        ".version 8.6\n.target sm_100a\n.address_size 64\n" + one + two,
        "t.ptx");
    EXPECT_TRUE(bool(program)) << program.error().message;
    if (!program)
      return "";
    DeviceMemory memory;
    uint64_t address = *memory.allocate(1024);
    TensorMapDesc map;
    map.globalAddress = address;
    map.dims[0] = 64;
    map.box[0] = 4;
    auto image = encodeTensorMap(map);
    EXPECT_TRUE(bool(image));
    EXPECT_TRUE(
        bool(memory.write(address + 512, image->data(), image->size())));
    LaunchConfig config;
    config.block = {64, 1, 1};
    config.params.resize(8);
    std::memcpy(config.params.data(), &address, 8);
    LaunchSequence sequence;
    RunOptions options;
    options.schedule = schedule;
    options.checkRaces = checkRaces;
    options.sequence = &sequence;
    config.entry = "first";
    config.programmaticLaunch = programmatic;
    RunResult result = launch(**program, config, memory, options);
    EXPECT_TRUE(result.ok) << result.reports[0].message;
    config.entry = "second";
    result = launch(**program, config, memory, options);
    std::string text = result.ok ? "" : result.reports[0].message;
    if (!result.ok)
      EXPECT_EQ(result.reports[0].kind, ReportKind::Race) << text;
    if (schedule.kind == Schedule::Kind::Eager)
      all = text;
    EXPECT_EQ(text.empty(), all.empty()) << schedule.str() << ": " << text;
  }
  return all;
}

static const std::string launches = "griddepcontrol.launch_dependents;";
static const std::string waits = "griddepcontrol.wait;";
static const std::string reads = "ld.global.u32 %r2, [%rd2];";

TEST(GridDependency, ReadsNeedAWait) {
  std::string report = run(first(launches), second(reads));
  for (const char *part :
       {"ld.global.u32 (warp ", "reads global address ",
        "which the st.global.u32 at line ",
        "of the kernel 'first' launched "
        "before writes",
        "no griddepcontrol.wait before the ld.global.u32 at line "})
    EXPECT_NE(report.find(part), std::string::npos) << report;
  EXPECT_EQ(run(first(launches), second(waits + reads)), "");
  // After the access it does not help.
  EXPECT_NE(run(first(launches), second(reads + waits)), "");
}

TEST(GridDependency, WritesNeedAWait) {
  EXPECT_NE(run(first(launches), second("st.global.u32 [%rd2], %r1;")), "");
  // What the first one only reads.
  EXPECT_NE(run(first(launches), second("st.global.u32 [%rd2+256], %r1;")), "");
  EXPECT_EQ(run(first(launches), second("ld.global.u32 %r2, [%rd2+256];")), "");
  // What it does not touch.
  EXPECT_EQ(run(first(launches), second("st.global.u32 [%rd2+512], %r1;")), "");
}

/// A copy reads its tensor map, at byte 512 of buf, as well.
TEST(GridDependency, TensorMapsToo) {
  const std::string writes = launches + "mad.wide.u32 %rd4, %r1, 8, %rd1;\n"
                                        "ld.global.u64 %rd3, [%rd4+512];\n"
                                        "st.global.u64 [%rd4+512], %rd3;\n";
  const std::string uses =
      "add.u64 %rd3, %rd1, 512;\nmov.u32 %r3, 0;\n"
      "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd3, {%r3}];\n";
  EXPECT_NE(run(first(writes), second(uses)), "");
  EXPECT_EQ(run(first(writes), second(waits + uses)), "");
  EXPECT_EQ(run(first(launches), second(uses)), "");
}

TEST(GridDependency, OtherThreadsNeedASynchronisation) {
  const std::string warpZero =
      "setp.ge.u32 %p1, %r1, 32; @%p1 bra SKIP;\n" + waits + "\nSKIP:\n";
  EXPECT_EQ(run(first(launches), second(warpZero + "bar.sync 0;\n" + reads)),
            "");
  EXPECT_NE(run(first(launches), second(warpZero + reads)), "");
}

TEST(GridDependency, CopiesToo) {
  auto copy = [](const std::string &wait) {
    return second("setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE; mov.u32 %r3, s;\n"
                  "mbarrier.init.shared.b64 [%r3], 1;\n"
                  "fence.mbarrier_init.release.cluster;\n" +
                  wait +
                  "mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 64;\n"
                  "add.u32 %r4, %r3, 128;\n"
                  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                  "bytes [%r4], [%rd1], 64, [%r3];\n"
                  "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;\n"
                  "@!%p2 bra W;\nDONE:");
  };
  EXPECT_NE(run(first(launches), copy("")), "");
  EXPECT_EQ(run(first(launches), copy(waits)), "");
}

TEST(GridDependency, OnlyWhereTheGridsOverlap) {
  // Without launch_dependents the second grid starts when the first has ended.
  EXPECT_EQ(run(first(""), second(reads)), "");
  EXPECT_EQ(run(first(launches), second(reads), /*programmatic=*/false), "");
  EXPECT_EQ(run(first(launches), second(reads), true, false), "");
}

// What follows a launch that has overlapped concerns the next one.
TEST(GridDependency, TheNextLaunchStartsAfresh) {
  EXPECT_EQ(run(first(launches), second(waits + "st.global.u32 [%rd2], %r1;")),
            "");
}

TEST(GridDependency, ADroppedRuleIsNoticed) {
  dropRule(Rule::GridDependency);
  std::string report = run(first(launches), second(reads));
  restoreRules();
  EXPECT_EQ(report, "");
}
