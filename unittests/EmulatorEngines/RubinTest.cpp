//===- RubinTest.cpp - copies and barriers of sm_107 ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor copies whose instruction overrides the tensor map, masks of 32 CTAs,
// and mbarriers on which copies report (PTX ISA 9.4, 9.7.10.28.5.2,
// 9.7.10.28.1.3 and 9.7.15.16).
//
//===----------------------------------------------------------------------===//

#include "PtxHarness.h"

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

/// The kernel of the harness for `target`.
std::string on(const char *target, const std::string &body) {
  std::string text = kernel(body);
  text.replace(0, text.find(".address_size"),
               ".version 9.4\n.target " + std::string(target) + "\n");
  return text;
}

/// 4 rows of 16 words, of which the map names 4x16: word (r, c) is 256 r + c.
TensorMapDesc wordMap() {
  TensorMapDesc map;
  map.dtype = TensorMapType::U32;
  map.rank = 2;
  map.dims = {16, 4};
  map.strides = {64};
  map.box = {16, 4};
  return map;
}
std::vector<uint8_t> words() {
  std::vector<uint8_t> bytes(256);
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t word = i / 16 << 8 | i % 16;
    std::memcpy(&bytes[4 * i], &word, 4);
  }
  return bytes;
}

/// One thread executes `issue` with a barrier at [%r3] that expects 256 bytes
/// at %r2, the map at %rd3 and a zero in %r40; all wait for it, with `waits`,
/// and thread i of 32 stores words 2 i and 2 i + 1 of the box to out.
std::string loading(const std::string &issue, const std::string &layout = "",
                    const std::string &before = "") {
  return "add.u32 %r3, %r2, 4096;\nmov.u32 %r40, 0;\n"
         "mov.b64 %rd2, mapA;\ncvta.param.u64 %rd3, %rd2;\n"
         "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra INITED;\nmbarrier.init" +
         layout +
         ".shared.b64 [%r3], 1;\nfence.mbarrier_init.release.cluster;\n"
         "INITED:\n" +
         before +
         "bar.sync 0;\n@%p1 bra ISSUED;\n"
         "mbarrier.arrive.expect_tx.shared.b64 %rd4, [%r3], 256;\n" +
         issue +
         "ISSUED:\nDONE:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;\n"
         "@!%p2 bra DONE;\nshl.b32 %r4, %r0, 3;\nadd.u32 %r5, %r2, %r4;\n"
         "ld.shared.u32 %r6, [%r5];\nld.shared.u32 %r7, [%r5+4];\n"
         "cvt.u64.u32 %rd5, %r4;\nadd.s64 %rd6, %rd0, %rd5;\n"
         "st.global.u32 [%rd6], %r6;\nst.global.u32 [%rd6+4], %r7;\n";
}

const std::string load = "cp.async.bulk.tensor.2d.shared::cluster.global.tile."
                         "mbarrier::complete_tx::bytes";

std::string failureOn(const char *target, const std::string &body,
                      unsigned size = 1024) {
  Outcome outcome =
      run(on(target, body), size, 32, "eager", words(), wordMap());
  return outcome.result.ok ? "ran" : outcome.message();
}

void expectFailure(const std::string &body, const std::string &message,
                   const char *target = "sm_107f", unsigned size = 65536) {
  const std::string got = failureOn(target, body, size);
  EXPECT_NE(got.find(message), std::string::npos) << got;
}

/// Each thread puts 32 words of 7 i at out + 1 KiB, for a copy to read.
const std::string fill =
    "shl.b32 %r10, %r0, 7;\ncvt.u64.u32 %rd7, %r10;\n"
    "add.s64 %rd8, %rd0, %rd7;\nadd.s64 %rd8, %rd8, 1024;\n"
    "mov.u32 %r11, 0;\nFILL:\nshl.b32 %r12, %r0, 5;\nadd.u32 %r12, %r12, "
    "%r11;\nmul.lo.u32 %r12, %r12, 7;\nst.global.u32 [%rd8], %r12;\n"
    "add.s64 %rd8, %rd8, 4;\nadd.u32 %r11, %r11, 1;\n"
    "setp.lt.u32 %p3, %r11, 32;\n@%p3 bra FILL;\nfence.proxy.async;\n";

TEST(Rubin, an_address_instead_of_that_of_the_map) {
  const std::string at = "add.s64 %rd9, %rd0, 1088;\n";
  for (const std::string &schedule : schedules()) {
    Outcome outcome =
        run(on("sm_107f",
               loading(at + load +
                           ".override::global_address [%r2], [%rd3, %rd9, "
                           "{%r40, %r40}], [%r3];\n",
                       "", fill)),
            65536, 32, schedule, words(), wordMap());
    ASSERT_TRUE(outcome.result.ok) << outcome.message();
    for (unsigned i = 0; i < 64; ++i)
      EXPECT_EQ(outcome.out[i], 7 * (16 + i)) << schedule;
  }
}

