//===- PtxHarness.h - Small PTX kernels in tests ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wraps a few lines of PTX into a kernel with a pointer parameter, a page of
// shared memory and the registers that tests use, and runs it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_EMULATORENGINES_PTXHARNESS_H
#define TC_UNITTESTS_EMULATORENGINES_PTXHARNESS_H

#include "Emulator/Engines/TMA/TmaBox.h"
#include "tc/Emulator/Emulator.h"
#include "tc/Emulator/TensorMap.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <vector>

namespace tc::emu::test {

/// Schedules that every kernel of these tests runs under.
inline std::vector<std::string> schedules() {
  std::vector<std::string> names = {"random:2", "random:3", "starvation:1"};
  for (const Schedule &schedule : allSchedules())
    names.push_back(schedule.str());
  return names;
}

inline std::string num(uint64_t value) { return std::to_string(value); }

/// A kernel `k` with parameters out (u64), mapA and mapB (tensor maps), 4 KiB
/// aligned shared memory `smem` of `smemBytes` bytes. Registers: %r0 to %r63,
/// %rd0 to %rd31, %p0 to %p7, %v0 to %v127. On entry %r0 is tid.x, %r1 the
/// warp, %rd0 the pointer, %r2 the address of smem.
inline std::string kernel(const std::string &body, unsigned smemBytes = 65536) {
  return ".version 8.6\n.target sm_100a\n.address_size 64\n"
         ".visible .entry k(.param .u64 out, .param .align 64 .b8 mapA[128], "
         ".param .align 64 .b8 mapB[128])\n{\n"
         ".reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n.reg .pred %p<8>;\n.reg .b32 "
         "%v<128>;\n.reg .b16 %h<4>;\n"
         ".shared .align 1024 .b8 smem[" +
         std::to_string(smemBytes) +
         "];\n"
         "mov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 5;\nld.param.u64 %rd0, "
         "[out];\nmov.u32 %r2, smem;\n" +
         body + "\nret;\n}\n";
}

/// Shape of a box whose rows follow each other without gaps.
inline BoxShape oneRow(uint32_t bytes) {
  BoxShape shape;
  shape.rows = 1;
  shape.sharedRow = shape.sharedPitch = bytes;
  shape.sharedBytes = shape.denseBytes = bytes;
  return shape;
}

struct Outcome {
  RunResult result;
  std::vector<uint32_t> out;
  std::string message() const {
    return result.reports.empty() ? "" : result.reports[0].message;
  }
};

/// Nothing is assumed unless asked for. Runs with `threads` threads in each of
/// `cluster` CTAs; the output buffer has `words` words.
inline Outcome run(const std::string &ptx, unsigned words, unsigned threads,
                   const std::string &schedule,
                   const std::vector<uint8_t> &a = {}, TensorMapDesc mapA = {},
                   const std::vector<uint8_t> &b = {}, TensorMapDesc mapB = {},
                   unsigned cluster = 1,
                   AssumptionSet assumptions = AssumptionSet::none()) {
  Outcome outcome;
  auto program = parsePTX(ptx, "test.ptx");
  EXPECT_TRUE(bool(program))
      << program.error().line << ": " << program.error().message;
  if (!program)
    return outcome;
  DeviceMemory memory;
  uint64_t out = *memory.allocate(words * 4 + 4, 256);
  LaunchConfig config;
  config.grid = {cluster, 1, 1};
  config.cluster = {cluster, 1, 1};
  config.block = {threads, 1, 1};
  config.params.resize(320);
  std::memcpy(config.params.data(), &out, 8);
  auto place = [&](const std::vector<uint8_t> &data, TensorMapDesc map,
                   size_t at) {
    if (data.empty())
      return;
    map.globalAddress = *memory.allocate(data.size(), 256);
    EXPECT_TRUE(
        bool(memory.write(map.globalAddress, data.data(), data.size())));
    Expected<TensorMapImage> image = encodeTensorMap(map);
    EXPECT_TRUE(bool(image)) << image.error().message;
    if (image)
      std::memcpy(config.params.data() + at, image->data(), 128);
  };
  place(a, mapA, 64);
  place(b, mapB, 192);
  RunOptions options;
  options.schedule = *Schedule::parse(schedule);
  options.maxInstructions = 20'000'000;
  options.assumptions = assumptions;
  outcome.result = launch(**program, config, memory, options);
  outcome.out.resize(words);
  EXPECT_TRUE(bool(memory.read(out, outcome.out.data(), words * 4)));
  return outcome;
}

/// First report of a run that must fail.
inline std::string failure(const std::string &body,
                           const std::string &schedule = "lazy",
                           unsigned threads = 128,
                           AssumptionSet assumptions = AssumptionSet::none()) {
  Outcome outcome = run(kernel(body), 1024, threads, schedule, {}, {}, {}, {},
                        1, assumptions);
  return outcome.result.ok ? "ran" : outcome.message();
}

} // namespace tc::emu::test

#endif // TC_UNITTESTS_EMULATORENGINES_PTXHARNESS_H
