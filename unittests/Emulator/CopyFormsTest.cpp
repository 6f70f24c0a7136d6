//===- CopyFormsTest.cpp - copies and loads of PTX ISA 9.1 to 9.5 ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// st.async.b128, cp.async.bulk with .ignore_oob and .relaxed, multimem copies,
// ldmatrix.s8.s4, ld.proxy::readonly, prefetch.L1::32B, the fences and waits
// that came with them, and special registers.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tc::emu;
using namespace tc::emu::test;

namespace {
const char *const kCopyShared = ".shared .align 128 .b8 s[1024];\n";
/// A barrier with a count of one at s + 1000, whose thread 0 expects `bytes`.
std::string expecting(unsigned bytes) {
  return "mov.u32 %r2, s; setp.eq.u32 %p1, %r1, 0;\n"
         "@%p1 mbarrier.init.shared.b64 [s+1000], 1; bar.sync 0;\n"
         "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s+1000], " +
         std::to_string(bytes) + ";\n";
}
const std::string kWait =
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [s+1000], 0; @!%p2 bra W;\n";

/// Under every schedule the first words are `expected`.
void checkWords(const std::string &text, Options options,
                const std::vector<uint64_t> &expected) {
  for (const std::string &schedule : schedules()) {
    SCOPED_TRACE(schedule);
    options.schedule = schedule;
    const Outcome r = run(text, options);
    ASSERT_TRUE(r.result.ok) << r.message();
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(r.words[i], expected[i]) << "word " << i;
  }
}
} // namespace

TEST(CopyForms, WideAsynchronousStores) {
  const ModuleScope scope("sm_90", "9.2");
  for (const char *to :
       {"@%p1 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b128 "
        "[%r2], %q, [%r3];",
        "cvt.u64.u32 %rd5, %r2; cvta.shared.u64 %rd5, %rd5;\n"
        "add.u64 %rd6, %rd5, 1000;\n"
        "@%p1 st.async.mbarrier::complete_tx::bytes.b128 [%rd5], %q, "
        "[%rd6];"}) {
    const std::string text = kernel(
        expecting(16) +
            "add.u32 %r3, %r2, 1000; .reg .b128 %q;\n"
            "mov.u64 %rd3, 0x1122334455667788; mov.u64 %rd4, -2;\n"
            "mov.b128 %q, {%rd3, %rd4};\n" +
            to + "\n" + kWait +
            "ld.shared.u64 %rd3, [s]; ld.shared.u64 %rd4, [s+8];\n"
            "@%p1 st.global.u64 [%rd1], %rd3; @%p1 st.global.u64 [%rd1+8], "
            "%rd4;",
        kCopyShared);
    checkWords(text, {}, {0x1122334455667788, uint64_t(-2)});
  }
}

TEST(CopyForms, UpperHalfOfAWideStoreIsUndefined) {
  const ModuleScope scope("sm_90", "9.2");
  for (unsigned at : {0u, 8u}) {
    const Outcome r = run(kernel(
        expecting(16) +
            "add.u32 %r3, %r2, 1000; .reg .b128 %q; mov.u64 %rd3, 7;\n"
            "mov.b128 %q, {%rd3, %rd9};\n"
            "@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.b128 "
            "[%r2], %q, [%r3];\n" +
            kWait + "ld.shared.u64 %rd4, [s+" + std::to_string(at) +
            "]; @%p1 st.global.u64 [%rd1], %rd4;",
        kCopyShared));
    if (at)
      EXPECT_REPORT(r, ReportKind::Undefined, "st.async");
    else
      EXPECT_EQ(r.words[0], 7u) << r.message();
  }
}

namespace {
/// Loads 32 bytes from `from` and stores the words between the ignored ones.
std::string ignoring(const std::string &from, const std::string &left,
                     const std::string &right, const std::string &rest) {
  return kernel(
      expecting(32) + "mov.u32 %r4, " + left + "; mov.u32 %r5, " + right +
          ";\n@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::"
          "bytes.ignore_oob [s], [" +
          from + "], 32, %r4, %r5, [s+1000];\n" + kWait + rest,
      kCopyShared);
}
} // namespace

