//===- SessionTest.cpp - Preparing, running, comparing ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session on a device whose one kernel is a C++ function: what it passes to
// the device, what it refuses before that, and what it finds in the results.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Session.h"

#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>

using namespace tc;
using namespace tc::runtime;

namespace {

/// Memory is a map from address to bytes; `kernel` is what a launch does.
struct FakeDevice final : Device {
  FakeDevice() {
    emu::KernelInfo info;
    info.name = "matmul";
    info.params = {{"a", 0, 8, 8},  {"b", 8, 8, 8},  {"d", 16, 8, 8},
                   {"m", 24, 4, 4}, {"n", 28, 4, 4}, {"k", 32, 4, 4}};
    info.paramBytes = 36;
    infos = {info};
  }
  Status load(std::string_view, const std::string &) override { return {}; }
  const std::vector<emu::KernelInfo> &kernels() const override { return infos; }
  Expected<uint64_t> allocate(uint64_t bytes, uint64_t address,
                              const std::string &) override {
    if (address == 13)
      return makeError("the address is taken");
    next += 0x10000;
    memory[address ? address : next].resize(bytes);
    return address ? address : next;
  }
  Status write(uint64_t address, const std::vector<uint8_t> &data) override {
    memory[address] = data;
    return {};
  }
  Status read(uint64_t address, std::vector<uint8_t> &data) override {
    data = memory[address];
    return {};
  }
  Status setReadOnly(uint64_t address) override {
    readOnly.push_back(address);
    return {};
  }
  Expected<std::array<uint8_t, 128>>
  encodeTensorMap(const TensorMapArguments &) override {
    return std::array<uint8_t, 128>{};
  }
  emu::RunResult launch(const emu::LaunchConfig &config,
                        const emu::RunOptions &options) override {
    configs.push_back(config);
    emu::RunResult result;
    result.ok = true;
    result.stats.warpInstructions = 10;
    if (options.schedule.kind == failing) {
      result.ok = false;
      result.reports.push_back({emu::ReportKind::Deadlock,
                                "all warps wait",
                                {7},
                                /*postMortem=*/{}});
      return result;
    }
    multiply(config.params, options.schedule.kind == wrong);
    return result;
  }

  template <typename T>
  static T get(const std::vector<uint8_t> &bytes, size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(value));
    return value;
  }
  float &element(std::vector<uint8_t> &bytes, size_t index) {
    return reinterpret_cast<float *>(bytes.data())[index];
  }
  /// D[i][j] = sum A[i][k] * B[k][j] for tf32 stored in 32 bits; D rows are
  /// n + gap apart.
  void multiply(const std::vector<uint8_t> &params, bool isWrong) {
    auto &a = memory[get<uint64_t>(params, 0)];
    auto &b = memory[get<uint64_t>(params, 8)];
    auto &d = memory[get<uint64_t>(params, 16)];
    auto m = get<uint32_t>(params, 24), n = get<uint32_t>(params, 28),
         k = get<uint32_t>(params, 32);
    for (uint32_t i = 0; i < m; ++i)
      for (uint32_t j = 0; j < n; ++j) {
        float sum = 0;
        for (uint32_t l = 0; l < k; ++l)
          sum += element(a, i * k + l) * element(b, l * n + j);
        element(d, i * (n + gap) + j) = sum;
      }
    if (isWrong)
      element(d, 1) += 1;
    if (straying)
      element(d, n) = 5;
  }

  std::vector<emu::KernelInfo> infos;
  std::map<uint64_t, std::vector<uint8_t>> memory;
  uint64_t next = 0x10000;
  std::vector<uint64_t> readOnly;
  std::vector<emu::LaunchConfig> configs;
  std::optional<emu::Schedule::Kind> failing, wrong;
  uint32_t gap = 0;
  bool straying = false;
};

} // namespace

