//===- TmemTest.cpp - Tensor Memory moves -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules of PTX ISA 9.0, "Tensor Memory Allocation and Management Instructions"
// and "Tensor Memory Load and Store Instructions", as PTX programs.
//
//===----------------------------------------------------------------------===//

#include "PtxHarness.h"

#include <set>

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

const std::string slot = "add.u32 %r3, %r2, 1024;\n";

/// Warp 0 allocates; everybody reads the address into %r10.
std::string alloc(unsigned columns) {
  return slot +
         "setp.eq.u32 %p0, %r1, 0;\n@!%p0 bra ALLOCATED;\n"
         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], " +
         std::to_string(columns) +
         ";\nALLOCATED:\nbar.sync 0;\nld.shared.u32 %r10, [%r3];\n"
         // The warp's own window.
         "and.b32 %r11, %r1, 3;\nshl.b32 %r11, %r11, 21;\nadd.u32 %r12, %r10, "
         "%r11;\n";
}

std::string dealloc(unsigned columns) {
  return "bar.sync 0;\n@!%p0 bra "
         "FREED;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, " +
         std::to_string(columns) +
         ";\ntcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nFREED:"
         "\n";
}

std::string allocOnly(const std::string &more) {
  return slot +
         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], "
         "64;\nld.shared.u32 %r10, [%r3];\n" +
         more;
}

std::string registers(unsigned count, unsigned first = 0) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + ("%v" + std::to_string(first + i));
  return text + "}";
}

/// Fills %v0.. with (thread << 8) + register.
std::string pattern(unsigned count) {
  std::string text = "shl.b32 %r20, %r0, 8;\n";
  for (unsigned i = 0; i < count; ++i)
    text += "add.u32 %v" + std::to_string(i) + ", %r20, " + std::to_string(i) +
            ";\n";
  return text;
}

/// Stores `count` registers of each thread to out[thread * count + i].
std::string output(unsigned count, unsigned first = 0) {
  std::string text = "mul.wide.u32 %rd1, %r0, " + std::to_string(4 * count) +
                     ";\nadd.s64 %rd1, %rd0, %rd1;\n";
  for (unsigned i = 0; i < count; ++i)
    text += "st.global.u32 [%rd1+" + std::to_string(4 * i) + "], %v" +
            std::to_string(first + i) + ";\n";
  return text;
}

TEST(TmemAlloc, rules_are_checked) {
  const std::string take =
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], ";
  EXPECT_NE(failure(slot + "mov.u32 %r4, 48;\n" + take + "%r4;\n", "eager", 32)
                .find("nCols: expected a power of two from 32 to 512, got 48 "
                      "(nearest: 64)"),
            std::string::npos);
  EXPECT_NE(failure(slot + "mov.u32 %r4, 16;\n" + take + "%r4;\n", "eager", 32)
                .find("got 16 (nearest: 32)"),
            std::string::npos);
  EXPECT_NE(
      failure(slot + "mov.u32 %r4, 1024;\n" + take + "%r4;\n", "eager", 32)
          .find("got 1024 (nearest: 512)"),
      std::string::npos);
  EXPECT_NE(
      failure(
          slot +
              "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" +
              take + "32;\n",
          "eager", 32)
          .find("gave up its permit"),
      std::string::npos);
  EXPECT_NE(failure(slot + take + "32;\n" + take + "64;\n", "eager", 32)
                .find("nCols: expected at most 32, the size of the CTA's "
                      "previous allocation, got 64"),
            std::string::npos);
  // The second half never comes free.
  EXPECT_NE(failure(slot + take + "512;\n" + take + "32;\n", "eager", 32),
            "ran");
}

/// The same kernel for a chip with 576 columns.
static std::string onRubin(const std::string &body) {
  std::string text = kernel(body);
  text.replace(0, text.find(".address_size"),
               ".version 9.4\n.target sm_107f\n");
  return text;
}

static std::string failureOnRubin(const std::string &body) {
  Outcome outcome = run(onRubin(body), 1024, 32, "eager");
  return outcome.result.ok ? "ran" : outcome.message();
}

