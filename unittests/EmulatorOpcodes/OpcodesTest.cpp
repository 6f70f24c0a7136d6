//===- OpcodesTest.cpp - one small program per opcode form ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// data/forms.txt and helper_forms.txt list the forms; each needs a case with
// expected values that follow from the PTX ISA. A form without one fails the
// test, as does a case whose text does not hold its form.
//
//===----------------------------------------------------------------------===//

#include "Opcodes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace tc::emu;
using namespace tc::emu::test;

/// The forms that have a case so far.
static std::vector<std::string> covered;

std::vector<std::string> test::split(const std::string &text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);)
    if (at != ' ' || !part.empty())
      parts.push_back(part);
  return parts;
}

static std::vector<std::string> readLines(const std::string &file) {
  std::ifstream stream(std::string(TC_TEST_DATA) + "/" + file);
  EXPECT_TRUE(stream.is_open()) << file;
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    if (line.substr(0, 1) != "#")
      lines.push_back(line);
  return lines;
}

static std::string kernelText(const Case &program) {
  return ".version 9.0\n.target sm_100a\n.address_size 64\n"
         ".func (.param .b32 r0) sum (.param .b64 a0)\n{ .reg .b32 x, y;\n"
         ".reg .b64 v; ld.param.u64 v, [a0]; mov.b64 {x, y}, v;\n"
         "add.u32 x, x, y; st.param.b32 [r0], x; ret; }\n"
         ".visible .entry k(.param .u64 buf, .param .u32 p32, .param .f32 pf, "
         ".param .u8 p8, .param .align 16 .b8 pv[16], "
         ".param .align 64 .b8 mapA[128])\n{\n"
         ".reg .pred %p<16>; .reg .b16 %h<32>; .reg .b32 %r<128>;\n"
         ".reg .b64 %rd<64>; .reg .f32 %f<32>; .reg .b128 %q<4>;\n"
         ".reg .b32 %v<128>;\n"
         ".shared .align 1024 .b8 smem[98304];\n"
         "ld.param.u64 %rd0, [buf]; mov.u32 %r0, %tid.x; mov.u32 %r1, smem;\n"
         "mad.wide.u32 %rd1, %r0, 8, %rd0;\n" +
         program.body + "\nret;\n}\n";
}

/// Whether `form` is a whole opcode somewhere in `body`.
static bool holds(const std::string &body, const std::string &form) {
  for (size_t at = body.find(form); at != body.npos;
       at = body.find(form, at + 1)) {
    char before = at ? body[at - 1] : ' ';
    size_t end = at + form.size();
    char after = end < body.size() ? body[end] : ' ';
    if (std::strchr(" ;\n{", before) && std::strchr(" ;\n", after))
      return true;
  }
  return false;
}

/// The tensor map of a case without one of its own.
static TensorMapDesc defaultMap() {
  TensorMapDesc map;
  map.dtype = TensorMapType::U64;
  map.rank = 2;
  map.dims = {2, 8};
  map.strides = {16};
  map.box = {2, 4};
  return map;
}

