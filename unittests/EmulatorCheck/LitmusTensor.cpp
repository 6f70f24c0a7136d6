//===- LitmusTensor.cpp - tcgen05 work and its fences -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The canonical synchronisation patterns of PTX ISA 9.0, "tcgen05 memory
// consistency model", 9.7.16.6.4, each with one edge taken away.
//
//===----------------------------------------------------------------------===//

#include "Litmus.h"

namespace tc::emu::test {

/// %p3 is false before the first: D is overwritten.
static const std::string mma =
    "tcgen05.mma.cta_group::1.kind::f16 [%r10], %rd6, %rd7, %r21, 0;\n";
static const std::string accumulate =
    "tcgen05.mma.cta_group::1.kind::f16 [%r10], %rd6, %rd7, %r21, 1;\n";
static const std::string wider =
    "tcgen05.mma.cta_group::1.kind::f16 [%r10], %rd6, %rd7, %r22, 0;\n";
static const std::string commit =
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
    "[%r3];\n";
static const std::string commit2 =
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
    "[%r4];\n";
static const std::string after = "tcgen05.fence::after_thread_sync;\n";
static const std::string before = "tcgen05.fence::before_thread_sync;\n";
static const std::string load =
    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%r12];\n";
static const std::string storeTensor =
    "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r12], {%r0};\n";
static const std::string waitLoads = "tcgen05.wait::ld.sync.aligned;\n";
static const std::string waitStores = "tcgen05.wait::st.sync.aligned;\n";
static const std::string meetInCta = "bar.sync 0;\n";
/// Everybody waits until the accumulator is there and reads it.
static const std::string readBack =
    waitFor("%r3", 0, "D") + after + load + waitLoads;

static std::vector<Litmus> results() {
  const std::string body = only("%p7", "A", mma + commit) + readBack;
  return {
      {"mma_then_ld", Setup::Tensor, 128, 1, 1, body,
       "tcgen05.fence::after_thread_sync;", nothing,
       "no tcgen05.fence::after_thread_sync between the wait at line", true},
      {"mma_then_ld_fence_too_early", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit) + "FENCE:\n" + readBack,
       "FENCE:\nWD:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], "
       "0;\n@!%p2 bra WD;\ntcgen05.fence::after_thread_sync;",
       "tcgen05.fence::after_thread_sync;\nWD:\nmbarrier.try_wait.parity."
       "shared::cta.b64 %p2, [%r3], 0;\n@!%p2 bra WD;",
       "no tcgen05.fence::after_thread_sync", true},
      // Without any tcgen05 fence in the kernel acquire and release have to do.
      {"no_fences_at_all", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit) + waitFor("%r3", 0, "D", ".acquire.cta") +
           load + waitLoads,
       ".acquire.cta", ".relaxed.cta", "no tcgen05.fence::after_thread_sync"},
      {"no_fences_at_all_wait", Setup::Tensor, 128, 1, 1,
       storeTensor + waitStores + meetInCta + only("%p7", "A", mma + commit) +
           waitFor("%r3", 0, "D"),
       "tcgen05.wait::st.sync.aligned;", nothing, "no tcgen05.wait::st"},
      {"mma_then_ld_wait", Setup::Tensor, 128, 1, 1, body,
       waitFor("%r3", 0, "D"), nothing, "after the tcgen05.mma"},
      {"mma_then_ld_relaxed_wait", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit) +
           waitFor("%r3", 0, "D", ".relaxed.cluster") + after + load +
           waitLoads,
       "tcgen05.fence::after_thread_sync;", nothing,
       "no tcgen05.fence::after_thread_sync"},
      {"commit_covers_earlier_work_only", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit + accumulate + commit2) + meetInCta +
           waitFor("%r4", 0, "D") + after + load + waitLoads,
       "%p2, [%r4], 0", "%p2, [%r3], 0", "after the tcgen05.mma"},
      {"commit_before_the_mma", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + accumulate + commit) + meetInCta + readBack,
       "tcgen05.mma.cta_group::1.kind::f16 [%r10], %rd6, %rd7, %r21, 1;\n"
       "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
       "[%r3];\n",
       "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
       "[%r3];\ntcgen05.mma.cta_group::1.kind::f16 [%r10], %rd6, %rd7, %r21, "
       "1;\n",
       "no tcgen05.commit after the tcgen05.mma"},
      {"commit_by_the_issuing_thread", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma) + "setp.eq.u32 %p5, %r0, 96;\n" +
           only("%p5", "B", commit) + readBack,
       "%p5, %r0, 96;", "%p5, %r0, 97;", "no tcgen05.commit after"},
      {"arrive_instead_of_commit", Setup::Tensor, 128, 1, 1, body,
       "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
       "[%r3];",
       "mbarrier.arrive.shared::cta.b64 _, [%r3];", "no tcgen05.commit after"},
      {"commit_on_the_right_barrier", Setup::Tensor, 128, 1, 1,
       only("%p7", "A",
            mma + commit +
                "mbarrier.arrive.shared::cta.b64 _, "
                "[%r4];\n") +
           readBack,
       "%p2, [%r3], 0", "%p2, [%r4], 0", "after the tcgen05.mma"},
      {"result_handed_on", Setup::Tensor, 128, 1, 1,
       only("%p7", "A",
            mma + commit + waitFor("%r3", 0, "X") + after + before +
                "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r4];\n") +
           waitFor("%r4", 0, "Y", ".relaxed.cta") + after + load + waitLoads,
       "bra WY;\ntcgen05.fence::after_thread_sync;", "bra WY;",
       "no tcgen05.fence::after_thread_sync"},
      {"wait_by_one_and_barrier", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit + waitFor("%r3", 0, "X")) + meetInCta +
           after + load + waitLoads,
       "EA:\nbar.sync 0;", "EA:", "after the tcgen05.mma"},
  };
}