/// A description of D = A * B; `edit` replaces one piece of text by another.
static Description describe(const std::string &from = "",
                            const std::string &to = "") {
  std::string text = R"({
    "version": 1, "sizes": ["M", "N", "K"],
    "constraints": [{"check": "K mod 4 == 0", "message": "K has to be even"}],
    "buffers": {
      "A": {"dtype": "tf32", "shape": ["M", "K"], "role": "in"},
      "B": {"dtype": "tf32", "shape": ["K", "N"], "role": "in"},
      "D": {"dtype": "f32", "shape": ["M", "N"], "role": "out"}},
    "kernels": [{"entry": "matmul", "block": [128, 1, 1],
                 "dynamic_smem": "K * 4"}],
    "launches": [{"kernel": 0, "grid": ["M ceildiv 2", "N", 1],
      "when": "min(M, N) > 0", "params": [{"pointer": "A"}, {"pointer": "B"},
      {"pointer": "D"}, {"i32": "M"}, {"i32": "N"}, {"i32": "K"}]}],
    "problems": [{"formula": "D = A * B", "m": "M", "n": "N", "k": "K",
      "a": {"buffer": "A"}, "b": {"buffer": "B"}, "d": {"buffer": "D"}}]})";
  if (!from.empty()) {
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }
  auto description = Description::parse(text, "x.json");
  EXPECT_TRUE(description) << description.error().message;
  return description ? std::move(*description) : Description();
}

static SessionOptions sizes(int64_t m, int64_t n, int64_t k) {
  SessionOptions options;
  options.sizes = {{"M", m}, {"N", n}, {"K", k}};
  options.threads = 1;
  return options;
}

static std::string refusal(Description description, SessionOptions options) {
  FakeDevice device;
  auto session =
      Session::create(std::move(description), device, std::move(options));
  EXPECT_TRUE(device.configs.empty());
  return session ? "" : session.error().message;
}

static emu::Schedule schedule(emu::Schedule::Kind kind) {
  emu::Schedule result;
  result.kind = kind;
  return result;
}
static const emu::Schedule eager = schedule(emu::Schedule::Kind::Eager);
static const emu::Schedule lazy = schedule(emu::Schedule::Kind::Lazy);

TEST(Session, runsAndChecks) {
  FakeDevice device;
  auto session = Session::create(describe(), device, sizes(5, 6, 8));
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ((*session)->launchCount(), 1u);
  auto record = (*session)->run(eager);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->ok);
  EXPECT_EQ(record->stats.warpInstructions, 10u);
  ASSERT_EQ(device.configs.size(), 1u);
  EXPECT_EQ(device.configs[0].entry, "matmul");
  EXPECT_EQ(device.configs[0].grid, (std::array<unsigned, 3>{3, 6, 1}));
  EXPECT_EQ(device.configs[0].block, (std::array<unsigned, 3>{128, 1, 1}));
  EXPECT_EQ(device.configs[0].dynamicSmem, 32u);
  EXPECT_EQ(device.configs[0].params.size(), 36u);
  EXPECT_EQ(device.readOnly.size(), 2u);

  auto results = (*session)->check(*record);
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 1u);
  const ProblemResult &result = results->front();
  EXPECT_EQ(result.formula, "D = A * B");
  EXPECT_EQ(result.m, 5);
  EXPECT_EQ(result.n, 6);
  EXPECT_EQ(result.k, 8);
  EXPECT_EQ(result.a, DType::TF32);
  EXPECT_EQ(result.d, DType::F32);
  EXPECT_EQ(result.summary.mismatches, 0u);
  EXPECT_EQ(result.summary.elements, 30u);
}

TEST(Session, problemsOfParts) {
  // The same product, stated as a view of all of A and on columns of D.
  FakeDevice device;
  auto session =
      Session::create(describe(R"("n": "N", "k": "K",
      "a": {"buffer": "A"}, "b": {"buffer": "B"}, "d": {"buffer": "D"}})",
                               R"("n": "N - 1", "k": "K", "launch": 0,
      "a": {"buffer": "A", "shape": ["M", "K"], "strides": ["K", 1]},
      "b": {"buffer": "B", "offset": 1, "shape": ["K", "N - 1"],
            "strides": ["N", 1]},
      "d": {"buffer": "D", "offset": 1, "shape": ["M", "N - 1"],
            "strides": ["N", 1]}})"),
                      device, sizes(5, 6, 8));
  ASSERT_TRUE(session) << session.error().message;
  auto record = (*session)->run(eager);
  ASSERT_TRUE(record);
  auto results = (*session)->check(*record);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(results->front().summary.elements, 25u);
  EXPECT_EQ(results->front().summary.mismatches, 0u);
}