template <class Values>
static std::string list(const Values &values, unsigned count) {
  std::string text = "[";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

/// Leaves the case in `folder` as PTX and, after "//launch", a launch file:
/// what the fuzzer starts from.
static void writeCase(const std::string &folder, const Case &program) {
  static unsigned count = 0;
  const TensorMapDesc map = program.map ? *program.map : defaultMap();
  std::ofstream(folder + "/case-" + std::to_string(count++) + ".txt")
      << kernelText(program) << "\n//launch\n{\"grid\": [" << program.ctas
      << ", 1, 1], \"cluster\": [" << program.cluster << ", 1, 1], \"block\": ["
      << program.threads
      << ", 1, 1],\n\"buffers\": {\"buf\": {\"dtype\": \"u64\", \"shape\": ["
      << bufferWords
      << "], \"init\": \"sequence\"}},\n\"params\": [{\"pointer\": \"buf\"}, "
         "{\"u32\": 287454020}, {\"f32\": 1.5}, {\"u8\": 171}, {\"struct\": "
         "{\"size\": 16, \"fields\": []}},\n{\"tensor_map\": {\"buffer\": "
         "\"buf\", \"dtype\": \"u64\", \"dims\": "
      << list(map.dims, map.rank)
      << ", \"strides\": " << list(map.strides, map.rank - 1)
      << ", \"box\": " << list(map.box, map.rank) << "}}]}\n";
}

void test::runProgram(const std::string &name, const Case &program,
                      const std::vector<std::string> &forms) {
  SCOPED_TRACE(name);
  if (const char *folder = std::getenv("TC_WRITE_CASES"))
    writeCase(folder, program);
  for (const std::string &form : forms)
    EXPECT_TRUE(holds(program.body, form)) << form << " is not in the program";
  auto parsed = parsePTX(kernelText(program), "test.ptx");
  ASSERT_TRUE(bool(parsed)) << parsed.error().message;
  bool good = true;
  for (const char *schedule :
       {"eager", "lazy", "random:1", "random:2", "random:3"}) {
    DeviceMemory memory;
    uint64_t buffer = *memory.allocate(bufferWords * 8, 1024, 0, "buf");
    std::vector<uint64_t> words(bufferWords);
    for (unsigned i = 0; i < bufferWords; ++i)
      words[i] = 0x0101010101010101ull * (i & 0xff);
    ASSERT_TRUE(bool(memory.write(buffer, words.data(), bufferWords * 8)));
    LaunchConfig config;
    config.grid = {program.ctas, 1, 1};
    config.cluster = {program.cluster, 1, 1};
    config.block = {program.threads, 1, 1};
    config.params.resize(192);
    std::memcpy(&config.params[0], &buffer, 8);
    const uint32_t p32 = 0x11223344, pf = 0x3fc00000;
    std::memcpy(&config.params[8], &p32, 4);
    std::memcpy(&config.params[12], &pf, 4);
    config.params[16] = 0xab;
    for (unsigned i = 0; i < 16; ++i)
      config.params[32 + i] = uint8_t(i);
    TensorMapDesc map = program.map ? *program.map : defaultMap();
    map.globalAddress += buffer;
    Expected<TensorMapImage> image = encodeTensorMap(map);
    ASSERT_TRUE(bool(image)) << image.error().message;
    std::memcpy(&config.params[64], image->data(), 128);
    RunOptions options;
    options.schedule = *Schedule::parse(schedule);
    options.maxInstructions = 20'000'000;
    RunResult result = launch(**parsed, config, memory, options);
    if (program.traps) {
      ASSERT_FALSE(result.ok);
      EXPECT_EQ(toString(result.reports[0].kind), toString(ReportKind::Trap));
      continue;
    }
    EXPECT_TRUE(result.ok) << schedule << ": "
                           << (result.ok ? "" : result.reports[0].message);
    good &= result.ok;
    ASSERT_TRUE(bool(memory.read(buffer, words.data(), bufferWords * 8)));
    unsigned wrong = 0;
    for (const auto &[index, value] : program.expected)
      if (words[index] != value && ++wrong < 4)
        ADD_FAILURE() << schedule << ", word " << index << ": expected 0x"
                      << std::hex << value << ", got 0x" << words[index];
    if (!result.ok || wrong)
      return;
  }
  if (good)
    covered.insert(covered.end(), forms.begin(), forms.end());
}

//===----------------------------------------------------------------------===//
// Scalar instructions
//===----------------------------------------------------------------------===//

/// Loads one source into a register and appends its name to the operands.
static std::string operand(const std::string &source, unsigned index,
                           std::string &setup) {
  char kind = source[0];
  std::string value = source.substr(2), n = std::to_string(index);
  switch (kind) {
  case 'h':
    setup += "mov.b16 %h" + n + ", " + value + ";\n";
    return "%h" + n;
  case 'r':
    setup += "mov.b32 %r" + n + ", " + value + ";\n";
    return "%r" + n;
  case 'd':
    setup += "mov.b64 %rd" + n + ", " + value + ";\n";
    return "%rd" + n;
  case 'f':
    setup += "mov.b32 %f" + n + ", " + value + ";\n";
    return "%f" + n;
  case 'p':
    setup +=
        "mov.u32 %r20, " + value + ";\nsetp.eq.u32 %p" + n + ", %r20, 1;\n";
    return "%p" + n;
  default:
    return value;
  }
}

void test::runScalarCases() {
  for (const std::string &line : readLines("scalar.txt")) {
    std::vector<std::string> fields = split(line, '|');
    ASSERT_EQ(fields.size(), 4u) << line;
    Case program;
    std::string operands, setup;
    unsigned index = 2;
    for (const std::string &source : split(fields[2], ' '))
      operands += ", " + operand(source, index++, setup);
    static const std::map<char, std::pair<const char *, const char *>> results =
        {{'h', {"%h9", "cvt.u64.u16 %rd9, %h9;"}},
         {'r', {"%r9", "cvt.u64.u32 %rd9, %r9;"}},
         {'d', {"%rd9", ""}},
         {'f', {"%f9", "mov.b32 %r9, %f9; cvt.u64.u32 %rd9, %r9;"}},
         {'p', {"%p9", "selp.u64 %rd9, 1, 0, %p9;"}}};
    const auto &result = results.at(fields[1][0]);
    program.body = setup + fields[0] + " " + result.first + operands + ";\n" +
                   result.second + "\nst.global.u64 [%rd0], %rd9;";
    program.expected[0] = std::stoull(fields[3], nullptr, 0);
    runProgram(line, program, {fields[0]});
  }
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

void test::runProgramCases() {
  Case program;
  std::vector<std::string> forms;
  for (const std::string &line : readLines("programs.txt")) {
    if (line.substr(0, 3) == "== ") {
      program = Case();
      forms.clear();
      for (const std::string &word : split(line.substr(3), ' ')) {
        size_t equals = word.find('=');
        std::string key = word.substr(0, equals);
        if (word == "trap" && !forms.empty())
          program.traps = true;
        else if (equals == word.npos)
          forms.push_back(word);
        else
          (key == "threads" ? program.threads
           : key == "ctas"  ? program.ctas
                            : program.cluster) =
              unsigned(std::stoul(word.substr(equals + 1)));
      }
    } else if (line.substr(0, 2) == "->") {
      for (const std::string &word : split(line.substr(2), ' ')) {
        size_t colon = word.find(':');
        program.expected[unsigned(std::stoul(word.substr(0, colon)))] =
            std::stoull(word.substr(colon + 1), nullptr, 0);
      }
      ASSERT_FALSE(forms.empty());
      runProgram(forms[0], program, forms);
    } else {
      program.body += line + "\n";
    }
  }
}

TEST(OpcodesTest, EveryFormHasACaseThatPasses) {
  std::vector<std::string> forms = readLines("forms.txt");
  ASSERT_EQ(forms.size(), 312u);
  const std::vector<std::string> helpers = readLines("helper_forms.txt");
  ASSERT_EQ(helpers.size(), 95u);
  forms.insert(forms.end(), helpers.begin(), helpers.end());
  const std::vector<std::string> further = readLines("further_forms.txt");
  forms.insert(forms.end(), further.begin(), further.end());
  runScalarCases();
  runProgramCases();
  runTensorCopyCases(forms);
  runTcgen05Cases(forms);
  std::string missing;
  unsigned count = 0;
  for (const std::string &form : forms)
    if (std::find(covered.begin(), covered.end(), form) == covered.end()) {
      missing += "  " + form + "\n";
      ++count;
    }
  EXPECT_EQ(count, 0u) << "forms without a case that passes:\n" << missing;
}
