//===- ScheduleTest.cpp - what each schedule policy exposes ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each policy a kernel whose bug it shows and the others do not: the bug is
// seen as a wrong value or as a report, without the race checker. The other
// tests run correct kernels under every policy, and replay seeds.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <set>

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

/// Word 0 of the buffer after a clean run, or the report.
std::string outcome(const std::string &text, const std::string &schedule,
                    Options options = {}) {
  options.schedule = schedule;
  options.osThreads = 1;
  Outcome out = run(text, options);
  return out.result.ok ? std::to_string(out.words[0]) : out.message();
}

/// `right` under every schedule of `silent`, anything else under `loud`.
void expectOnly(const std::string &text, const std::string &right,
                const std::vector<std::string> &loud,
                const std::vector<std::string> &silent, Options options = {}) {
  for (const std::string &schedule : silent)
    EXPECT_EQ(outcome(text, schedule, options), right) << schedule;
  for (const std::string &schedule : loud)
    EXPECT_NE(outcome(text, schedule, options), right) << schedule;
}

/// Barriers at s+0 and s+8 (count 1) and the addresses %r2 (s) and %r3 (s + 8);
/// one thread goes on.
std::string twoBarriers() {
  return "mov.u32 %r2, s; add.u32 %r3, %r2, 8;\n"
         "setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE;\n"
         "mbarrier.init.shared.b64 [%r2], 1; mbarrier.init.shared.b64 [%r3], "
         "1;\nfence.mbarrier_init.release.cluster;\n";
}
std::string wait(const std::string &barrier, const std::string &label) {
  return label + ": mbarrier.try_wait.parity.shared.b64 %p2, [" + barrier +
         "], 0;\n@!%p2 bra " + label + ";\n";
}
std::string load(const std::string &to, const std::string &barrier,
                 const std::string &from) {
  return "mbarrier.arrive.expect_tx.shared.b64 _, [" + barrier +
         "], 64;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
         "bytes [" +
         to + "], [" + from + "], 64, [" + barrier + "];\n";
}
const char *kScheduled = ".shared .align 128 .b8 s[1024];";

} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST(Schedule, NamesAreReadAndPrinted) {
  for (const SchedulePolicy &policy : schedulePolicies()) {
    auto bare = Schedule::parse(policy.name);
    ASSERT_TRUE(bool(bare)) << policy.name;
    EXPECT_EQ(bare->kind, policy.kind);
    auto again = Schedule::parse(bare->str());
    ASSERT_TRUE(bool(again)) << bare->str();
    EXPECT_EQ(again->kind, policy.kind);
    auto seeded = Schedule::parse(std::string(policy.name) + ":41");
    EXPECT_EQ(bool(seeded), policy.seeded) << policy.name;
    if (seeded) {
      EXPECT_EQ(seeded->seed, 41u);
      EXPECT_EQ(seeded->str(), std::string(policy.name) + ":41");
    }
  }
  for (const char *wrong : {"", "eagerly", "lazy:1", "random:", "random:x",
                            "random:1x", "skew:12345678901234567890", ":1"}) {
    auto schedule = Schedule::parse(wrong);
    ASSERT_FALSE(bool(schedule)) << wrong;
    EXPECT_TRUE(contains(schedule.error().message,
                         "expected eager, lazy, reverse, starvation[:SEED], "
                         "skew[:SEED], late-reads[:SEED] or random[:SEED]"))
        << schedule.error().message;
  }
}

TEST(Schedule, AllHasEveryPolicy) {
  std::set<Schedule::Kind> kinds;
  for (const Schedule &schedule : allSchedules())
    kinds.insert(schedule.kind);
  EXPECT_EQ(kinds.size(), schedulePolicies().size());
}

//===----------------------------------------------------------------------===//
// One bug each
//===----------------------------------------------------------------------===//

