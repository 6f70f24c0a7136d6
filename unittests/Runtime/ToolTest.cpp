//===- ToolTest.cpp - tc-run as its users call it ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the tool: its output, its diagnostics and its exit status, on kernels
// that nvcc compiled (data/kernels.cu) and one with every engine
// (data/pipeline.ptx).
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Emulator.h"
#include "tc/Emulator/Version.h"
#include "tc/Runtime/Buffer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace tc::runtime;

namespace {

struct ToolResult {
  int status = -1;
  std::string output; ///< stdout and stderr
};

} // namespace

static const std::string data = TC_TEST_DATA "/";

static ToolResult run(const std::string &arguments) {
  ToolResult result;
  std::FILE *pipe =
      popen((std::string(TC_RUN) + " " + arguments + " 2>&1").c_str(), "r");
  if (!pipe)
    return result;
  char chunk[4096];
  while (size_t count = std::fread(chunk, 1, sizeof(chunk), pipe))
    result.output.append(chunk, count);
  int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

static void expectRefusal(const std::string &arguments,
                          const std::string &message) {
  ToolResult result = run(arguments);
  EXPECT_EQ(result.status, 2) << arguments << "\n" << result.output;
  EXPECT_NE(result.output.find("tc-run: error: " + message), std::string::npos)
      << arguments << "\n"
      << result.output;
}

TEST(TcRun, helpAndVersion) {
  ToolResult help = run("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.output.find("usage: tc-run X.ptx"), 0u);
  ToolResult version = run("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.output, tc::emu::describeVersion("tc-run"));
  for (const char *part : {"tc-run " TC_VERSION "\n", "LLVM: none",
                           "PTX: reads 6.0 to 9.5", "version 1\n"})
    EXPECT_NE(version.output.find(part), std::string::npos) << part;
}

TEST(TcRun, runsALaunchFile) {
  const std::string out = testing::TempDir() + "tc-run-z.bin";
  ToolResult result =
      run(data + "kernels.ptx --launch " + data + "add.json --out z=" + out);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("eager"), std::string::npos);
  auto bytes = readFile(out, 4000);
  ASSERT_TRUE(bytes) << bytes.error().message;
  for (int i = 0; i < 1000; ++i) {
    float value;
    std::memcpy(&value, bytes->data() + 4 * i, 4);
    EXPECT_EQ(value, i + 1.0f);
  }
  std::remove(out.c_str());
}

TEST(TcRun, readsTheDescriptionBesideThePTX) {
  ToolResult result =
      run(data + "kernels.ptx --size M=5,N=70,K=24 --check --seeds 3 --time");
  EXPECT_EQ(result.status, 0) << result.output;
  for (const char *text :
       {"K=24", "1 of 1 launches", "eager", "lazy", "random:1", "random:3",
        "D = A * B: M=5 N=70 K=24, bf16 x bf16 -> f32", "maximum error",
        "mean error", "bound"})
    EXPECT_NE(result.output.find(text), std::string::npos) << text << "\n"
                                                           << result.output;
}

TEST(TcRun, integersAreExact) {
  ToolResult result = run(data + "kernels.ptx --size M=5,N=70,K=24 --check "
                                 "--init A=integers:1 --init B=pattern");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("every element has to be exact"),
            std::string::npos)
      << result.output;
}

TEST(TcRun, emptySizesLaunchNothing) {
  ToolResult result = run(data + "kernels.ptx --size M=0,N=70,K=24 --check");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("0 of 1 launches"), std::string::npos);
  EXPECT_EQ(run(data + "kernels.ptx --size M=3,N=3,K=0 --check").status, 0);
}

TEST(TcRun, aWrongResultIsStatusOne) {
  const std::string out = testing::TempDir() + "tc-run-wrong.bin";
  ToolResult result =
      run(data + "kernels.ptx --launch " + data +
          "flipped.json --size M=16,N=16,K=16 --check --out D=" + out);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_NE(result.output.find("tc-run: mismatch: element (0, 0) is "),
            std::string::npos)
      << result.output;
  EXPECT_NE(access(out.c_str(), F_OK), 0); // no output of a wrong run
}

