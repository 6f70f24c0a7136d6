//===- WarpAccessTest.cpp - accesses of several lanes at once ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a warp does at once has one record. The verdict is that of its lanes one
// by one: which of them races, at which byte, and that nothing does where a
// barrier orders them.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Emulator.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tc::emu;

namespace {
/// Runs `body` by a block of `threads`; %r0 is the thread, %r1 the address of
/// 4 KiB of shared memory that all have written, %rd1 that of 4 KiB of global
/// memory. Returns the report, "" where there is none.
std::string run(const std::string &body, unsigned threads = 64) {
  const std::string text =
      ".version 8.6\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 buf) {\n"
      ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>; .reg .b16 %h<2>;\n"
      ".shared .align 128 .b8 s[4096];\n"
      "ld.param.u64 %rd1, [buf]; mov.u32 %r0, %tid.x; mov.u32 %r1, s;\n"
      "shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2;\n"
      "Z: st.shared.b32 [%r3], %r2; add.u32 %r3, %r3, " +
      std::to_string(4 * threads) +
      "; add.u32 %r4, %r1, 4096;\n"
      "setp.lt.u32 %p0, %r3, %r4; @%p0 bra Z;\nbar.sync 0;\n"
      // Where thread i's word of shared and of global memory is.
      "add.u32 %r3, %r1, %r2; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd1, "
      "%rd2;\nmov.u32 %r5, 7; mov.u64 %rd5, 7;\n" +
      body + "\nret; }\n";
  auto program = parsePTX(text, "t.ptx");
  if (!program)
    return program.error().message;
  DeviceMemory memory;
  uint64_t address = *memory.allocate(4096);
  LaunchConfig config;
  config.entry = "k";
  config.block = {threads, 1, 1};
  config.params.resize(8);
  std::memcpy(config.params.data(), &address, 8);
  RunOptions options;
  options.schedule = *Schedule::parse("eager");
  options.checkRaces = true;
  RunResult result = launch(**program, config, memory, options);
  return result.ok ? "" : result.reports[0].message;
}

/// The thread of the second access, by its warp and lane.
std::string who(unsigned warp, unsigned lane) {
  return "(warp " + std::to_string(warp) + " lane " + std::to_string(lane) +
         " of CTA (0,0,0))";
}
void expectRace(const std::string &report, const std::string &text) {
  EXPECT_NE(report.find("nothing orders"), std::string::npos) << report;
  EXPECT_NE(report.find(text), std::string::npos) << report;
}
/// Warp 0 stores a tile that warp 1 loads, and the other way round.
TEST(WarpAccess, tiles_of_wmma) {
  const std::string list = " {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}";
  auto tile = [&](bool stores, const std::string &space,
                  const std::string &address) {
    const std::string form = ".sync.aligned.row.m16n16k16" + space + ".f32";
    return stores ? "wmma.store.d" + form + " [" + address + "]," + list + ";\n"
                  : "wmma.load.c" + form + list + ", [" + address + "];\n";
  };
  const std::string start =
      ".reg .f32 %f<8>; mov.f32 %f0, 0f3f800000; mov.f32 %f1, %f0;\n"
      "mov.f32 %f2, %f0; mov.f32 %f3, %f0; mov.f32 %f4, %f0;\n"
      "mov.f32 %f5, %f0; mov.f32 %f6, %f0; mov.f32 %f7, %f0;\n"
      "setp.lt.u32 %p1, %r0, 32; ";
  for (const auto &[space, address] :
       {std::pair<std::string, std::string>{".shared", "%r1"},
        {".global", "%rd1"}})
    for (bool storesFirst : {true, false}) {
      const std::string first = "@!%p1 bra A;\n" +
                                tile(storesFirst, space, address) + "A:\n",
                        second = "@%p1 bra B;\n" +
                                 tile(!storesFirst, space, address) + "B:\n";
      EXPECT_EQ(run(start + first + "bar.sync 0;\n" + second), "");
      const std::string race = run(start + first + second);
      EXPECT_NE(race.find("nothing orders the wmma."), race.npos) << race;
      // Tiles that do not overlap.
      EXPECT_EQ(run(start + first + "@%p1 bra B;\n" +
                    tile(!storesFirst, space, address + "+1024") + "B:\n"),
                "");
    }
}

} // namespace

