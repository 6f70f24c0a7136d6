//===- LitmusAsync.cpp - bulk copies, cp.async and proxies ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The async proxy sees generic accesses through proxy fences; its own are over
// for whoever has seen the phase or the group that they complete in.
//
//===----------------------------------------------------------------------===//

#include "Litmus.h"

namespace tc::emu::test {

static const std::string store16 =
    "st.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};\n";
static const std::string fenceShared = "fence.proxy.async.shared::cta;\n";
static const std::string copyOut =
    "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r2], "
    "16;\ncp.async.bulk.commit_group;\n";
static const std::string reduceU32 =
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [%r2], "
    "16;\ncp.async.bulk.commit_group;\n";
static const std::string reduceAgain =
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0+0], "
    "[%r2], 16;\ncp.async.bulk.commit_group;\n";
static const std::string drain = "cp.async.bulk.wait_group 0;\n";

/// 16 bytes to %r2 + offset, counted on the barrier.
static std::string copyIn(unsigned offset, const std::string &barrier = "%r3") {
  return "mbarrier.arrive.expect_tx.shared::cta.b64 _, [" + barrier +
         "], 16;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
         "bytes [%r2+" +
         std::to_string(offset) + "], [%rd0], 16, [" + barrier + "];\n";
}

static std::vector<Litmus> proxies() {
  return {
      {"proxy_fence", Setup::Barriers, 32, 1, 1,
       only("%p0", "A", store16 + fenceShared + copyOut + drain),
       "fence.proxy.async.shared::cta;", nothing,
       "no fence.proxy.async between the st.shared.v4.u32"},
      {"proxy_fence_of_the_space", Setup::Barriers, 32, 1, 1,
       only("%p0", "A", store16 + fenceShared + copyOut + drain),
       "async.shared::cta;", "async.global;", "names another state space"},
      {"proxy_fence_for_all_spaces", Setup::Barriers, 32, 1, 1,
       only("%p0", "A", store16 + "fence.proxy.async;\n" + copyOut + drain),
       "fence.proxy.async;", "fence.acq_rel.gpu;", "no fence.proxy.async"},
      {"proxy_fence_before_the_store", Setup::Barriers, 64, 1, 1,
       only("%p0", "A", store16 + "fence.proxy.async;\n") + "bar.sync 0;\n" +
           only("%p4", "B", copyOut + drain),
       "st.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};\nfence.proxy.async;",
       "fence.proxy.async;\nst.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};",
       "no fence.proxy.async"},
      {"proxy_fence_by_the_issuer", Setup::Barriers, 64, 1, 1,
       only("%p0", "A", store16) + "bar.sync 0;\n" +
           only("%p4", "B", "fence.proxy.async;\n" + copyOut + drain),
       "fence.proxy.async;", nothing, "no fence.proxy.async"},
      {"proxy_fence_by_a_bystander", Setup::Barriers, 64, 1, 1,
       only("%p0", "A", store16 + "fence.proxy.async;\n") + "bar.sync 0;\n" +
           only("%p4", "B", copyOut + drain),
       "fence.proxy.async;\nEA:", "EA:\n@%p4 fence.proxy.async;",
       "no fence.proxy.async"},
      {"proxy_fence_without_order", Setup::Plain, 64, 1, 1,
       only("%p0", "A", store16) + "bar.sync 0;\n" +
           only("%p4", "B", "fence.proxy.async;\n" + copyOut + drain),
       "bar.sync 0;\n@!%p4", "@!%p4", "nothing orders"},
      {"read_then_bulk_write", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            store16 + "ld.shared.u32 %r30, [%r2];\nfence.proxy.async;\n" +
                copyIn(0) + waitFor("%r3", 0, "X")),
       "ld.shared.u32 %r30, [%r2];\nfence.proxy.async;",
       "fence.proxy.async;\nld.shared.u32 %r30, [%r2];", "which the ld.shared"},
      {"global_proxy_fence", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            "st.global.u32 [%rd0], %r0;\nfence.proxy.async.global;\n" +
                copyIn(0) + waitFor("%r3", 0, "X")),
       "async.global;", "async.shared::cta;", "global address"},
      // 5.6: where the fence is when the data crosses CTAs.
      {"strict_fence_in_the_reading_cta", Setup::Barriers, 32, 2, 2,
       "mov.u32 %r40, %cluster_ctarank;\nsetp.eq.u32 %p5, %r40, "
       "0;\nand.pred %p6, %p5, %p0;\nmapa.shared::cluster.u32 %r41, %r2, "
       "1;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" +
           only("%p6", "A",
                "st.shared::cluster.v4.u32 [%r41], {%r0, %r0, %r0, "
                "%r0};\nfence.proxy.async;\n") +
           "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
           "setp.eq.u32 %p7, %r40, 1;\nand.pred %p7, %p7, %p0;\n" +
           only("%p7", "B",
                "fence.proxy.async.shared::cta;\n" + copyOut + drain),
       "fence.proxy.async.shared::cta;", nothing, "no fence.proxy.async", true},
  };
}