static std::vector<Litmus> handOvers() {
  const std::string reuse =
      only("%p7", "A", mma + commit) + readBack + before + meetInCta +
      only("%p7", "B", after + mma + commit2) + waitFor("%r4", 0, "E");
  return {
      {"ld_then_mma_wait", Setup::Tensor, 128, 1, 1, reuse,
       "tcgen05.wait::ld.sync.aligned;", nothing, "no tcgen05.wait::ld", true},
      {"ld_then_mma_before", Setup::Tensor, 128, 1, 1, reuse,
       "tcgen05.fence::before_thread_sync;", nothing,
       "no tcgen05.fence::before_thread_sync", true},
      {"ld_then_mma_after", Setup::Tensor, 128, 1, 1, reuse,
       "@!%p7 bra EB;\ntcgen05.fence::after_thread_sync;", "@!%p7 bra EB;",
       "no tcgen05.fence::after_thread_sync", true},
      {"ld_then_mma_barrier", Setup::Tensor, 128, 1, 1, reuse,
       "before_thread_sync;\nbar.sync 0;", "before_thread_sync;",
       "nothing orders"},
      {"ld_then_mma_through_an_mbarrier", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit) + readBack + before +
           "bar.warp.sync "
           "0xffffffff;\n"
           "and.b32 %r30, "
           "%r0, 31;\nsetp."
           "eq.u32 %p5, %r30, "
           "0;\n@%p5 "
           "mbarrier.arrive."
           "relaxed.cta."
           "shared::cta.b64 "
           "_, [%r5];\n" +
           only("%p7", "B", waitFor("%r5", 0, "F") + after + mma + commit2) +
           waitFor("%r4", 0, "E"),
       "tcgen05.fence::before_thread_sync;", nothing, "with tcgen05 fences"},
      {"ld_then_st", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit) + readBack + storeTensor + waitStores,
       "tcgen05.wait::ld.sync.aligned;", nothing, "no tcgen05.wait::ld", true},
      {"st_then_ld", Setup::Tensor, 128, 1, 1,
       storeTensor + waitStores + load + waitLoads,
       "tcgen05.wait::st.sync.aligned;", nothing, "no tcgen05.wait::st", true},
      {"st_then_st", Setup::Tensor, 128, 1, 1,
       storeTensor + waitStores + storeTensor + waitStores,
       "tcgen05.wait::st.sync.aligned;", nothing, "no tcgen05.wait::st", true},
      {"st_then_mma", Setup::Tensor, 128, 1, 1,
       storeTensor + waitStores + before + meetInCta +
           only("%p7", "A", after + mma + commit) + waitFor("%r3", 0, "X"),
       "tcgen05.wait::st.sync.aligned;", nothing, "no tcgen05.wait::st"},
      {"st_then_mma_before", Setup::Tensor, 128, 1, 1,
       storeTensor + waitStores + before + meetInCta +
           only("%p7", "A", after + mma + commit) + waitFor("%r3", 0, "X"),
       "tcgen05.fence::before_thread_sync;", nothing,
       "no tcgen05.fence::before_thread_sync", true},
      {"ld_register_used_before_wait", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit) + waitFor("%r3", 0, "D") + after + load +
           "add.u32 %r30, %v0, 1;\n" + waitLoads + storeTensor + waitStores,
       "tcgen05.wait::ld.sync.aligned;", nothing, "no tcgen05.wait::ld", true},
  };
}