TEST(WarpAccess, ordersByBarriersOfEveryPattern) {
  // Neighbours, the same place, every second word, turned around.
  for (const char *address :
       {"mov.u32 %r6, %r2;", "and.b32 %r6, %r2, 64;", "mul.lo.u32 %r6, %r2, 2;",
        "sub.u32 %r6, 252, %r2;", "and.b32 %r6, %r2, 12;",
        "xor.b32 %r6, %r2, 20;"}) {
    const std::string at = std::string(address) + "add.u32 %r6, %r1, %r6;\n";
    const std::string use = at + "ld.shared.b32 %r7, [%r6];\nbar.sync 0;\n"
                                 "st.shared.b32 [%r3], %r7;\nbar.sync 0;\n";
    EXPECT_EQ(run(use + use), "") << address;
    const std::string early =
        run(at + "ld.shared.b32 %r7, [%r6];\nst.shared.b32 [%r3], %r7;");
    // Each thread may overwrite what it has read itself.
    EXPECT_EQ(early.empty(), !std::strcmp(address, "mov.u32 %r6, %r2;"))
        << address << early;
  }
}

TEST(WarpAccess, aWideReadSeesEachLanesWrite) {
  // Lane 0 reads what lane 1 wrote; each lane's own word is no race.
  const std::string wide = "shl.b32 %r6, %r0, 3; add.u32 %r6, %r1, %r6;\n";
  expectRace(run("st.shared.b32 [%r3], %r5;\n" + wide +
                     "setp.lt.u32 %p1, %r0, 8;\n"
                     "@%p1 ld.shared.b64 %rd6, [%r6];",
                 32),
             who(0, 0) + " reads shared offset 1028");
  EXPECT_EQ(run("st.shared.b32 [%r3], %r5;\nld.shared.b32 %r7, [%r3];", 32),
            "");
  EXPECT_EQ(run("st.shared.b64 [%r1], %rd5;\nbar.warp.sync -1;\n" + wide +
                    "ld.shared.b64 %rd6, [%r6];",
                1),
            "");
}

TEST(WarpAccess, namesTheLaneAndTheByteOfANarrowWrite) {
  const std::string narrow = "add.u32 %r6, %r1, %r0;\n";
  expectRace(run(narrow + "st.shared.b32 [%r3], %r5;\nbar.warp.sync -1;\n"
                          "setp.ge.u32 %p1, %r0, 32;\n"
                          "@%p1 st.shared.b8 [%r6], %r5;"),
             who(0, 8) + " writes shared offset 1056");
  expectRace(run("st.global.b32 [%rd2], %r5;\ncvt.u64.u32 %rd3, %r0;\n"
                 "add.u64 %rd3, %rd1, %rd3; setp.ge.u32 %p1, %r0, 32;\n"
                 "@%p1 st.global.b8 [%rd3], %r5;"),
             who(0, 8) + " writes global address");
}

TEST(WarpAccess, someLanesAreNotAll) {
  // Half of the first warp comes to the barrier of the reader.
  const std::string half =
      "st.shared.b32 [%r3], %r5;\nand.b32 %r8, %r0, 31;\n"
      "setp.ge.u32 %p1, %r8, 16; @%p1 bra E;\n"
      "setp.lt.u32 %p2, %r0, 32; @!%p2 bra T;\nbarrier.arrive 1, 32;\n"
      "bra.uni E;\nT: barrier.sync 1, 32;\n";
  EXPECT_EQ(run(half + "ld.shared.b32 %r7, [%r3+-128];\nE:"), "");
  expectRace(run(half + "ld.shared.b32 %r7, [%r3+-64];\nE:"), who(1, 0));
  // Thread 0 hands its own word alone to the async proxy.
  expectRace(
      run("st.shared.b32 [%r3], %r5;\n"
          "setp.ne.u32 %p2, %r0, 0; @%p2 bra E;\nfence.proxy.async;\n"
          "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 128;\n"
          "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nE:",
          32),
      "shared offset 1028");
  EXPECT_EQ(
      run("st.shared.b32 [%r3], %r5;\nbar.warp.sync -1;\n"
          "setp.ne.u32 %p2, %r0, 0; @%p2 bra E;\nfence.proxy.async;\n"
          "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 128;\n"
          "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nE:",
          32),
      "");
}

TEST(WarpAccess, manyReadersAreAllThere) {
  // All warps read all words, then the last one writes one too early.
  const std::string all = "mov.u32 %r8, 0;\nL: mad.lo.u32 %r6, %r8, 128, %r1;\n"
                          "and.b32 %r7, %r2, 124; add.u32 %r6, %r6, %r7;\n"
                          "ld.shared.b32 %r9, [%r6];\nadd.u32 %r8, %r8, 1;\n"
                          "setp.lt.u32 %p1, %r8, 32; @%p1 bra L;\n";
  EXPECT_EQ(run(all + "bar.sync 0;\nst.shared.b32 [%r3], %r5;", 512), "");
  expectRace(run(all + "setp.eq.u32 %p2, %r0, 300;\n"
                       "@%p2 st.shared.b32 [%r1+2048], %r5;",
                 512),
             "");
  expectRace(run(all +
                     "setp.lt.u32 %p2, %r0, 32;\n@%p2 bra W;\n"
                     "bar.arrive 1, 512;\nbra.uni E;\n"
                     "W: bar.sync 1, 512;\nst.shared.b32 [%r3], %r5;\n"
                     "E:\n" +
                     std::string("setp.eq.u32 %p3, %r0, 40;\n"
                                 "@%p3 ld.shared.b32 %r9, [%r1];"),
                 512),
             "");
}