// Two loads, and a wait for the second one only: younger work may complete
// first.
TEST(Schedule, ReverseShowsAWaitForTheWrongLoad) {
  const std::string text = kernel(
      twoBarriers() + "add.u32 %r4, %r2, 128; add.u32 %r5, %r2, 256;\n" +
          load("%r4", "%r2", "%rd1") + load("%r5", "%r3", "%rd1") +
          wait("%r3", "W") +
          "ld.shared.u64 %rd5, [s+128]; st.global.u64 [%rd1+64], %rd5;\n" +
          wait("%r2", "V") +
          "ld.global.u64 %rd5, [%rd1+64]; st.global.u64 [%rd1], %rd5;\n"
          "DONE:",
      kScheduled);
  Options options;
  options.init = {42};
  expectOnly(text, "42", {"reverse"},
             {"eager", "lazy", "starvation:0", "starvation:1", "skew:0",
              "skew:1", "late-reads:1"},
             options);
}

// Warps 0 and 2 talk to each other, then warp 0 reads what warp 1 writes.
TEST(Schedule, StarvationShowsAWaitForTheWrongWarp) {
  const std::string text = kernel(
      "mov.u32 %r2, s; add.u32 %r3, %r2, 8;\n"
      "shr.u32 %r6, %r1, 5; and.b32 %r7, %r1, 31;\n"
      "setp.eq.u32 %p1, %r1, 0; @!%p1 bra SYNC;\n"
      "mbarrier.init.shared.b64 [%r2], 1; mov.u32 %r8, 7;\n"
      "mbarrier.init.shared.b64 [%r3], 1; st.shared.u32 [s+16], %r8;\n"
      "SYNC: bar.sync 0;\n"
      "setp.ne.u32 %p3, %r7, 0; @%p3 bra DONE;\n"
      "setp.eq.u32 %p1, %r6, 1; @%p1 bra WRITE;\n"
      "setp.eq.u32 %p1, %r6, 2; @%p1 bra ANSWER;\n"
      "mbarrier.arrive.shared.b64 _, [%r3];\n" +
          wait("%r2", "W") +
          "ld.shared.u32 %r9, [s+16]; cvt.u64.u32 %rd5, %r9;\n"
          "st.global.u64 [%rd1], %rd5; bra DONE;\n"
          "WRITE: mov.u32 %r8, 42; st.shared.u32 [s+16], %r8; bra DONE;\n"
          "ANSWER:\n" +
          wait("%r3", "V") + "mbarrier.arrive.shared.b64 _, [%r2];\nDONE:",
      kScheduled);
  Options options;
  options.threads = 96;
  expectOnly(text, "42", {"starvation:2"},
             {"eager", "lazy", "reverse", "starvation:1", "starvation:3",
              "skew:0", "skew:1", "late-reads:1"},
             options);
  // The value itself is wrong, nothing is reported.
  EXPECT_EQ(outcome(text, "starvation:2", options), "7");
}

// CTAs 0 and 2 talk to each other, then CTA 0 reads what CTA 1 writes.
TEST(Schedule, SkewShowsAPeerThatIsLate) {
  const std::string text = kernel(
      "mov.u32 %r2, s; mov.u32 %r10, %cluster_ctarank;\n"
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra SYNC;\n"
      "mbarrier.init.shared.b64 [%r2], 1; mov.u32 %r8, 7;\n"
      "st.shared.u32 [s+16], %r8; fence.mbarrier_init.release.cluster;\n"
      "SYNC: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra END;\n"
      // The other of the two: 2 - rank.
      "sub.u32 %r11, 2, %r10; mapa.shared::cluster.u32 %r12, %r2, %r11;\n"
      "setp.eq.u32 %p1, %r10, 1; @%p1 bra WRITE;\n"
      "setp.eq.u32 %p1, %r10, 2; @%p1 bra ANSWER;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];\n" +
          wait("%r2", "W") +
          "mov.u32 %r13, 1; mapa.shared::cluster.u32 %r12, %r2, %r13;\n"
          "ld.shared::cluster.u32 %r9, [%r12+16]; cvt.u64.u32 %rd5, %r9;\n"
          "st.global.u64 [%rd1], %rd5; bra END;\n"
          "WRITE: mov.u32 %r8, 42; st.shared.u32 [s+16], %r8; bra END;\n"
          "ANSWER:\n" +
          wait("%r2", "V") +
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];\n"
          "END: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
      kScheduled);
  Options options;
  options.ctas = options.cluster = 3;
  expectOnly(text, "42", {"skew:1"},
             {"eager", "lazy", "reverse", "starvation:1", "starvation:3",
              "skew:0", "skew:2", "late-reads:1"},
             options);
  EXPECT_EQ(outcome(text, "skew:1", options), "7");
}