TEST(TcRun, aFaultOfTheKernelIsStatusOne) {
  const std::string out = testing::TempDir() + "tc-run-fault.bin";
  ToolResult result = run(data + "kernels.ptx --launch " + data +
                          "add-out-of-bounds.json --schedule eager,random:5 "
                          "--out z=" +
                          out);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_NE(result.output.find(" under random:5: "), std::string::npos)
      << result.output;
  EXPECT_NE(access(out.c_str(), F_OK), 0);
}

TEST(TcRun, refusesOptions) {
  const std::string ptx = data + "kernels.ptx ";
  expectRefusal("", "expected a PTX file (tc-run --help says more)");
  expectRefusal("-x", "unknown or ambiguous option '-x'");
  expectRefusal("--foo", "unknown or ambiguous option '--foo'");
  expectRefusal("--launch", "option '--launch': expected a value");
  expectRefusal("a b", "expected one PTX file, got 'a' and 'b'");
  expectRefusal(ptx + "--device=tpu",
                "--device: expected emulator or cuda, got 'tpu'");
  expectRefusal(ptx + "--device=cuda --seeds=2",
                "--schedule: expected no schedule and no seeds with "
                "--device=cuda");
  expectRefusal(ptx + "--cubin=a.cubin",
                "--cubin: expected --device=cuda, the emulator does not run "
                "cubins");
  expectRefusal(ptx + "--races=no",
                "--races: expected off, default or strict, got 'no'");
  expectRefusal(ptx + "--bench",
                "--bench: expected --device=cuda: the emulator counts no time "
                "of a device");
  expectRefusal(ptx + "--device=cuda --bench=long",
                "--bench: expected burst or sustained, got 'long'");
  expectRefusal(ptx + "--device=cuda --trace=t.json",
                "--trace: expected --device=emulator");
  expectRefusal(ptx + "--device=cuda --coverage",
                "--coverage: expected --device=emulator");
  expectRefusal(ptx + "--trace=", "--trace: expected a file");
  expectRefusal(ptx + "--max-instructions=few",
                "--max-instructions: expected a number in [0, "
                "9223372036854775807], got 'few'");
  expectRefusal(ptx + "--schedule=lazy:3",
                "--schedule: expected eager, lazy, reverse, starvation[:SEED]");
  expectRefusal(ptx + "--size M", "--size: expected NAME=VALUE, got 'M'");
  expectRefusal(ptx + "--size M=-1",
                "--size: expected a number in [0, 9223372036854775807], got "
                "'-1'");
  expectRefusal(ptx + "--size M=1,M=2", "--size: 'M' is given twice");
  expectRefusal(ptx + "--seeds=many",
                "--seeds: expected a number in [0, 1000000], got 'many'");
  expectRefusal(ptx + "--schedule=fast", "--schedule: ");
  expectRefusal(ptx + "--init A=gauss", "--init: expected one of zeros ");
  expectRefusal(ptx + "--init A=ones --init A=ones",
                "--init: 'A' is given twice");
  expectRefusal(ptx + "--buffer =x", "--buffer: expected NAME=VALUE, got '=x'");
  expectRefusal(ptx + "--out D=x --out D=y", "--out: 'D' is given twice");
  expectRefusal(ptx + "--threads=9999",
                "--threads: expected a number in [0, 1024], got '9999'");
}

TEST(TcRun, allSchedules) {
  ToolResult result =
      run(data + "kernels.ptx --size M=5,N=70,K=24 --schedule=all,random:7");
  EXPECT_EQ(result.status, 0) << result.output;
  ToolResult help = run("--help");
  for (const tc::emu::SchedulePolicy &policy : tc::emu::schedulePolicies()) {
    EXPECT_NE(help.output.find(std::string("\n    ") + policy.name),
              std::string::npos)
        << policy.name;
    EXPECT_NE(result.output.find(policy.name), std::string::npos)
        << policy.name << result.output;
  }
  EXPECT_NE(result.output.find("random:7"), std::string::npos);
}

