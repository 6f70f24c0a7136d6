//===- LitmusTest.cpp - the checker against its litmus pairs ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every pair is silent as written under several schedules and reported, with
// its edge, once changed. Then each rule of the checker is dropped in turn:
// some pair must notice.
//
//===----------------------------------------------------------------------===//

#include "Litmus.h"

#include "Emulator/Check/RaceChecker.h"
#include "tc/Emulator/Certificate.h"
#include "tc/Emulator/Emulator.h"
#include "tc/Emulator/TensorMap.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <iostream>
#include <set>

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

std::string prolog(Setup setup) {
  std::string text =
      "mov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 5;\nld.param.u64 %rd0, "
      "[out];\nmov.u32 %r2, smem;\nsetp.eq.u32 %p0, %r0, 0;\nsetp.eq.u32 %p1, "
      "%r1, 0;\nsetp.eq.u32 %p4, %r0, 32;\nsetp.eq.u32 %p7, %r0, 96;\nadd.u32 "
      "%r3, %r2, 8192;\nadd.u32 "
      "%r4, %r2, 8200;\nadd.u32 %r5, %r2, 8208;\nmov.u32 %r7, 0;\n";
  if (setup == Setup::Plain)
    return text;
  text += "@!%p0 bra INITED;\nmbarrier.init.shared.b64 [%r3], 1;\n"
          "mbarrier.init.shared.b64 [%r4], 1;\nmbarrier.init.shared.b64 "
          "[%r5], " +
          std::string(setup == Setup::Tensor ? "4" : "1") + ";\nINITED:\n";
  if (setup == Setup::Tensor)
    text +=
        "add.u32 %r9, %r2, 8256;\n@!%p1 bra ALLOCATED;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r9], "
        "32;\nALLOCATED:\nshl.b32 %r8, %r0, 4;\nadd.u32 %r8, %r8, %r2;\n"
        "st.shared.v4.u32 [%r8], {%r7, %r7, %r7, %r7};\nst.shared.v4.u32 "
        "[%r8+2048], {%r7, %r7, %r7, %r7};\nst.shared.v4.u32 [%r8+4096], {%r7, "
        "%r7, %r7, %r7};\nfence.proxy.async;\n";
  if (setup == Setup::Wgmma)
    text += "shl.b32 %r8, %r0, 4;\nadd.u32 %r8, %r8, %r2;\nst.shared.v4.u32 "
            "[%r8], {%r7, %r7, %r7, %r7};\nfence.proxy.async;\n"
            "cvt.u64.u32 %rd6, %r2;\nand.b64 %rd6, %rd6, 0x3ffff;\n"
            "shr.u64 %rd6, %rd6, 4;\nor.b64 %rd6, %rd6, 0x0000001000080000;\n"
            "add.s64 %rd7, %rd6, 128;\nmov.b32 %v0, 0;\nmov.b32 %v1, 0;\n"
            "mov.b32 %v2, 0;\nmov.b32 %v3, 0;\nsetp.lt.u32 %p5, %r1, 4;\n"
            "setp.eq.u32 %p3, %r0, 128;\n";
  text += "bar.sync 0;\n";
  if (setup == Setup::Tensor)
    text += "ld.shared.u32 %r10, [%r9];\nshl.b32 %r11, %r1, 21;\nadd.u32 %r12, "
            "%r10, %r11;\ncvt.u64.u32 %rd6, %r2;\nand.b64 %rd6, %rd6, "
            "0x3ffff;\nshr.u64 %rd6, %rd6, 4;\nadd.s64 %rd7, %rd6, 256;\n"
            "or.b64 %rd6, %rd6, 0x0000401000080000;\nor.b64 %rd7, %rd7, "
            "0x0000401000080000;\nmov.u32 %r21, 0x8040490;\nmov.u32 %r22, "
            "0x8080490;\n";
  return text;
}

std::string kernel(Setup setup, const std::string &body) {
  std::string text =
      ".version 9.5\n.target " +
      std::string(setup == Setup::Wgmma ? "sm_90a" : "sm_100a") +
      "\n.address_size 64\n.visible .entry "
      "k(.param .u64 out)\n{\n.reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n.reg "
      ".pred %p<8>;\n.reg .b32 %v<32>;\n.reg .b16 %h<4>;\n.shared .align 1024 "
      ".b8 smem[16384];\n" +
      prolog(setup) + body;
  if (setup == Setup::Tensor)
    text += "EC:\nbar.sync 0;\n@!%p1 bra FREED;\n"
            "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 32;\nFREED:\n";
  return text + "ret;\n}\n";
}

