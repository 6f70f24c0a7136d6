//===- MemoryTest.cpp - what the race checker keeps -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of copies that are waited for needs no more memory the longer it
// runs, but for a small record of each access to global memory.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Emulator.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

using namespace tc::emu;

/// The largest size of this process since the last call, in KiB; 0 where the
/// system does not say.
static long peakSince() {
  std::ifstream status("/proc/self/status");
  std::string word;
  long peak = 0;
  while (status >> word)
    if (word == "VmHWM:")
      status >> peak;
  std::ofstream reset("/proc/self/clear_refs");
  reset << "5" << std::flush;
  return reset ? peak : 0;
}

static long sizeNow() {
  (void)peakSince();
  return peakSince();
}

/// `rounds` times 16 bytes by a bulk load, back by a bulk store, and each
/// waited for.
static void copyInCircles(unsigned rounds) {
  auto program = parsePTX(
      ".version 8.6\n.target sm_100a\n.address_size 64\n"
      ".visible .entry k(.param .u64 buf, .param .u32 rounds) {\n"
      ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;\n"
      ".shared .align 128 .b8 s[256];\n"
      "ld.param.u64 %rd1, [buf]; ld.param.u32 %r7, [rounds];\n"
      "mov.u32 %r1, s; mov.u32 %r2, 0;\n"
      "mbarrier.init.shared::cta.b64 [%r1], 1;\n"
      "fence.mbarrier_init.release.cluster;\nfence.proxy.async;\n"
      "L: and.b32 %r3, %r2, 1;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%r1+128], [%rd1], 16, [%r1];\n"
      "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r3;\n"
      "@!%p1 bra W;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1+128], 16;\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
      "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, %r7;\n@%p2 bra L;\n"
      "ret; }\n",
      "t.ptx");
  ASSERT_TRUE(bool(program)) << program.error().message;
  DeviceMemory memory;
  uint64_t address = *memory.allocate(1024);
  LaunchConfig config;
  config.entry = "k";
  config.block = {1, 1, 1};
  config.params.resize(12);
  std::memcpy(config.params.data(), &address, 8);
  std::memcpy(config.params.data() + 8, &rounds, 4);
  RunOptions options;
  options.schedule = *Schedule::parse("lazy");
  options.checkRaces = true;
  RunResult result = launch(**program, config, memory, options);
  ASSERT_TRUE(result.ok) << result.reports[0].message;
}

TEST(Memory, doesNotGrowWithTheNumberOfOperations) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer keeps what has been freed";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer keeps what has been freed";
#endif
#endif
  copyInCircles(1000);
  const long before = sizeNow();
  if (!before)
    GTEST_SKIP() << "no /proc/self/clear_refs here";
  constexpr long rounds = 40000;
  copyInCircles(rounds);
  const long perRound = (peakSince() - before) * 1024 / rounds;
  EXPECT_LT(perRound, 600) << "bytes per load and store";
}
