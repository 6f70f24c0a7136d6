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
  for (unsigned i = 0; i < 300; ++i) {
    RunResult result = launch(**program, config, memory, options);
    ASSERT_TRUE(result.ok) << i << ": " << result.reports[0].message;
  }
}