TEST(TcRun, maxInstructions) {
  ToolResult result = run(data + "kernels.ptx --size M=5,N=70,K=24 "
                                 "--max-instructions=100");
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_NE(result.output.find("more than 100 warp instructions"),
            std::string::npos)
      << result.output;
}

TEST(TcRun, coverage) {
  const std::string out = testing::TempDir() + "tc-run-coverage.json";
  ToolResult result =
      run(data + "kernels.ptx --size M=5,N=70,K=24 --coverage=" + out);
  EXPECT_EQ(result.status, 0) << result.output;
  auto bytes = readFile(out);
  ASSERT_TRUE(bytes) << bytes.error().message;
  auto json = nlohmann::json::parse(bytes->begin(), bytes->end(), nullptr,
                                    /*allow_exceptions=*/false);
  ASSERT_FALSE(json.is_discarded());
  uint64_t sum = 0;
  for (const auto &row : json["opcodes"])
    sum += row["executions"].get<uint64_t>();
  EXPECT_GT(json["opcodes"].size(), 10u);
  // What has run under a guard that no lane met does not count.
  size_t at = result.output.find(" warp instructions");
  ASSERT_NE(at, std::string::npos);
  size_t begin = result.output.rfind(' ', at - 1) + 1;
  uint64_t total = std::stoull(result.output.substr(begin, at - begin));
  EXPECT_LE(sum, total);
  EXPECT_GT(sum, total / 2);
  std::remove(out.c_str());
  ToolResult table = run(data + "kernels.ptx --size M=5,N=70,K=24 --coverage");
  EXPECT_NE(table.output.find(" opcodes executed\n"), std::string::npos);
}

/// What an assumption forgives is said with its lines; without it the same is
/// a race. Command lines come after launch files, and both after --races.
TEST(TcRun, saysWhichAssumptionsWereUsed) {
  auto bytes = readFile(data + "pipeline.ptx");
  ASSERT_TRUE(bytes) << bytes.error().message;
  std::string text(bytes->begin(), bytes->end());
  for (size_t at; (at = text.find("tcgen05.fence")) != std::string::npos;)
    text.erase(at, text.find(';', at) + 1 - at);
  const std::string ptx = testing::TempDir() + "tc-run-fences.ptx";
  ASSERT_TRUE(writeFile(ptx, std::vector<uint8_t>(text.begin(), text.end())));
  const std::string launch = " --launch " + data + "pipeline.json";
  auto says = [&](const std::string &arguments, const std::string &part) {
    return run(arguments).output.find(part) != std::string::npos;
  };
  const std::string use = "assumed acquire-orders-tcgen05: ";
  EXPECT_TRUE(says(ptx + launch, use));
  EXPECT_EQ(run(ptx + launch).status, 0);
  const std::string race = "tc-run: race under eager";
  EXPECT_TRUE(says(ptx + launch + " --races=strict", race));
  EXPECT_TRUE(says(ptx + launch + " --assume=-acquire-orders-tcgen05", race));
  EXPECT_TRUE(says(
      ptx + launch + " --assume=+acquire-orders-tcgen05 --races=strict", use));
  EXPECT_FALSE(says(ptx + launch + " --races=off", use));
  EXPECT_FALSE(says(data + "pipeline.ptx" + launch, use));
  EXPECT_TRUE(says(ptx + launch + " --assume=+nothing",
                   "--assume: expected +NAME or -NAME with a NAME out of "
                   "first-lane-elect, "));

  bytes = readFile(data + "pipeline.json");
  ASSERT_TRUE(bytes) << bytes.error().message;
  std::string json(bytes->begin(), bytes->end());
  json.insert(json.find('{') + 1, "\"assume\": \"-acquire-orders-tcgen05\",");
  const std::string file = data + "tc-run-assume.json";
  ASSERT_TRUE(writeFile(file, std::vector<uint8_t>(json.begin(), json.end())));
  EXPECT_TRUE(says(ptx + " --launch " + file, race));
  EXPECT_TRUE(says(
      ptx + " --launch " + file + " --assume=acquire-orders-tcgen05", use));
  std::remove(file.c_str());
  std::remove(ptx.c_str());
}