RunResult runKernel(const Litmus &litmus, const std::string &body,
                    const std::string &schedule, const std::string &assume = "",
                    Certificate *certificate = nullptr) {
  auto program = parsePTX(kernel(litmus.setup, body), "litmus.ptx");
  if (!program) {
    ADD_FAILURE() << litmus.name << ": line " << program.error().line << ": "
                  << program.error().message;
    return {};
  }
  DeviceMemory memory;
  uint64_t out = *memory.allocate(65536, 256);
  TensorMapDesc map;
  map.dtype = TensorMapType::U32;
  map.globalAddress = out + 16384;
  map.dims[0] = 64;
  map.box[0] = 4;
  auto image = encodeTensorMap(map);
  EXPECT_TRUE(bool(image));
  EXPECT_TRUE(bool(memory.write(out + 32768, image->data(), image->size())));
  LaunchConfig config;
  config.grid = {litmus.grid, 1, 1};
  config.cluster = {litmus.cluster, 1, 1};
  config.block = {litmus.threads, 1, 1};
  config.params.resize(8);
  std::memcpy(config.params.data(), &out, 8);
  RunOptions options;
  options.schedule = *Schedule::parse(schedule);
  options.checkRaces = true;
  if (litmus.strict)
    options.assumptions = AssumptionSet::none();
  if (!assume.empty())
    EXPECT_TRUE(bool(options.assumptions.apply(assume))) << litmus.name;
  options.maxInstructions = 1'000'000;
  options.threads = 1;
  options.certificate = certificate;
  return launch(**program, config, memory, options);
}

/// The changed kernel, or the same without an assumption; after `prefix`.
RunResult runWrong(const Litmus &litmus, const std::string &schedule,
                   const std::string &prefix = "") {
  std::string body = litmus.body;
  size_t at = body.find(litmus.from);
  if (at == std::string::npos) {
    ADD_FAILURE() << litmus.name << ": nothing to replace";
    return {};
  }
  body.replace(at, litmus.from.size(), litmus.to);
  return runKernel(litmus, prefix + body, schedule, litmus.without);
}

/// The verdict for all schedules, from runs under one of them.
Verdict certify(const Litmus &litmus, const std::string &body,
                const std::string &assume, const std::string &schedule,
                std::string *text = nullptr) {
  Certificate certificate;
  bool ok = true;
  do {
    ok = runKernel(litmus, body, schedule, assume, &certificate).ok;
    if (!ok)
      certificate.refute();
  } while (certificate.needsRun());
  if (text)
    *text = certificate.text("litmus.ptx");
  return certificate.verdict();
}

std::string wrongBody(const Litmus &litmus) {
  std::string body = litmus.body;
  return body.replace(body.find(litmus.from), litmus.from.size(), litmus.to);
}

std::string messageOf(const RunResult &result) {
  return result.reports.empty() ? "silent" : result.reports[0].message;
}

bool isReported(const Litmus &litmus, const RunResult &result) {
  return !result.reports.empty() &&
         messageOf(result).find(litmus.edge) != std::string::npos;
}