TEST(CopyForms, IgnoredBytes) {
  const ModuleScope scope("sm_90", "9.2");
  Options options;
  options.words = 5;
  options.init = {1, 2, 3, 0x0807060504030201, 0x1234};
  // Of the last 24 bytes of the buffer 17, and 8 beyond it.
  checkWords(ignoring("%rd1+16", "0", "15",
                      "ld.shared.u64 %rd3, [s]; ld.shared.u64 %rd4, [s+8];\n"
                      "ld.shared.u8 %rd5, [s+16]; @%p1 st.global.u64 [%rd1], "
                      "%rd3; @%p1 st.global.u64 [%rd1+8], %rd4;\n"
                      "@%p1 st.global.u64 [%rd1+16], %rd5;"),
             options, {3, 0x0807060504030201, 0x34});
}

TEST(CopyForms, IgnoredBytesLieOutsideOfTheBuffer) {
  const ModuleScope scope("sm_90", "9.2");
  Options options;
  options.words = 3; // 24 bytes, of which 8 are at the end of a copy of 32
  options.init = {5, 6, 7};
  const std::string rest =
      "ld.shared.u64 %rd3, [s+16]; @%p1 st.global.u64 [%rd1], %rd3;";
  checkWords(ignoring("%rd1", "0", "8", rest), options, {7});
  EXPECT_REPORT(run(ignoring("%rd1", "0", "7", rest), options),
                ReportKind::Memory, "cp.async.bulk");
  // A byte that is left out has no value, though it is in the buffer.
  options.words = 4;
  for (const char *at : {"0", "15", "24"}) {
    const Outcome r = run(ignoring("%rd1", "15", "9",
                                   std::string("ld.shared.u8 %r6, [s+") + at +
                                       "]; @%p1 st.global.u8 [%rd1], %r6;"),
                          options);
    if (std::string(at) == "15")
      EXPECT_TRUE(r.result.ok) << r.message();
    else
      EXPECT_REPORT(r, ReportKind::Undefined,
                    "leaves the bytes that it ignores without a value");
  }
  // Nothing between the two ends of 16 bytes: an address may be anywhere.
  EXPECT_TRUE(run(kernel(expecting(16) +
                             "@%p1 cp.async.bulk.shared::cta.global.mbarrier::"
                             "complete_tx::bytes.ignore_oob [s], [%rd1+4096], "
                             "16, 15, 2, [s+1000];\n" +
                             kWait,
                         kCopyShared),
                  options)
                  .result.ok);
  for (const char *left : {"16", "-1"})
    EXPECT_REPORT(run(ignoring("%rd1", left, "0", rest), options),
                  ReportKind::Memory,
                  "expected at most 15 bytes to ignore at either end");
}

TEST(CopyForms, RelaxedCopies) {
  for (const char *target : {"sm_90", "sm_107a", "sm_120a"}) {
    const ModuleScope scope(target, "9.4");
    Options options;
    options.init = {11, 12};
    checkWords(kernel(expecting(16) +
                          "@%p1 cp.async.bulk.relaxed.gpu.shared::cta.global."
                          "mbarrier::complete_tx::bytes.b128 [s], [%rd1], 16, "
                          "[s+1000];\n" +
                          kWait +
                          "@%p1 cp.async.bulk.relaxed.sys.global.shared::cta."
                          "bulk_group.b128 [%rd1+16], [s], 16;\n"
                          "cp.async.bulk.commit_group;\n"
                          "cp.async.bulk.wait_group 0;",
                      kCopyShared),
               options, {11, 12, 11, 12});
  }
}

TEST(CopyForms, MultimemCopies) {
  const ModuleScope scope("sm_90", "9.1");
  Options options;
  options.threads = 1;
  // f32: 2 and the least subnormal number; f16 twice, 1 and 2^-24.
  options.init = {0x0000000140000000, 0x0000000100000001, 0, 0,
                  0x0001000100013c00, 0x3c003c003c003c00};
  checkWords(
      kernel(
          "st.shared.v4.u32 [s], {0x3f800000, 0, 1, 0x80000001};\n"
          "st.shared.v4.u32 [s+16], {7, 8, 9, 10};\n"
          "st.shared.v4.u32 [s+32], {0x00013c00, 0x3c000001, 0x3c003c00, 0};\n"
          "fence.proxy.async.shared::cta;\n"
          "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 "
          "[%rd1], [s], 16;\n"
          "multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], "
          "[s+16], 16;\n"
          "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add."
          "noftz.f16 [%rd1+32], [s+32], 16;\n"
          "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
          kCopyShared),
      options,
      // Subnormal numbers are kept.
      {0x0000000140400000, 0x0000000000000002, 0x0000000800000007,
       0x0000000a00000009, 0x3c00000200024000, 0x3c003c0040004000});
}