static std::vector<Litmus> pipes() {
  return {
      {"mma_pair", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + accumulate + commit) + readBack,
       "[%r10], %rd6, %rd7, %r21, 1;", "[%r10], %rd6, %rd7, %r22, 0;",
       "no pipelined pair"},
      {"mma_of_another_shape", Setup::Tensor, 128, 1, 1,
       only("%p7", "A",
            mma + commit + waitFor("%r3", 0, "X") + after + wider + commit2) +
           waitFor("%r4", 0, "Y"),
       waitFor("%r3", 0, "X"), nothing, "before the tcgen05.mma"},
      {"mma_by_two_threads", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit2 + before) + meetInCta +
           only("%p4", "B", after + accumulate + commit) + readBack +
           waitFor("%r4", 0, "Y"),
       "tcgen05.fence::before_thread_sync;", nothing, "the tcgen05.mma", true},
      {"mma_by_two_threads_after", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit2 + before) + meetInCta +
           only("%p4", "B", after + accumulate + commit) + readBack +
           waitFor("%r4", 0, "Y"),
       "@!%p4 bra EB;\ntcgen05.fence::after_thread_sync;", "@!%p4 bra EB;",
       "the tcgen05.mma", true},
      {"cp_then_cp", Setup::Tensor, 128, 1, 1,
       only("%p7", "A",
            "tcgen05.cp.cta_group::1.128x128b [%r10], %rd6;\n" + commit +
                waitFor("%r3", 0, "X") + after +
                "tcgen05.cp.cta_group::1.128x128b [%r10], %rd6;\n" + commit2) +
           waitFor("%r4", 0, "Y"),
       waitFor("%r3", 0, "X"), nothing, "before the tcgen05.cp", true},
      {"cp_then_ld", Setup::Tensor, 128, 1, 1,
       only("%p7", "A",
            "tcgen05.cp.cta_group::1.128x128b [%r10], %rd6;\n" + commit) +
           readBack,
       "tcgen05.fence::after_thread_sync;", nothing,
       "no tcgen05.fence::after_thread_sync", true},
  };
}

/// 5.6: what kernels without tcgen05 fences, or that trust the pipe, may do.
static std::vector<Litmus> habits() {
  const std::string readsA = "tcgen05.mma.cta_group::1.kind::f16 [%r10], "
                             "[%r10+24], %rd7, %r21, 0;\n";
  const std::string writesA = "tcgen05.mma.cta_group::1.kind::f16 [%r10+16], "
                              "%rd6, %rd7, %r21, 0;\n";
  const std::string a =
      "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r12+24], {%r7, %r7, %r7, %r7, "
      "%r7, %r7, %r7, %r7};\n" +
      waitStores + before + meetInCta + after;
  return {
      {"own_store_then_own_load", Setup::Tensor, 128, 1, 1,
       storeTensor + load + waitLoads, "", "", "tcgen05.wait::st", false,
       "-ld-st-in-order"},
      {"used_load_then_free", Setup::Plain, 128, 1, 1,
       only("%p1", "A",
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], "
            "32;\n") +
           "bar.sync 0;\nld.shared.u32 %r30, [%r2];\nshl.b32 %r31, %r1, "
           "21;\nadd.u32 %r12, %r30, %r31;\n" +
           storeTensor + waitStores + load +
           "add.u32 %v1, %v0, 1;\nbar.sync 0;\n" +
           only("%p1", "B",
                "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r30, 32;\n"),
       "", "", "no tcgen05.wait::ld", false, "-used-load-complete"},
      {"mma_over_a_of_the_mma_before", Setup::Tensor, 128, 1, 1,
       a + only("%p7", "A", readsA + writesA + commit) + readBack,
       readsA + writesA, writesA + readsA, "tcgen05.commit"},
  };
}

