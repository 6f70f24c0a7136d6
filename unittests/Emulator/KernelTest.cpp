//===- KernelTest.cpp - kernels that nvcc compiled ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// data/kernels.cu goes through nvcc to PTX when the tests are built, and runs
// here under every schedule.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <fstream>
#include <sstream>

using namespace tc::emu;
using namespace tc::emu::test;

#ifdef TC_KERNELS_PTX
namespace {
class Kernels : public ::testing::Test {
protected:
  void SetUp() override {
    std::ifstream file(TC_KERNELS_PTX);
    std::stringstream text;
    text << file.rdbuf();
    auto parsed = parsePTX(text.str(), TC_KERNELS_PTX);
    ASSERT_TRUE(bool(parsed)) << parsed.error().message;
    program = *parsed;
  }

  template <class T>
  uint64_t upload(const std::vector<T> &data) {
    uint64_t address = *memory.allocate(data.size() * sizeof(T));
    EXPECT_TRUE(
        bool(memory.write(address, data.data(), data.size() * sizeof(T))));
    return address;
  }
  template <class T>
  std::vector<T> download(uint64_t address, size_t n) {
    std::vector<T> data(n);
    EXPECT_TRUE(bool(memory.read(address, data.data(), n * sizeof(T))));
    return data;
  }
  template <class T>
  void param(T value) {
    while (config.params.size() % sizeof(T))
      config.params.push_back(0);
    const uint8_t *bytes = reinterpret_cast<const uint8_t *>(&value);
    config.params.insert(config.params.end(), bytes, bytes + sizeof(T));
  }
  RunResult start(const std::string &schedule, unsigned threads = 0) {
    RunOptions options;
    options.schedule = *Schedule::parse(schedule);
    options.threads = threads;
    return launch(*program, config, memory, options);
  }
  void reset(const char *entry, std::array<unsigned, 3> grid,
             std::array<unsigned, 3> block) {
    config = {};
    config.entry = entry;
    config.grid = grid;
    config.block = block;
  }

  std::shared_ptr<const Program> program;
  DeviceMemory memory;
  LaunchConfig config;
};
} // namespace

TEST_F(Kernels, VectorAdd) {
  for (const std::string &schedule : schedules()) {
    std::vector<float> a(1000), b(1000);
    for (int i = 0; i < 1000; ++i) {
      a[i] = float(i);
      b[i] = float(2 * i);
    }
    reset("vectorAdd", {4, 1, 1}, {256, 1, 1});
    uint64_t out = *memory.allocate(4000);
    param(upload(a));
    param(upload(b));
    param(out);
    param(1000);
    RunResult result = start(schedule);
    ASSERT_TRUE(result.ok) << result.reports[0].message;
    std::vector<float> c = download<float>(out, 1000);
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(c[i], float(3 * i));
  }
}

TEST_F(Kernels, SharedMemoryGemm) {
  const int m = 50, n = 40, k = 70;
  std::vector<float> a(m * k), b(k * n);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(int(i * 7 % 11) - 5);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = float(int(i * 5 % 13) - 6);
  for (const std::string &schedule : schedules()) {
    reset("sgemm", {3, 4, 1}, {16, 16, 1});
    uint64_t out = *memory.allocate(m * n * 4);
    param(upload(a));
    param(upload(b));
    param(out);
    param(m);
    param(n);
    param(k);
    RunResult result = start(schedule);
    ASSERT_TRUE(result.ok) << result.reports[0].message;
    std::vector<float> c = download<float>(out, m * n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int l = 0; l < k; ++l)
          sum += a[i * k + l] * b[l * n + j];
        ASSERT_EQ(c[i * n + j], sum);
      }
  }
}

TEST_F(Kernels, Reduction) {
  std::vector<int> in(5000);
  int sum = 0;
  for (size_t i = 0; i < in.size(); ++i)
    sum += in[i] = int(i * 37 % 101);
  for (const std::string &schedule : schedules()) {
    reset("reduceSum", {6, 1, 1}, {128, 1, 1});
    uint64_t out = upload(std::vector<int>{0});
    param(upload(in));
    param(out);
    param(5000);
    RunResult result = start(schedule);
    ASSERT_TRUE(result.ok) << result.reports[0].message;
    EXPECT_EQ(download<int>(out, 1)[0], sum);
  }
}

TEST_F(Kernels, DivergenceCallsAndSwitch) {
  int expected[32];
  uint32_t ballot = 0;
  for (int t = 0; t < 32; ++t) {
    int steps = 0;
    for (int n = t + 1; n != 1; ++steps)
      n = n & 1 ? 3 * n + 1 : n / 2;
    int v = steps;
    switch (t % 5) {
    case 0:
      v += 10;
      break;
    case 1:
      v *= 3;
      break;
    case 2:
      v ^= 0x55;
      break;
    case 3:
      v -= 7;
      break;
    }
    expected[t] = v;
    ballot |= uint32_t(v > 20) << t;
  }
  for (const std::string &schedule : schedules()) {
    reset("divergent", {1, 1, 1}, {32, 1, 1});
    uint64_t out = *memory.allocate(128);
    param(out);
    RunResult result = start(schedule);
    ASSERT_TRUE(result.ok) << result.reports[0].message;
    std::vector<int> values = download<int>(out, 32);
    for (int t = 0; t < 32; ++t)
      EXPECT_EQ(values[t], expected[t] + __builtin_popcount(ballot));
  }
}

TEST_F(Kernels, PrintfAndAssert) {
  reset("prints", {1, 1, 1}, {32, 1, 1});
  param(2);
  RunResult result = start("eager");
  ASSERT_TRUE(result.ok) << result.reports[0].message;
  EXPECT_EQ(result.output, "thread 0: 0.00 ok\nthread 1: 1.50 ok\n");
  reset("prints", {1, 1, 1}, {32, 1, 1});
  param(200);
  result = start("eager");
  ASSERT_FALSE(result.ok);
  EXPECT_EQ(result.reports[0].kind, ReportKind::Assertion);
  EXPECT_TRUE(
      contains(result.reports[0].message, "device assertion 'n < 100' failed"))
      << result.reports[0].message;
}

TEST_F(Kernels, Speed) {
  reset("spin", {1, 1, 1}, {128, 1, 1});
  param(*memory.allocate(512));
  param(200000);
  RunResult result = start("eager", 1);
  ASSERT_TRUE(result.ok);
  RecordProperty(
      "million warp instructions per second",
      int(double(result.stats.warpInstructions) / result.stats.seconds / 1e6));
  EXPECT_GT(result.stats.warpInstructions, 1'000'000u);
}
#else
TEST(Kernels, NeedNvcc) { GTEST_SKIP() << "nvcc was not found by CMake"; }
#endif