// CTA 1 of the grid reads what CTAs 0 and 2 write: right in order and in
// reverse.
TEST(Schedule, SkewPermutesTheGrid) {
  const std::string text = kernel(
      "mov.u32 %r10, %ctaid.x; setp.eq.u32 %p1, %r10, 1; @%p1 bra READ;\n"
      "mov.u64 %rd5, 42; st.global.u64 [%rd1+8], %rd5; bra DONE;\n"
      "READ: ld.global.u64 %rd5, [%rd1+8]; st.global.u64 [%rd1], %rd5;\nDONE:");
  Options options;
  options.ctas = 3;
  options.threads = 1;
  for (const char *schedule :
       {"eager", "lazy", "reverse", "starvation:0", "late-reads:1"})
    EXPECT_EQ(outcome(text, schedule, options), "42") << schedule;
  std::set<std::string> seen;
  for (int seed = 0; seed < 8; ++seed)
    seen.insert(outcome(text, "skew:" + std::to_string(seed), options));
  EXPECT_EQ(seen, (std::set<std::string>{"0", "42"}));
}

// The source of a bulk store is overwritten after two loads around it have
// completed, which says nothing of the store.
TEST(Schedule, LateReadsShowsASourceOverwritten) {
  const std::string text = kernel(
      twoBarriers() +
          "add.u32 %r4, %r2, 128; add.u32 %r5, %r2, 256; add.u32 %r6, %r2, "
          "384;\nmov.u64 %rd5, 42; st.shared.u64 [s+384], %rd5;\n"
          "st.shared.u64 [s+392], %rd5; fence.proxy.async.shared::cta;\n" +
          load("%r4", "%r2", "%rd1+256") +
          "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r6], 16;\n"
          "cp.async.bulk.commit_group;\n" +
          load("%r5", "%r3", "%rd1+256") + wait("%r2", "W") + wait("%r3", "V") +
          "mov.u64 %rd5, 7; st.shared.u64 [s+384], %rd5;\n"
          "cp.async.bulk.wait_group 0;\nDONE:",
      kScheduled);
  expectOnly(text, "42", {"late-reads:1"},
             {"eager", "lazy", "reverse", "starvation:0", "starvation:1",
              "skew:0", "skew:1"});
  EXPECT_EQ(outcome(text, "late-reads:1"), "7");
}

// The buffer already holds what the store is going to write, so that a read
// that does not wait sees nothing wrong, unless the bytes are poison.
TEST(Schedule, DestinationsInGlobalMemoryArePoisoned) {
  const std::string text = kernel(
      twoBarriers() +
          "add.u32 %r6, %r2, 384; mov.u64 %rd5, 42;\n"
          "st.shared.u64 [s+384], %rd5; st.shared.u64 [s+392], %rd5;\n"
          "fence.proxy.async.shared::cta;\n"
          "cp.async.bulk.global.shared::cta.bulk_group [%rd1+64], [%r6], 16;\n"
          "cp.async.bulk.commit_group; ld.global.u64 %rd6, [%rd1+64];\n"
          "cp.async.bulk.wait_group 0; st.global.u64 [%rd1], %rd6;\nDONE:",
      kScheduled);
  Options options;
  options.init = std::vector<uint64_t>(16, 42);
  EXPECT_EQ(outcome(text, "eager", options), "42");
  for (const char *schedule : {"lazy", "reverse", "late-reads:1"})
    EXPECT_EQ(outcome(text, schedule, options),
              std::to_string(0x7fa57fa57fa57fa5ull))
        << schedule;
}

// A try_wait whose answer is not read.
TEST(Schedule, TryWaitComesBackEarly) {
  const std::string text =
      kernel(twoBarriers() +
                 "add.u32 %r4, %r2, 128; mov.u64 %rd5, 7;\n"
                 "st.shared.u64 [s+512], %rd5;\n" +
                 load("%r4", "%r2", "%rd1") +
                 "mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;\n"
                 "selp.b64 %rd5, 42, 7, %p2; st.global.u64 [%rd1], %rd5;\n" +
                 wait("%r2", "V") + "DONE:",
             kScheduled);
  expectOnly(text, "42", {"starvation:2"}, {"eager", "lazy", "reverse"});
}

