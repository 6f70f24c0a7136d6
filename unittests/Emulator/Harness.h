//===- Harness.h - running PTX in tests -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wraps a body of PTX into a kernel with one pointer parameter, runs it and
// gives access to the memory behind the pointer.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_EMULATOR_HARNESS_H
#define TC_UNITTESTS_EMULATOR_HARNESS_H

#include "tc/Emulator/Emulator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace tc::emu::test {

inline const char *kHeader =
    ".version 9.0\n.target sm_100a\n.address_size 64\n";

/// For as long as it lives, kernels are of this version and target.
class ModuleScope {
public:
  explicit ModuleScope(const std::string &target,
                       const std::string &version = "9.4")
      : old(kHeader), header(".version " + version + "\n.target " + target +
                             "\n.address_size 64\n") {
    kHeader = header.c_str();
  }
  ModuleScope(const ModuleScope &) = delete;
  ModuleScope &operator=(const ModuleScope &) = delete;
  ~ModuleScope() { kHeader = old; }

private:
  const char *old;
  std::string header;
};

/// A kernel "k" with parameter "buf"; %rd1 holds it, %r1 is %tid.x and %rd2
/// the address of 64-bit word tid.
inline std::string kernel(const std::string &body,
                          const std::string &module = "",
                          const std::string &directives = "") {
  return std::string(kHeader) + module +
         "\n.visible .entry k(.param .u64 buf) " + directives +
         " {\n"
         ".reg .pred %p<10>; .reg .b16 %h<20>; .reg .b32 %r<40>;\n"
         ".reg .b64 %rd<40>; .reg .f32 %f<20>;\n"
         "ld.param.u64 %rd1, [buf]; mov.u32 %r1, %tid.x;\n"
         "mad.wide.u32 %rd2, %r1, 8, %rd1;\n" +
         body + "\nret;\n}\n";
}

struct Outcome {
  RunResult result;
  std::vector<uint64_t> words; ///< memory behind buf

  std::string message() const {
    return result.reports.empty() ? "" : result.reports[0].message;
  }
  ReportKind kind() const { return result.reports.at(0).kind; }
};

struct Options {
  AssumptionSet assumptions = AssumptionSet::defaults();
  std::string schedule = "eager";
  unsigned threads = 32, ctas = 1, cluster = 1;
  unsigned dynamicSmem = 0;
  size_t words = 64;
  std::vector<uint64_t> init;
  uint64_t maxInstructions = 10'000'000;
  unsigned osThreads = 0;
  Trace *trace = nullptr;
  Coverage *coverage = nullptr;
};

inline Outcome run(const std::string &text, Options options = {}) {
  Outcome out;
  Expected<std::shared_ptr<const Program>> program = parsePTX(text, "test.ptx");
  if (!program) {
    ADD_FAILURE() << "line " << program.error().line << ": "
                  << program.error().message;
    out.result.reports.push_back({});
    return out;
  }
  DeviceMemory memory;
  uint64_t address = *memory.allocate(options.words * 8, 256, 0, "buf");
  out.words = options.init;
  out.words.resize(options.words);
  EXPECT_TRUE(bool(memory.write(address, out.words.data(), options.words * 8)));
  LaunchConfig config;
  config.grid = {options.ctas, 1, 1};
  config.block = {options.threads, 1, 1};
  config.cluster = {options.cluster, 1, 1};
  config.dynamicSmem = options.dynamicSmem;
  config.params.resize(8);
  memcpy(config.params.data(), &address, 8);
  RunOptions runOptions;
  runOptions.schedule = *Schedule::parse(options.schedule);
  runOptions.maxInstructions = options.maxInstructions;
  runOptions.assumptions = options.assumptions;
  runOptions.threads = options.osThreads;
  runOptions.trace = options.trace;
  runOptions.coverage = options.coverage;
  out.result = launch(**program, config, memory, runOptions);
  EXPECT_TRUE(bool(memory.read(address, out.words.data(), options.words * 8)));
  return out;
}

/// Every schedule that a test should pass under.
inline std::vector<std::string> schedules() {
  std::vector<std::string> names = {"random:2", "random:3",     "random:4",
                                    "random:5", "starvation:1", "starvation:2"};
  for (const Schedule &schedule : allSchedules())
    names.push_back(schedule.str());
  return names;
}

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

#define EXPECT_REPORT(RUN, KIND, PART)                                         \
  do {                                                                         \
    const Outcome &checked = (RUN);                                            \
    ASSERT_FALSE(checked.result.ok);                                           \
    EXPECT_EQ(toString(checked.kind()), toString(KIND));                       \
    EXPECT_TRUE(contains(checked.message(), PART)) << checked.message();       \
  } while (false)

} // namespace tc::emu::test

#endif // TC_UNITTESTS_EMULATOR_HARNESS_H