TEST(Session, partsLieInTheirBuffers) {
  FakeDevice device;
  auto session = Session::create(
      describe(R"("d": {"buffer": "D"}})",
               R"("d": {"buffer": "D", "offset": 1, "shape": ["M", "N"],
            "strides": ["N", 1]}})"),
      device, sizes(5, 6, 8));
  ASSERT_TRUE(session) << session.error().message;
  auto record = (*session)->run(eager);
  ASSERT_TRUE(record);
  EXPECT_EQ((*session)->check(*record).error().message,
            "x.json: problems[0].d: expected a part of buffer 'D', which has "
            "120 bytes, got 120 after 4");
}

TEST(Session, scalars) {
  const std::string sizesOf = R"("sizes": ["M", "N", "K"],)";
  Description description =
      describe(sizesOf, sizesOf + R"("scalars": [{"name": "alpha"}],)");
  EXPECT_EQ(refusal(description, sizes(5, 6, 8)),
            "scalar 'alpha' has no value, expected one for each of: alpha");
  SessionOptions options = sizes(5, 6, 8);
  options.scalars = {{"alpha", 0.5}, {"beta", 1}};
  EXPECT_EQ(refusal(description, options),
            "unknown scalar 'beta', expected one of: alpha");
}

TEST(Session, integerScalars) {
  auto parse = [](const std::string &scalars) {
    auto description = Description::parse(
        R"({"version": 1, "sizes": ["M"], "scalars": [)" + scalars +
            R"(], "buffers": {}, "kernels": [], "launches": [],
            "constraints": [{"check": "at + 2 <= M", "message": "ends"}]})",
        "x.json");
    return description ? "" : description.error().message;
  };
  EXPECT_EQ(parse(R"({"name": "at", "dtype": "i32"})"), "");
  EXPECT_NE(parse(R"({"name": "at", "dtype": "f32"})")
                .find("unknown size 'at', expected one of: M"),
            std::string::npos);
  EXPECT_NE(parse(R"({"name": "at", "dtype": "i32"}, {"name": "at"})")
                .find("scalar 'at' is listed twice"),
            std::string::npos);
  EXPECT_NE(parse(R"({"name": "M", "dtype": "i64"})")
                .find("scalar 'M' is a size, too"),
            std::string::npos);
}

TEST(Session, epiloguesOfDescriptions) {
  auto parse = [&](const std::string &epilogue) {
    std::string text = R"json({"version": 1,
      "buffers": {"A": {"dtype": "f16", "shape": [2, 2]},
                  "D": {"dtype": "f32", "shape": [2, 2]}},
      "kernels": [], "launches": [],
      "problems": [{"formula": "D = epilogue(A * A)", "m": 2, "n": 2, "k": 2,
        "a": {"buffer": "A"}, "b": {"buffer": "A"}, "d": {"buffer": "D"},
        "epilogue": )json" +
                       epilogue + "}]}";
    auto description = Description::parse(text, "x.json");
    return description ? "" : description.error().message;
  };
  EXPECT_EQ(parse(R"({"operands": [{"name": "x0", "buffer": "A"}],
    "steps": [{"name": "t0", "op": "add", "args": ["acc", "x0"],
               "type": "f32"}], "result": "t0"})"),
            "");
  EXPECT_EQ(parse(R"({"steps": [{"name": "t0", "op": "add",
    "args": ["acc", "t0"], "type": "f32"}], "result": "t0"})"),
            "x.json: problems[0].epilogue.steps[0].args[1]: expected a number, "
            "\"acc\", an operand or a step before this one, got 't0'");
  // Words for the floats that JSON has no numbers for, and not for values.
  EXPECT_EQ(parse(R"({"steps": [{"name": "t0", "op": "clamp",
    "args": ["acc", "-inf", "inf"], "type": "f32"}, {"name": "t1", "op": "add",
    "args": ["t0", "nan"], "type": "f32"}], "result": "t1"})"),
            "");
  EXPECT_EQ(parse(R"({"steps": [{"name": "inf", "op": "neg",
    "args": ["acc"], "type": "f32"}], "result": "inf"})"),
            "x.json: problems[0].epilogue.steps[0]: expected a name, got the "
            "number 'inf'");
  EXPECT_EQ(parse(R"({"operands": [{"name": "nan", "buffer": "A"}],
    "steps": [], "result": "acc"})"),
            "x.json: problems[0].epilogue.operands[0]: expected a name, got "
            "the number 'nan'");
  EXPECT_EQ(parse(R"({"steps": [{"name": "t0", "op": "neg",
    "args": [true], "type": "f32"}], "result": "t0"})"),
            "x.json: problems[0].epilogue.steps[0].args[0]: expected a number, "
            "\"inf\", \"-inf\" or \"nan\", got true");
  EXPECT_EQ(parse(R"({"steps": [], "result": "t0"})"),
            "x.json: problems[0].epilogue: expected \"result\" to be the name "
            "of a value, got 't0'");
  EXPECT_EQ(parse(R"({"operands": [{"name": "x0", "scalar": "alpha"}],
    "steps": [], "result": "acc"})"),
            "x.json: problems[0].epilogue.operands[0].scalar: unknown scalar "
            "'alpha', expected one of: none");
}