/// One product by the first warpgroup, not committed.
static const std::string multiply =
    "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16."
    "f16 {%v0, %v1, %v2, %v3}, %rd6, %rd7, 1, 1, 1, 0, 0;\n"
    "wgmma.commit_group.sync.aligned;\n";
static const std::string waitProduct = "wgmma.wait_group.sync.aligned 0;\n";
static const std::string waitLater = "wgmma.wait_group.sync.aligned 1;\n";

static std::vector<Litmus> warpgroups() {
  const std::string release =
      "mbarrier.arrive.release.cta.shared::cta.b64 _, [%r3];\n";
  const std::string refill = only("%p3", "C",
                                  waitFor("%r3", 0, "X") + copyIn(2048, "%r4") +
                                      waitFor("%r4", 0, "Y"));
  return {
      {"wgmma_reads_generic_stores_to_a", Setup::Wgmma, 160, 1, 1,
       only("%p0", "A", store16 + fenceShared) + "bar.sync 0;\n" +
           only("%p5", "B", multiply + waitProduct),
       fenceShared, nothing, "no fence.proxy.async between the st.shared.v4"},
      {"wgmma_reads_generic_stores_to_b", Setup::Wgmma, 160, 1, 1,
       only("%p7", "A", "st.shared.u32 [%r2+2300], %r0;\n" + fenceShared) +
           "bar.sync 0;\n" + only("%p5", "B", multiply + waitProduct),
       fenceShared, nothing, "no fence.proxy.async between the st.shared.u32"},
      {"wgmma_then_store", Setup::Wgmma, 160, 1, 1,
       only("%p5", "A", multiply + waitProduct) + "bar.sync 0;\n" +
           only("%p3", "B", store16),
       waitProduct, nothing, "no wgmma.wait_group for the"},
      // One thread of the warpgroup releases what all four warps have read.
      {"wgmma_then_copy", Setup::Wgmma, 160, 1, 1,
       only("%p5", "A",
            multiply + waitProduct + only("%p0", "B", release) + waitProduct) +
           refill,
       waitProduct + "@", waitLater + "@",
       "nothing orders the wgmma.wait_group after the wgmma"},
      {"wgmma_groups_in_order", Setup::Wgmma, 160, 1, 1,
       only("%p5", "A",
            multiply + "add.s64 %rd7, %rd7, 16;\n" + multiply + waitLater +
                only("%p0", "B", release) + waitProduct) +
           refill,
       waitLater, "wgmma.wait_group.sync.aligned 2;\n",
       "nothing orders the wgmma.wait_group after the wgmma"},
  };
}

static std::vector<Litmus> loads() {
  return {
      {"load_then_wait", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            copyIn(0) + waitFor("%r3", 0, "X") +
                "ld.shared.u32 %r30, [%r2];\n"),
       waitFor("%r3", 0, "X"), nothing,
       "no wait on the mbarrier at shared offset"},
      {"load_then_relaxed_wait", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            copyIn(0) + waitFor("%r3", 0, "X", ".acquire.cta") +
                "ld.shared.u32 %r30, [%r2];\n"),
       ".acquire.cta", ".relaxed.cta", "count in is .relaxed"},
      {"load_waited_by_another", Setup::Barriers, 64, 1, 1,
       only("%p4", "A", copyIn(0)) +
           only("%p0", "B",
                waitFor("%r3", 0, "X") + "ld.shared.u32 %r30, [%r2];\n"),
       waitFor("%r3", 0, "X"), nothing, "no wait on the mbarrier"},
      {"load_of_the_next_phase", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            copyIn(0) + waitFor("%r3", 0, "X") + copyIn(16) +
                waitFor("%r3", 1, "Y") + "ld.shared.u32 %r30, [%r2+16];\n"),
       waitFor("%r3", 1, "Y"), nothing,
       "for the phase that its bytes count in"},
      {"load_on_another_barrier", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            copyIn(0) + copyIn(16, "%r4") + waitFor("%r3", 0, "X") +
                waitFor("%r4", 0, "Y") + "ld.shared.u32 %r30, [%r2+16];\n"),
       "%p2, [%r4], 0;", "%p2, [%r3], 0;", "no wait on the mbarrier"},
      {"load_over_a_load", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            copyIn(0) + waitFor("%r3", 0, "X") + copyIn(0, "%r4") +
                waitFor("%r4", 0, "Y")),
       waitFor("%r3", 0, "X"), nothing, "no wait on the mbarrier"},
      {"expect_too_small", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            copyIn(0) + copyIn(16, "%r4") + waitFor("%r3", 0, "X") +
                waitFor("%r4", 0, "Y") + "ld.shared.u32 %r30, [%r2];\n"),
       "WX:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3]",
       "WX:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4]",
       "no wait on the mbarrier"},
      {"cp_async_wait", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            "cp.async.ca.shared.global [%r2], [%rd0], "
            "16;\ncp.async.wait_all;\nld.shared.u32 %r30, [%r2];\n"),
       "cp.async.wait_all;", nothing, "no cp.async.wait_group"},
      {"cp_async_groups", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            "cp.async.ca.shared.global [%r2], [%rd0], "
            "16;\ncp.async.commit_group;\ncp.async.ca.shared.global [%r2+16], "
            "[%rd0], 16;\ncp.async.commit_group;\ncp.async.wait_group "
            "0;\nld.shared.u32 %r30, [%r2+16];\n"),
       "cp.async.wait_group 0;", "cp.async.wait_group 1;",
       "no cp.async.wait_group"},
      {"cp_async_on_a_barrier", Setup::Barriers, 64, 1, 1,
       only("%p0", "A",
            "cp.async.ca.shared.global [%r2], [%rd0], "
            "16;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%r3];\n") +
           only("%p4", "B",
                waitFor("%r3", 0, "X") + "ld.shared.u32 %r30, [%r2];\n"),
       "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];",
       "mbarrier.arrive.shared::cta.b64 _, [%r3];", "no cp.async.wait_group"},
      {"cp_async_then_bulk_read", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            "cp.async.ca.shared.global [%r2], [%rd0], "
            "16;\ncp.async.wait_all;\nfence.proxy.async.shared::cta;\n"
            "cp.async.bulk.global.shared::cta.bulk_group [%rd0+64], [%r2], "
            "16;\ncp.async.bulk.commit_group;\n" +
                drain),
       "fence.proxy.async.shared::cta;", nothing,
       "no fence.proxy.async between the completion"},
  };
}