TEST(TmemAlloc, exclusive_allocations) {
  const std::string take = "tcgen05.alloc.exclusive.cta_group::1.sync.aligned."
                           "shared::cta.b32 [%r3], ",
                    give = "tcgen05.dealloc.exclusive.cta_group::1.sync."
                           "aligned.b32 %r10, ",
                    read = "ld.shared.u32 %r10, [%r3];\n",
                    write = "tcgen05.st.sync.aligned.32x32b.x32.b32 "
                            "[%r10+544], " +
                            registers(32) +
                            ";\ntcgen05.wait::st.sync.aligned;\n";
  EXPECT_EQ(failureOnRubin(slot + take + "576;\n" + read + pattern(32) + write +
                           give + "576;\n"),
            "ran");
  EXPECT_EQ(failureOnRubin(slot + take + "96;\n" + read + give + "96;\n"),
            "ran");
  auto expect = [&](const std::string &body, const std::string &message) {
    std::string got = failureOnRubin(slot + body);
    EXPECT_NE(got.find(message), std::string::npos) << got;
  };
  // ptxas 13.5 takes these two.
  expect(take + "608;\n", "nCols: expected a multiple of 32 up to 576 with "
                          ".exclusive, got 608 (nearest: 576) (PTX ISA 9.4");
  expect("mov.u32 %r4, 100;\n" + take + "%r4;\n", "got 100 (nearest: 128)");
  expect("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], "
         "576;\n",
         "nCols: expected a power of two from 32 to 512, got 576");
  expect(take + "64;\n" + read +
             "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 64;\n",
         "expected .exclusive, as the tcgen05.alloc of line");
  // Beside an exclusive one no other one comes free.
  expect(take + "64;\n" +
             "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], "
             "32;\n",
         "columns of Tensor Memory");
  // Other chips have no more than 512.
  EXPECT_NE(failure(slot + take + "576;\n", "eager", 32)
                .find("expected a multiple of 32 up to 512"),
            std::string::npos);
}

// What sm_107 has and what it lacks, and what the emulator lacks of it, each by
// name. The kernels of block-scale.test run with the collector buffer of B.
TEST(Rubin, forms) {
  const std::string end = " [%r3], %rd1, %rd2, %r4, 1;\n",
                    mma = "tcgen05.mma.cta_group::1.kind::",
                    commit = "tcgen05.commit.cta_group::1.mbarrier::arrive::"
                             "one.sync_restrict::shared::read::mma::a.shared::"
                             "cluster.b64 [%r3];\n",
                    wide = "tcgen05.commit.cta_group::1.mbarrier::arrive::one."
                           "shared::cluster.multicast::cluster::32b.b64 [%r3], "
                           "%r5;\n";
  auto expect = [](const std::string &got, const std::string &message) {
    EXPECT_NE(got.find(message), std::string::npos) << got;
  };
  expect(failureOnRubin(mma + "i8" + end),
         "expected a target that has .kind::i8 (sm_100a, sm_110a), got "
         "sm_107f");
  expect(failureOnRubin(mma + "f16.collector::b2::fill" + end),
         "expected .collector::a or b::fill, ::use, ::lastuse or ::discard");
  expect(failure(mma + "f16.collector::a::discard.collector::b::fill" + end),
         "expected .collector::a::fill, ::use, ::lastuse or ::discard");
  expect(failure(commit), "expected a target that has .sync_restrict::shared::"
                          "read::mma::a (sm_107a, sm_107f), got sm_100a");
  expect(failure(wide), "expected a target that has .multicast::cluster::32b "
                        "(sm_107a, sm_107f), got sm_100a");
  // A mask of 32 bits names a CTA that is not there.
  expect(failureOnRubin("mov.u32 %r3, %r2;\nmov.u32 %r5, 65536;\n" + wide),
         "ctaMask: expected a nonempty set of ranks below 1, got mask 65536");
  expect(failure(mma + "ti16" + end),
         "expected a target that has .kind::ti16 (sm_107a, sm_107f), got "
         "sm_100a");
  const std::string lookup = ".decompress::lut::b",
                    tables = " [%r3], %rd1, %rd2, [%r3], %r4, 1;\n";
  expect(failure(mma + "f8f6f4" + lookup + tables),
         "expected a target that has .decompress::lut::b (sm_107a, sm_107f), "
         "got sm_100a");
  expect(failureOnRubin(mma + "f16" + lookup + tables),
         ".decompress::lut::b: expected .kind::f8f6f4 or mxf8f6f4, got .kind::"
         "f16 (PTX ISA 9.4, \"tcgen05.mma\", 9.7.18.10)");
  for (const char *text : {"tcgen05.mma.ws.cta_group::1.kind::f8f6f4",
                           "tcgen05.mma.sp.cta_group::1.kind::f8f6f4",
                           "tcgen05.mma.cta_group::1.kind::f8f6f4.ashift"})
    expect(failureOnRubin(text + lookup + tables),
           ".decompress::lut::b: expected none of .ws, .sp and .ashift (PTX "
           "ISA 9.4, \"tcgen05.mma\", 9.7.18.10)");
  expect(failureOnRubin(mma + "f8f6f4" + lookup + end),
         "expected at least 6 operands, got 5");
}