TEST(Rubin, extents_and_strides_instead_of_those_of_the_map) {
  // 3 rows of 4 words, 32 bytes apart: 2 in units of 16; the rest is zeros.
  const std::string at = "add.s64 %rd9, %rd0, 1024;\nmov.u16 %h0, 4;\n"
                         "mov.u16 %h1, 3;\nmov.u16 %h2, 0;\nmov.u32 %r20, 2;\n";
  const std::string form =
      load + ".override::global_address.override::global_dim_stride [%r2], "
             "[%rd3, %rd9, {%h0, %h1}, {%r20}, %h2, {%r40, %r40}], [%r3];\n";
  Outcome outcome = run(on("sm_107f", loading(at + form, "", fill)), 65536, 32,
                        "lazy", words(), wordMap());
  ASSERT_TRUE(outcome.result.ok) << outcome.message();
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(outcome.out[i],
              i / 16 < 3 && i % 16 < 4 ? 7 * (i / 16 * 8 + i % 16) : 0);
  expectFailure(loading(at + "mov.u16 %h2, 16;\n" + form, "", fill),
                "tensorUpperStrideToOverride: expected 4 bits for each stride, "
                "got 16");
  expectFailure(loading(at + "mov.u32 %r40, 1;\n" + form, "", fill),
                "tensorCoords: expected 0 with .override::global_dim");
}

TEST(Rubin, overrides_are_checked) {
  const std::string form = load + ".override::global_address [%r2], [%rd3, "
                                  "%rd9, {%r40, %r40}], [%r3];\n";
  expectFailure(loading("add.s64 %rd9, %rd0, 8;\n" + form),
                "gAddrToOverride: expected a multiple of 16, got ");
  expectFailure(loading("mov.b64 %rd9, %rd0;\n" + form),
                "gAddrToOverride: expected 128 KiB of memory from it on",
                "sm_107f", 1024);
  expectFailure(loading(form),
                "expected a target that has .override::global_address "
                "(sm_107a, sm_107f), got sm_100a",
                "sm_100a");
  expectFailure(loading(load + ".override::global_dim_stride [%r2], [%rd3, "
                               "{%h0, %h1}, {%r20}, %h2, {%r40, %r40}], "
                               "[%r3];\n"),
                ".override::global_dim: expected .override::global_address");
  expectFailure(
      loading(load + ".multicast::cluster.override::global_address.override::"
                     "global_dim_stride [%r2], [%rd3, %rd9, {%h0, %h1}, "
                     "{%r20}, %h2, {%r40, %r40}], [%r3], %h3;\n"),
      ".override::global_dim: expected .multicast::cluster::32b");
}

TEST(Rubin, masks_of_32_bits) {
  const std::string form = load + ".multicast::cluster::32b [%r2], [%rd3, "
                                  "{%r40, %r40}], [%r3], %r30;\n";
  EXPECT_EQ(failureOn("sm_107f", loading("mov.u32 %r30, 1;\n" + form)), "ran");
  expectFailure(loading("mov.u32 %r30, 131073;\n" + form),
                "ctaMask: expected a nonempty set of ranks below 1, got mask "
                "131073");
  expectFailure(loading(form),
                "expected a target that has .multicast::cluster::32b",
                "sm_90a");
  const std::string bulk =
      "add.s64 %rd9, %rd0, 1024;\ncp.async.bulk.shared::cluster.global."
      "mbarrier::complete_tx::bytes.multicast::cluster::32b [%r2], [%rd9], "
      "256, [%r3], %r30;\n";
  Outcome copied =
      run(on("sm_107f", loading("mov.u32 %r30, 1;\n" + bulk, "", fill)), 65536,
          32, "lazy", words(), wordMap());
  ASSERT_TRUE(copied.result.ok) << copied.message();
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(copied.out[i], 7 * i);
  expectFailure(loading("mov.u32 %r30, 65537;\n" + bulk, "", fill),
                "ctaMask: expected a nonempty set of ranks below 1, got mask "
                "65537");
  expectFailure(loading(bulk), "(sm_107a, sm_107f), got sm_100a", "sm_100a");
  // Arrivals and bytes on the barrier of each CTA of a mask.
  const std::string arrive =
      "add.u32 %r3, %r2, 4096;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra INITED;\n"
      "mbarrier.init.shared.b64 [%r3], 4;\nfence.mbarrier_init.release."
      "cluster;\nINITED:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
      "@%p1 bra SAID;\nmov.u32 %r30, 3;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.multicast::cluster::32b."
      "b64 _, [%r3], %r30;\n"
      "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.multicast::"
      "cluster::32b.b64 _, [%r3], 16, %r30;\n"
      "mbarrier.complete_tx.relaxed.cluster.shared::cluster.multicast::cluster"
      "::32b.b64 [%r3], 16, %r30;\nSAID:\nDONE:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r3], "
      "0;\n@!%p2 bra DONE;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  for (const std::string &schedule : schedules()) {
    Outcome outcome = run(on("sm_107f", arrive), 1024, 32, schedule, {}, {}, {},
                          {}, /*cluster=*/2);
    EXPECT_TRUE(outcome.result.ok) << outcome.message();
  }
  expectFailure(arrive, "ctaMask: expected a nonempty set of ranks below 1, "
                        "got mask 3");
  expectFailure(arrive, "expected a target that has .multicast::cluster::32b",
                "sm_100a");
}