static std::vector<Litmus> stores() {
  const std::string reuse = only("%p0", "A",
                                 store16 + fenceShared + copyOut +
                                     "cp.async.bulk.wait_group.read "
                                     "0;\n" +
                                     store16 + drain);
  return {
      {"sources_reused", Setup::Barriers, 32, 1, 1, reuse,
       "cp.async.bulk.wait_group.read 0;", nothing,
       "no cp.async.bulk.wait_group"},
      {"sources_reused_by_another", Setup::Plain, 64, 1, 1,
       only("%p0", "A",
            store16 + fenceShared + copyOut +
                "cp.async.bulk.wait_group.read 0;\n") +
           "bar.sync 0;\n" + only("%p4", "B", store16) + "@%p0 " + drain,
       "bar.sync 0;\n@!%p4", "@!%p4", "cp.async.bulk.wait_group"},
      {"one_group_left", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            store16 + "st.shared.v4.u32 [%r2+16], {%r0, %r0, %r0, %r0};\n" +
                fenceShared + copyOut +
                "cp.async.bulk.global.shared::cta.bulk_group [%rd0+64], "
                "[%r2+16], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk."
                "wait_group.read 1;\nst.shared.u32 [%r2], %r0;\n" +
                drain),
       "st.shared.u32 [%r2], %r0;", "st.shared.u32 [%r2+16], %r0;",
       "no cp.async.bulk.wait_group"},
      {"load_over_sources", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            store16 + fenceShared +
                "cp.async.bulk.global.shared::cta.bulk_group [%rd0+64], "
                "[%r2], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk."
                "wait_group.read 0;\n" +
                copyIn(0) + waitFor("%r3", 0, "X") + drain),
       "cp.async.bulk.wait_group.read 0;", nothing,
       "no cp.async.bulk.wait_group"},
      {"reductions_of_two_threads", Setup::Barriers, 64, 1, 2,
       only("%p0", "Z", store16 + fenceShared) + "bar.sync 0;\n" +
           only("%p0", "A", reduceU32 + drain) +
           only("%p4", "B", reduceAgain + drain),
       ".add.u32 [%rd0+0]", ".add.u64 [%rd0+0]", "overlap only in part"},
      {"reductions_of_two_proxies", Setup::Barriers, 64, 1, 1,
       only("%p0", "Z", store16 + fenceShared) + "bar.sync 0;\n" +
           only("%p0", "A", reduceU32 + drain) +
           only("%p4", "B", reduceAgain + drain),
       reduceAgain, "red.relaxed.gpu.global.add.u32 [%rd0], %r0;\n",
       "no cp.async.bulk.wait_group"},
      {"written_for_another", Setup::Barriers, 64, 1, 1,
       only("%p0", "A", store16 + fenceShared + copyOut + drain) +
           "bar.sync 0;\n@%p4 ld.global.u32 %r30, [%rd0];\n",
       "wait_group 0;", "wait_group.read 0;", "says only that the sources"},
      {"written_for_the_same", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            store16 + fenceShared + copyOut + drain +
                "ld.global.u32 %r30, [%rd0];\n"),
       "cp.async.bulk.wait_group 0;", nothing, "no cp.async.bulk.wait_group"},
      {"written_twice", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            store16 + fenceShared + copyOut + drain + copyOut +
                "cp.async."
                "bulk.wait_"
                "group.read "
                "0;\n"),
       "cp.async.bulk.wait_group 0;", "cp.async.bulk.wait_group.read 0;",
       "says only that the sources"},
  };
}

std::vector<Litmus> asyncLitmus() {
  std::vector<Litmus> all = proxies();
  for (auto part : {loads(), stores(), warpgroups()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace tc::emu::test