TEST(TmemAlloc, dealloc_takes_what_alloc_returned) {
  EXPECT_NE(
      failure(allocOnly(
                  "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 32;\n"),
              "eager", 32)
          .find("taddr: expected an address and size that tcgen05.alloc "
                "returned, got lane 0, columns 0 to 31"),
      std::string::npos);
  EXPECT_NE(
      failure(allocOnly(
                  "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 64;\n"
                  "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 64;\n"),
              "eager", 32)
          .find("expected an address and size that tcgen05.alloc returned"),
      std::string::npos);
  for (const std::string &schedule : schedules())
    EXPECT_EQ(
        failure(
            allocOnly(
                "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 64;\n"),
            schedule, 32),
        "ran");
}

// Any aligned base is legal: a kernel that takes 0 for granted must not pass.
TEST(TmemAlloc, the_base_is_the_schedules_choice) {
  const std::string text =
      kernel(alloc(64) + "st.global.u32 [%rd0], %r10;\n" + dealloc(64));
  auto base = [&](const std::string &schedule) {
    Outcome outcome = run(text, 1, 128, schedule);
    EXPECT_TRUE(outcome.result.ok) << schedule << ": " << outcome.message();
    return outcome.out[0];
  };
  EXPECT_EQ(base("eager"), 0u);
  EXPECT_EQ(base("lazy"), 0u);
  EXPECT_EQ(base("reverse"), 448u);
  EXPECT_EQ(
      run(text, 1, 128, "reverse", {}, {}, {}, {}, 1, AssumptionSet::defaults())
          .out[0],
      0u); // alloc-from-column-0
  for (const char *policy :
       {"random:", "starvation:", "skew:", "late-reads:"}) {
    std::set<uint32_t> seen;
    for (int seed = 1; seed <= 24; ++seed) {
      uint32_t column = base(policy + std::to_string(seed));
      EXPECT_EQ(column % 64, 0u);
      EXPECT_LE(column, 448u);
      seen.insert(column);
    }
    EXPECT_GE(seen.size(), 4u) << policy;
  }
}

TEST(TmemMove, stores_come_back_in_every_shape) {
  struct Row {
    const char *shape;
    unsigned repeat, registers, columns;
    bool upper;
  };
  const Row rows[] = {
      {"32x32b", 1, 1, 32, false},   {"32x32b", 32, 32, 32, false},
      {"16x64b", 8, 8, 32, true},    {"16x128b", 4, 8, 32, true},
      {"16x256b", 2, 8, 32, true},   {"16x32bx2", 4, 4, 32, true},
      {"32x32b", 64, 64, 64, false}, {"16x256b", 16, 64, 128, true}};
  for (const Row &row : rows) {
    std::string shape =
        std::string(row.shape) + ".x" + std::to_string(row.repeat) + ".b32 ";
    std::string offset = std::string(row.shape) == "16x32bx2" ? ", 4" : "";
    std::string st = "tcgen05.st.sync.aligned." + shape,
                ld = "tcgen05.ld.sync.aligned." + shape;
    std::string all = registers(row.registers),
                back = registers(row.registers, 64);
    std::string body =
        alloc(row.columns) + pattern(row.registers) + st + "[%r12]" + offset +
        ", " + all + ";\ntcgen05.wait::st.sync.aligned;\n" + ld + back +
        ", [%r12]" + offset + ";\ntcgen05.wait::ld.sync.aligned;\n" +
        output(row.registers, 64) + dealloc(row.columns);
    for (const std::string &schedule : schedules()) {
      Outcome outcome = run(kernel(body), 128 * row.registers, 128, schedule);
      ASSERT_TRUE(outcome.result.ok)
          << row.shape << " " << schedule << ": " << outcome.message();
      for (unsigned t = 0; t < 128; ++t)
        for (unsigned r = 0; r < row.registers; ++r)
          ASSERT_EQ(outcome.out[t * row.registers + r], (t << 8) + r)
              << row.shape;
    }
  }
}