std::vector<Litmus> allLitmus() {
  std::vector<Litmus> all = genericLitmus();
  for (auto part : {asyncLitmus(), tensorLitmus(), lifetimeLitmus(),
                    restrictedLitmus(), tableLitmus()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

static void expectSilence(std::initializer_list<const char *> schedules) {
  for (const Litmus &litmus : allLitmus())
    for (const char *schedule : schedules) {
      RunResult result = runKernel(litmus, litmus.body, schedule);
      EXPECT_TRUE(result.ok)
          << litmus.name << " " << schedule << ": " << messageOf(result);
    }
}

TEST(Litmus, right_kernels_are_silent) { expectSilence({"eager"}); }

TEST(Litmus, right_kernels_are_silent_under_every_schedule) {
  expectSilence({"lazy", "random:1", "random:2", "random:3", "random:4"});
}

/// Under eager all work is done at once, so that only the order is missing.
TEST(Litmus, wrong_kernels_are_reported_with_the_edge) {
  for (const Litmus &litmus : allLitmus()) {
    RunResult result = runWrong(litmus, "eager");
    EXPECT_TRUE(isReported(litmus, result))
        << litmus.name << ": expected '" << litmus.edge << "', got "
        << messageOf(result);
  }
}

/// Whatever the timing, though the report may be another one.
TEST(Litmus, wrong_kernels_fail_under_every_schedule) {
  for (const Litmus &litmus : allLitmus())
    for (const char *schedule : {"lazy", "random:1", "random:2", "random:3"}) {
      RunResult result = runWrong(litmus, schedule);
      EXPECT_FALSE(result.ok) << litmus.name << " " << schedule;
    }
}

TEST(Litmus, assumptions_say_where_they_held_back_a_report) {
  for (const Litmus &litmus : allLitmus()) {
    RunResult result = runKernel(litmus, litmus.body, "eager");
    bool used = litmus.without.empty();
    for (const AssumptionUse &use : result.uses)
      used |= "-" + std::string(infoOf(use.assumption).name) == litmus.without;
    EXPECT_TRUE(used) << litmus.name << ": " << litmus.without;
  }
}

/// No right kernel is refuted, and no wrong one certified, whatever the
/// schedule of the run is.
TEST(Litmus, verdicts_for_all_schedules) {
  unsigned pairs = 0, certified = 0, refuted = 0;
  for (const Litmus &litmus : allLitmus()) {
    ++pairs;
    std::string text;
    const Verdict right = certify(litmus, litmus.body, "", "eager", &text);
    EXPECT_NE(right, Verdict::Refuted) << litmus.name << ": " << text;
    const Verdict wrong =
        certify(litmus, wrongBody(litmus), litmus.without, "eager", &text);
    EXPECT_NE(wrong, Verdict::Certified) << litmus.name;
    certified += right == Verdict::Certified;
    refuted += wrong == Verdict::Refuted;
    for (const char *schedule : {"lazy", "reverse", "random:1"}) {
      EXPECT_EQ(certify(litmus, litmus.body, "", schedule, &text), right)
          << litmus.name << " " << schedule << ": " << text;
      // One that is undecided may show what is wrong, or not.
      EXPECT_NE(
          certify(litmus, wrongBody(litmus), litmus.without, schedule, &text),
          Verdict::Certified)
          << litmus.name << " " << schedule << ", changed: " << text;
    }
  }
  std::cout << certified << " of " << pairs << " right kernels are certified, "
            << refuted << " of " << pairs << " wrong ones refuted\n";
}

/// What never runs has no say: neither the schedule's choices nor any rule.
TEST(Litmus, instructions_that_never_run_change_nothing) {
  const std::string dead =
      "setp.eq.u32 %p6, %r0, 9999;\n@!%p6 bra LIVE;\n"
      "tcgen05.fence::before_thread_sync;\n"
      "tcgen05.fence::after_thread_sync;\nld.acquire.gpu.global.u32 %r62, "
      "[%rd0];\nfence.proxy.async;\nfence.mbarrier_init.release.cluster;\n"
      "elect.sync _|%p6, -1;\ntrap;\nLIVE:\n";
  for (const Litmus &litmus : allLitmus())
    for (const char *schedule : {"eager", "reverse", "random:1"}) {
      RunResult right = runKernel(litmus, dead + litmus.body, schedule);
      EXPECT_EQ(right.ok, runKernel(litmus, litmus.body, schedule).ok)
          << litmus.name << " " << schedule << ": " << messageOf(right);
      RunResult wrong = runWrong(litmus, schedule),
                same = runWrong(litmus, schedule, dead);
      ASSERT_EQ(wrong.ok, same.ok) << litmus.name << " " << schedule;
      // Other timings may come to another report first.
      if (!wrong.ok && schedule == std::string("eager"))
        EXPECT_EQ(wrong.reports[0].kind, same.reports[0].kind)
            << litmus.name << " " << schedule << ": " << messageOf(same);
    }
}

/// Inline assembly often is one line.
TEST(Litmus, line_breaks_change_nothing) {
  auto join = [](Litmus litmus) {
    for (std::string *text : {&litmus.body, &litmus.from, &litmus.to})
      std::replace(text->begin(), text->end(), '\n', ' ');
    return litmus;
  };
  for (const Litmus &litmus : allLitmus()) {
    const Litmus joined = join(litmus);
    for (const char *schedule : {"eager", "lazy"}) {
      RunResult right = runKernel(joined, joined.body, schedule);
      EXPECT_TRUE(right.ok)
          << litmus.name << " " << schedule << ": " << messageOf(right);
    }
    RunResult wrong = runWrong(litmus, "eager"),
              same = runWrong(joined, "eager");
    ASSERT_EQ(wrong.ok, same.ok) << litmus.name;
    if (!wrong.ok)
      EXPECT_EQ(wrong.reports[0].kind, same.reports[0].kind)
          << litmus.name << ": " << messageOf(same);
  }
}

/// A pair that is run under both policies counts once. Kernels may differ in a
/// type, a scope or a state space.
TEST(Litmus, there_are_at_least_two_hundred_pairs) {
  std::set<std::string> names, kernels;
  for (const Litmus &litmus : allLitmus()) {
    names.insert(litmus.name.substr(0, litmus.name.find('@')));
    kernels.insert(litmus.name.substr(0, litmus.name.find_first_of("/:@")));
  }
  std::cout << names.size() << " pairs of " << kernels.size() << " kernels\n";
  EXPECT_GE(names.size(), 200u);
}

TEST(Litmus, every_rule_matters) {
  std::vector<Litmus> all = allLitmus();
  for (unsigned rule = 0; rule < unsigned(Rule::Count); ++rule) {
    if (Rule(rule) == Rule::GridDependency)
      continue; // Needs two launches: GridDependencyTest.
    dropRule(Rule(rule));
    bool noticed = false;
    for (const Litmus &litmus : all) {
      noticed = !runKernel(litmus, litmus.body, "eager").ok ||
                !isReported(litmus, runWrong(litmus, "eager"));
      if (noticed)
        break;
    }
    restoreRules();
    EXPECT_TRUE(noticed) << toString(Rule(rule));
  }
}

} // namespace