TEST(CopyForms, MatricesOfFourBits) {
  // Row r of matrix m has the elements e + r + m, modulo 16; byte b of lane l
  // is element 4 (l mod 4) + b of row l / 4.
  Options options;
  options.words = 64;
  const std::string rows =
      "mov.u32 %r2, s; shl.b32 %r3, %r1, 3; add.u32 %r3, %r3, %r2;\n"
      "and.b32 %r4, %r1, 7; shr.u32 %r5, %r1, 3; add.u32 %r4, %r4, %r5;\n"
      "shl.b32 %r4, %r4, 2; mov.u64 %rd3, 0xfedcba9876543210;\n"
      "shr.u64 %rd4, %rd3, %r4; sub.u32 %r5, 64, %r4; shl.b64 %rd5, %rd3, "
      "%r5;\nor.b64 %rd4, %rd4, %rd5; st.shared.u64 [%r3], %rd4; bar.sync 0;\n";
  for (unsigned count : {1u, 2u, 4u}) {
    SCOPED_TRACE(count);
    const char *vectors[] = {"", "{%r10}", "{%r10, %r11}", "",
                             "{%r10, %r11, %r12, %r13}"};
    const unsigned last = count - 1;
    for (const char *target : {"sm_90a", "sm_100f", "sm_121a"}) {
      const ModuleScope scope(target);
      const Outcome r = run(
          kernel(rows + "ldmatrix.sync.aligned.m8n16.x" +
                     std::to_string(count) + ".shared.s8.s4 " + vectors[count] +
                     ", [%r3];\nmov.b64 %rd6, {%r10, %r1" +
                     std::to_string(last) + "}; st.global.u64 [%rd2], %rd6;",
                 kCopyShared),
          options);
      ASSERT_TRUE(r.result.ok) << r.message();
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned half = 0; half < 2; ++half)
          for (unsigned b = 0; b < 4; ++b) {
            const unsigned matrix = half * last;
            const int element =
                int((4 * (lane % 4) + b + lane / 4 + matrix) % 16);
            EXPECT_EQ(int8_t(r.words[lane] >> (32 * half + 8 * b)),
                      element < 8 ? element : element - 16)
                << lane;
          }
    }
  }
}

TEST(CopyForms, MatrixRowsHaveEightBytes) {
  const ModuleScope scope("sm_90a");
  // The address of lane 0 is odd by four; then of one row half has no value.
  const std::string body =
      "mov.u32 %r2, s; shl.b32 %r3, %r1, 3; add.u32 %r3, %r3, %r2;\n"
      "mov.u64 %rd3, 0; setp.ne.u32 %p1, %r1, 3; @%p1 st.shared.u64 [%r3], "
      "%rd3;\n@!%p1 st.shared.u32 [%r3], 0; bar.sync 0;\n";
  EXPECT_REPORT(run(kernel(body + "add.u32 %r3, %r3, 4;\n"
                                  "ldmatrix.sync.aligned.m8n16.x1.shared.s8.s4 "
                                  "{%r10}, [%r3];",
                           kCopyShared)),
                ReportKind::Memory, "misaligned");
  // Lanes 12 and 13 have the first half of row 3, 14 and 15 the other one.
  for (unsigned lane : {12u, 13u, 14u, 15u, 16u}) {
    const Outcome r = run(
        kernel(body +
                   "ldmatrix.sync.aligned.m8n16.x1.shared.s8.s4 {%r10}, "
                   "[%r3]; setp.eq.u32 %p2, %r1, " +
                   std::to_string(lane) + "; @%p2 st.global.u32 [%rd1], %r10;",
               kCopyShared));
    if (lane == 14 || lane == 15)
      EXPECT_REPORT(r, ReportKind::Undefined, "ldmatrix");
    else
      EXPECT_TRUE(r.result.ok) << lane << ": " << r.message();
  }
}

