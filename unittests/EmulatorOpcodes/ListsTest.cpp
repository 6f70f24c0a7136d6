//===- ListsTest.cpp - operand forms, special registers, directives -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What public sm_100a kernels use besides opcodes: 126 ways to write the
// operands of the Hopper and Blackwell instructions, 24 special registers, 12
// directives.
//
//===----------------------------------------------------------------------===//

#include "Opcodes.h"

#include <cstring>
#include <fstream>

using namespace tc::emu;
using namespace tc::emu::test;

static const char *const header =
    ".version 9.0\n.target sm_100a\n.address_size 64\n";

static std::string firstMessage(const RunResult &result) {
  return result.reports.empty() ? "" : result.reports[0].message;
}

TEST(ListsTest, EveryOperandFormDecodes) {
  std::ifstream stream(TC_TEST_DATA "/operand_forms.txt");
  ASSERT_TRUE(stream.is_open());
  unsigned count = 0;
  for (std::string line; std::getline(stream, line);) {
    if (line[0] == '#')
      continue;
    size_t arrow = line.find(" => ");
    ASSERT_NE(arrow, line.npos) << line;
    const std::string form = line.substr(0, arrow),
                      instruction = line.substr(arrow + 4);
    ASSERT_EQ(form.substr(0, form.find(' ')),
              instruction.substr(0, instruction.find_first_of(" ;")));
    auto program = parsePTX(
        header +
            (".entry k() {\n.reg .pred %p<4>, p1, SUCCESS; .reg .b16 %h<4>;\n"
             ".reg .b32 %r<260>, remAddr32; .reg .b64 %rd<8>;\n"
             ".reg .b128 CLC_HANDLE, clc_result;\nret;\n" +
             instruction + "\n}\n"),
        "t.ptx");
    ASSERT_TRUE(bool(program)) << form << ": " << program.error().message;
    DeviceMemory memory;
    LaunchConfig config;
    RunResult result = launch(**program, config, memory);
    EXPECT_TRUE(result.ok) << form << ": " << firstMessage(result);
    ++count;
  }
  EXPECT_EQ(count, 126u);
}

TEST(ListsTest, SpecialRegisters) {
  // Of the last thread of CTA (3,1,2) of a grid of (4,2,3), block (4,2,3), two
  // CTAs along x to a cluster.
  const std::pair<const char *, uint32_t> registers[] = {
      {"%cluster_ctaid.x", 1},
      {"%cluster_ctaid.y", 0},
      {"%cluster_ctaid.z", 0},
      {"%cluster_ctarank", 1},
      {"%cluster_nctaid.x", 2},
      {"%cluster_nctaid.y", 1},
      {"%cluster_nctaid.z", 1},
      {"%clusterid.x", 1},
      {"%clusterid.y", 1},
      {"%clusterid.z", 2},
      {"%ctaid.x", 3},
      {"%ctaid.y", 1},
      {"%ctaid.z", 2},
      {"%laneid", 23},
      {"%nctaid.x", 4},
      {"%nctaid.y", 2},
      {"%nctaid.z", 3},
      {"%ntid.x", 4},
      {"%ntid.y", 2},
      {"%tid.x", 3},
      {"%tid.y", 1},
      {"%tid.z", 2},
  };
  std::string text =
      header + std::string(".entry k(.param .u64 p) .reqnctapercluster 2 {\n"
                           ".reg .pred q; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
                           "ld.param.u64 %rd1, [p];\n");
  // Everyone but that thread leaves.
  for (const char *own : {"%ctaid.x, 3", "%ctaid.y, 1", "%ctaid.z, 2",
                          "%tid.x, 3", "%tid.y, 1", "%tid.z, 2"}) {
    std::string name(own, std::strchr(own, ',')), value = own + name.size();
    text +=
        "mov.u32 %r1, " + name + "; setp.ne.u32 q, %r1" + value + "; @q ret;\n";
  }
  unsigned at = 0;
  for (const auto &[name, value] : registers)
    text += std::string("mov.u32 %r1, ") + name + "; st.global.u32 [%rd1+" +
            std::to_string(4 * at++) + "], %r1;\n";
  text += "mov.u32 %r1, %smid; mov.u32 %r2, %nsmid; setp.lt.u32 q, %r1, %r2;\n"
          "selp.b32 %r1, 1, 0, q; st.global.u32 [%rd1+88], %r1;\n"
          "mov.u64 %rd2, %globaltimer; mov.u64 %rd3, %globaltimer;\n"
          "setp.ge.u64 q, %rd3, %rd2; selp.b32 %r1, 1, 0, q;\n"
          "st.global.u32 [%rd1+92], %r1; ret; }\n";
  auto program = parsePTX(text, "t.ptx");
  ASSERT_TRUE(bool(program)) << program.error().message;
  DeviceMemory memory;
  uint64_t buffer = *memory.allocate(96);
  LaunchConfig config;
  config.grid = {4, 2, 3};
  config.block = {4, 2, 3};
  config.params.resize(8);
  std::memcpy(config.params.data(), &buffer, 8);
  RunResult result = launch(**program, config, memory);
  ASSERT_TRUE(result.ok) << firstMessage(result);
  uint32_t got[24];
  ASSERT_TRUE(bool(memory.read(buffer, got, 96)));
  for (unsigned i = 0; i < 22; ++i)
    EXPECT_EQ(got[i], registers[i].second) << registers[i].first;
  EXPECT_EQ(got[22], 1u) << "%smid";
  EXPECT_EQ(got[23], 1u) << "%globaltimer";
}

