//===- LimitsTest.cpp - absurd input ends in an error ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text that would recurse, grow or run without bound: nesting, sizes that do
// not fit, calls that double at every level, launches of days.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tc::emu;
using namespace tc::emu::test;

static std::string repeat(const std::string &part, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += part;
  return text;
}

static std::string errorOfText(const std::string &text) {
  Expected<std::shared_ptr<const Program>> program =
      parsePTX(std::string(kHeader) + text, "t.ptx");
  return program ? "" : program.error().message;
}

/// Why the kernel k of `text` cannot be launched, or how its run ended.
static std::string refuseModule(const std::string &text,
                                LaunchConfig config = {}) {
  auto program = parsePTX(std::string(kHeader) + text, "t.ptx");
  if (!program)
    return "parse error: " + program.error().message;
  DeviceMemory memory;
  config.entry = "k";
  RunResult result = launch(**program, config, memory);
  return result.reports.empty() ? "" : result.reports[0].message;
}

TEST(Limits, Nesting) {
  for (const char *open : {"{", "(", "[%r1, "})
    EXPECT_TRUE(contains(
        errorOfText(".entry k() { mov.u32 %r1, " + repeat(open, 100000)),
        "expected at most 64 levels"))
        << open;
  EXPECT_TRUE(
      contains(errorOfText(".global .u32 g[1] = " + repeat("{", 100000)),
               "expected at most 64 levels of braces"));
  EXPECT_TRUE(contains(errorOfText(".entry k() { " + repeat("{", 100000)),
                       "expected at most 256 nested blocks"));
  EXPECT_EQ(refuseModule(".entry k() { " + repeat("{ ", 255) +
                         repeat("} ", 255) + "ret; }"),
            "");
}

TEST(Limits, Sizes) {
  // 2^32 * 2^32 elements wrap to none.
  EXPECT_TRUE(contains(errorOfText(".global .u8 g[4294967296][4294967296];"),
                       "expected an array of at most 2^40 elements: 'g'"));
  EXPECT_TRUE(contains(errorOfText(".global .u8 g[1099511627776];"),
                       "bytes of module variables"));
  EXPECT_TRUE(contains(errorOfText(".entry k() .maxntid 4294967297 { ret; }"),
                       "expected a number below 2^32, got 4294967297"));
  EXPECT_TRUE(
      contains(refuseModule(".shared .u8 s[1099511627776];\n"
                            ".entry k() { .reg .u32 r; mov.u32 r, s; ret; }"),
               "t.ptx:5: expected at most 232448 bytes of shared"));
  EXPECT_TRUE(
      contains(refuseModule(".entry k() { .local .u8 l[1099511627776]; }"),
               "local memory exceeds 512 KiB"));
  EXPECT_TRUE(
      contains(refuseModule(".entry k(.param .u8 p[1099511627776]) { ret; }"),
               "expected at most 32764 bytes of parameters"));
  // A family of registers takes no space before its members are used.
  EXPECT_EQ(refuseModule(".entry k() { .reg .u32 %r<4294967295>;\n"
                         "mov.u32 %r999999, 1; ret; }"),
            "");
}

TEST(Limits, Versions) {
  auto versionError = [](const std::string &version) {
    auto program = parsePTX(".version " + version +
                                "\n.target sm_100a\n.address_size 64\n",
                            "t.ptx");
    return program ? "" : program.error().message;
  };
  for (const char *good : {"6.0", "8.6", "9.0", "9.1", "9.4", "9.5"})
    EXPECT_EQ(versionError(good), "") << good;
  for (std::string bad : {"5.9", "9.6", "10.0", "429496729600.0"})
    EXPECT_TRUE(contains(versionError(bad),
                         "expected a PTX version from 6.0 to 9.5, got " + bad))
        << versionError(bad);
}

TEST(Limits, Calls) {
  EXPECT_TRUE(contains(refuseModule(".func f();\n.func g() { call f; ret; }\n"
                                    ".func f() { call g; ret; }\n"
                                    ".entry k() { call f; ret; }"),
                       "t.ptx:5: unsupported instruction 'call f': recursion"));
  // Each function calls the next one twice: 2^40 instructions.
  std::string chain, deep;
  for (unsigned i = 40; i--;) {
    std::string next = "f" + std::to_string(i + 1);
    chain += ".func f" + std::to_string(i) + "() { call " + next + "; call " +
             next + "; ret; }\n";
  }
  EXPECT_TRUE(contains(refuseModule(".func f40() { ret; }\n" + chain +
                                    ".entry k() { call f0; ret; }"),
                       "expected at most 65536 calls in a kernel"));
  for (unsigned i = 5000; i--;)
    deep += ".func f" + std::to_string(i) + "() { call f" +
            std::to_string(i + 1) + "; ret; }\n";
  EXPECT_TRUE(contains(refuseModule(".func f5000() { ret; }\n" + deep +
                                    ".entry k() { call f0; ret; }"),
                       "expected at most 128 nested calls"));
}

TEST(Limits, Launches) {
  const std::string text = ".entry k() { ret; }";
  LaunchConfig config;
  // The products wrap to 0 and 2^32 modulo 2^64.
  config.block = {1u << 31, 1u << 31, 4};
  EXPECT_TRUE(contains(refuseModule(text, config), "at most 1024 threads"));
  config = {};
  config.cluster = {1u << 31, 1u << 31, 4};
  EXPECT_TRUE(contains(refuseModule(text, config), "at most 16 CTAs"));
  config = {};
  config.grid = {0x7fffffff, 65535, 65535};
  EXPECT_TRUE(contains(refuseModule(text, config),
                       "expected a grid of at most 67108864 CTAs"));
  config.grid = {0xffffffff, 1, 1};
  EXPECT_TRUE(
      contains(refuseModule(text, config), "at most (2147483647,65535,"));
}