TEST(TmemMove, a_16_lane_store_is_seen_by_a_32_lane_load) {
  // 16x256b.x1: 16 lanes x 8 columns in the layout of an mma fragment.
  std::string body =
      alloc(32) + pattern(4) +
      "tcgen05.st.sync.aligned.16x256b.x1.b32 [%r12], " + registers(4) +
      ";\ntcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.32x32b.x8."
      "b32 " +
      registers(8, 64) +
      ", [%r12];\ntcgen05.wait::ld.sync.aligned;\n"
      // Lanes 16 to 31 hold nothing.
      "and.b32 %r30, %r0, 31;\nsetp.lt.u32 %p1, %r30, 16;\n@!%p1 bra SKIP;\n" +
      output(8, 64) + "SKIP:\n" + dealloc(32);
  for (const std::string &schedule : schedules()) {
    Outcome outcome = run(kernel(body), 128 * 8, 128, schedule);
    ASSERT_TRUE(outcome.result.ok) << outcome.message();
    for (unsigned warp = 0; warp < 4; ++warp)
      for (unsigned lane = 0; lane < 16; ++lane)
        for (unsigned column = 0; column < 8; ++column) {
          unsigned thread = 32 * warp + 4 * (lane % 8) + column / 2,
                   reg = column % 2 + 2 * (lane / 8);
          ASSERT_EQ(outcome.out[(32 * warp + lane) * 8 + column],
                    (thread << 8) + reg);
        }
  }
}

TEST(TmemMove, pack_and_unpack_split_registers_in_halves) {
  std::string body =
      alloc(32) + pattern(4) +
      "mov.u32 %r21, 0x12340000;\nor.b32 %v0, %v0, %r21;\n"
      "tcgen05.st.sync.aligned.32x32b.x4.unpack::16b.b32 [%r12], " +
      registers(4) +
      ";\ntcgen05.wait::st.sync.aligned;\n"
      "tcgen05.ld.sync.aligned.32x32b.x8.b32 " +
      registers(8, 64) +
      ", [%r12];\ntcgen05.ld.sync.aligned.32x32b.x4.pack::16b.b32 " +
      registers(4, 72) + ", [%r12];\ntcgen05.wait::ld.sync.aligned;\n" +
      output(12, 64) + dealloc(32);
  Outcome outcome = run(kernel(body), 128 * 12, 128, "lazy");
  ASSERT_TRUE(outcome.result.ok) << outcome.message();
  for (unsigned t = 0; t < 128; ++t) {
    const uint32_t *row = &outcome.out[t * 12];
    EXPECT_EQ(row[0], t << 8);
    EXPECT_EQ(row[1], 0x1234u);
    EXPECT_EQ(row[2], (t << 8) + 1);
    EXPECT_EQ(row[3], 0u);
    EXPECT_EQ(row[8], 0x12340000u | t << 8);
    EXPECT_EQ(row[9], (t << 8) + 1);
  }
}

TEST(TmemMove, a_register_is_right_without_wait_ld) {
  std::string body = alloc(32) + pattern(4) +
                     "tcgen05.st.sync.aligned.32x32b.x4.b32 [%r12], " +
                     registers(4) +
                     ";\ntcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync."
                     "aligned.32x32b.x4.b32 " +
                     registers(4, 64) + ", [%r12];\n" + output(4, 64) +
                     "tcgen05.wait::ld.sync.aligned;\n" + dealloc(32);
  for (const std::string &schedule : schedules()) {
    Outcome outcome = run(kernel(body), 128 * 4, 128, schedule);
    ASSERT_TRUE(outcome.result.ok) << outcome.message();
    EXPECT_EQ(outcome.out[4 * 77 + 3], (77u << 8) + 3);
  }
}