TEST(Session, aFlippedTranspositionIsFound) {
  FakeDevice device;
  auto session =
      Session::create(describe(R"("a": {"buffer": "A"})",
                               R"("a": {"buffer": "A", "transposed": true})"),
                      device, sizes(8, 8, 8));
  ASSERT_TRUE(session);
  auto record = (*session)->run(eager);
  ASSERT_TRUE(record);
  auto results = (*session)->check(*record);
  ASSERT_TRUE(results);
  EXPECT_GT(results->front().summary.mismatches, 50u);
}

TEST(Session, operandsHaveTypesOfTheirOwn) {
  FakeDevice device;
  auto read = [&](const std::string &type) {
    auto session = Session::create(
        describe(R"("a": {"buffer": "A"})",
                 R"("a": {"buffer": "A", "dtype": ")" + type + "\"}"),
        device, sizes(8, 8, 8));
    EXPECT_TRUE(session);
    auto record = (*session)->run(eager);
    EXPECT_TRUE(record);
    return (*session)->check(*record);
  };
  auto same = read("tf32");
  ASSERT_TRUE(same);
  EXPECT_EQ(same->front().summary.mismatches, 0u);
  EXPECT_EQ(read("i8").error().message,
            "x.json: problems[0].a: dtype: expected a type of 32 bits, as "
            "buffer 'A' has, got i8");
}

TEST(Session, everyRunStartsAfresh) {
  FakeDevice device;
  auto session = Session::create(describe(), device, sizes(4, 4, 4));
  ASSERT_TRUE(session);
  auto first = (*session)->run(eager);
  device.memory[0x40000].assign(64, 1); // what the last run left in D
  device.wrong = emu::Schedule::Kind::Lazy;
  auto second = (*session)->run(lazy), third = (*session)->run(eager);
  ASSERT_TRUE(first && second && third);
  EXPECT_TRUE((*session)->findDifferences(*first, *third).empty());
  auto lines = (*session)->findDifferences(*first, *second);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].find("buffer 'D': element 1 is "), 0u);
  EXPECT_NE(lines[0].find(" under eager and "), std::string::npos);
  EXPECT_NE(lines[0].find(" under lazy"), std::string::npos);
}

TEST(Session, reportsOfTheDeviceArePassedOn) {
  FakeDevice device;
  device.failing = emu::Schedule::Kind::Lazy;
  auto session = Session::create(describe(), device, sizes(4, 4, 4));
  ASSERT_TRUE(session);
  auto record = (*session)->run(lazy);
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->ok);
  ASSERT_EQ(record->reports.size(), 1u);
  EXPECT_EQ(record->reports[0].message, "all warps wait");
  EXPECT_TRUE(record->buffers.empty());
}

