//===- SampleTest.cpp - the clusters whose accesses are checked -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/Sample.h"
#include "Check/RaceChecker.h"
#include "tc/Emulator/Emulator.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tc::emu;

TEST(Sample, isOfTheSizeThatItSays) {
  for (uint64_t clusters = 1; clusters < 60; ++clusters)
    for (uint64_t most = 0; most < clusters + 5; ++most) {
      const Sample sample(clusters, most);
      uint64_t count = 0;
      for (uint64_t cluster = 0; cluster < clusters; ++cluster)
        count += sample.has(cluster);
      const std::string text = sample.describe();
      if (text.empty())
        EXPECT_EQ(count, clusters) << most;
      else
        EXPECT_EQ(text.find(std::to_string(count) + " of " +
                            std::to_string(clusters) + " clusters ("),
                  0u)
            << text << ", has " << count;
      if (!text.empty())
        EXPECT_EQ(count, most);
      EXPECT_TRUE(sample.has(0));
      EXPECT_TRUE(most == 0 || most > 4 ? sample.has(clusters - 1) : true);
    }
  EXPECT_EQ(Sample(4096, 8).describe(),
            "8 of 4096 clusters (0 to 3, 4092 to 4095)");
  EXPECT_EQ(Sample(4096, 65).describe(),
            "65 of 4096 clusters (0, 255 to 258, 510 to 513, ..., 4092 to "
            "4095)");
}

namespace {
/// Runs `body` by 64 clusters of a warp; %r0 is the cluster, %rd1 the address
/// of 4 KiB, %p0 of lane 0.
RunResult runSample(const std::string &body, uint64_t most) {
  auto program = parsePTX(
      ".version 8.6\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 buf) {\n"
      ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
      "ld.param.u64 %rd1, [buf]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;\n"
      "setp.ne.u32 %p0, %r1, 0; @%p0 bra END;\n" +
          body + "\nEND: ret; }\n",
      "t.ptx");
  EXPECT_TRUE(bool(program)) << program.error().message;
  DeviceMemory memory;
  const uint64_t address = *memory.allocate(4096);
  std::vector<uint8_t> zeros(4096);
  EXPECT_TRUE(bool(memory.write(address, zeros.data(), zeros.size())));
  LaunchConfig config;
  config.entry = "k";
  config.grid = {64, 1, 1};
  config.block = {32, 1, 1};
  config.params.resize(8);
  std::memcpy(config.params.data(), &address, 8);
  RunOptions options;
  options.schedule = *Schedule::parse("eager");
  options.checkRaces = true;
  options.raceClusters = most;
  options.assumptions = AssumptionSet::none();
  return launch(**program, config, memory, options);
}
} // namespace

TEST(Sample, findsRacesOfItsClustersAlone) {
  // Clusters 1 and 2 write one word, and so do 20 and 21.
  auto body = [](const char *first) {
    return std::string("sub.u32 %r2, %r0, ") + first +
           "; setp.gt.u32 %p1, %r2, 1;\n@!%p1 st.global.u32 [%rd1], %r0;";
  };
  EXPECT_FALSE(runSample(body("1"), 0).ok);
  EXPECT_FALSE(runSample(body("20"), 0).ok);
  EXPECT_FALSE(runSample(body("1"), 8).ok);
  const RunResult result = runSample(body("20"), 8);
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.raceSample, "8 of 64 clusters (0 to 3, 60 to 63)");
  EXPECT_EQ(runSample(body("20"), 0).raceSample, "");
}

TEST(Sample, keepsTheOrderThatOthersMake) {
  // Cluster 0 publishes a word through cluster 20 to cluster 61.
  const std::string body =
      "setp.eq.u32 %p1, %r0, 0; @%p1 bra FIRST;\n"
      "setp.eq.u32 %p1, %r0, 20; @%p1 bra BETWEEN;\n"
      "setp.eq.u32 %p1, %r0, 61; @%p1 bra LAST; bra END;\n"
      "FIRST: st.global.u32 [%rd1], 7; st.release.gpu.global.u32 [%rd1+64], 1; "
      "bra END;\n"
      "BETWEEN: ld.acquire.gpu.global.u32 %r3, [%rd1+64];\n"
      "setp.eq.u32 %p1, %r3, 0; @%p1 bra BETWEEN;\n"
      "st.release.gpu.global.u32 [%rd1+128], 1; bra END;\n"
      "LAST: ld.acquire.gpu.global.u32 %r3, [%rd1+128];\n"
      "setp.eq.u32 %p1, %r3, 0; @%p1 bra LAST;\n"
      "ld.global.u32 %r4, [%rd1];";
  for (uint64_t most : {0, 8, 12}) {
    const RunResult result = runSample(body, most);
    EXPECT_TRUE(result.ok) << most << ": " << result.reports[0].message;
  }
  // Without it the sample shows the race.
  std::string broken = body;
  broken.replace(broken.find("ld.acquire.gpu.global.u32 %r3, [%rd1+64]"), 40,
                 "ld.relaxed.gpu.global.u32 %r3, [%rd1+64]");
  EXPECT_FALSE(runSample(broken, 8).ok);
}

TEST(Sample, leavesRoomWhereAllHaveNone) {
  // 256 loads by each cluster, each with a record of its own.
  std::string body;
  for (unsigned i = 0; i < 256; ++i)
    body += "ld.global.u32 %r3, [%rd1+" + std::to_string(4 * i) + "];\n";
  EXPECT_TRUE(runSample(body, 0).ok);
  limitRecords(8192);
  const RunResult full = runSample(body, 0), some = runSample(body, 8);
  restoreRules();
  ASSERT_FALSE(full.ok);
  EXPECT_EQ(full.reports[0].kind, ReportKind::Limit);
  EXPECT_NE(full.reports[0].message.find("--race-clusters=N"),
            std::string::npos)
      << full.reports[0].message;
  EXPECT_TRUE(some.ok) << some.reports[0].message;
}