static std::vector<Litmus> operands() {
  const std::string touch = "st.shared.u32 [%r2], %r7;\n";
  const std::string fill = "mbarrier.arrive.expect_tx.shared::cta.b64 _, "
                           "[%r4], 16;\ncp.async.bulk.shared::cluster.global."
                           "mbarrier::complete_tx::bytes [%r2], [%rd0], 16, "
                           "[%r4];\n";
  return {
      {"operand_from_registers", Setup::Tensor, 128, 1, 1,
       only("%p7", "A",
            touch + "fence.proxy.async.shared::cta;\n" + mma + commit) +
           readBack,
       "fence.proxy.async.shared::cta;\ntcgen05", "tcgen05",
       "no fence.proxy.async between the st.shared.u32"},
      {"operand_of_cp", Setup::Tensor, 128, 1, 1,
       only("%p7", "A",
            touch + "fence.proxy.async.shared::cta;\n" +
                "tcgen05.cp.cta_group::1.128x128b [%r10], %rd6;\n" + commit) +
           readBack,
       "fence.proxy.async.shared::cta;\ntcgen05", "tcgen05",
       "no fence.proxy.async between the st.shared.u32"},
      {"operand_loaded", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", fill + waitFor("%r4", 0, "X") + mma + commit) +
           readBack,
       waitFor("%r4", 0, "X"), nothing, "no wait on the mbarrier"},
      {"operand_overwritten_by_load", Setup::Tensor, 128, 1, 1,
       only("%p7", "A",
            mma + commit + waitFor("%r3", 0, "X") + fill +
                waitFor("%r4", 0, "Y")) +
           readBack,
       waitFor("%r3", 0, "X"), nothing, "after the tcgen05.mma"},
      {"operand_overwritten_plain_arrive", Setup::Tensor, 128, 1, 1,
       only("%p7", "A",
            mma + commit + waitFor("%r3", 0, "X") + fill +
                waitFor("%r4", 0, "Y")),
       "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
       "[%r3];",
       "mbarrier.arrive.shared::cta.b64 _, [%r3];", "no tcgen05.commit after"},
      {"operand_overwritten_by_store", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit) + waitFor("%r3", 0, "X") +
           "@%p4 st.shared.u32 [%r2], %r7;\n",
       waitFor("%r3", 0, "X"), nothing, "after the tcgen05.mma"},
      {"operand_overwritten_after_relaxed_wait", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit) + waitFor("%r3", 0, "X", ".acquire.cta") +
           "@%p4 st.shared.u32 [%r2], %r7;\n",
       ".acquire.cta", ".relaxed.cta", "no wait, before the st.shared"},
      {"operand_that_is_not_read", Setup::Tensor, 128, 1, 1,
       only("%p7", "A", mma + commit) +
           "@%p4 st.shared.u32 [%r2+4608], %r7;\n" + waitFor("%r3", 0, "X"),
       "[%r2+4608]", "[%r2+4604]", "which the tcgen05.mma"},
  };
}

static std::vector<Litmus> tensorAllocations() {
  return {
      {"alloc_address", Setup::Plain, 64, 1, 1,
       only("%p1", "A",
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], "
            "32;\n") +
           "bar.sync 0;\nld.shared.u32 %r30, [%r2];\nbar.sync 0;\n" +
           only("%p1", "B",
                "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r30, 32;\n"),
       "bar.sync 0;\nld", "ld", "which the tcgen05.alloc"},
      {"alloc_word_overwritten_strict", Setup::Tensor, 128, 1, 1,
       "ld.shared.u32 %r30, [%r9];\nfence.proxy.async;\nbar.sync 0;\n" +
           only("%p7", "A",
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], "
                "16;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_"
                "tx::bytes [%r9], [%rd0], 16, [%r4];\n" +
                    waitFor("%r4", 0, "X")),
       "fence.proxy.async;", nothing, "no fence.proxy.async", true},
      {"free_after_use", Setup::Plain, 128, 1, 1,
       only("%p1", "A",
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], "
            "32;\n") +
           "bar.sync 0;\nld.shared.u32 %r30, [%r2];\nshl.b32 %r31, %r1, "
           "21;\nadd.u32 %r12, %r30, %r31;\n" +
           storeTensor + waitStores + load + waitLoads + "bar.sync 0;\n" +
           only("%p1", "B",
                "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r30, 32;\n"),
       "tcgen05.wait::ld.sync.aligned;\nbar.sync 0;",
       "bar.sync 0;\ntcgen05.wait::ld.sync.aligned;", "no tcgen05.wait::ld",
       true},
  };
}

std::vector<Litmus> tensorLitmus() {
  std::vector<Litmus> all = results();
  for (auto part :
       {handOvers(), pipes(), habits(), operands(), tensorAllocations()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace tc::emu::test