TEST(Session, strayWritesAreFound) {
  FakeDevice device;
  device.gap = 3;
  auto session =
      Session::create(describe(R"("dtype": "f32", "shape": ["M", "N"])",
                               R"("dtype": "f32", "shape": ["M", "N"],
                  "strides": ["N + 3", 1])"),
                      device, sizes(4, 4, 4));
  ASSERT_TRUE(session);
  auto clean = (*session)->run(eager);
  ASSERT_TRUE(clean);
  EXPECT_TRUE((*session)->findStrayWrites(*clean).empty());
  device.straying = true;
  auto record = (*session)->run(eager);
  ASSERT_TRUE(record);
  EXPECT_EQ((*session)->findStrayWrites(*record),
            (std::vector<std::string>{
                "buffer 'D': element 4 is between the rows of the shape and "
                "was written"}));
}

TEST(Session, emptyProblemsLaunchNothing) {
  for (int64_t m : {0, 3}) {
    FakeDevice device;
    // Without the condition the empty grid says the same.
    auto session = Session::create(m ? describe()
                                     : describe(R"("when": "min(M, N) > 0",)"),
                                   device, sizes(m, m ? 0 : 3, 8));
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ((*session)->launchCount(), 0u);
    auto record = (*session)->run(eager);
    ASSERT_TRUE(record);
    EXPECT_TRUE(record->ok);
    auto results = (*session)->check(*record);
    ASSERT_TRUE(results);
    EXPECT_EQ(results->front().summary.elements, 0u);
  }
  // K = 0 launches, and leaves zeros.
  FakeDevice device;
  auto session = Session::create(describe(), device, sizes(3, 3, 0));
  ASSERT_TRUE(session);
  EXPECT_EQ((*session)->launchCount(), 1u);
  auto record = (*session)->run(eager);
  ASSERT_TRUE(record);
  auto results = (*session)->check(*record);
  ASSERT_TRUE(results);
  EXPECT_EQ(results->front().summary.mismatches, 0u);
  EXPECT_TRUE(results->front().summary.exact);
}

TEST(Session, filesComeInAndGoOut) {
  const std::string in = testing::TempDir() + "tc-session-in.bin";
  const std::string out = testing::TempDir() + "tc-session-out.bin";
  std::vector<uint8_t> ones;
  for (int i = 0; i < 16; ++i)
    ones.insert(ones.end(), {0, 0, 0x80, 0x3f});
  ASSERT_TRUE(writeFile(in, ones));
  SessionOptions options = sizes(4, 4, 4);
  options.inFiles["A"] = in;
  options.inits["B"] = {InitKind::Ones, 0};
  options.outFiles["D"] = out;
  FakeDevice device;
  auto session = Session::create(describe(), device, options);
  ASSERT_TRUE(session) << session.error().message;
  auto record = (*session)->run(eager);
  ASSERT_TRUE(record);
  ASSERT_TRUE((*session)->writeOutputs(*record));
  auto bytes = readFile(out, 64);
  ASSERT_TRUE(bytes);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(FakeDevice::get<float>(*bytes, 4 * i), 4.0f);
  options.sizes["M"] = 5;
  EXPECT_EQ(refusal(describe(), options),
            "buffer 'A': " + in + ": expected 80 bytes, got 64");
  std::remove(in.c_str());
  std::remove(out.c_str());
}

TEST(Session, refusesSizes) {
  SessionOptions options = sizes(4, 4, 4);
  options.sizes.erase("N");
  EXPECT_EQ(refusal(describe(), options),
            "size 'N' has no value, expected one for each of: M, N, K");
  options.sizes["N"] = -1;
  EXPECT_EQ(refusal(describe(), options),
            "size 'N': expected a value >= 0, got -1");
  options.sizes["N"] = 1;
  options.sizes["Q"] = 1;
  EXPECT_EQ(refusal(describe(), options),
            "unknown size 'Q', expected one of: M, N, K");
  EXPECT_EQ(refusal(describe(), sizes(4, 4, 6)),
            "x.json: constraints[0]: K has to be even");
  EXPECT_EQ(
      refusal(describe(R"(, "message": "K has to be even")"), sizes(4, 4, 6)),
      "x.json: constraints[0]: the constraint does not hold");
  EXPECT_EQ(refusal(describe("K mod 4 == 0", "K mod M == 0"), sizes(0, 4, 6)),
            "x.json: constraints[0]: division by zero");
}

