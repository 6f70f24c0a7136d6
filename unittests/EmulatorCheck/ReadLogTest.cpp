//===- ReadLogTest.cpp - reads of memory that nothing writes ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the readers of an allocation are, in logs until the first write or in
// cells from the start, makes no difference to what is reported.
//
//===----------------------------------------------------------------------===//

#include "Check/RaceChecker.h"
#include "tc/Emulator/Emulator.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace tc::emu;

namespace {
constexpr unsigned kLogBlocks = 3, kLogThreads = 64;

/// Runs `body` by three blocks of two warps; %r0 is the thread of its block,
/// %r1 its block, %rd1 and %rd2 are allocations of 256 KiB. Returns the
/// reports.
std::string runReads(const std::string &body) {
  const std::string text =
      ".version 8.6\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 a, .param .u64 b) {\n"
      ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>; .reg .b16 %h<8>;\n"
      "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
      "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r5, 7;\n"
      "mov.u64 %rd5, 7; mov.u16 %h1, 7;\n" +
      body + "\nret; }\n";
  auto program = parsePTX(text, "t.ptx");
  if (!program)
    return program.error().message;
  DeviceMemory memory;
  const uint64_t addresses[2] = {*memory.allocate(1 << 18),
                                 *memory.allocate(1 << 18)};
  LaunchConfig config;
  config.entry = "k";
  config.grid = {kLogBlocks, 1, 1};
  config.block = {kLogThreads, 1, 1};
  config.params.resize(16);
  std::memcpy(config.params.data(), addresses, 16);
  RunOptions options;
  options.schedule = *Schedule::parse("eager");
  options.checkRaces = true;
  options.keepRaces = 8;
  options.threads = 1;
  std::string all;
  const RunResult result = launch(**program, config, memory, options);
  for (const Report &report : result.reports)
    all += report.message + "\n";
  return all;
}

/// The reports, which are the same however many reads are logged.
std::string runLogged(const std::string &body) {
  const std::string logged = runReads(body);
  for (size_t most : {0, 1, 3}) {
    limitReads(most);
    EXPECT_EQ(runReads(body), logged) << "with " << most << " items:\n" << body;
    restoreRules();
  }
  return logged;
}

bool showsRace(const std::string &reports) {
  return reports.find("nothing orders") != std::string::npos;
}

/// %rd3 = the allocation plus what the thread makes of `form`.
std::string placeOf(unsigned allocation, unsigned form) {
  const std::string base = "%rd" + std::to_string(1 + allocation);
  const char *const offsets[] = {
      "shl.b32 %r2, %r0, 4;",                         // one after the other
      "and.b32 %r2, %r0, 7; shl.b32 %r2, %r2, 4;",    // over again
      "mov.u32 %r2, 64;",                             // one place
      "mul.lo.u32 %r2, %r0, 112;",                    // apart
      "mul.lo.u32 %r2, %r0, 4064;",                   // over pages
      "shl.b32 %r2, %r0, 4; xor.b32 %r2, %r2, 0x3f0;" // backwards
  };
  return std::string(offsets[form]) + " cvt.u64.u32 %rd3, %r2; add.u64 %rd3, " +
         base + ", %rd3;\n";
}

TEST(ReadLog, a_write_meets_readers_of_before) {
  for (unsigned form = 0; form < 6; ++form) {
    const std::string read = placeOf(0, form) + "ld.global.u32 %r3, [%rd3];\n";
    const std::string write =
        "setp.eq.u32 %p1, %r1, 2; @%p1 st.global.u32 [%rd3], %r5;\n";
    EXPECT_TRUE(showsRace(runLogged(read + write))) << form;
    // Of another allocation, or before the read of none but its own thread.
    EXPECT_FALSE(showsRace(runLogged(read))) << form;
  }
}

TEST(ReadLog, a_barrier_orders_what_was_logged) {
  const std::string guard = "setp.ne.u32 %p1, %r1, 0; @%p1 bra END;\n";
  const std::string read =
      guard + placeOf(0, 0) + "ld.global.u32 %r3, [%rd3];\n";
  // What the other warp has read.
  const std::string write =
      "xor.b32 %r2, %r2, 512; cvt.u64.u32 %rd3, %r2; add.u64 %rd3, %rd1, "
      "%rd3;\nst.global.u32 [%rd3], %r5;\nEND:\n";
  EXPECT_TRUE(showsRace(runLogged(read + write)));
  EXPECT_FALSE(showsRace(runLogged(read + "bar.sync 0;\n" + write)));
}

TEST(ReadLog, atomic_operations_and_copies_count_as_well) {
  const std::string read = placeOf(0, 0) + "ld.global.u32 %r3, [%rd3];\n";
  EXPECT_TRUE(showsRace(runLogged(read + "red.global.add.u32 [%rd3], 1;\n")));
  EXPECT_FALSE(showsRace(runLogged(placeOf(0, 0) +
                                   "ld.relaxed.gpu.global.u32 %r3, [%rd3];\n"
                                   "red.global.add.u32 [%rd3], 1;\n")));
  // Sources of a copy, read in the generic proxy.
  const std::string copy = ".shared .align 16 .b8 s[1024];\n" + placeOf(0, 0) +
                           "mov.u32 %r4, s; shl.b32 %r6, %r0, 4;\n"
                           "add.u32 %r4, %r4, %r6;\n"
                           "cp.async.ca.shared.global [%r4], [%rd3], 16;\n"
                           "cp.async.wait_all;\n";
  EXPECT_TRUE(showsRace(runLogged(copy + "st.global.u32 [%rd3+4], %r5;\n")));
}

/// Programs of reads, writes, atomic operations and barriers at random.
TEST(ReadLog, programs_at_random) {
  std::mt19937 random(26);
  auto draw = [&](unsigned count) { return unsigned(random() % count); };
  const char *const loads[] = {"ld.global.u8 %h2, [%rd3];",
                               "ld.global.u16 %h2, [%rd3+2];",
                               "ld.global.u32 %r3, [%rd3+4];",
                               "ld.global.u64 %rd4, [%rd3+8];",
                               "ld.global.v4.u32 {%r3,%r6,%r7,%r8}, [%rd3];",
                               "ld.relaxed.gpu.global.u32 %r3, [%rd3+4];",
                               "ld.acquire.gpu.global.u32 %r3, [%rd3+4];"};
  const char *const writes[] = {"st.global.u8 [%rd3+1], %h1;",
                                "st.global.u32 [%rd3+4], %r5;",
                                "st.global.u64 [%rd3+8], %rd5;",
                                "st.global.v2.u64 [%rd3], {%rd5,%rd5};",
                                "st.release.gpu.global.u32 [%rd3+4], %r5;",
                                "red.global.add.u32 [%rd3+4], 1;",
                                "atom.global.add.u32 %r3, [%rd3+4], 1;"};
  unsigned races = 0;
  for (unsigned program = 0; program < 150; ++program) {
    std::string body;
    const unsigned count = 3 + draw(8);
    for (unsigned i = 0; i < count; ++i) {
      const unsigned what = draw(8);
      if (what == 0) {
        body += "bar.sync 0;\n";
        continue;
      }
      body += placeOf(draw(2), draw(6));
      // Some blocks, some warps, some lanes.
      const unsigned who = draw(4);
      body += who == 0   ? "setp.eq.u32 %p1, %r1, 1;\n"
              : who == 1 ? "setp.lt.u32 %p1, %r0, 32;\n"
              : who == 2 ? "and.b32 %r4, %r0, 5; setp.eq.u32 %p1, %r4, 1;\n"
                         : "setp.ge.u32 %p1, %r0, 0;\n";
      const bool isWrite = i + 2 >= count && what > 3;
      body += std::string("@%p1 ") +
              (isWrite ? writes[draw(7)] : loads[draw(7)]) + "\n";
    }
    races += showsRace(runLogged(body));
  }
  EXPECT_GT(races, 20u);
  EXPECT_LT(races, 140u);
}
} // namespace