TEST(CopyForms, ReadOnlyLoadsAndPrefetches) {
  const ModuleScope scope("sm_90");
  Options options;
  options.threads = 1;
  options.init = {0x8877665544332211, 9};
  checkWords(kernel("ld.global.u32.proxy::readonly %r2, [%rd1];\n"
                    "ld.proxy::readonly.global.v2.u32 {%r3, %r4}, [%rd1];\n"
                    "ld.s8.proxy::readonly %r5, [%rd1+7];\n"
                    "add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5;\n"
                    "prefetch.global.L1::32B.valid_addr [%rd1];\n"
                    "prefetch.L1::32B.valid_addr [%rd1+511];\n"
                    "mov.b64 %rd3, {%r2, %r3}; st.global.u64 [%rd1+8], %rd3;"),
             options, {0x8877665544332211, 0x44332211ccaa87ee});
  // The buffer has 512 bytes.
  EXPECT_REPORT(
      run(kernel("prefetch.global.L1::32B.valid_addr [%rd1+512];"), options),
      ReportKind::Memory, "lane 0");
  EXPECT_TRUE(run(kernel("prefetch.global.L1 [%rd1+512];"), options).result.ok);
}

TEST(CopyForms, ReadOnlyLoadsOutsideOfGlobalAndConstantMemory) {
  const ModuleScope scope("sm_90");
  Options options;
  options.threads = 1;
  const std::string load = "ld.proxy::readonly.u32 %r3, [%rd3];\n";
  EXPECT_REPORT(run(kernel("st.shared.u32 [s], 1; mov.u64 %rd3, s;\n"
                           "cvta.shared.u64 %rd3, %rd3;\n" +
                               load,
                           kCopyShared),
                    options),
                ReportKind::Memory,
                "the address is in the shared window, where .proxy::readonly "
                "expects one of .global or .const, lane 0");
  EXPECT_REPORT(run(kernel(".local .align 4 .b32 l; st.local.u32 [l], 1;\n"
                           "mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3;\n" +
                           load),
                    options),
                ReportKind::Memory, "in the local window");
  EXPECT_REPORT(run(kernel(load), options), ReportKind::Undefined,
                "never written");
}

TEST(CopyForms, FencesAndWaits) {
  const ModuleScope scope("sm_90", "9.5");
  Options options;
  options.threads = 1;
  options.init = {1, 2, 3, 4};
  checkWords(
      kernel("st.shared.v4.u32 [s], {5, 6, 7, 8};\n"
             "fence.proxy.alias.release.sys; fence.proxy.alias.acquire.sys;\n"
             "fence.proxy.async::generic.release.sync_restrict::shared::"
             "cluster::read.cluster;\nfence.proxy.async;\n"
             "fence.alias.sync_restrict::read.release.sys;\n"
             "fence.alias.release.sync_restrict::read.sys;\n"
             "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16;\n"
             "cp.async.bulk.commit_group;\n"
             "cp.async.bulk.wait_group.sync_restrict::proxy::async 0;\n"
             "ld.global.u64 %rd3, [%rd1]; st.global.u64 [%rd1+16], %rd3;",
             kCopyShared),
      options, {0x600000005, 0x800000007, 0x600000005, 4});
}

TEST(CopyForms, LocalityDomains) {
  const ModuleScope scope("sm_107f", "9.5");
  Options options;
  options.init.assign(64, 77);
  checkWords(kernel("mov.u32 %r2, %locality_domain_id;\n"
                    "mov.u32 %r3, %locality_domain_supplemental_sm;\n"
                    "mov.b64 %rd3, {%r2, %r3}; st.global.u64 [%rd2], %rd3;"),
             options, {0, 0, 0});
}