TEST(ListsTest, Directives) {
  const std::string text =
      header +
      std::string(
          ".global .align 16 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
          ".shared .align 8 .b64 slot;\n"
          ".visible .entry k(.param .u64 .ptr .global .align 16 out,\n"
          "  .param .align 8 .b8 pair[16])\n"
          ".maxntid 64, 1, 1\n.minnctapersm 1\n.explicitcluster\n"
          ".reqnctapercluster 2, 1, 1\n{\n.pragma \"nounroll\";\n"
          ".local .align 8 .b8 stack[16];\n"
          ".reg .b32 %r<4>; .reg .b64 %rd<8>;\n"
          "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [pair+8];\n"
          "st.local.u64 [stack+8], %rd2; ld.local.u64 %rd3, [stack+8];\n"
          "ld.global.u64 %rd4, [table]; st.shared.u64 [slot], %rd4;\n"
          "ld.shared.u64 %rd5, [slot]; mov.u32 %r1, %cluster_nctarank;\n"
          "cvt.u64.u32 %rd6, %r1; st.global.u64 [%rd1], %rd3;\n"
          "st.global.u64 [%rd1+8], %rd5; st.global.u64 [%rd1+16], %rd6;\n"
          "ret;\n}\n");
  auto program = parsePTX(text, "t.ptx");
  ASSERT_TRUE(bool(program)) << program.error().message;
  DeviceMemory memory;
  uint64_t buffer = *memory.allocate(24);
  LaunchConfig config;
  config.grid = {2, 1, 1};
  config.params.resize(24);
  std::memcpy(config.params.data(), &buffer, 8);
  const uint64_t second = 0xfeedface12345678;
  std::memcpy(&config.params[16], &second, 8);
  RunResult result = launch(**program, config, memory);
  ASSERT_TRUE(result.ok) << firstMessage(result);
  uint64_t got[3];
  ASSERT_TRUE(bool(memory.read(buffer, got, 24)));
  EXPECT_EQ(got[0], second);
  EXPECT_EQ(got[1], 0x0807060504030201u);
  EXPECT_EQ(got[2], 2u);
  config.block = {65, 1, 1};
  EXPECT_NE(firstMessage(launch(**program, config, memory)).find(".maxntid"),
            std::string::npos);
}