TEST(WarpAccess, storesOfOneValueAreToleratedInOrder) {
  // All lanes store the same, or each another, to one word.
  EXPECT_EQ(run("st.shared.b32 [%r1], %r5;"), "");
  expectRace(run("st.shared.b32 [%r1], %r0;"), "");
  EXPECT_EQ(run("st.global.b32 [%rd1], %r5;"), "");
  expectRace(run("st.global.b32 [%rd1], %r0;"), "");
}

TEST(WarpAccess, scatteredLanesAreEachTheirOwn) {
  // Words, and pairs of words, whose neighbours are elsewhere: thread i's is at
  // 5 * i of its size modulo 64, so that no other has it.
  for (const char *size : {"2", "3"}) {
    const std::string type = *size == '2' ? "b32" : "b64",
                      value = *size == '2' ? "%r7" : "%rd6";
    const std::string at = "mul.lo.u32 %r6, %r0, 5; and.b32 %r6, %r6, 63;\n"
                           "shl.b32 %r6, %r6, " +
                           std::string(size) + "; add.u32 %r6, %r1, %r6;\n";
    const std::string load = "ld.shared." + type + " " + value + ", [%r6];\n",
                      store = "st.shared." + type + " [%r6], " + value + ";\n";
    // What its own lane has read and written is in order.
    EXPECT_EQ(run(at + load + store + load + store), "") << size;
    EXPECT_EQ(run(at + load + store +
                  "bar.sync 0;\n"
                  "ld.shared.b32 %r7, [%r3];"),
              "")
        << size;
    // Thread 13 has the element that follows that of thread 0.
    const std::string next =
        "add.u32 %r6, %r6, " + std::to_string(1 << (*size - '0')) + ";\n";
    expectRace(run(at + load + store + "setp.eq.u32 %p1, %r0, 0;\n" + next +
                       "@%p1 " + load,
                   32),
               who(0, 0) + " reads shared offset " +
                   std::to_string(1024 + (1 << (*size - '0'))));
  }
}

TEST(WarpAccess, lanesThatRepeatPlacesAreAllThere) {
  // Lanes that are n apart read the same word, be n a power of two or not; the
  // first of them overwrites what another one has read.
  for (unsigned n : {8, 12, 16}) {
    const std::string read = "rem.u32 %r6, %r0, " + std::to_string(n) +
                             "; shl.b32 %r6, %r6, 2;\nadd.u32 %r6, %r1, %r6;\n"
                             "ld.shared.b32 %r7, [%r6];\n";
    const std::string write = "setp.lt.u32 %p1, %r0, " + std::to_string(n) +
                              ";\n@%p1 st.shared.b32 [%r3], %r5;\n";
    EXPECT_EQ(run(read + "bar.warp.sync -1;\n" + write, 32), "") << n;
    expectRace(run(read + write, 32), "shared offset 1024");
    // Only lanes that have come to a barrier are ordered by it.
    const std::string some =
        read + "setp.lt.u32 %p2, %r0, " + std::to_string(n) +
        ";\n@!%p2 bra E;\nbar.warp.sync " + std::to_string((1u << n) - 1) +
        ";\n" + write + "E:";
    expectRace(run(some, 32), "shared offset 1024");
  }
}

TEST(WarpAccess, loopsShareARecordUntilABarrier) {
  // The same load at other words, and by other lanes, in each round.
  const std::string loop =
      "mov.u32 %r8, 0;\nL: add.u32 %r6, %r0, %r8; and.b32 %r6, %r6, 63;\n"
      "shl.b32 %r6, %r6, 2; add.u32 %r6, %r1, %r6;\n"
      "setp.ge.u32 %p2, %r0, %r8;\n@%p2 ld.shared.b32 %r9, [%r6];\n"
      "add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 32; @%p1 bra L;\n";
  EXPECT_EQ(run(loop + "bar.sync 0;\nst.shared.b32 [%r3], %r5;"), "");
  // Thread 63 alone has read word 62 in round 63, which does not come; thread
  // 62 has in round 0, and 61 in round 1.
  expectRace(run(loop + "setp.eq.u32 %p3, %r0, 62;\n"
                        "@%p3 st.shared.b32 [%r3], %r5;"),
             who(1, 30) + " writes shared offset 1272");
}