TEST(Schedule, ElectedLanes) {
  Options options;
  options.assumptions = AssumptionSet::none();
  // Lane 0 is not a member: it must not come.
  const std::string guarded =
      kernel("setp.eq.u32 %p2, %r1, 0; @%p2 bra DONE;\n"
             "elect.sync %r2|%p1, 0xfffffffe; cvt.u64.u32 %rd5, %r2;\n"
             "st.global.u64 [%rd1], %rd5;\nDONE:");
  EXPECT_EQ(outcome(guarded, "eager", options), "1");
  EXPECT_EQ(outcome(guarded, "lazy", options), "1");
  EXPECT_EQ(outcome(guarded, "reverse", options), "31");
  EXPECT_EQ(outcome(guarded, "reverse", {}), "1"); // first-lane-elect
  std::set<std::string> seen;
  for (int seed = 0; seed < 20; ++seed)
    seen.insert(outcome(guarded, "random:" + std::to_string(seed), options));
  EXPECT_GT(seen.size(), 5u);
  EXPECT_EQ(seen.count("0"), 0u);
}

// CTA 1 has its copy and tells CTA 0, which reads its own copy at once.
TEST(Schedule, MulticastDestinationsAreIndependent) {
  const std::string text = kernel(
      "mov.u32 %r2, s; add.u32 %r3, %r2, 8; mov.u32 %r10, %cluster_ctarank;\n"
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra SYNC;\n"
      "mbarrier.init.shared.b64 [%r2], 1; mbarrier.init.shared.b64 [%r3], 1;\n"
      "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 64;\n"
      "fence.mbarrier_init.release.cluster;\n"
      "SYNC: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra END;\n"
      "add.u32 %r4, %r2, 128; mov.u16 %h1, 3;\n"
      "setp.eq.u32 %p3, %r10, 0; @!%p3 bra ONE;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
      "multicast::cluster [%r4], [%rd1], 64, [%r2], %h1;\n" +
          wait("%r3", "W") +
          "ld.shared.u64 %rd5, [s+128]; st.global.u64 [%rd1+128], %rd5;\n" +
          wait("%r2", "V") + "bra END;\nONE:\n" + wait("%r2", "X") +
          "mov.u32 %r11, 0; mapa.shared::cluster.u32 %r12, %r3, %r11;\n"
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];\n"
          "END: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
      kScheduled);
  Options options;
  options.ctas = options.cluster = 2;
  options.init = {42};
  expectOnly(text, "42", {"reverse"}, {"eager", "lazy"}, options);
}

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

// Warps take numbers and write their own index there: the order in which they
// ran.
TEST(Schedule, ASeedReplaysExactly) {
  const std::string text = kernel(
      "shr.u32 %r6, %r1, 5; and.b32 %r7, %r1, 31; mov.u32 %r9, %ctaid.x;\n"
      "setp.ne.u32 %p1, %r7, 0; @%p1 bra DONE;\nmov.u32 %r8, 0;\n"
      "mad.lo.u32 %r6, %r9, 16, %r6; cvt.u64.u32 %rd7, %r6;\n"
      "LOOP: atom.global.add.u64 %rd5, [%rd1], 1;\n"
      "shl.b64 %rd5, %rd5, 3; add.u64 %rd5, %rd5, %rd1;\n"
      "st.global.u64 [%rd5+8], %rd7; add.u32 %r8, %r8, 1;\n"
      "setp.lt.u32 %p2, %r8, 10; @%p2 bra LOOP;\nDONE:");
  Options options;
  options.threads = 256;
  options.ctas = 3;
  options.words = 512;
  options.osThreads = 1;
  std::set<std::vector<uint64_t>> orders;
  const std::vector<std::string> seeded = {"random:1",     "random:2",
                                           "random:3",     "skew:1",
                                           "starvation:3", "late-reads:1"};
  for (const std::string &schedule : seeded) {
    options.schedule = schedule;
    Outcome one = run(text, options), two = run(text, options);
    ASSERT_TRUE(one.result.ok) << one.message();
    EXPECT_EQ(one.words, two.words) << schedule;
    EXPECT_EQ(one.result.stats.warpInstructions,
              two.result.stats.warpInstructions);
    EXPECT_EQ(one.words[0], 240u);
    orders.insert(one.words);
  }
  EXPECT_GE(orders.size(), 5u);
}
