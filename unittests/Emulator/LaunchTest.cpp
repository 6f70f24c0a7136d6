//===- LaunchTest.cpp - launch checks and schedules -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What launch refuses before anything runs, and that schedules replay.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tc::emu;
using namespace tc::emu::test;

static std::string refuse(const std::string &directives, LaunchConfig config,
                          const std::string &module = "",
                          const std::string &body = "") {
  auto program = parsePTX(kernel(body, module, directives), "t.ptx");
  EXPECT_TRUE(bool(program));
  DeviceMemory memory;
  if (config.params.empty())
    config.params.resize(8);
  RunResult result = launch(**program, config, memory);
  EXPECT_FALSE(result.ok);
  return result.reports.empty() ? "" : result.reports[0].message;
}

TEST(Launch, BadConfigurations) {
  LaunchConfig config;
  config.entry = "other";
  EXPECT_TRUE(contains(refuse("", config), "no entry is named 'other'"));
  config = {};
  config.block = {2048, 1, 1};
  EXPECT_TRUE(contains(refuse("", config), "at most 1024 threads"));
  config = {};
  config.block = {64, 1, 1};
  EXPECT_TRUE(contains(refuse(".reqntid 128", config),
                       "expected block (128,1,1) (.reqntid), got (64,1,1)"));
  EXPECT_TRUE(contains(refuse(".maxntid 32", config), ".maxntid"));
  config = {};
  config.grid = {3, 1, 1};
  config.cluster = {2, 1, 1};
  EXPECT_TRUE(contains(refuse("", config), "a multiple of cluster (2,1,1)"));
  EXPECT_TRUE(contains(refuse(".reqnctapercluster 4, 1, 1", config),
                       "expected cluster (4,1,1)"));
  config = {};
  config.grid = {0, 1, 1};
  EXPECT_TRUE(contains(refuse("", config), "positive grid"));
  config = {};
  config.params.resize(12);
  EXPECT_TRUE(contains(refuse("", config), "8 bytes of parameters, got 12"));
  config = {};
  config.dynamicSmem = 232448;
  EXPECT_TRUE(
      contains(refuse("", config, ".shared .b8 s[16];", "mov.u32 %r2, s;"),
               "at most 232448 bytes of shared memory"));
}

TEST(Launch, RequiredClusterIsTheDefault) {
  auto program =
      parsePTX(kernel("mov.u32 %r2, %cluster_nctarank; cvt.u64.u32 %rd3, %r2;\n"
                      "st.global.u64 [%rd1], %rd3;",
                      "", ".reqnctapercluster 2, 1, 1"),
               "t.ptx");
  ASSERT_TRUE(bool(program));
  DeviceMemory memory;
  uint64_t address = *memory.allocate(8);
  LaunchConfig config;
  config.grid = {2, 1, 1};
  config.params.resize(8);
  memcpy(config.params.data(), &address, 8);
  ASSERT_TRUE(launch(**program, config, memory).ok);
  uint64_t value = 0;
  ASSERT_TRUE(bool(memory.read(address, &value, 8)));
  EXPECT_EQ(value, 2u);
}

TEST(Launch, ClustersOfOneAreExplicitIfNamed) {
  const std::string body = "mov.pred %p1, %is_explicit_cluster;\n"
                           "selp.u64 %rd3, 1, 0, %p1;\n"
                           "st.global.u64 [%rd2], %rd3;";
  Options options;
  EXPECT_EQ(run(kernel(body), options).words[0], 1u);
  options.cluster = 0;
  EXPECT_EQ(run(kernel(body), options).words[0], 0u);
  EXPECT_EQ(
      run(kernel(body, "", ".reqnctapercluster 1, 1, 1"), options).words[0],
      1u);
}

TEST(Schedule, Parse) {
  EXPECT_EQ(Schedule::parse("eager")->str(), "eager");
  EXPECT_EQ(Schedule::parse("lazy")->str(), "lazy");
  EXPECT_EQ(Schedule::parse("random:17")->str(), "random:17");
  EXPECT_EQ(Schedule::parse("random")->str(), "random:0");
  EXPECT_FALSE(bool(Schedule::parse("random:")));
  EXPECT_FALSE(bool(Schedule::parse("random:x")));
  EXPECT_FALSE(bool(Schedule::parse("fast")));
}

TEST(Schedule, SeedsReplay) {
  // Warps take tickets: their order is the schedule's.
  std::string text =
      kernel("and.b32 %r2, %r1, 31; setp.ne.u32 %p1, %r2, 0; @%p1 bra END;\n"
             "atom.shared.add.u32 %r3, [t], 1; shr.u32 %r4, %r1, 5;\n"
             "cvt.u64.u32 %rd3, %r4; mad.wide.u32 %rd4, %r3, 8, %rd1;\n"
             "st.global.u64 [%rd4], %rd3;\nEND:",
             ".shared .u32 t;");
  text.replace(text.find("and.b32 %r2, %r1, 31;"), 0,
               "mov.u32 %r9, 0; setp.eq.u32 %p2, %r1, 0;\n"
               "@%p2 st.shared.u32 [t], %r9; bar.sync 0;\n");
  Options o;
  o.threads = 256;
  bool differ = false;
  std::vector<uint64_t> before;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    o.schedule = "random:" + std::to_string(seed);
    Outcome first = run(text, o), second = run(text, o);
    ASSERT_TRUE(first.result.ok) << first.message();
    EXPECT_EQ(first.words, second.words);
    differ |= !before.empty() && before != first.words;
    before = first.words;
  }
  EXPECT_TRUE(differ);
}

// A preferred cluster is a wish: the schedule says whether it comes true.
TEST(Launch, PreferredCluster) {
  std::string text = kernel("mov.u32 %r2, %cluster_nctarank; mov.u32 %r4, "
                            "%envreg31;\n"
                            "add.u32 %r2, %r2, %r4; cvt.u64.u32 %rd3, %r2;\n"
                            "mov.u32 %r3, %ctaid.x; mad.wide.u32 %rd4, %r3, "
                            "8, %rd1;\n"
                            "st.global.u64 [%rd4], %rd3;");
  auto program = parsePTX(text, "t.ptx");
  ASSERT_TRUE(program);
  DeviceMemory memory;
  uint64_t buffer = *memory.allocate(64);
  LaunchConfig config;
  config.grid = {8, 1, 1};
  config.cluster = {2, 1, 1};
  config.preferredCluster = {4, 1, 1};
  config.envregs[31] = 100;
  config.params.resize(8);
  std::memcpy(config.params.data(), &buffer, 8);
  auto sizeUnder = [&](const char *schedule) {
    RunOptions options;
    options.schedule = *Schedule::parse(schedule);
    RunResult result = launch(**program, config, memory, options);
    EXPECT_TRUE(result.ok);
    uint64_t value = 0;
    EXPECT_TRUE(memory.read(buffer + 56, &value, 8));
    return value;
  };
  EXPECT_EQ(sizeUnder("eager"), 102u);
  EXPECT_EQ(sizeUnder("lazy"), 104u);
  EXPECT_EQ(sizeUnder("random:2"), 102u);
  EXPECT_EQ(sizeUnder("random:3"), 104u);
  config.preferredCluster = {3, 1, 1};
  RunResult refused = launch(**program, config, memory);
  ASSERT_FALSE(refused.ok);
  EXPECT_NE(refused.reports[0].message.find(
                "expected a preferred cluster that is a multiple of cluster "
                "(2,1,1) and divides grid (8,1,1), got (3,1,1)"),
            std::string::npos)
      << refused.reports[0].message;
}