TEST(TcRun, trace) {
  const std::string out = testing::TempDir() + "tc-run-trace.json";
  ToolResult result =
      run(data + "pipeline.ptx --schedule=lazy,eager --trace=" + out);
  EXPECT_EQ(result.status, 0) << result.output;
  auto bytes = readFile(out);
  ASSERT_TRUE(bytes) << bytes.error().message;
  auto json = nlohmann::json::parse(bytes->begin(), bytes->end(), nullptr,
                                    /*allow_exceptions=*/false);
  ASSERT_FALSE(json.is_discarded());
  std::map<std::pair<int, int>, std::string> tracks;
  std::map<std::string, int> open;
  std::set<std::string> engines, names;
  std::map<std::pair<int, int>, int64_t> ends;
  for (const auto &event : json["traceEvents"]) {
    const std::string phase = event["ph"];
    std::pair<int, int> track(event["pid"], event.value("tid", 0));
    if (event["name"] == "thread_name")
      tracks[track] = event["args"]["name"];
    if (phase == "M")
      continue;
    EXPECT_TRUE(tracks.count(track)) << event.dump();
    names.insert(event["name"].get<std::string>());
    if (phase == "X" && event["cat"] != "step") {
      // Slices of a warp follow each other.
      EXPECT_GE(event["ts"].get<int64_t>(), ends[track]) << event.dump();
      ends[track] = event["ts"].get<int64_t>() + event["dur"].get<int64_t>();
    }
    if (phase == "b") {
      engines.insert(tracks[track]);
      EXPECT_GT(event["args"]["line"].get<int>(), 0);
      open[event["id"]] = event["ts"];
    }
    if (phase == "e") {
      EXPECT_GE(event["ts"].get<int>(), open[event["id"]]);
      open.erase(event["id"]);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(engines, (std::set<std::string>{"TMA", "bulk copies", "tensor core",
                                            "tcgen05.ld/st"}));
  for (const char *name : {"warp 0", "warp 3", "tensor core"})
    for (int process : {0, 1})
      EXPECT_TRUE(std::any_of(tracks.begin(), tracks.end(),
                              [&](const auto &track) {
                                return track.first.first == process &&
                                       track.second == name;
                              }))
          << name;
  for (const char *name : {"run", "wait mbarrier 21504", "wait barrier 0"})
    EXPECT_TRUE(names.count(name)) << name;
  std::remove(out.c_str());
}

TEST(TcRun, refusesAGpuThatIsNotThere) {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL))
    GTEST_SKIP() << "this machine has a CUDA driver";
  expectRefusal(data + "kernels.ptx --device=cuda --launch " + data +
                    "add.json",
                "device cuda: no CUDA driver on this machine (libcuda.so.1: ");
}

TEST(TcRun, refusesFiles) {
  const std::string ptx = data + "kernels.ptx ";
  expectRefusal("none.ptx", "none.ptx: cannot open: No such file or directory");
  expectRefusal(data + "truncated.cubin",
                data + "truncated.cubin: expected PTX text, got an ELF file; "
                       "the emulator does not run cubins");
  expectRefusal(data + "truncated.ptx", data + "truncated.ptx:");
  expectRefusal(ptx + "--launch none.json",
                "none.json: cannot open: No such file or directory");
  expectRefusal(ptx + "--launch " + data + "bad/truncated.json",
                data + "bad/truncated.json: parse error at line 1, column 40");
  expectRefusal(ptx, "size 'M' has no value, expected one for each of: M, N, "
                     "K");
  expectRefusal(ptx + "--size M=5,N=5,K=4",
                data + "kernels.json: constraints[0]: K has to be a multiple "
                       "of 8");
  expectRefusal(ptx + "--launch " + data + "add.json --check",
                data + "add.json: --check: expected \"problems\", \"rows\", or "
                       "\"expect\" of a buffer, got none");
  expectRefusal(ptx + "--launch " + data + "add.json --buffer x=" + data +
                    "kernels.json",
                "buffer 'x': " + data + "kernels.json: expected 4000 bytes");
}