TEST(CopyForms, Refused) {
  const struct {
    const char *target, *version, *text, *message;
  } cases[] = {
      {"sm_90", "9.1",
       "st.async.shared::cluster.mbarrier::complete_tx::bytes.b128 [%r1], %q, "
       "[%r2];",
       "expected .version 9.2 or later for st.async.b128, got 9.1"},
      {"sm_90", "9.4",
       "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b128 [%r1], "
       "{%q, %q}, [%r2];",
       "the type does not exist for this operation"},
      {"sm_100a", "9.4", "st.async.release.gpu.global.u32 [%rd1], %r1;",
       "st.async.release is not supported by the emulator"},
      {"sm_100a", "9.4", "red.async.release.gpu.global.add.u32 [%rd1], %r1;",
       "red.async.release is not supported by the emulator"},
      {"sm_100a", "9.4",
       "multimem.st.async.release.gpu.global.u32 [%rd1], %r1;",
       "multimem.st.async.release is not supported by the emulator"},
      {"sm_100a", "9.4",
       "multimem.red.async.release.gpu.global.add.u32 [%rd1], %r1;",
       "multimem.red.async.release is not supported by the emulator"},
      {"sm_90", "9.1",
       "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes."
       "ignore_oob [s], [%rd1], 16, 0, 0, [s];",
       "expected .version 9.2 or later for .ignore_oob, got 9.1"},
      {"sm_90", "9.4",
       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
       "ignore_oob [s], [%rd1], 16, 0, 0, [s];",
       "expected .shared::cta.global with .ignore_oob"},
      {"sm_90", "9.2",
       "cp.async.bulk.weak.shared::cta.global.mbarrier::complete_tx::bytes "
       "[s], [%rd1], 16, [s];",
       "expected .version 9.3 or later for cp.async.bulk.weak, got 9.2"},
      {"sm_90", "9.4",
       "cp.async.bulk.relaxed.gpu.shared::cluster.global.mbarrier::complete_tx"
       "::bytes.b128 [s], [%rd1], 16, [s];",
       "expected a target that has cp.async.bulk.relaxed (sm_90a and those of "
       "sm_100 to sm_110 with an a or f), got sm_90"},
      {"sm_90", "9.4",
       "cp.async.bulk.relaxed.gpu.shared::cta.global.mbarrier::complete_tx::"
       "bytes.b64 [s], [%rd1], 16, [s];",
       "expected .b128 with .relaxed"},
      {"sm_90", "9.4",
       "cp.async.bulk.relaxed.shared::cta.global.mbarrier::complete_tx::bytes."
       "b128 [s], [%rd1], 16, [s];",
       "expected a scope"},
      {"sm_90", "9.0",
       "multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16;",
       "expected .version 9.1 or later for multimem.cp.async.bulk, got 9.0"},
      {"sm_90", "9.4",
       "multimem.cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
       "[s], [%rd1], 16, [s];",
       "expected .global.shared::cta.bulk_group"},
      {"sm_90", "9.4",
       "multimem.cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint "
       "[%rd1], [s], 16, %rd2;",
       "': expected 3 operands"},
      {"sm_90", "9.3",
       "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz."
       "f32 [%rd1], [s], 16;",
       "expected .version 9.4 or later for multimem.cp.reduce.async.bulk with "
       ".noftz and .f32, got 9.3"},
      {"sm_90", "9.3",
       "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32 "
       "[%rd1], [s], 16;",
       "expected .version 9.4 or later for cp.reduce.async.bulk with .noftz "
       "and .f32, got 9.3"},
      {"sm_90", "9.4",
       "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 "
       "[%rd1], [s], 16;",
       "expected .noftz with .add of f16 and bf16"},
      {"sm_90", "9.4",
       "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.bf16 [%rd1], "
       "[s], 16;",
       "expected .noftz with .add of f16 and bf16"},
      {"sm_90", "9.4",
       "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz."
       "f64 [%rd1], [s], 16;",
       "expected .noftz only with .add of f16, bf16 and f32"},
      {"sm_90", "9.4",
       "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.noftz.f16 "
       "[%rd1], [s], 16;",
       "expected .noftz only with .add of f16, bf16 and f32"},
      {"sm_90", "9.4",
       "ldmatrix.sync.aligned.m8n16.x1.shared.s8.s4 {%r1}, [s];",
       "expected a target that has ldmatrix of .s8.s4 (sm_90a and those of "
       "later chips with an a or f), got sm_90"},
      {"sm_90a", "9.3",
       "ldmatrix.sync.aligned.m8n16.x1.shared.s8.s4 {%r1}, [s];",
       "expected .version 9.4 or later for ldmatrix of .s8.s4, got 9.3"},
      {"sm_90a", "9.4",
       "ldmatrix.sync.aligned.m8n16.x1.trans.shared.s8.s4 {%r1}, [s];",
       "or .s8.s4 without .trans with .m8n16"},
      {"sm_90a", "9.4",
       "ldmatrix.sync.aligned.m8n8.x1.shared.s8.s4 {%r1}, [s];",
       "expected .m8n16 and .s8.s4"},
      {"sm_80", "9.4", "ld.global.proxy::readonly.u32 %r1, [%rd1];",
       "expected a target that has ld.proxy::readonly (sm_90 or later), got "
       "sm_80"},
      {"sm_90", "9.4", "ld.shared.proxy::readonly.u32 %r1, [s];",
       "expected .global, or no state space, with .proxy::readonly"},
      {"sm_90", "9.4", "ld.relaxed.gpu.global.proxy::readonly.u32 %r1, [%rd1];",
       "expected no .relaxed with .proxy::readonly"},
      {"sm_90", "9.3", "prefetch.global.L1::32B.valid_addr [%rd1];",
       "expected .version 9.4 or later for .L1::32B, got 9.3"},
      {"sm_90", "9.4", "prefetch.global.L1::32B [%rd1];",
       "expected .valid_addr with .L1::32B"},
      {"sm_90", "9.4", "prefetch.local.L1::32B.valid_addr [%rd1];",
       "expected .global, or no state space, with .L1::32B"},
      {"sm_90", "9.4", "membar.proxy.tensormap::generic;",
       "expected .alias or .async after .proxy, got .tensormap::generic"},
      {"sm_90", "9.4", "membar.proxy;",
       "expected .alias or .async after .proxy, got nothing"},
      {"sm_90", "9.4", "membar.proxy.async.global;",
       "unknown modifier .global"},
      {"sm_90", "9.4", "fence.proxy.fabric;",
       "or .tensormap::generic after .proxy, got .fabric"},
      {"sm_90", "9.3", "fence.proxy.alias.release.sys;",
       "expected .version 9.4 or later for fence.proxy.alias.release, got 9.3"},
      {"sm_90", "9.4", "fence.proxy.alias.release.gpu;", "expected .sys"},
      {"sm_90", "9.4",
       "fence.proxy.async::generic.release.sync_restrict::shared::cluster::"
       "read.cta;",
       "expected .acquire.sync_restrict::shared::cluster, or"},
      {"sm_90", "9.4",
       "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster::"
       "read.cluster;",
       "expected .acquire.sync_restrict::shared::cluster, or"},
      {"sm_90", "9.3",
       "fence.proxy.async::generic.release.sync_restrict::shared::cluster::"
       "read.cluster;",
       "expected .version 9.4 or later for "
       ".sync_restrict::shared::cluster::read, got 9.3"},
      {"sm_90", "9.4", "fence.alias.sync_restrict::read.release.sys;",
       "expected .version 9.5 or later for fence.alias, got 9.4"},
      {"sm_90", "9.5", "fence.alias.sync_restrict::read.acquire.sys;",
       "expected .sync_restrict::read.release.sys"},
      {"sm_90", "9.4",
       "cp.async.bulk.wait_group.sync_restrict::proxy::async 0;",
       "expected .version 9.5 or later for .sync_restrict::proxy::async"},
      {"sm_90", "9.5",
       "cp.async.bulk.wait_group.read.sync_restrict::proxy::async 0;",
       "unknown modifier .sync_restrict::proxy::async"},
      {"sm_90", "9.5", "mov.u32 %r1, %locality_domain_id;",
       "expected a target that has %locality_domain_id (sm_100 or later), got "
       "sm_90"},
      {"sm_100a", "9.4", "mov.u32 %r1, %locality_domain_supplemental_sm;",
       "expected .version 9.5 or later for %locality_domain_supplemental_sm"},
  };
  for (const auto &c : cases) {
    const ModuleScope scope(c.target, c.version);
    EXPECT_REPORT(
        run(kernel(std::string(".reg .b128 %q;\n") + c.text, kCopyShared)),
        ReportKind::Unsupported, c.message);
  }
}