/// A load that looks for `pattern`, and what is stored of the barrier after it:
/// whether there was a report, and whether the conditional phase has passed.
std::string reporting(const std::string &pattern) {
  return loading(load + ".mbarrier::report::" + pattern +
                     " [%r2], [%rd3, {%r40, %r40}], [%r3];\n",
                 ".layout::v1") +
         "mbarrier.test_wait.parity.phase_type::primary.shared::cta.b64 "
         "%p2|%p3, [%r3], 0;\n"
         "mbarrier.test_wait.parity.phase_type::conditional.shared::cta.b64 "
         "%p4, [%r3], 0;\n"
         "mbarrier.check_layout.layout::v1.shared::cta.b64 %p5, [%r3];\n"
         "selp.u32 %r8, 1, 0, %p3;\nselp.u32 %r9, 2, 0, %p4;\n"
         "selp.u32 %r10, 4, 0, %p5;\nor.b32 %r8, %r8, %r9;\n"
         "or.b32 %r8, %r8, %r10;\nst.global.u32 [%rd0+512], %r8;\n";
}

TEST(Rubin, reports_of_copies) {
  std::vector<uint8_t> data = words();
  auto reported = [&](const std::string &pattern, const char *schedule) {
    Outcome outcome = run(on("sm_107f", reporting(pattern)), 1024, 32, schedule,
                          data, wordMap());
    EXPECT_TRUE(outcome.result.ok) << outcome.message();
    return outcome.out[128];
  };
  // No report: both phases pass.
  EXPECT_EQ(reported("disabled", "lazy"), 6u);
  EXPECT_EQ(reported("validity::per_16bytes::80000000", "lazy"), 6u);
  EXPECT_EQ(reported("validity::per_element::ff", "lazy"), 6u);
  data[77] = 0xff;
  EXPECT_EQ(reported("validity::per_element::ff", "lazy"), 5u);
  EXPECT_EQ(reported("validity::per_16bytes::80", "lazy"), 6u);
  // All of 16 bytes, as which of them is looked at is not said.
  for (unsigned i = 32; i < 48; ++i)
    data[i] = i % 4 == 3 ? 0x80 : 0;
  for (unsigned i = 48; i < 64; ++i)
    data[i] = 0x88;
  for (const char *schedule : {"eager", "lazy", "random:7"}) {
    EXPECT_EQ(reported("validity::per_16bytes::80000000", schedule), 5u);
    EXPECT_EQ(reported("validity::per_16bytes::8", schedule), 5u);
  }
}

TEST(Rubin, what_reports_need) {
  const std::string form =
      load + ".mbarrier::report::validity::per_16bytes::80 [%r2], [%rd3, "
             "{%r40, %r40}], [%r3];\n";
  expectFailure(loading(form), "mbarrier: expected one of .layout::v1 for "
                               ".mbarrier::report::validity");
  expectFailure(loading(form, ".layout::v1"),
                "expected a target that has .mbarrier::report (sm_107a, "
                "sm_107f), got sm_100a",
                "sm_100a");
  expectFailure("mbarrier.init.layout::v1.shared.b64 [%r2], 512;\n",
                "expected an arrival count in [1, 511] for .layout::v1");
  const std::string wait = "mbarrier.init.shared.b64 [%r2], 1;\n";
  expectFailure(wait + "mbarrier.test_wait.phase_type::conditional.shared.b64 "
                       "%p1, [%r2], %rd1;\n",
                ".phase_type::conditional: expected .parity");
  expectFailure(wait + "mbarrier.test_wait.parity.shared.b64 %p1|%p2, [%r2], "
                       "0;\n",
                "expected .phase_type::primary with a report predicate");
}

} // namespace