TEST(Session, refusesBuffers) {
  SessionOptions options = sizes(4, 4, 4);
  options.inits["X"] = {InitKind::Ones, 0};
  EXPECT_EQ(refusal(describe(), options),
            "unknown buffer 'X', expected one of: A, B, D");
  EXPECT_EQ(refusal(describe(), sizes(int64_t(1) << 40, 4, int64_t(1) << 40)),
            "x.json: buffers.A: the size in bytes exceeds 2^62");
  const std::string huge = refusal(describe(), sizes(1 << 24, 4, 1 << 24));
  EXPECT_EQ(huge.find("x.json: buffers.A: expected all buffers together to "
                      "take at most "),
            0u)
      << huge;
  // Few bytes, but more elements than a test can visit.
  const std::string many =
      refusal(describe(R"("dtype": "f32", "shape": ["M", "N"])",
                       R"("dtype": "f32", "shape": ["M", 1099511627776],
                          "strides": [0, 0])"),
              sizes(4, 4, 4));
  EXPECT_EQ(many.find("x.json: buffers.D: expected all buffers together to "),
            0u)
      << many;
  EXPECT_EQ(
      refusal(describe(R"("shape": ["M", "K"])", R"("shape": ["M - 9", "K"])"),
              sizes(4, 4, 4)),
      "x.json: buffers.A: shape[0]: expected a value >= 0, got -5");
  EXPECT_EQ(refusal(describe(R"("shape": ["M", "K"])",
                             R"("shape": ["M", "K"], "address": 13)"),
                    sizes(4, 4, 4)),
            "x.json: buffers.A: the address is taken");
}

TEST(Session, refusesLaunches) {
  const SessionOptions options = sizes(4, 4, 4);
  EXPECT_EQ(
      refusal(describe(R"("entry": "matmul")", R"("entry": "other")"), options),
      "x.json: kernels[0]: unknown kernel 'other', expected one of: "
      "matmul");
  EXPECT_EQ(refusal(describe("\"M ceildiv 2\"", "0"), options),
            "x.json: launches[0]: grid[0]: expected a value in "
            "[1, 2147483647], got 0");
  EXPECT_EQ(refusal(describe("\"M ceildiv 2\"", "\"M * 1073741824\""), options),
            "x.json: launches[0]: grid[0]: expected a value in "
            "[1, 2147483647], got 4294967296");
  EXPECT_EQ(refusal(describe("[128, 1, 1]", "[128, 0, 1]"), options),
            "x.json: kernels[0]: block[1]: expected a value in "
            "[1, 2147483647], got 0");
  EXPECT_EQ(refusal(describe("\"K * 4\"", "\"K - 5\""), options),
            "x.json: kernels[0]: dynamic_smem: expected a value in "
            "[0, 2147483647], got -1");
  EXPECT_EQ(refusal(describe("min(M, N) > 0", "1 floordiv (M - 4)"), options),
            "x.json: launches[0].when: division by zero");
  EXPECT_EQ(refusal(describe(R"({"pointer": "D"},)"), options),
            "x.json: launches[0]: kernel 'matmul': expected 6 parameters, got "
            "5 (the PTX names: a, b, d, m, n, k)");
}

TEST(Session, refusesProblemsThatDoNotFit) {
  FakeDevice device;
  auto session = Session::create(describe(R"("k": "K")", R"("k": "K + 1")"),
                                 device, sizes(4, 4, 4));
  ASSERT_TRUE(session);
  auto record = (*session)->run(eager);
  ASSERT_TRUE(record);
  EXPECT_EQ((*session)->check(*record).error().message,
            "x.json: problems[0]: operand A: expected a buffer of 4x5, got "
            "4x4");
}
