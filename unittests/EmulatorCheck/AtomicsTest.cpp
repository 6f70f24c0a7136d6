//===- AtomicsTest.cpp - atomic operations of several clusters --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An atomic operation comes after those that it has read from (PTX ISA 9.0,
// "Observation Order", 8.9.2), in whatever order the threads of the host come.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Emulator.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace tc::emu;

/// Whoever counts last sets the counter back, as many reductions do.
static const char *const kLast = R"(
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buf) {
.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;
ld.param.u64 %rd1, [buf]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
setp.ne.u32 %p1, %r1, 0; @%p1 ret;
mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2;
st.global.u32 [%rd2+64], %r2; membar.gl;
atom.global.add.u32 %r3, [%rd1], 1;
mov.u32 %r4, %nctaid.x; sub.u32 %r4, %r4, 1;
setp.ne.u32 %p2, %r3, %r4; @%p2 ret;
membar.gl; ld.global.u32 %r5, [%rd2+64]; st.global.u32 [%rd1], 0;
ret; })";

TEST(Atomics, areSeenInTheOrderOfTheirResults) {
  auto program = parsePTX(kLast, "t.ptx");
  ASSERT_TRUE(bool(program));
  DeviceMemory memory;
  const uint64_t address = *memory.allocate(4096);
  const uint32_t zero = 0;
  ASSERT_TRUE(bool(memory.write(address, &zero, 4)));
  LaunchConfig config;
  config.entry = "k";
  config.grid = {200, 1, 1};
  config.block = {32, 1, 1};
  config.params.resize(8);
  std::memcpy(config.params.data(), &address, 8);
  RunOptions options;
  options.checkRaces = true;
  options.threads = 4;
  for (unsigned i = 0; i < 100; ++i) {
    RunResult result = launch(**program, config, memory, options);
    ASSERT_TRUE(result.ok) << i << ": " << result.reports[0].message;
  }
}

/// A store after the release that the other cluster has acquired.
TEST(Atomics, areNamedWhereTheReleaseCameTooEarly) {
  auto program = parsePTX(R"(
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buf) {
.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;
ld.param.u64 %rd1, [buf]; mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r2, 0;
@%p1 bra W;
st.global.u32 [%rd1], 1; red.release.gpu.global.add.u32 [%rd1+64], 1;
st.global.u32 [%rd1+4], 2; ret;
W: ld.acquire.gpu.global.u32 %r3, [%rd1+64];
setp.eq.u32 %p2, %r3, 0; @%p2 bra W;
ld.global.u32 %r4, [%rd1]; ld.global.u32 %r5, [%rd1+4];
ret; })",
                          "t.ptx");
  ASSERT_TRUE(bool(program));
  DeviceMemory memory;
  const uint64_t address = *memory.allocate(4096);
  const std::vector<uint8_t> zeros(4096);
  ASSERT_TRUE(bool(memory.write(address, zeros.data(), zeros.size())));
  LaunchConfig config;
  config.entry = "k";
  config.grid = {2, 1, 1};
  config.block = {1, 1, 1};
  config.params.resize(8);
  std::memcpy(config.params.data(), &address, 8);
  RunOptions options;
  options.checkRaces = true;
  options.threads = 1;
  const RunResult result = launch(**program, config, memory, options);
  ASSERT_FALSE(result.ok);
  const std::string &message = result.reports[0].message;
  EXPECT_NE(message.find("nothing orders the two clusters: no release at .gpu "
                         "scope after the st.global.u32 at line 10"),
            std::string::npos)
      << message;
}
