//===- CertifyTest.cpp - planted bugs that samples of schedules miss ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel has a race, a deadlock or an ambiguous phase that a legal
// schedule shows, and that eight schedules and 150 seeds do not: lanes of a
// warp that come late one by one, orders of atomic operations and of strong
// accesses, times, places, answers to try_cancel, columns, bounded waits. None
// may be certified.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Certificate.h"
#include "tc/Emulator/Emulator.h"

#include "gtest/gtest.h"

#include <cstring>
#include <iostream>

using namespace tc::emu;

namespace {

struct Planted {
  std::string name, body;
  unsigned threads = 64, grid = 1;
};

std::string str(unsigned number) { return std::to_string(number); }

/// Registers: %r1 tid.x, %r2 16 KiB of shared memory, %rd1 1 KiB of global
/// memory, zeros; thread 63 has stored to [%r2+96], in no order with others.
std::string kernel(const std::string &body) {
  return ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry "
         "k(.param .u64 buf) {\n.reg .b32 %r<48>;\n.reg .b64 %rd<16>;\n.reg "
         ".pred %p<16>;\n.shared .align 16 .b8 smem[16384];\nld.param.u64 "
         "%rd1, [buf];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, smem;\nmov.u32 %r3, "
         "0;\nsetp.eq.u32 %p0, %r1, 63;\n@%p0 st.shared.u32 [%r2+96], %r3;\n" +
         body + "END: ret;\n}\n";
}

/// The race, where the predicate %p1 holds.
const char *const kRace = "@%p1 st.shared.u32 [%r2+96], %r1;\n";

/// All lanes of a warp wait, and one of them lets the next phase come.
Planted lateLanes(unsigned lane, unsigned rounds) {
  return {"late_lanes_" + str(lane) + "_" + str(rounds),
          "add.u32 %r4, %r2, 8;\nadd.u32 %r5, %r2, 16;\nmov.u32 %r6, 0;\n"
          "mov.u32 %r7, 0;\nsetp.eq.u32 %p2, %r1, 0;\n@!%p2 bra INITED;\n"
          "mbarrier.init.shared.b64 [%r4], 1;\nmbarrier.init.shared.b64 [%r5], "
          "1;\nINITED: bar.sync 0;\nsetp.lt.u32 %p3, %r1, 32;\n@%p3 bra "
          "PRODUCER;\nFULL: mbarrier.try_wait.parity.shared::cta.b64 %p4, "
          "[%r4], %r6;\n@!%p4 bra FULL;\nsetp.eq.u32 %p5, %r1, " +
              str(32 + lane) +
              ";\n@%p5 mbarrier.arrive.shared::cta.b64 _, [%r5];\n"
              "xor.b32 %r6, %r6, 1;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p6, "
              "%r7, " +
              str(rounds) +
              ";\n@%p6 bra FULL;\nbra END;\nPRODUCER: @!%p2 bra END;\nmov.u32 "
              "%r6, 1;\nNEXT: mbarrier.try_wait.parity.shared::cta.b64 %p4, "
              "[%r5], %r6;\n@!%p4 bra NEXT;\nmbarrier.arrive.shared::cta.b64 "
              "_, [%r4];\nxor.b32 %r6, %r6, 1;\nadd.u32 %r7, %r7, 1;\n"
              "setp.lt.u32 %p6, %r7, " +
              str(rounds) + ";\n@%p6 bra NEXT;\n"};
}

/// Lanes of a warp act one after the other here, and in any order elsewhere.
Planted ticket(const std::string &name, const std::string &operation,
               unsigned thread, unsigned result) {
  return {"ticket_" + name + "_" + str(thread),
          operation + ";\nsetp.eq.u32 %p2, %r1, " + str(thread) +
              ";\nsetp.eq.and.u32 %p1, %r8, " + str(result) + ", %p2;\n" +
              kRace};
}

Planted when(const std::string &name, const std::string &text) {
  return {name, text + kRace};
}

/// A wait that is given up.
Planted bounded(unsigned tries) {
  return {"bounded_wait_" + str(tries),
          "add.u32 %r4, %r2, 8;\nmov.u32 %r7, 0;\nsetp.eq.u32 %p2, %r1, 0;\n"
          "@!%p2 bra INITED;\nmbarrier.init.shared.b64 [%r4], 1;\nINITED: "
          "bar.sync 0;\nsetp.eq.u32 %p3, %r1, 32;\n@%p3 bra WAIT;\n@!%p2 bra "
          "END;\nst.shared.u32 [%r2+64], %r1;\nmbarrier.arrive.shared::cta.b64 "
          "_, [%r4];\nbra END;\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 "
          "%p4, [%r4], 0;\n@%p4 bra READ;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 "
          "%p5, %r7, " +
              str(tries) +
              ";\n@%p5 bra WAIT;\nREAD: ld.shared.u32 %r8, [%r2+64];\n"};
}

/// A cluster takes one with a lower number, which here has always begun.
Planted cancelled(unsigned own, unsigned answer) {
  Planted planted{
      "cancelled_" + str(own) + "_" + str(answer),
      "add.u32 %r4, %r2, 8;\nsetp.eq.u32 %p2, %r1, 0;\nmov.u32 %r9, 0;\n"
      "mov.u32 %r10, %ctaid.x;\n@!%p2 bra MEET;\n"
      "mbarrier.init.shared.b64 [%r4], 1;\nfence.mbarrier_init.release.cluster;"
      "\nclusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_"
      "tx::bytes.b128 [%r2+128], [%r4];\nmbarrier.arrive.expect_tx.shared::cta."
      "b64 _, [%r4], 16;\nMEET: bar.sync 0;\nWAIT: "
      "mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r4], 0;\n@!%p4 bra "
      "WAIT;\n.reg .b128 %q;\nld.shared.v2.b64 {%rd2, %rd3}, [%r2+128];\n"
      "mov.b128 %q, {%rd2, %rd3};\nclusterlaunchcontrol.query_cancel.is_"
      "canceled.pred.b128 %p5, %q;\n@!%p5 bra END;\nclusterlaunchcontrol.query_"
      "cancel.get_first_ctaid::x.b32.b128 %r9, %q;\nsetp.eq.u32 %p6, %r10, " +
          str(own) + ";\nsetp.eq.and.u32 %p1, %r9, " + str(answer) +
          ", %p6;\n" + kRace};
  planted.grid = 16;
  return planted;
}

/// Bases of three allocations.
Planted columns(unsigned first, unsigned second, unsigned third) {
  std::string text = "setp.lt.u32 %p3, %r1, 32;\n@!%p3 bra ALLOCATED;\n";
  for (const char *at : {"128", "132", "136"})
    text += std::string("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta."
                        "b32 [%r2+") +
            at + "], 32;\n";
  text += "ALLOCATED: bar.sync 0;\nld.shared.u32 %r8, [%r2+128];\n"
          "ld.shared.u32 %r9, [%r2+132];\nld.shared.u32 %r10, [%r2+136];\n"
          "@!%p3 bra FREED;\n";
  for (const char *base : {"%r8", "%r9", "%r10"})
    text += std::string("tcgen05.dealloc.cta_group::1.sync.aligned.b32 ") +
            base + ", 32;\n";
  return when("columns_" + str(first) + "_" + str(second) + "_" + str(third),
              text + "FREED: setp.eq.u32 %p1, %r8, " + str(first) +
                  ";\nsetp.eq.and.u32 %p1, %r9, " + str(second) +
                  ", %p1;\nsetp.eq.and.u32 %p1, %r10, " + str(third) +
                  ", %p1;\n");
}

/// Reads of one thread that see values of two others in turn.
Planted alternating(unsigned reads) {
  std::string text =
      "setp.eq.u32 %p2, %r1, 0;\nsetp.eq.u32 %p3, %r1, 32;\nsetp.eq.u32 %p4, "
      "%r1, 64;\n";
  for (unsigned i = 0; i < reads; ++i)
    text += "@%p2 st.relaxed.cta.shared.u32 [%r2+64], 1;\n"
            "@%p3 st.relaxed.cta.shared.u32 [%r2+64], 2;\n";
  text += "@!%p4 bra END;\nst.shared.u32 [%r2+100], %r3;\nsetp.eq.u32 %p1, "
          "%r1, 64;\n";
  for (unsigned i = 0; i < reads; ++i)
    text += "ld.relaxed.cta.shared.u32 %r8, [%r2+64];\nsetp.eq.and.u32 %p1, "
            "%r8, " +
            str(1 + i % 2) + ", %p1;\n";
  Planted planted = when("alternating_reads_" + str(reads), text);
  planted.threads = 96;
  return planted;
}

std::vector<Planted> allPlanted() {
  std::vector<Planted> all;
  for (unsigned rounds : {3u, 5u, 9u})
    for (unsigned lane : {0u, 7u, 31u})
      all.push_back(lateLanes(lane, rounds));
  const std::string add = "atom.global.add.u32 %r8, [%rd1], 1",
                    shared = "atom.shared.add.u32 %r8, [%r2+64], 1",
                    exchange = "atom.global.exch.b32 %r8, [%rd1], %r1",
                    most = "atom.global.max.u32 %r8, [%rd1], %r1",
                    bits = "shl.b32 %r9, 1, %r1;\natom.global.or.b32 %r8, "
                           "[%rd1], %r9";
  for (unsigned thread : {1u, 17u, 40u})
    all.push_back(ticket("add", add, thread, (thread + 9) % 64));
  for (unsigned thread : {2u, 30u, 41u})
    all.push_back(ticket("exch", exchange, thread, (thread + 3) % 64));
  for (unsigned thread : {4u, 35u})
    all.push_back(ticket("max", most, thread, thread + 5));
  for (unsigned thread : {6u, 9u})
    all.push_back(ticket("or", bits, thread, 1u << 12));
  const std::string zero = "@%p0 st.shared.u32 [%r2+64], %r3;\nbar.sync 0;\n";
  for (unsigned thread : {3u, 20u, 50u})
    all.push_back(
        ticket("shared_add", zero + shared, thread, (thread + 21) % 64));
  for (const char *clock : {"%clock", "%globaltimer_lo", "%clock_hi"})
    for (unsigned number : {524287u, 77777u})
      all.push_back(when(std::string("time_") + (clock + 1) + str(number),
                         std::string("mov.u32 %r8, ") + clock +
                             ";\nand.b32 %r8, %r8, 0xfffff;\nsetp.eq.u32 %p1, "
                             "%r8, " +
                             str(number) + ";\n"));
  for (unsigned number : {131u, 77u})
    all.push_back(when("place_" + str(number),
                       "mov.u32 %r8, %smid;\nsetp.eq.u32 %p1, %r8, " +
                           str(number) + ";\n"));
  for (unsigned number : {1u, 6u, 0x7fffffffu})
    all.push_back(when("active_" + str(number),
                       "activemask.b32 %r8;\nsetp.eq.u32 %p1, %r8, " +
                           str(number) + ";\n"));
  for (unsigned tries : {8u, 12u, 20u, 40u, 64u})
    all.push_back(bounded(tries));
  for (unsigned own : {2u, 3u, 5u, 9u})
    all.push_back(cancelled(own, own - 1));
  all.push_back(columns(160, 320, 96));
  all.push_back(columns(32, 352, 288));
  all.push_back(columns(416, 64, 224));
  all.push_back(columns(192, 480, 128));
  all.push_back(columns(64, 448, 352));
  for (unsigned reads : {12u, 14u, 16u, 20u})
    all.push_back(alternating(reads));
  return all;
}

RunResult run(const Program &program, const Planted &planted,
              const Schedule &schedule, Certificate *certificate = nullptr) {
  DeviceMemory memory;
  const uint64_t buffer = *memory.allocate(1024, 256);
  LaunchConfig config;
  config.grid = {planted.grid, 1, 1};
  config.block = {planted.threads, 1, 1};
  config.params.resize(8);
  std::memcpy(config.params.data(), &buffer, 8);
  RunOptions options;
  options.schedule = schedule;
  options.checkRaces = true;
  options.assumptions = AssumptionSet::none();
  options.maxInstructions = 1'000'000;
  options.threads = 1;
  options.certificate = certificate;
  return launch(program, config, memory, options);
}

/// With the first report of any schedule that is sampled.
std::string sample(const Program &program, const Planted &planted) {
  std::vector<Schedule> schedules = allSchedules();
  for (uint64_t seed = 1; seed <= 150; ++seed)
    schedules.push_back({Schedule::Kind::Random, seed});
  for (const Schedule &schedule : schedules)
    if (RunResult result = run(program, planted, schedule); !result.ok)
      return schedule.str() + ": " +
             (result.reports.empty() ? "" : result.reports[0].message);
  return "";
}

TEST(Certify, planted_bugs_that_samples_miss_are_not_certified) {
  unsigned certified = 0;
  const std::vector<Planted> all = allPlanted();
  EXPECT_GE(all.size(), 50u);
  for (const Planted &planted : all) {
    auto program = parsePTX(kernel(planted.body), planted.name);
    ASSERT_TRUE(bool(program))
        << planted.name << ": line " << program.error().line << ": "
        << program.error().message;
    EXPECT_EQ(sample(**program, planted), "") << planted.name;
    Certificate certificate;
    do
      if (!run(**program, planted, {}, &certificate).ok)
        certificate.refute();
    while (certificate.needsRun());
    EXPECT_NE(certificate.verdict(), Verdict::Certified) << planted.name;
    certified += certificate.verdict() == Verdict::Certified;
  }
  std::cout << all.size() - certified << " of " << all.size()
            << " planted bugs are found, " << certified << " certified\n";
}

/// Clusters of one thread write to the places of their own number and of those
/// that they cancel. `extra` comes after each, with it in %r9 and their own
/// number in %r10.
Planted stealing(const std::string &name, const std::string &extra) {
  Planted planted{
      name,
      "add.u32 %r4, %r2, 8;\nmov.u32 %r10, %ctaid.x;\nmov.u32 %r9, %r10;\n"
      "mov.u32 %r6, 0;\nmbarrier.init.shared.b64 [%r4], 1;\n"
      "fence.mbarrier_init.release.cluster;\nNEXT: mul.wide.u32 %rd4, %r9, 4;\n"
      "add.u64 %rd4, %rd1, %rd4;\nst.global.u32 [%rd4], %r9;\n" +
          extra +
          "fence.proxy.async;\n"
          "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::"
          "complete_"
          "tx::bytes.b128 [%r2+128], [%r4];\nmbarrier.arrive.expect_tx.shared::"
          "cta.b64 _, [%r4], 16;\nWAIT: "
          "mbarrier.try_wait.parity.shared::cta.b64 "
          "%p4, [%r4], %r6;\n@!%p4 bra WAIT;\nxor.b32 %r6, %r6, 1;\n.reg .b128 "
          "%q;\nld.shared.v2.b64 {%rd2, %rd3}, [%r2+128];\nmov.b128 %q, {%rd2, "
          "%rd3};\nclusterlaunchcontrol.query_cancel.is_canceled.pred.b128 "
          "%p5, "
          "%q;\n@!%p5 bra END;\nclusterlaunchcontrol.query_cancel.get_first_"
          "ctaid::x.b32.b128 %r9, %q;\nbra NEXT;\n"};
  planted.threads = 1;
  planted.grid = 4;
  return planted;
}

/// All ways of few clusters to cancel each other are run.
TEST(Certify, answers_of_few_clusters_are_searched) {
  struct Case {
    Planted kernel;
    Verdict verdict;
    unsigned runs;
  } cases[] = {
      {stealing("right", ""), Verdict::Certified, 73},
      {stealing("one_after_a_later_one",
                "setp.eq.u32 %p6, %r10, 2;\nsetp.eq.and.u32 %p6, %r9, 1, %p6;\n"
                "@%p6 st.global.u32 [%rd1], %r9;\n"),
       Verdict::Refuted, 0},
      {cancelled(2, 1), Verdict::Refuted, 0}};
  cases[2].kernel.grid = 4;
  Planted many = stealing("many", "");
  many.grid = 6;
  for (const Case &each : cases) {
    auto program = parsePTX(kernel(each.kernel.body), each.kernel.name);
    ASSERT_TRUE(bool(program)) << program.error().message;
    Certificate certificate;
    std::string report;
    do
      if (RunResult result = run(**program, each.kernel, {}, &certificate);
          !result.ok) {
        certificate.refute();
        report = result.reports.empty() ? "" : result.reports[0].message;
      }
    while (certificate.needsRun());
    EXPECT_EQ(certificate.verdict(), each.verdict)
        << each.kernel.name << ": " << report
        << certificate.text(each.kernel.name);
    if (each.runs)
      EXPECT_EQ(certificate.runs(), each.runs) << each.kernel.name;
  }
  auto program = parsePTX(kernel(many.body), many.name);
  ASSERT_TRUE(bool(program));
  Certificate certificate;
  EXPECT_TRUE(run(**program, many, {}, &certificate).ok);
  EXPECT_FALSE(certificate.needsRun());
  EXPECT_EQ(certificate.verdict(), Verdict::Incomplete);
}

/// Three warpgroups start with 64 registers per thread; the first one gives 40
/// of each away, and each of the others takes `registers` - 64, meets, and
/// gives them back. For one of them there is room in any case.
Verdict certifyRegisters(unsigned registers, std::string &text) {
  Planted planted{"registers",
                  "setp.lt.u32 %p2, %r1, 128;\n@%p2 bra GIVES;\n"
                  "setp.lt.u32 %p3, %r1, 256;\n"
                  "setmaxnreg.inc.sync.aligned.u32 " +
                      str(registers) +
                      ";\n@%p3 bra SECOND;\nbar.sync 1, 128;\nbra BACK;\n"
                      "SECOND: bar.sync 2, 128;\nBACK: "
                      "setmaxnreg.dec.sync.aligned.u32 64;\nbra END;\n"
                      "GIVES: setmaxnreg.dec.sync.aligned.u32 24;\n"};
  planted.threads = 384;
  std::string ptx = kernel(planted.body);
  ptx.insert(ptx.find(" {\n"), " .maxnreg 64");
  auto program = parsePTX(ptx, planted.name);
  EXPECT_TRUE(bool(program)) << program.error().message;
  Certificate certificate;
  do
    if (RunResult result = run(**program, planted, {}, &certificate);
        !result.ok) {
      certificate.refute();
      text = result.reports[0].message;
    }
  while (certificate.needsRun());
  text += certificate.text(planted.name);
  return certificate.verdict();
}

/// With room for one warpgroup alone, two may get a half each.
TEST(Certify, registers_that_two_warpgroups_take) {
  std::string text;
  EXPECT_EQ(certifyRegisters(80, text), Verdict::Certified) << text;
  text.clear();
  EXPECT_EQ(certifyRegisters(104, text), Verdict::Incomplete) << text;
  EXPECT_NE(text.find("may wait for ever, after others"), std::string::npos)
      << text;
}

} // namespace