/// The load may come later than what is written after it.
TEST(TmemMove, a_register_is_not_overwritten_without_wait_ld) {
  const std::string begin = alloc(32) + pattern(4) +
                            "tcgen05.st.sync.aligned.32x32b.x4.b32 [%r12], " +
                            registers(4) +
                            ";\ntcgen05.wait::st.sync.aligned;\n";
  const std::string load = "tcgen05.ld.sync.aligned.32x32b.x4.b32 " +
                           registers(4, 64) + ", [%r12];\n",
                    wait = "tcgen05.wait::ld.sync.aligned;\n";
  const std::string write = "setp.eq.u32 %p2, %r0, 40;\n"
                            "@%p2 mov.u32 %v66, 7;\n";
  const std::string end = wait + output(4, 64) + dealloc(32);
  for (const std::string &schedule : schedules())
    for (const std::string &again : {write, load}) {
      Outcome right = run(kernel(begin + load + wait + again + end), 128 * 4,
                          128, schedule);
      EXPECT_TRUE(right.result.ok) << schedule << right.message();
    }
  // What writes nothing that is defined writes.
  const std::string undefined = "mov.u32 %v66, %v127;\n",
                    half = "mov.b16 %h0, 1;\nmov.b32 %v66, {%h0, %h1};\n";
  for (const std::string &again : {write, load, undefined, half}) {
    Outcome wrong =
        run(kernel(begin + load + again + end), 128 * 4, 128, "lazy");
    EXPECT_NE(wrong.message().find("no tcgen05.wait::ld between the two"),
              std::string::npos)
        << again << wrong.message();
  }
}

TEST(TmemMove, addresses_are_checked) {
  const std::string ld =
      "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%r13];\n";
  EXPECT_NE(
      failure(alloc(32) + "add.u32 %r13, %r10, 0x200000;\n" + ld + dealloc(32),
              "lazy", 32)
          .find("lane of the address: expected 0 for .32x32b in warp 0, whose "
                "lanes are 0 to 31, got 32"),
      std::string::npos);
  EXPECT_NE(
      failure(alloc(32) + "add.u32 %r13, %r10, 0x80000;\n" + ld + dealloc(32),
              "lazy", 32)
          .find("expected a multiple of 16, got 8"),
      std::string::npos);
  // Lane 0 means the warp's own lanes, as in DeepGEMM.
  EXPECT_EQ(
      failure(alloc(32) + pattern(1) +
                  "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r10], {%v0};\n"
                  "tcgen05.wait::st.sync.aligned;\n"
                  "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v64}, [%r12];\n"
                  "tcgen05.wait::ld.sync.aligned;\n" +
                  dealloc(32),
              "lazy", 128, AssumptionSet::defaults()),
      "ran");
  EXPECT_NE(failure(alloc(32) + "add.u32 %r13, %r12, 511;\n" + ld + dealloc(32))
                .find("which is not allocated"),
            std::string::npos);
  EXPECT_NE(failure(alloc(32) + "add.u32 %r13, %r12, 512;\n" + ld + dealloc(32))
                .find("expected columns below 512, got 512"),
            std::string::npos);
}

TEST(TmemMove, missing_waits_are_found) {
  const std::string st =
      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r12], {%v0};\n";
  const std::string ld =
      "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v64}, [%r12];\n";
  EXPECT_NE(failure(alloc(32) + pattern(1) + st + ld +
                    "tcgen05.wait::ld.sync.aligned;\n" + dealloc(32))
                .find("expected tcgen05.wait::st before"),
            std::string::npos);
  EXPECT_EQ(failure(alloc(32) + pattern(1) + st + ld +
                        "tcgen05.wait::ld.sync.aligned;\n" + dealloc(32),
                    "lazy", 128, AssumptionSet::defaults()),
            "ran");
  EXPECT_NE(failure(alloc(32) + pattern(1) + st +
                    "tcgen05.wait::st.sync.aligned;\n" + ld + st +
                    "tcgen05.wait::st.sync.aligned;\n" + dealloc(32))
                .find("expected tcgen05.wait::ld before"),
            std::string::npos);
  EXPECT_NE(failure(alloc(32) + pattern(1) + st + dealloc(32))
                .find("frees Tensor Memory that pending work still uses"),
            std::string::npos);
}

TEST(TmemMove, forms_that_do_not_exist_are_refused) {
  EXPECT_NE(failure("tcgen05.ld.sync.aligned.16x256b.x64.b32 {%v0}, [%r2];\n")
                .find("expected .x1 to .x32 for .16x256b"),
            std::string::npos);
  EXPECT_NE(failure("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%v0}, [%r2];\n")
                .find("expected 2 registers for .32x32b.x2, got 1"),
            std::string::npos);
  EXPECT_NE(failure("tcgen05.ld.sync.aligned.b32 {%v0}, [%r2];\n")
                .find("expected a shape"),
            std::string::npos);
  EXPECT_NE(failure("tcgen05.alloc.sync.aligned.shared::cta.b32 [%r2], 32;\n")
                .find("expected .cta_group::1 or .cta_group::2"),
            std::string::npos);
}

} // namespace
